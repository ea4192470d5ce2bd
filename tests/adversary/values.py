"""Single values that fit no argument, or hardly any."""

from __future__ import annotations

import datetime
import decimal
import fractions
from typing import Any

import numpy as np

from draw import Draw


class HostileError(Exception):
    """What objects of users raise themselves: it is theirs, and passes through."""


class Hostile:
    """An object whose own methods fail."""

    def __repr__(self) -> str:
        raise HostileError("no representation")

    def __float__(self) -> float:
        raise HostileError("no number")

    __index__ = __int__ = __len__ = __iter__ = __array__ = __float__  # type: ignore[assignment]


def hostile(*arguments: Any) -> None:
    """A callable that fails."""
    raise HostileError("no answer")


def anything(draw: Draw) -> Any:
    """A value of any kind."""
    numbers = [0, 1, -1, 2, 13, 2**31, 2**63, 2**64, -(2**63), 10**300, True, False]
    floats = [
        0.0,
        -0.0,
        0.5,
        1.5,
        -1.0,
        1e-320,
        1e308,
        -1e308,
        float("nan"),
        float("inf"),
        -float("inf"),
    ]
    texts = ["", "auto", "all", "soft", "nonsense", "a\0b", "\ud800", "x" * 5000, "1"]
    others = [
        None,
        ...,
        b"bytes",
        1j,
        [],
        (),
        {},
        set(),
        [1, 2],
        [1.5, "a"],
        ["auto"],
        {"a": 1},
        {0: 0.5},
        {0: float("nan")},
        [[1.0, 2.0], [3.0]],
        range(3),
        np.array([1.0, np.nan]),
        np.zeros((2, 2)),
        np.zeros(0),
        np.float64("nan"),
        np.int64(-5),
        np.bool_(True),
        np.datetime64("2020-01-01"),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        datetime.timedelta(1),
        decimal.Decimal("0.5"),
        fractions.Fraction(1, 3),
        hostile,
        object(),
        type,
        Hostile(),
    ]
    return draw.one(draw.one([numbers, floats, texts, others]))
