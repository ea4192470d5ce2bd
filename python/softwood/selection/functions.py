"""Rows that stand for the others: extreme points, and the choice of rows to train on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core, _inputs
from .._settings import SELECT_ROWS
from .regions import as_hyperplanes
from .results import (
    BalancedRelaxation,
    BalancedRows,
    Cluster,
    ExtremePoints,
    Hyperplanes,
    SelectedRows,
)


def select_extreme_points(
    X: Any,
    tolerance: float = SELECT_ROWS["tolerance"],
    *,
    n_threads: int | None = None,
    time_limit: float | None = None,
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
    time_limit : float, optional
        Seconds after which rows not tested yet count as not covered, as the `status` tells; None
        for no limit.

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
    settings = {"tolerance": tolerance, "n_threads": n_threads}
    covered, extreme, indptr, indices, values, unresolved, status = _core.select_extreme_points(
        _inputs.as_dense_rows(X), settings, time_limit
    )
    return ExtremePoints(
        covered=covered,
        extreme=extreme,
        indptr=indptr,
        indices=indices,
        values=values,
        unresolved=unresolved,
        status=status,
    )


def select_rows(
    X: Any,
    y: Any,
    leaves: ArrayLike,
    hyperplanes: Hyperplanes | tuple[ArrayLike, ArrayLike],
    beta1: float = SELECT_ROWS["beta1"],
    beta2: float = SELECT_ROWS["beta2"],
    tolerance: float = SELECT_ROWS["tolerance"],
    *,
    n_threads: int | None = None,
    time_limit: float | None = None,
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
    time_limit : float, optional
        Seconds after which rows not tested yet count as not covered, as the `status` tells; None
        for no limit.

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
    settings = {"beta1": beta1, "beta2": beta2, "tolerance": tolerance, "n_threads": n_threads}
    rows = _inputs.as_dense_rows(X)
    classes, codes = _inputs.as_labels(y, len(rows))
    numbers, leaf_codes = _inputs.as_leaves(leaves, len(rows))
    normals, offsets, of_leaf = as_hyperplanes(hyperplanes, numbers)
    indices, cluster, accounts, status = _core.select_rows(
        rows, codes, leaf_codes, normals, offsets, of_leaf, settings, time_limit
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
    return SelectedRows(
        indices=indices, sample_weight=share[cluster], clusters=clusters, status=status
    )


def balanced_relaxation(X: Any, *, time_limit: float | None = None) -> BalancedRelaxation:
    """Solve the linear relaxation of balanced selection: few rows that cover many.

    Relaxation (9) of the reference, the first step of its algorithm 2: maximize Σ (b_i − a_i) under
    b_j x_j = Σ λ_ji x_i, Σ λ_ji = b_j, 0 ≤ λ_ji ≤ a_i and a_j + b_j ≤ 1, sums over i ≠ j.
    :func:`select_balanced_rows` goes on from there.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Rows of one cluster, finite; at most 100, since the program has a variable for each pair.
    time_limit : float, optional
        Seconds after which nothing is selected; None for no limit.

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
    selected, covered, objective, solved, status = _core.balanced_relaxation(
        _inputs.as_dense_rows(X), time_limit
    )
    return BalancedRelaxation(
        selected=selected, covered=covered, objective=objective, solved=solved, status=status
    )


def select_balanced_rows(
    X: Any, max_nodes: int | None = 200, *, time_limit: float | None = None
) -> BalancedRows:
    """Select few rows that cover many, all others left aside.

    Algorithm 2 of the reference: relaxation (9), see :func:`balanced_relaxation`, decides which
    rows are covered where its b is 0 or 1; the 0–1 program (6) decides the rest, by branch and
    bound. Rows covered minus rows selected is what is maximized.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Rows of one cluster, finite; at most 100, since the program has a variable for each pair.
    max_nodes : int, optional
        Relaxations to solve at most, one or two more to finish a step; None for no limit. Then the
        best selection so far is returned; its `bound` tells what may be left.
    time_limit : float, optional
        Seconds after which the best selection so far is returned, as after `max_nodes`; None for
        no limit.

    Returns
    -------
    BalancedRows
        The rows, what they cover, and how far the best can be.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments.

    References
    ----------
    H. Zhu, P. Murali, D. T. Phan, L. M. Nguyen, J. R. Kalagnanam: A scalable MIP-based method for
    learning optimal multivariate decision trees. NeurIPS 2020, supplement B.

    Examples
    --------
    >>> import softwood
    >>> found = softwood.select_balanced_rows([[0.0], [1.0], [0.25], [0.5], [0.75]])
    >>> found.indices.tolist(), found.covered.tolist(), found.objective == found.bound
    ([0, 1], [False, False, True, True, True], True)
    """
    rows = _inputs.as_dense_rows(X)
    indices, covered, objective, bound, nodes, status = _core.select_balanced_rows(
        rows, max_nodes, time_limit
    )
    return BalancedRows(
        indices=indices,
        covered=covered,
        objective=objective,
        bound=bound,
        nodes=nodes,
        status=status,
    )
