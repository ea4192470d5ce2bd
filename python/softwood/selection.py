"""Rows that stand for the others: extreme points, and the choice of rows to train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _inputs


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
        Rows that neither weights nor a direction could decide in double precision; they count as
        not covered.
    """

    covered: NDArray[np.bool_]
    extreme: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    unresolved: int

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
    """

    indices: NDArray[np.int64]
    sample_weight: NDArray[np.float64]
    clusters: tuple[Cluster, ...]


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
        Whether the solver ended at the optimum, not at a limit of its own.
    """

    selected: NDArray[np.float64]
    covered: NDArray[np.float64]
    objective: float
    solved: bool


@dataclass(frozen=True, kw_only=True)
class RowSelection:
    """How `fit_orct` selects the rows it trains on.

    A first tree is fitted to a random sample of each class. Each round then selects rows by the
    present tree and fits another one to them, which is kept if it predicts no fewer of *all* rows.
    The first round chooses from each class in each leaf, as :func:`select_rows` does (algorithm 1
    of the reference there); later rounds take the rows the tree gets wrong and, of those it gets
    right, the extreme points in each leaf (algorithm 3). Chosen rows weigh as much as all rows of
    their cluster, so classes keep their balance.

    Attributes
    ----------
    beta1, beta2 : float
        As in :func:`select_rows`.
    tolerance : float
        As in :func:`select_rows`, for features scaled to [0, 1].
    sample : int
        Rows of the first sample, about; a quarter of all rows at most.
    rounds : int
        Rounds at most.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2, rows=softwood.RowSelection(rounds=1))
    >>> [round.step for round in model.report.selection.rounds]
    ['sample', 'clusters']
    """

    beta1: float = 0.2
    beta2: float = 0.05
    tolerance: float = 0.0
    sample: int = 2000
    rounds: int = 3


def as_selection(rows: Any) -> tuple[float, float, float, int, int] | None:
    """Return the settings of a selection as the compiled core takes them, None for all rows."""
    if isinstance(rows, str):
        if rows == "all":
            return None
        if rows == "selected":
            rows = RowSelection()
    if not isinstance(rows, RowSelection):
        kind = ValueError if isinstance(rows, str) else TypeError
        raise kind(f'rows must be "all", "selected" or a RowSelection, got {rows!r}')
    return (
        _inputs.number("beta1", rows.beta1),
        _inputs.number("beta2", rows.beta2),
        _inputs.number("tolerance", rows.tolerance),
        _inputs.integer("sample", rows.sample, 1, 2**32),
        _inputs.integer("rounds", rows.rounds, 0, 1000),
    )


def select_extreme_points(
    X: Any, tolerance: float = 0.0, *, n_threads: int | None = None
) -> ExtremePoints:
    """Find the rows that lie in the convex hull of the other rows.

    Row j is covered if weights λ ≥ 0 with sum 1 on other rows exist for which every coordinate of
    x_j − Σ λ_i x_i is within ± `tolerance`: b_j = 1 in linear program (7) of the reference. Rather
    than one program over all rows for each row, a growing set of proven extreme points is tested
    against; the work grows with the number of extreme points, not with the square of the rows.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Rows, finite.
    tolerance : float
        How far from the hull of the others a row may lie to be covered, in each coordinate and in
        the units of X.
    n_threads : int, optional
        Threads to use, by default one for each core. The result does not depend on it.

    Returns
    -------
    ExtremePoints
        Covered rows and their weights.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments.

    Notes
    -----
    Of rows with the same value the first is judged, the others are covered by it. Distances below
    1e-9 of a column's range count as 0. Weights of rows within the hull are on extreme points and
    reproduce the row to that precision. With a tolerance above 0 extreme points may be covered,
    too, by rows that are covered in turn: two rows closer than the tolerance cover each other.

    References
    ----------
    H. Zhu, P. Murali, D. T. Phan, L. M. Nguyen, J. R. Kalagnanam: A scalable MIP-based method for
    learning optimal multivariate decision trees. NeurIPS 2020.

    Examples
    --------
    >>> import softwood
    >>> X = [[0, 0], [2, 0], [0, 2], [2, 2], [1, 0.5]]
    >>> found = softwood.select_extreme_points(X)
    >>> found.covered
    array([False, False, False, False,  True])
    >>> rows, weights = found.weights(4)
    >>> bool(abs(weights @ [X[i] for i in rows] - [1, 0.5]).max() < 1e-8)
    True
    """
    threads = _inputs.threads(n_threads)
    tolerance = _inputs.number("tolerance", tolerance)
    covered, extreme, indptr, indices, values, unresolved = _core.select_extreme_points(
        _inputs.as_rows(X), tolerance=tolerance, n_threads=threads
    )
    return ExtremePoints(
        covered=covered,
        extreme=extreme,
        indptr=indptr,
        indices=indices,
        values=values,
        unresolved=unresolved,
    )


