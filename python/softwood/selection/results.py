"""What row selection finds: extreme points, chosen rows and why, hyperplanes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ExtremePoints:
    """Which rows lie in the convex hull of the others, and the weights that show it.

    Attributes
    ----------
    covered : ndarray of bool, shape (N,)
        Whether each row lies in the hull of the others, within the tolerance.
    extreme : ndarray of bool, shape (N,)
        Whether each row is an extreme point of the hull of all rows, tolerance aside; without a
        tolerance the rows that are not covered.
    indptr : ndarray of int, shape (N + 1,)
        The weights of row i are ``values[indptr[i]:indptr[i + 1]]``, none if it is not covered.
    indices : ndarray of int
        The rows that carry these weights.
    values : ndarray of float
        The weights: positive, at most p + 1 for each row, with sum 1.
    unresolved : int
        Rows that neither weights nor a direction could decide in double precision, or that a time
        limit has left open; they count as not covered.
    status : {"completed", "time_limit"}
        Whether all rows were tested. What was found before a limit stands: rows covered are, by
        weights on rows that are not.
    """

    covered: NDArray[np.bool_]
    extreme: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    unresolved: int
    status: str

    def weights(self, i: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows that carry weight for row i, and their weights."""
        part = slice(self.indptr[i], self.indptr[i + 1])
        return self.indices[part], self.values[part]

    def to_scipy(self) -> Any:
        """Return the weights as a sparse array of SciPy, N × N: row j times X is row j of X.

        Rows that are not covered are empty.
        """
        from scipy.sparse import csr_array

        n = len(self.covered)
        return csr_array((self.values, self.indices, self.indptr), shape=(n, n))


@dataclass(frozen=True, kw_only=True, eq=False)
class Hyperplanes:
    """The hyperplanes at the splits of a tree, and which of them bound each leaf.

    Attributes
    ----------
    normals : ndarray, shape (H, p)
        Hyperplane h holds the points x with ``normals[h] @ x == offsets[h]``.
    offsets : ndarray, shape (H,)
        See `normals`.
    of_leaf : dict of int to sequence of int
        For each leaf the hyperplanes that a row passes on the way to it.
    """

    normals: NDArray[np.float64]
    offsets: NDArray[np.float64]
    of_leaf: dict[int, Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What was chosen from the rows of one class in one leaf, and why.

    Attributes
    ----------
    leaf : int
        The leaf.
    label : object
        The class.
    rows : int
        Rows of that class in that leaf.
    covered : int
        Of these in the hull of the others.
    carriers : int
        Of these carrying a weight of 1/(p + 1) or more for a covered row.
    selected : int
        Of these chosen.
    rule : {"extreme", "carriers", "carriers and nearest"}
        How: all extreme points; the carriers; or the carriers and, of the rows neither covered nor
        carrying, those nearest to the leaf's hyperplanes.
    """

    leaf: int
    label: object
    rows: int
    covered: int
    carriers: int
    selected: int
    rule: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectedRows:
    """The rows to train on.

    Attributes
    ----------
    indices : ndarray of int, shape (M,)
        The rows, in increasing order.
    sample_weight : ndarray of float, shape (M,)
        Rows of the cluster for each row chosen from it: with these weights clusters, and so
        classes, count as much as all their rows.
    clusters : tuple of Cluster
        Every cluster, by leaf and class.
    status : {"completed", "time_limit"}
        Whether all rows were tested; those that a limit has left open count as not covered.
    """

    indices: NDArray[np.int64]
    sample_weight: NDArray[np.float64]
    clusters: tuple[Cluster, ...]
    status: str


@dataclass(frozen=True, kw_only=True, eq=False)
class BalancedRows:
    """Few rows that cover many.

    Attributes
    ----------
    indices : ndarray of int64
        The rows selected, increasing.
    covered : ndarray of bool, shape (N,)
        Rows that are covered by those selected, and left out for that. All others are neither.
    objective : int
        Rows covered minus rows selected.
    bound : int
        No selection that agrees with the relaxation where that is 0 or 1 has more.
    nodes : int
        Relaxations solved.
    status : {"optimal", "iteration_limit", "time_limit"}
        Whether `objective` has met `bound`, or the limit that was reached: `max_nodes`, or time.
    """

    indices: NDArray[np.int64]
    covered: NDArray[np.bool_]
    objective: int
    bound: int
    nodes: int
    status: str


@dataclass(frozen=True, kw_only=True, eq=False)
class BalancedRelaxation:
    """The optimum of the relaxation of balanced selection.

    Attributes
    ----------
    selected : ndarray, shape (N,)
        How far each row is selected, from 0 to 1.
    covered : ndarray, shape (N,)
        How far each row is covered by selected rows: 0 if it cannot be, 1 if it may be left out,
        between them where the 0–1 program would have to decide.
    objective : float
        Sum of `covered` minus sum of `selected`.
    solved : bool
        Whether the solver ended at the optimum, not at a limit of its own or at the time limit.
    status : {"completed", "time_limit"}
        After a time limit nothing is selected or covered.
    """

    selected: NDArray[np.float64]
    covered: NDArray[np.float64]
    objective: float
    solved: bool
    status: str
