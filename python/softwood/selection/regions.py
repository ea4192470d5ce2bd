"""Leaves and hyperplanes of fitted trees, as the choice of rows takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _inputs
from ..models import OrctModel
from .results import Hyperplanes


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
    if isinstance(tree, OrctModel):
        return _orct_regions(tree, X)
    if hasattr(tree, "tree_") and hasattr(tree, "apply"):
        return _sklearn_regions(tree, X)
    raise TypeError(
        f"tree must be a fitted OrctModel or a fitted tree of scikit-learn's, "
        f"got {type(tree).__name__}"
    )


def _orct_regions(model: OrctModel, X: Any) -> tuple[NDArray[np.int64], Hyperplanes]:
    if model.scaling != "minmax":
        raise ValueError(
            f"the leaves of a model with scaling={model.scaling!r} are not bounded by hyperplanes "
            f"in the units of X; use scaling='minmax'"
        )
    position = {node: split for split, node in enumerate(model.splits)}
    normals = np.zeros((len(position), len(model.feature_names)))
    offsets = np.empty(len(position))
    for node, split in position.items():
        rule = model.rule(node)
        normals[split, list(rule.features)] = rule.weights
        offsets[split] = rule.threshold
    of_leaf: dict[int, Sequence[int]] = {}
    for leaf, end in enumerate(model.leaves):
        node, path = end, list[int]()
        while node > 0:
            node = (node - 1) // 2
            path.append(position[node])
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


def as_hyperplanes(
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