def select_rows(
    X: Any,
    y: Any,
    leaves: ArrayLike,
    hyperplanes: Hyperplanes | tuple[ArrayLike, ArrayLike],
    beta1: float = 0.2,
    beta2: float = 0.05,
    tolerance: float = 0.0,
    *,
    n_threads: int | None = None,
) -> SelectedRows:
    """Choose the rows to train on, from each class in each leaf of a tree.

    Algorithm 1 of the reference. A cluster, the rows of one class in one leaf, of which at least
    the share 1 − `beta1` is covered by the hull of the others gives its extreme points. Any other
    gives the rows that carry a weight of 1/(p + 1) or more for some covered row and, if these are
    less than the share `beta2` of it, the rows nearest to the leaf's hyperplanes up to that share.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Rows, finite. Distances are measured in its units: scale it if they differ.
    y : array_like, shape (N,)
        Labels: ints, bools, strings or floats, all of one kind.
    leaves : array_like of int, shape (N,)
        The leaf of each row in any tree.
    hyperplanes : Hyperplanes or pair of arrays
        The tree's splits; :func:`leaf_regions` gives leaves and hyperplanes of a tree. A pair
        ``(normals, offsets)`` bounds every leaf.
    beta1 : float
        Above 0 and below 1.
    beta2 : float
        Above 0 and at most 1; less than (p + 1)(1 − `beta1`).
    tolerance : float
        As in :func:`select_extreme_points`. Covered rows that carry weight for a covered extreme
        point then stay, because rows may cover each other.
    n_threads : int, optional
        Threads to use, by default one for each core. The result does not depend on it.

    Returns
    -------
    SelectedRows
        Rows, their weights, and an account of every cluster.

    References
    ----------
    H. Zhu, P. Murali, D. T. Phan, L. M. Nguyen, J. R. Kalagnanam: A scalable MIP-based method for
    learning optimal multivariate decision trees. NeurIPS 2020.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(size=(2000, 2))
    >>> y = X.sum(axis=1) > 1
    >>> leaves = (X[:, 0] > 0.5).astype(int)  # the stump x0 > 0.5
    >>> chosen = softwood.select_rows(X, y, leaves, ([[1.0, 0.0]], [0.5]))
    >>> len(chosen.indices) < 100
    True
    >>> bool(chosen.sample_weight.sum() == 2000)
    True
    """
    threads = _inputs.threads(n_threads)
    settings = {
        "beta1": _inputs.number("beta1", beta1),
        "beta2": _inputs.number("beta2", beta2),
        "tolerance": _inputs.number("tolerance", tolerance),
    }
    rows = _inputs.as_rows(X)
    classes, codes = _inputs.as_labels(y, len(rows))
    numbers, leaf_codes = _inputs.as_leaves(leaves, len(rows))
    normals, offsets, of_leaf = _as_hyperplanes(hyperplanes, numbers)
    indices, cluster, accounts = _core.select_rows(
        rows, codes, leaf_codes, normals, offsets, of_leaf, n_threads=threads, **settings
    )
    clusters = tuple(
        Cluster(
            leaf=numbers[leaf],
            label=classes[code],
            rows=count,
            covered=covered,
            carriers=carriers,
            selected=selected,
            rule=rule,
        )
        for leaf, code, count, covered, carriers, selected, rule in accounts
    )
    share = np.array([cluster.rows / max(cluster.selected, 1) for cluster in clusters])
    return SelectedRows(indices=indices, sample_weight=share[cluster], clusters=clusters)


def balanced_relaxation(X: Any) -> BalancedRelaxation:
    """Solve the linear relaxation of balanced selection: few rows that cover many.

    Relaxation (9) of the reference, the first step of its algorithm 2: maximize Σ (b_i − a_i) under
    b_j x_j = Σ λ_ji x_i, Σ λ_ji = b_j, 0 ≤ λ_ji ≤ a_i and a_j + b_j ≤ 1, sums over i ≠ j. The 0–1
    program that follows in algorithm 2 is not available in this version.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Rows of one cluster, finite; at most 100, since the program has a variable for each pair.

    Returns
    -------
    BalancedRelaxation
        a as `selected`, b as `covered`.

    References
    ----------
    H. Zhu, P. Murali, D. T. Phan, L. M. Nguyen, J. R. Kalagnanam: A scalable MIP-based method for
    learning optimal multivariate decision trees. NeurIPS 2020, supplement B.

    Examples
    --------
    >>> import softwood
    >>> answer = softwood.balanced_relaxation([[0.0], [1.0], [0.25], [0.5], [0.75]])
    >>> answer.solved, answer.covered[:2].tolist()
    (True, [0.0, 0.0])
    """
    selected, covered, objective, solved = _core.balanced_relaxation(_inputs.as_rows(X))
    return BalancedRelaxation(
        selected=selected, covered=covered, objective=objective, solved=solved
    )


