"""Bars of how much each feature matters, beside what predictions lose without it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import CLASSIFIERS, FunctionalModel, TreeModel
from ..outline import tree_of
from .canvas import NEGATIVE, POSITIVE, bare, name_rows, start
from .decision_map import called, has_names


def plot_importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    ax: Any = None,
    *,
    kind: str = "sum",
    top: int = 15,
    repeats: int = 5,
    random_state: int = 0,
) -> Any:
    """Draw the importance of features, by default for the splits alone.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    X, y : array_like or data frame, array_like; optional
        Rows and what is true of them, best ones that training has not seen: permutation importance
        is drawn beside, the loss of accuracy or R² when a feature's values are shuffled.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    kind : {"sum", "max", "weighted"}
        As in `importance` of the model.
    top : int
        Features that are shown at most, the most important ones; none of importance 0.
    repeats : int
        Shuffles of each feature that is shown.
    random_state : int
        Seed of the shuffles.

    Returns
    -------
    matplotlib Axes
    """
    if (X is None) != (y is None):
        raise ValueError("X and y go together: give both or neither")
    tree = tree_of(model)
    if isinstance(tree, FunctionalModel) and X is not None:
        raise TypeError("columns of curves are not shuffled one by one: draw it without X and y")
    scores = tree.importance(kind)
    places = np.argsort(-scores, kind="stable")[: max(min(top, int((scores > 0).sum())), 1)]
    own = _relative(scores[places])
    ax, look = start(ax, 6, 1.2 + 0.28 * len(places))
    rows = np.arange(len(places))
    if X is None:
        ax.barh(rows, own, height=0.7, color=POSITIVE)
        ax.set_xlabel("importance, the largest is 1")
    else:
        losses = permutation_losses(tree, X, y, places, repeats, random_state)
        ax.barh(rows - 0.19, own, height=0.36, color=POSITIVE, label="coefficients")
        shuffled = _relative(losses)
        ax.barh(rows + 0.19, shuffled, height=0.36, color=NEGATIVE, label="permutation")
        ax.set_xlabel("importance, the largest of each kind is 1")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        ax.axvline(0, color=look.ink, linewidth=0.6)
    name_rows(ax, [tree.feature_names[j] for j in places], look)
    bare(ax)
    return ax


def _relative(values: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = values.max(initial=0)
    return values / largest if largest > 0 else np.zeros_like(values)


def permutation_losses(
    tree: TreeModel, X: Any, y: Any, places: NDArray[np.intp], repeats: int, seed: int
) -> NDArray[np.float64]:
    """Return the mean loss of accuracy or R² when columns at these places are shuffled."""
    y, rng = np.asarray(y), np.random.default_rng(seed)
    right = _score(tree, X, y)
    losses = []
    for place in places:
        scores = []
        for _ in range(repeats):
            scores.append(_score(tree, _shuffled(X, tree, int(place), rng), y))
        losses.append(np.mean(right - np.array(scores)))
    return np.array(losses)


def _shuffled(X: Any, tree: TreeModel, place: int, rng: np.random.Generator) -> Any:
    if has_names(X):
        name = called(X, tree, place)
        order = rng.permutation(len(X[name]))
        if isinstance(X, dict):
            return {**X, name: [X[name][i] for i in order]}
        return (
            X.assign(**{name: X[name].iloc[order].to_numpy()})
            if hasattr(X, "iloc")
            else (X.with_columns(X[name][order].alias(name)))
        )
    if hasattr(X, "tocsc"):  # a sparse matrix
        rows = X.tocsc(copy=True)
        stored = slice(rows.indptr[place], rows.indptr[place + 1])
        rows.indices[stored] = rng.permutation(rows.shape[0])[rows.indices[stored]]
        return rows
    rows = np.array(X)
    rows[:, place] = rng.permutation(rows[:, place])
    return rows


def _score(tree: TreeModel, X: Any, y: NDArray[Any]) -> float:
    predicted = tree.predict(X)  # type: ignore[attr-defined]
    if isinstance(tree, CLASSIFIERS):
        return float((predicted == y).mean())
    spread = ((y - y.mean()) ** 2).sum()
    return float(1 - ((y - predicted) ** 2).sum() / spread) if spread > 0 else 0.0
