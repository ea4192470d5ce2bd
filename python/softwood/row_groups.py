"""Groups of rows on which a regression tree has to keep bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _inputs
from ._features import further_features

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BOUNDS = ("max_mse", "max_mse_gap", "max_mean_gap")

Fields = tuple[str, "list[int] | None", Any, "float | None", "float | None", "float | None"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroup:
    """Rows with bounds on what `fit_orrt` predicts for them, in units of y.

    Attributes
    ----------
    rows : array_like, optional
        Which training rows: a mask with a bool for each, or positions. Groups may overlap.
    X, y, sample_weight : array_like, optional
        Instead of `rows`: rows of their own, with responses and, if wanted, weights. They count
        for the bounds alone.
    name : str, optional
        What the report calls the group; by default "group 0", "group 1", ….
    max_mse : float, optional
        The mean squared error of the group is to be at most this.
    max_mse_gap : float, optional
        It is to differ from that of all training rows by at most this.
    max_mean_gap : float, optional
        The mean prediction of the group is to differ from that of all training rows by at most
        this.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = X[:, 0] + abs(X[:, 1])
    >>> group = softwood.RowGroup(rows=X[:, 0] > 0.5, name="high", max_mean_gap=0.25)
    >>> model = softwood.fit_orrt(X, y, depth=1, row_groups=[group])
    >>> predicted = model.predict(X)
    >>> bool(abs(predicted[X[:, 0] > 0.5].mean() - predicted.mean()) < 0.2501)
    True
    """

    rows: ArrayLike | None = None
    X: Any = None
    y: Any = None
    sample_weight: ArrayLike | None = None
    name: str | None = None
    max_mse: float | None = None
    max_mse_gap: float | None = None
    max_mean_gap: float | None = None


def as_groups(groups: Any, count: int, settings: dict[str, Any]) -> list[Fields]:
    """Return groups as the compiled core takes them; `count` is the number of training rows."""
    if groups is None:
        return []
    if isinstance(groups, RowGroup):
        groups = [groups]
    if not isinstance(groups, Iterable):
        raise TypeError(f"row_groups must be a sequence of RowGroup, got {type(groups).__name__}")
    return [_fields(place, group, count, settings) for place, group in enumerate(groups)]


def _fields(place: int, group: Any, count: int, settings: dict[str, Any]) -> Fields:
    if not isinstance(group, RowGroup):
        raise TypeError(f"row_groups[{place}] must be a RowGroup, got {type(group).__name__}")
    name = f"group {place}" if group.name is None else group.name
    if not isinstance(name, str):
        raise TypeError(f"name of a RowGroup must be a string, got {name!r}")
    if (group.rows is None) == (group.X is None):
        raise ValueError(f"row group {name!r} must have either rows or X and y")
    positions, given = None, None
    if group.rows is not None:
        positions = _positions(name, group.rows, count)
    else:
        rows = further_features(group.X, settings)
        given = (
            rows,
            _inputs.as_response(group.y, len(rows)),
            _inputs.as_weights(group.sample_weight),
        )
    first, second, third = (
        None if bound is None else _core.number(f"{what} of row group {name!r}", bound, " or None")
        for what, bound in ((what, getattr(group, what)) for what in BOUNDS)
    )
    return name, positions, given, first, second, third


def _positions(name: str, rows: Any, count: int) -> list[int]:
    which: NDArray[Any] = np.asarray(rows)
    if which.ndim != 1:
        raise ValueError(
            f"rows of row group {name!r} must have one dimension, got shape {which.shape}"
        )
    if which.dtype.kind == "b":
        if len(which) != count:
            raise ValueError(
                f"rows of row group {name!r} is a mask of {len(which)} values for {count} rows"
            )
        which = np.flatnonzero(which)
    if which.dtype.kind not in "iu" and which.size:
        raise TypeError(
            f"rows of row group {name!r} must be a mask or positions, got dtype {which.dtype}"
        )
    if which.size and which.min() < 0:
        raise ValueError(f"row group {name!r} names row {which.min()}; positions start at 0")
    positions: list[int] = which.tolist()
    return positions
