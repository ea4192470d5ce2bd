"""Pictures of how a fit went: its starts, rates asked and reached, probabilities that hold."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import CLASSIFIERS
from ..outline import tree_of
from .canvas import POSITIVE, bare, class_colours, fitted, plain, start


def plot_starts(model: Any, ax: Any = None) -> Any:
    """Draw the objective of every start of a fit, from the best to the worst.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
    """
    report = tree_of(model).report
    ends = sorted(report.start_objectives)
    ax, look = start(ax, 5.2, 3.2)
    places = np.arange(1, len(ends) + 1)
    ax.plot(places, ends, color=look.between(0.4), linewidth=1, zorder=1)
    ax.scatter(places, ends, s=22, color=[look.between(0.55)], zorder=2)
    ax.scatter([1], ends[:1], s=42, color=POSITIVE, zorder=3, label="the model's start")
    ax.set(xlabel="starts, the best first", ylabel="objective")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="upper left", frameon=False)
    bare(ax)
    return ax


def plot_rates(models: Any, X: Any = None, y: Any = None, ax: Any = None) -> Any:
    """Draw rates of classes asked for against rates reached.

    Parameters
    ----------
    models : model, fitted estimator, or sequence of them
        Classification trees fitted with `min_class_rate`.
    X, y : array_like or data frame, array_like; optional
        Rows that training has not seen, and their labels: the share of each class that is
        predicted right is drawn, too.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
    """
    if (X is None) != (y is None):
        raise ValueError("X and y go together: give both or neither")
    several = models if isinstance(models, Sequence) else [models]
    trees = [tree_of(model) for model in several]
    bounds = [
        (tree, c) for tree in trees for c in tree.report.constraints if c.kind == "class_rate"
    ]
    if not bounds:
        raise ValueError("no rate of a class was asked for: fit_orct(min_class_rate=…) does")
    ax, look = start(ax, 5.6, 4.4)
    labels = list(dict.fromkeys(bound.label for _, bound in bounds))
    for label, colour in zip(labels, class_colours(len(labels)), strict=True):
        own = [(tree, bound) for tree, bound in bounds if bound.label == label]
        asked = [bound.asked for _, bound in own]
        name = plain(fitted(label, 100, 9))
        reached = [bound.reached for _, bound in own]
        ax.plot(asked, reached, "o", color=colour, label=f"{name}: training")
        if X is not None:
            held = [_recall(tree, X, y, label) for tree, _ in own]
            hollow = {"markerfacecolor": "none", "color": colour}
            ax.plot(asked, held, "D", label=f"{name}: other rows", **hollow)
    low = min([*ax.get_ylim(), *ax.get_xlim()])
    low, high = max(low, -0.02), 1.02
    ax.plot([low, high], [low, high], color=look.between(0.5), linewidth=0.9, linestyle=":")
    ax.set(xlabel="rate asked for", ylabel="rate reached", xlim=(low, high), ylim=(low, high))
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    bare(ax)
    return ax


def _recall(tree: Any, X: Any, y: Any, label: object) -> float:
    told = np.asarray(y) == label
    return float((tree.predict(X)[told] == label).mean()) if told.any() else np.nan


def plot_reliability(
    model: Any, X: Any, y: Any, ax: Any = None, *, label: Any = None, bins: int = 10
) -> Any:
    """Draw how often a class is true where its probability is so and so.

    Points on the diagonal: probabilities hold. The bars below tell how many rows each point is of.

    Parameters
    ----------
    model : model of classes, or fitted classifier
        The tree.
    X, y : array_like or data frame, array_like
        Rows that training has not seen, and their labels.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    label : optional
        The class, by default the last one.
    bins : int
        Equal parts of [0, 1] by which probabilities are gathered.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    if not isinstance(tree, CLASSIFIERS):
        raise TypeError("a regression has no probabilities of classes")
    labels = tree.classes.tolist()
    label = labels[-1] if label is None else label
    if label not in labels:
        raise ValueError(f"label must be one of the model's classes, got {reprlib.repr(label)}")
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    shares = tree.predict_proba(X)[:, labels.index(label)]
    return draw_reliability(shares, np.asarray(y) == label, label, ax, bins)


def draw_reliability(
    shares: NDArray[np.float64], is_true: NDArray[np.bool_], label: Any, ax: Any, bins: int
) -> Any:
    """Draw the diagram of probabilities of a class, and whether it is true."""
    which = np.minimum((shares * bins).astype(int), bins - 1)
    counts = np.bincount(which, minlength=bins)
    there = counts > 0
    mean = np.bincount(which, shares, bins)[there] / counts[there]
    observed = np.bincount(which, is_true, bins)[there] / counts[there]
    ax, look = start(ax, 4.8, 4.4)
    ax.plot([0, 1], [0, 1], color=look.between(0.5), linewidth=0.9, linestyle=":")
    left = np.arange(bins) / bins
    edge = {"align": "edge", "edgecolor": look.paper, "linewidth": 0.5}
    ax.bar(left, 0.2 * counts / counts.max(), 1 / bins, color=look.between(0.15), **edge)
    ax.plot(mean, observed, color=POSITIVE, linewidth=0.8)
    # The area of a point tells of how many rows it is.
    ax.scatter(mean, observed, s=8 + 90 * counts[there] / counts.max(), color=POSITIVE, zorder=3)
    name = plain(fitted(label, 110, 10))
    ax.set(xlabel=f"probability of {name}", ylabel=f"share that is {name}")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    bare(ax)
    return ax
