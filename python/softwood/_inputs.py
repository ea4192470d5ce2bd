"""Arguments turned into what the compiled core takes, or refused with a reason."""

from __future__ import annotations

import reprlib
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._sparse import CsrRows, as_csr, is_sparse
from ._tables import Table, is_table, names_of, read_table, refuse_lone_surrogates

Rows: TypeAlias = "NDArray[Any] | CsrRows"

NOT_NUMBERS = "X must hold numbers (float, int or bool)"


def as_rows(X: Any) -> Rows:
    """Return X as the core takes it: native float64 or float32 in two dimensions, or sparse rows.

    X itself, or its own arrays, if they are that already.
    """
    if is_sparse(X):
        return as_csr(X)
    return as_dense_rows(X)


def as_dense_rows(X: Any) -> NDArray[Any]:
    """Return X as a two-dimensional array of native float64 or float32: X itself if it is one."""
    if is_sparse(X):
        raise TypeError(f"X must be dense, got a sparse {type(X).__name__}; use X.toarray()")
    refuse_masked("X", X, "; fill it or drop the masked rows")
    if is_table(X):
        return numbers_of(X, read_table(X))
    array = as_grid(X)
    if array.dtype.kind not in "fiub":
        hint = "; if it holds nothing but numbers use X.astype(float)"
        raise TypeError(
            f"{NOT_NUMBERS}, got dtype {array.dtype}{hint if array.dtype.kind in 'OUS' else ''}"
        )
    return _borrowable(array)


def refuse_rows_not_finite(X: NDArray[Any]) -> None:
    """Refuse rows that hold NaN or infinity, as the core does where it reads them."""
    finite = np.isfinite(X)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(f"X[{row}, {column}] is {X[row, column]}; every value must be finite")


def refuse_masked(name: str, values: Any, hint: str = "") -> None:
    """Refuse masked arrays, and lists that hold some: NumPy would use what they hide."""
    parts = values if isinstance(values, (list, tuple)) else ()
    if any(isinstance(part, np.ma.MaskedArray) for part in (values, *parts)):
        raise TypeError(f"{name} must not be a masked array or hold one{hint}")


def as_grid(X: Any) -> NDArray[Any]:
    """Return X as an array of rows and columns, whatever they hold."""
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must be a table with rows of equal length: {error}") from None
    if array.ndim == 0:
        raise TypeError(f"{NOT_NUMBERS} in rows and columns, got {_shown(X)}")
    if array.ndim != 2:
        hint = "; one row is X.reshape(1, -1), one column X.reshape(-1, 1)"
        raise ValueError(
            f"X must have two dimensions, rows and columns, got {array.ndim}"
            f"{hint if array.ndim == 1 else ''}"
        )
    return array


def numbers_of(X: Any, table: Table) -> NDArray[Any]:
    """Return a table of numbers as an array: the memory of a data frame itself if it can be."""
    array = np.asarray(X) if table.is_numeric and hasattr(X, "__array__") else table.numbers()
    if array.dtype.kind not in "fiub":
        array = table.numbers()
    with np.errstate(all="ignore"):
        complete = np.isfinite(array.sum())
    if not complete:
        table.refuse_missing()
    return _borrowable(array)


def _borrowable(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of numbers that the core can read where it is: a copy only if it must be."""
    if array.dtype.char not in "fd":
        return array.astype(np.float64)
    borrowable = (
        array.dtype.isnative
        and array.flags.aligned
        and all(stride % array.itemsize == 0 for stride in array.strides)
    )
    return array if borrowable else array.astype(array.dtype.newbyteorder("="))


def as_row(x: Any) -> Any:
    """Return x as a table of one row: values by name or in order, an array or a data frame."""
    labels = list(x.keys()) if hasattr(x, "keys") and not hasattr(x, "columns") else []
    if labels and all(isinstance(label, str) for label in labels):
        # A mapping, or a row of a data frame of pandas.
        return {name: x[name] if np.ndim(x[name]) else [x[name]] for name in labels}
    if is_table(x) or np.ndim(x) != 1:
        return x
    row = np.asarray(x)
    # Of [1, "a"] NumPy would make text.
    return (row if row.dtype.kind in "fiub" else np.asarray(x, dtype=object)).reshape(1, -1)


def as_feature_names(feature_names: Any, X: Any, columns: int) -> list[str] | None:
    """Return the names of X's columns: those given, else those of a data frame, else None."""
    if feature_names is None:
        return (names_of(X) if is_table(X) else []) or None
    what = "feature_names must be a sequence of strings, one for each column of X"
    if isinstance(feature_names, (str, bytes)) or not hasattr(feature_names, "__iter__"):
        raise TypeError(f"{what}, got {_shown(feature_names)}")
    names = list(feature_names)
    for j, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"{what}; feature_names[{j}] is {_shown(name)}")
    if len(names) != columns:
        raise ValueError(f"{what}, got {len(names)} names for {columns} columns")
    first = {name: j for j, name in reversed(list(enumerate(names)))}
    for j, name in enumerate(names):
        if first[name] != j:
            raise ValueError(
                f"feature_names must be distinct, got {reprlib.repr(name)} for columns "
                f"{first[name]} and {j}"
            )
    texts = [str(name) for name in names]
    refuse_lone_surrogates("a name in feature_names", texts)
    return texts


def as_labels(y: Any, rows: int) -> tuple[list[Any], NDArray[np.uint32]]:
    """Return the distinct labels in increasing order and for each of the rows its label's place."""
    values = _one_dimensional(y, "y")
    if len(values) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(values)} values")
    values = _plain_labels(values, "y")
    if values.dtype.kind == "O":
        texts = values.tolist()
        classes = sorted(set(texts))
        refuse_lone_surrogates("a label in y", classes)
        place = {label: code for code, label in enumerate(classes)}
        return classes, np.fromiter(map(place.__getitem__, texts), np.uint32, len(texts))
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct.tolist(), codes.astype(np.uint32)


