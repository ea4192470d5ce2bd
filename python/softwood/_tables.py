"""Tables read column by column: data frames of any library, mappings, arrays, by NumPy alone."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._sparse import is_sparse

# What is missing where a column holds objects; pandas need not be there to know it by name.
MISSING = ("NoneType", "NAType", "NaTType")

# How types of columns begin that say that their values are categories.
CATEGORICAL = ("category", "Categorical", "Enum", "dictionary")


class Levels(NamedTuple):
    """A column of levels, as the core takes it: codes are places in `levels`, −1 where missing."""

    levels: list[Any]
    codes: NDArray[np.int32]
    declared: bool
    ordered: bool


@dataclass(frozen=True)
class Table:
    """The columns of a table: arrays of numbers or bools, or levels. No names: by their order."""

    names: list[str]
    columns: list[NDArray[Any] | Levels]

    def __len__(self) -> int:
        first = self.columns[0] if self.columns else ()
        return len(first.codes if isinstance(first, Levels) else first)

    @property
    def is_numeric(self) -> bool:
        """Whether all columns are numbers or bools."""
        return not any(isinstance(column, Levels) for column in self.columns)

    def fields(self) -> tuple[list[str], list[Any]]:
        """Return names and columns as the core takes them."""
        return self.names, [_fields(column) for column in self.columns]

    def refuse_missing(self) -> None:
        """Refuse missing values, by the names of their columns."""
        _core.refuse_missing(self.fields())

    def numbers(self) -> NDArray[np.float64]:
        """Return columns of numbers as one array; other columns are refused by name."""
        for j, column in enumerate(self.columns):
            if isinstance(column, Levels):
                level = reprlib.repr(column.levels[0])
                raise TypeError(f"column {self.called(j)} must hold numbers, got {level}")
        columns = [np.asarray(column, np.float64) for column in self.columns]
        return np.column_stack(columns) if columns else np.empty((0, 0))

    def called(self, j: int) -> str:
        """Return how column j is called in messages."""
        return repr(self.names[j]) if self.names else str(j)


def is_table(X: Any) -> bool:
    """Tell whether X has columns: a data frame of any library or a mapping."""
    if isinstance(X, np.ndarray) or is_sparse(X):
        return False
    return isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "column_names")


def names_of(X: Any) -> list[str]:
    """Return the names of X's columns; none if they are no strings, as pandas numbers columns."""
    if isinstance(X, Mapping):
        names = list(X)
    else:
        names = list(getattr(X, "column_names", None) or X.columns)
    texts = [str(name) for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        odd = next(name for name in names if not isinstance(name, str))
        if texts or isinstance(X, Mapping):
            raise TypeError(f"the columns of X must be called by strings, got {reprlib.repr(odd)}")
        return []
    refuse_lone_surrogates("a column name of X", texts)
    if len(set(texts)) < len(texts):
        twice = next(name for j, name in enumerate(texts) if name in texts[:j])
        raise ValueError(f"two columns of X are called {twice!r}; names must be distinct")
    return texts


def read_table(X: Any) -> Table:
    """Return the columns of a data frame of any library, of a mapping or of an array."""
    if isinstance(X, np.ndarray):
        columns = [X[:, j] for j in range(X.shape[1])]
        return Table([], [_read(column, str(j)) for j, column in enumerate(columns)])
    if not hasattr(X, "__len__"):
        raise TypeError(f"X must be a table in memory, got {type(X).__name__}; collect it first")
    names = names_of(X)
    if hasattr(X, "iloc"):
        columns = [X.iloc[:, j] for j in range(X.shape[1])]
    else:
        columns = [X[name] for name in names]
    shown = [repr(name) for name in names] or [str(j) for j in range(len(columns))]
    table = Table(names, [_read(c, name) for c, name in zip(columns, shown, strict=True)])
    lengths = [len(Table([], [column])) for column in table.columns]
    for name, length in zip(shown, lengths, strict=True):
        if length != lengths[0]:
            raise ValueError(
                f"column {name} of X has {length} rows where the first has {lengths[0]}"
            )
    return table


def levels_of(values: Iterable[Any], what: str) -> list[Any]:
    """Return levels as the core takes them: all text, all bools, all ints or all floats."""
    items = list(values)
    kinds = {_kind(item) for item in items}
    if kinds == {str}:
        texts = [str(item) for item in items]
        refuse_lone_surrogates(f"a level of {what}", texts)
        return texts
    if kinds == {bool}:
        return [bool(item) for item in items]
    if kinds == {float}:
        whole = all(isinstance(item, (int, np.integer)) for item in items)
        return [int(item) if whole else float(item) for item in items]
    found = ", ".join(sorted({type(item).__name__ for item in items}))
    raise TypeError(f"{what} must have levels that are text, numbers or bools, got {found}")


def refuse_lone_surrogates(what: str, texts: Sequence[str]) -> None:
    """Refuse text that is not Unicode: the compiled core and the model file cannot hold it."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{what} is {text!r}, which is not valid Unicode") from None


def _fields(column: NDArray[Any] | Levels) -> Any:
    if isinstance(column, Levels):
        return tuple(column)
    if column.dtype.kind == "b":
        return [False, True], np.ascontiguousarray(column, np.int32), True, False
    return np.ascontiguousarray(column, np.float64)


def _read(column: Any, name: str) -> NDArray[Any] | Levels:
    """Return one column; `name` is what messages call it."""
    kind: Any = getattr(column, "type", None)
    if hasattr(kind, "index_type"):
        # NumPy would be given some level where Arrow's dictionaries have none.
        column = column.cast(kind.value_type)
    categories: Any = getattr(column, "cat", None)
    if hasattr(categories, "codes"):
        codes = np.ascontiguousarray(categories.codes, np.int32)
        if not len(categories.categories):
            return np.full(len(codes), np.nan)
        levels = levels_of(categories.categories, f"column {name}")
        return Levels(levels, codes, True, bool(categories.ordered))
    if isinstance(column, np.ma.MaskedArray):
        raise TypeError(f"column {name} of X must not be a masked array; use NaN or None")
    values = _array(column, name)
    if values.ndim != 1:
        raise ValueError(f"column {name} of X must have one dimension, got {values.ndim}")
    if values.dtype.kind in "fiub":
        return values
    if values.dtype.kind in "Mm":
        hint = "give numbers instead, such as days since a date"
        raise TypeError(f"column {name} of X holds dates or times ({values.dtype}); {hint}")
    if values.dtype.kind not in "OUT":
        raise TypeError(
            f"column {name} of X must hold numbers, bools or text, got dtype {values.dtype}"
        )
    kind = str(getattr(column, "dtype", kind))
    return _of_objects(values.tolist(), name, kind.startswith(CATEGORICAL))


def _array(column: Any, name: str) -> NDArray[Any]:
    if hasattr(column, "__array__"):
        return np.asarray(column)
    try:
        values = np.asarray(column)
    except ValueError:
        raise ValueError(f"column {name} of X must be a flat sequence of values") from None
    # Of [1, "a"] NumPy would make text.
    return values if values.dtype.kind in "fiubMm" else np.asarray(column, dtype=object)


def _of_objects(items: list[Any], name: str, declared: bool) -> NDArray[Any] | Levels:
    """Return a column of Python's objects as numbers or levels, by the kind of all of them."""
    try:
        distinct = list(dict.fromkeys(items))
    except TypeError:
        odd = next(item for item in items if getattr(item, "__hash__", None) is None)
        raise TypeError(
            f"column {name} of X must hold numbers, bools or text, "
            f"row {items.index(odd)} holds {type(odd).__name__}"
        ) from None
    values = [item for item in distinct if not _is_missing(item)]
    kinds = {_kind(item) for item in values}
    if not kinds:
        return np.full(len(items), np.nan)
    if len(kinds) > 1 or None in kinds:
        raise TypeError(_mixture(items, name))
    if kinds == {float}:
        numbers = {item: np.nan if _is_missing(item) else _number(item, name) for item in distinct}
        return np.fromiter(map(numbers.__getitem__, items), np.float64, len(items))
    places = dict.fromkeys(distinct, -1) | {item: k for k, item in enumerate(values)}
    codes = np.fromiter(map(places.__getitem__, items), np.int32, len(items))
    return Levels(levels_of(values, f"column {name}"), codes, declared, False)


def _is_missing(item: Any) -> bool:
    if isinstance(item, (float, np.floating, Decimal)):
        return bool(item != item)
    return type(item).__name__ in MISSING


def _kind(item: Any) -> type | None:
    """Return bool, float for any number, str, or None for anything else."""
    if isinstance(item, (bool, np.bool_)):
        return bool
    if isinstance(item, (int, float, np.integer, np.floating, Decimal)):
        return float
    return str if isinstance(item, str) else None


def _number(item: Any, name: str) -> float:
    try:
        return float(item)
    except OverflowError:
        raise ValueError(f"column {name} of X holds a number too large for float64") from None


def _mixture(items: list[Any], name: str) -> str:
    """Return what is said of a column with values of several kinds, or of an unknown one."""
    first: dict[type | None, int] = {}
    for row, item in enumerate(items):
        if not _is_missing(item):
            first.setdefault(_kind(item), row)
    shown = [f"row {row} holds {_shown(items[row])}" for row in first.values()]
    if None in first:
        row = first[None]
        return (
            f"column {name} of X must hold numbers, bools or text, "
            f"row {row} holds {_shown(items[row])}"
        )
    return (
        f"column {name} of X must hold values of one kind, {', '.join(shown)}; "
        "make them all numbers, missing where there is none, or all text"
    )


def _shown(value: Any) -> str:
    shown = repr(value)
    return f"{shown if len(shown) <= 40 else shown[:40] + '…'} ({type(value).__name__})"
