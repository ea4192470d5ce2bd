"""Features of rows: arrays as they are, tables by an encoding that fits learn and models keep."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._inputs import Rows, as_dense_rows, as_grid, as_rows, numbers_of
from ._sparse import is_sparse
from ._tables import Table, is_table, levels_of, read_table
from .notices import warn_outside
from .warnings import UnseenLevelsWarning

# Levels that a warning lists.
SHOWN_LEVELS = 5


@dataclass(frozen=True)
class OpenTable:
    """A table to be encoded, and how."""

    table: Table
    fill_missing: bool
    ordered: list[tuple[str, list[Any]]]

    def __len__(self) -> int:
        return len(self.table)

    def learn(self, names: list[str] | None, weights: NDArray[np.float64] | None) -> _core.Encoding:
        """Return the encoding of the rows that weigh; the table's columns are called `names`."""
        table = replace(self.table, names=names or [])
        if weights is not None and not (np.isfinite(weights).all() and weights.max(initial=0) > 0):
            weights = None  # the core says what is wrong with them
        return _core.Encoding.learn(table.fields(), weights, self.fill_missing, self.ordered)


def open_rows(X: Any, given: dict[str, Any]) -> Rows | OpenTable:
    """Return rows of numbers as they are and a table of anything else, to be encoded.

    Takes `missing` and `ordered` out of a call's arguments.
    """
    missing, ordered = given.pop("missing", "error"), _ordered(given.pop("ordered", None))
    if not isinstance(missing, str):
        raise TypeError(f"missing must be 'error' or 'indicator', got {reprlib.repr(missing)}")
    if missing not in ("error", "indicator"):
        raise ValueError(f"missing must be 'error' or 'indicator', got {reprlib.repr(missing)}")
    fill = missing == "indicator"
    if is_table(X):
        table = read_table(X)
        if table.is_numeric and not fill and not ordered:
            return numbers_of(X, table)
        return OpenTable(table, fill, ordered)
    if fill or ordered:
        return OpenTable(read_table(as_dense_rows(X)), fill, ordered)
    return as_rows(X)


def encode(
    encoding: _core.Encoding | _core._Handle, X: Any, named: bool, n_threads: Any = None
) -> NDArray[np.float64]:
    """Return the features of X, a table or an array of the columns in their order.

    Warns of levels that training has not seen.
    """
    table = read_table(X if is_table(X) else _grid(X))
    table = table if named else replace(table, names=[])
    features, unseen = encoding.encode(table.fields(), n_threads)
    for column, levels, rows in unseen:
        shown = ", ".join(map(repr, levels[:SHOWN_LEVELS]))
        more = f" and {len(levels) - SHOWN_LEVELS} more" if len(levels) > SHOWN_LEVELS else ""
        warn_outside(
            f"column {column!r} holds levels never seen in training, in {rows} of {len(features)} "
            f"rows: {shown}{more}; they are taken as none of its levels",
            UnseenLevelsWarning,
        )
    return features


def further_features(X: Any, settings: dict[str, Any]) -> Rows:
    """Return the features of rows beside the training rows, as the settings of a fit have them."""
    encoding = settings.get("encoding")
    if encoding is None:
        return as_rows(X)
    return encode(encoding, X, settings["feature_names"] is not None)


def features_of(handle: _core._Handle, X: Any, n_threads: Any) -> Rows:
    """Return the features of X for a model; of one fitted to numbers, arrays themselves."""
    if handle.encoded:
        return encode(handle, X, handle.named, n_threads)
    if not is_table(X):
        return as_rows(X)
    table = read_table(X)
    if handle.named and table.names and table.names != handle.feature_names:
        return encode(handle, X, True, n_threads)
    return numbers_of(X, table)


def _grid(X: Any) -> NDArray[Any]:
    """Return an array of values of any kind; of rows of [1, "a"] NumPy would make text."""
    if is_sparse(X):
        return as_dense_rows(X)  # refuses it
    array = as_grid(X)
    plain = hasattr(X, "__array__") or array.dtype.kind in "fiub"
    return array if plain else as_grid(np.asarray(X, dtype=object))


def _ordered(ordered: Any) -> list[tuple[str, list[Any]]]:
    """Return the columns with an order, and their levels."""
    if ordered is None:
        return []
    what = "ordered must be a mapping such as {'size': ['S', 'M', 'L']} or None"
    if not isinstance(ordered, Mapping):
        raise TypeError(f"{what}, got {type(ordered).__name__}")
    for name, given in ordered.items():
        if not isinstance(name, str) or isinstance(given, str) or not hasattr(given, "__iter__"):
            raise TypeError(f"{what}, got {reprlib.repr(name)}: {reprlib.repr(given)}")
    return [(name, levels_of(given, f"ordered[{name!r}]")) for name, given in ordered.items()]