def as_leaves(leaves: Any, rows: int) -> tuple[list[int], NDArray[np.uint32]]:
    """Return the distinct numbers of leaves and for each of the rows its leaf's place."""
    refuse_masked("leaves", leaves)
    values = np.asarray(leaves)
    if values.dtype.kind not in "iu":
        raise TypeError(f"leaves must hold integers, got dtype {values.dtype}")
    if values.shape != (rows,):
        raise ValueError(f"leaves must have shape ({rows},), one for each row, got {values.shape}")
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct.tolist(), codes.astype(np.uint32)


def as_leaf_codes(leaf_classes: Any, classes: list[Any], depth: int) -> NDArray[np.uint32]:
    """Return each leaf's place in `classes`."""
    values = _one_dimensional(leaf_classes, "leaf_classes")
    if len(values) != 2**depth:
        raise ValueError(
            f"leaf_classes must hold {2**depth} labels, one for each leaf at depth {depth}, "
            f"got {len(values)}"
        )
    place = {label: code for code, label in enumerate(classes)}
    labels = _plain_labels(values, "leaf_classes").tolist()
    for t, label in enumerate(labels):
        if label not in place:
            raise ValueError(f"leaf_classes[{t}] is {label!r}, which is not a label in y")
    return np.array([place[label] for label in labels], np.uint32)


def _one_dimensional(y: Any, name: str) -> NDArray[Any]:
    """Return labels as an array, those of a list as they are: NumPy would turn [1, "a"] to text."""
    values = np.asarray(y) if hasattr(y, "__array__") else np.asarray(y, dtype=object)
    refuse_masked(name, y)
    if values.ndim == 0:
        raise TypeError(f"{name} must be a list or array of labels, got {_shown(y)}")
    if values.ndim != 1:
        hint = f"; use {name}.ravel()" if values.ndim == 2 and values.shape[1] == 1 else ""
        raise ValueError(f"{name} must have one dimension, got shape {values.shape}{hint}")
    return values


def _plain_labels(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return labels as an array of bool, int64, float64 or, for text, of str objects."""
    kind = values.dtype.kind
    if kind == "O":
        return _labels_of_objects(values, name)
    if kind in "UT":
        return values.astype(object)
    if kind == "b":
        return values
    if kind in "iu":
        if kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name} must hold integers below 2**63, got {values.max()}")
        return values.astype(np.int64)
    if kind == "f":
        _refuse_not_finite(values, name)
        return values.astype(np.float64)
    hint = "; decode them to str" if kind == "S" else ""
    raise TypeError(
        f"{name} must hold ints, bools, strings or floats, got dtype {values.dtype}{hint}"
    )


def _labels_of_objects(values: NDArray[Any], name: str) -> NDArray[Any]:
    kinds: dict[type, tuple[type, ...]] = {
        bool: (bool, np.bool_),
        int: (int, np.integer),
        float: (float, np.floating),
        str: (str,),
    }
    types = {type(value) for value in values.tolist()}
    found = {next((k for k, v in kinds.items() if issubclass(t, v)), None) for t in types}
    if found == {str}:
        return values
    if found == {bool}:
        return values.astype(np.bool_)
    if found == {int}:
        try:
            return values.astype(np.int64)
        except OverflowError:
            raise ValueError(f"{name} must hold integers of at most 64 bits") from None
    if found <= {int, float}:
        numbers: NDArray[np.float64] = values.astype(np.float64)
        _refuse_not_finite(numbers, name)
        return numbers
    for row, value in enumerate(values.tolist()):
        missing = type(value).__name__ in ("NoneType", "NAType", "NaTType")
        if missing or (isinstance(value, (float, np.floating)) and np.isnan(value)):
            raise ValueError(f"{name}[{row}] is {value}; every row needs a label")
    names = ", ".join(sorted(t.__name__ for t in types))
    raise TypeError(
        f"{name} must hold ints, bools, strings or floats, all of one kind, got {names}"
    )


def _refuse_not_finite(values: NDArray[Any], name: str) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"{name}[{row}] is {values[row]}; labels must be finite")


def as_response(y: Any, rows: int) -> NDArray[np.float64]:
    """Return the response of a regression as contiguous float64, one value for each row."""
    values = _as_numbers("y", y, 1)
    if len(values) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(values)} values")
    return values


def as_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers in one dimension as contiguous float64."""
    return _as_numbers(name, values, 1)


def as_weights(sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
    """Return the weights of the rows as contiguous float64."""
    return None if sample_weight is None else as_vector("sample_weight", sample_weight)


def as_matrix(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers in two dimensions as contiguous float64."""
    return _as_numbers(name, values, 2)


def as_costs(costs: ArrayLike | None, n_classes: int) -> NDArray[np.float64] | None:
    """Return the costs as a square matrix with a row for each class."""
    if costs is None:
        return None
    matrix = _as_numbers("costs", costs, 2)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"costs must have shape ({n_classes}, {n_classes}), a row and a column for each class, "
            f"got {matrix.shape}"
        )
    return matrix


def _as_numbers(name: str, values: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    refuse_masked(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}")
    if array.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension(s), got shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _shown(value: Any) -> str:
    """Return a value short enough for a message, with its type."""
    try:
        shown = repr(value)
    except ValueError:  # an int beyond Python's limit of digits
        shown = "a number of very many digits"
    if len(shown) > 60 or "\n" in shown:
        shown = f"{shown[:40].splitlines()[0]}…"
    return f"{shown} ({type(value).__name__})"
