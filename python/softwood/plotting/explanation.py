"""Pictures of explanations: a waterfall for one row at one split, parallel lines for many rows."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import CLASSIFIERS, SoftTreeModel, TreeModel
from ..outline import figure, tree_of
from ..results import SplitExplanation
from .canvas import (
    NEGATIVE,
    POSITIVE,
    bare,
    class_colours,
    fitted,
    name_rows,
    plain,
    plt,
    start,
    tick_size,
)


def plot_explanation(model: Any, x: Any, ax: Any = None, *, step: int = 0, top: int = 10) -> Any:
    """Draw why one row goes the way it goes at a split: the log odds of left, term by term.

    From the log odds of a typical row to those of this one; each bar is what a feature adds
    because its value is not the typical one (see `explain_path`). A hard split has the weighted sum
    above its threshold in place of log odds.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    x : array_like or table of one row
        The row.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    step : int
        Which of the splits on the row's way, 0 being the root.
    top : int
        Features that are shown, those of largest contributions; the others are one bar.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    way = tree.explain_path(x)
    if not way:
        raise ValueError("the tree has no split to explain")
    if not 0 <= step < len(way):
        raise ValueError(f"step must be 0 to {len(way) - 1} for this row, got {step}")
    told = way[step]
    labels, changes = _bars(told, max(top, 1))
    ends = told.base + np.cumsum([0.0, *changes])
    rows = np.arange(len(changes))
    ax, look = start(ax, 6.8, 1.5 + 0.3 * (len(changes) + 2))
    colours = [POSITIVE if change > 0 else NEGATIVE for change in changes]
    ax.barh(rows + 1, changes, left=ends[:-1], height=0.62, color=colours)
    for row in range(len(changes) + 1):
        ax.plot([ends[row]] * 2, [row - 0.31, row + 1.31], color=look.between(0.4), linewidth=0.7)
    ax.plot([told.base], [0], "o", color=look.ink, markersize=5)
    ax.plot([told.margin], [len(changes) + 1], "D", color=look.ink, markersize=5)
    ax.axvline(0, color=look.ink, linewidth=0.8, linestyle=":")
    name_rows(ax, ["typical row", *labels, "this row"], look, width=220)
    _write_changes(ax, look.ink, [told.base, *changes, told.margin], ends)
    side = "left" if told.goes_left else "right"
    if isinstance(tree, SoftTreeModel):
        measure, probable = "log odds of going left", f", {told.probability:.1%} left"
    else:
        measure, probable = "weighted sum − threshold", ""
    ax.set_xlabel(measure)
    ax.set_title(f"split {told.node}: goes {side}{probable}", fontsize=10)
    bare(ax)
    return ax


def _bars(told: SplitExplanation, top: int) -> tuple[list[str], list[float]]:
    labels = [
        f"{name} = {value if value is None or isinstance(value, (str, bool)) else figure(value)}"
        for name, value in zip(told.names[:top], told.values[:top], strict=True)
    ]
    changes = list(told.contributions[:top])
    more = len(told.names) - top
    if more > 0:
        labels.append(f"{more} more")
        changes.append(sum(told.contributions[top:]))
    return labels, changes


def _write_changes(ax: Any, ink: Any, values: list[float], ends: NDArray[np.float64]) -> None:
    """Write figures in a column of their own at the right, where no bar can be."""
    low, high = float(min(ends.min(), 0)), float(max(ends.max(), 0))
    margin = 0.06 * (high - low) or 0.5
    ax.set_xlim(low - margin, high + margin)
    for row, value in enumerate(values):
        text = figure(value) if row in (0, len(values) - 1) else f"{value:+.3g}".replace("-", "−")
        ax.annotate(
            text, (1, row), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", color=ink, fontsize=tick_size() - 1,
        )  # fmt: skip


def plot_effects(model: Any, X: Any, ax: Any = None, *, label: Any = None, top: int = 10) -> Any:
    """Draw the effects of features on many rows, a line for each row.

    Parameters
    ----------
    model : model or fitted estimator
        The tree, of any kind with soft splits.
    X : array_like or data frame
        Rows; a few dozen of them can be told apart.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    label : optional
        The class whose log odds are explained, by default the last one.
    top : int
        Features that are shown at most, those of the largest mean effect in size.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    if not hasattr(tree, "effects"):
        raise TypeError(
            f"{type(tree).__name__} has no effects, since its splits are hard; "
            "plot_explanation shows what matters to a row"
        )
    effects, about = _effects(tree, X, label)
    sizes = np.abs(effects).mean(axis=0)
    places = np.argsort(-sizes, kind="stable")[: max(min(top, int((sizes > 0).sum())), 1)]
    ax, look = start(ax, max(4.5, 0.75 * len(places) + 1.5), 4.4)
    drawn = effects[:, places].T
    if isinstance(tree, CLASSIFIERS):
        labels, told = tree.classes.tolist(), np.searchsorted(tree.classes, tree.predict(X))
        colours = class_colours(len(labels))
        for k, colour in enumerate(colours):
            ax.plot(drawn[:, told == k], color=colour, linewidth=0.9, alpha=0.6)
        handles = [
            plt.Line2D([], [], color=colour, label=plain(fitted(name, 120, 9)))
            for name, colour in zip(labels, colours, strict=True)
        ]
        legend = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}
        ax.legend(handles=handles, title="predicted", **legend)
    else:
        ax.plot(drawn, color=POSITIVE, linewidth=0.9, alpha=0.5)
    names = [plain(fitted(tree.feature_names[j], 120, tick_size())) for j in places]
    slant = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if len(names) > 3 else {}
    ax.set_xticks(range(len(places)), names, **slant)
    ax.axhline(0, color=look.ink, linewidth=0.8)
    for place in range(len(places)):
        ax.axvline(place, color=look.between(0.2), linewidth=0.6, zorder=0)
    ax.set_ylabel(about)
    bare(ax)
    return ax


def _effects(tree: TreeModel, X: Any, label: Any) -> tuple[NDArray[np.float64], str]:
    if not isinstance(tree, CLASSIFIERS):
        return tree.effects(X), "effect on the prediction"  # type: ignore[attr-defined]
    labels = tree.classes.tolist()
    label = labels[-1] if label is None else label
    if label not in labels:
        raise ValueError(f"label must be one of the model's classes, got {reprlib.repr(label)}")
    about = f"effect on the log odds of {plain(fitted(label, 120, 10))}"
    return tree.effects(X)[:, labels.index(label)], about  # type: ignore[union-attr]