def leaf_regions(tree: Any, X: Any) -> tuple[NDArray[np.int64], Hyperplanes]:
    """Return the leaf of each row and the hyperplanes of a tree, as `select_rows` takes them.

    Parameters
    ----------
    tree : OrctModel or scikit-learn's DecisionTreeClassifier
        A fitted tree. Of an ORCT, whose splits are soft, a row's leaf is its most probable one;
        its features must be scaled by ``"minmax"``, since quantiles bend hyperplanes.
    X : array_like or data frame, shape (N, p)
        Rows.

    Returns
    -------
    leaves : ndarray of int, shape (N,)
        The leaf of each row: numbered from left to right in an ORCT, as by ``tree.apply`` in a
        tree of scikit-learn's.
    hyperplanes : Hyperplanes
        One for each split, in the units of X.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    >>> leaves, hyperplanes = softwood.leaf_regions(model, X)
    >>> sorted(set(leaves.tolist())), hyperplanes.normals.shape
    ([0, 1], (1, 30))
    >>> chosen = softwood.select_rows(X, y, leaves, hyperplanes, beta2=0.1)
    """
    if isinstance(tree, _core.OrctModel):
        return _orct_regions(tree, X)
    if hasattr(tree, "tree_") and hasattr(tree, "apply"):
        return _sklearn_regions(tree, X)
    raise TypeError(
        f"tree must be a fitted OrctModel or a fitted tree of scikit-learn's, "
        f"got {type(tree).__name__}"
    )


def _orct_regions(model: _core.OrctModel, X: Any) -> tuple[NDArray[np.int64], Hyperplanes]:
    if model.scaling != "minmax":
        raise ValueError(
            f"the leaves of a model with scaling={model.scaling!r} are not bounded by hyperplanes "
            f"in the units of X; use scaling='minmax'"
        )
    branches = 2**model.depth - 1
    normals = np.zeros((branches, len(model.feature_names)))
    offsets = np.empty(branches)
    for t in range(branches):
        rule = model.rule(t)
        normals[t, list(rule.features)] = rule.weights
        offsets[t] = rule.threshold
    of_leaf: dict[int, Sequence[int]] = {}
    for leaf in range(branches + 1):
        node, path = branches + leaf, list[int]()
        while node > 0:
            node = (node - 1) // 2
            path.append(node)
        of_leaf[leaf] = path
    leaves = np.argmax(model.leaf_probabilities(X), axis=1)
    return leaves, Hyperplanes(normals=normals, offsets=offsets, of_leaf=of_leaf)


def _sklearn_regions(tree: Any, X: Any) -> tuple[NDArray[np.int64], Hyperplanes]:
    nodes = tree.tree_
    splits = np.flatnonzero(nodes.children_left >= 0)
    normals = np.zeros((len(splits), nodes.n_features))
    normals[np.arange(len(splits)), nodes.feature[splits]] = 1.0
    number = {int(node): h for h, node in enumerate(splits)}
    of_leaf: dict[int, Sequence[int]] = {}
    todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while todo:
        node, path = todo.pop()
        if node in number:
            path = (*path, number[node])
            todo += [
                (int(nodes.children_left[node]), path),
                (int(nodes.children_right[node]), path),
            ]
        else:
            of_leaf[node] = path
    hyperplanes = Hyperplanes(normals=normals, offsets=nodes.threshold[splits], of_leaf=of_leaf)
    return np.asarray(tree.apply(X), np.int64), hyperplanes


def _as_hyperplanes(
    hyperplanes: Any, leaves: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[list[int]]]:
    """Return normals, offsets and, for each of the leaves, the hyperplanes that bound it."""
    if isinstance(hyperplanes, Hyperplanes):
        normals, offsets = hyperplanes.normals, hyperplanes.offsets
        missing = [leaf for leaf in leaves if leaf not in hyperplanes.of_leaf]
        if missing:
            raise ValueError(f"hyperplanes.of_leaf has no entry for leaf {missing[0]}")
        of_leaf = [[int(h) for h in hyperplanes.of_leaf[leaf]] for leaf in leaves]
    else:
        if not isinstance(hyperplanes, tuple) or len(hyperplanes) != 2:
            raise TypeError(
                f"hyperplanes must be a Hyperplanes or a pair (normals, offsets), "
                f"got {type(hyperplanes).__name__}"
            )
        normals, offsets = hyperplanes
        of_leaf = [list(range(len(np.atleast_1d(offsets))))] * len(leaves)
    if any(h < 0 for bounds in of_leaf for h in bounds):
        raise ValueError("hyperplanes.of_leaf must hold numbers of hyperplanes, from 0 on")
    return (
        _inputs.as_matrix("hyperplanes: normals", normals),
        _inputs.as_vector("hyperplanes: offsets", offsets),
        of_leaf,
    )
