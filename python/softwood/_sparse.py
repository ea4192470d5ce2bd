"""Sparse rows as the compiled core takes them, told by what they have: SciPy is not imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CsrRows:
    """Rows of a CSR matrix, borrowed.

    Row i holds ``data[k]`` in column ``indices[k]`` for k from ``indptr[i]`` to before
    ``indptr[i + 1]``, columns increasing.
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    shape: tuple[int, int]

    def __len__(self) -> int:
        return self.shape[0]


def is_sparse(X: Any) -> bool:
    """Tell whether X is sparse, of SciPy's kind or another's."""
    return hasattr(X, "toarray") or (hasattr(X, "todense") and hasattr(X, "nnz"))


def as_csr(X: Any) -> CsrRows:
    """Return a CSR or CSC matrix or array as sparse rows, its arrays themselves where they do."""
    name = type(X).__name__
    if getattr(X, "format", None) not in ("csr", "csc") or not hasattr(X, "indptr"):
        raise TypeError(
            f"X must be dense or a CSR or CSC matrix, got a sparse {name}; use X.tocsr()"
        )
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, got {X.ndim}")
    if X.data.dtype.kind not in "fiub":
        raise TypeError(f"X must hold numbers (float, int or bool), got dtype {X.data.dtype}")
    if X.format == "csc":
        X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    rows, columns = X.shape
    return CsrRows(
        _in_one_piece(X.indptr, np.int32, np.int64),
        _in_one_piece(X.indices, np.int32, np.int64),
        _in_one_piece(X.data, np.float32, np.float64),
        (int(rows), int(columns)),
    )


def _in_one_piece(array: NDArray[Any], short: type, long: type) -> NDArray[Any]:
    """Return an aligned array without gaps of either dtype, the array itself if it is that."""
    dtype = np.dtype(short if array.dtype == short else long)
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])
