"""Pictures of trees on curves: critical intervals, score by their number, error by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.collections import LineCollection

from .. import _curves
from ..models import FunctionalModel, FunctionalOrrtModel
from ..outline import tree_of
from ..results.cross_validation import LARGER_IS_BETTER, CvTable, FunctionalCandidate
from .canvas import NEGATIVE, POSITIVE, bare, plain, start

# Curves drawn at most: those of evenly spread responses.
MOST_CURVES = 300


def plot_intervals(
    model: Any, curves: Any = None, y: Any = None, predictor: str | None = None, ax: Any = None
) -> Any:
    """Draw the critical intervals of a tree over its curves, with the coefficients on the means.

    Parameters
    ----------
    model : FunctionalOrrtModel, FunctionalOrctModel or a fitted estimator of them
        The tree.
    curves : array_like, mapping or FDataGrid, optional
        Curves to draw, as the function that fits takes them.
    y : array_like, shape (N,), optional
        What is predicted of each, which colours the curves: colder if it is higher.
    predictor : str, optional
        The predictor to draw; by default the first curve.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Shaded are the intervals; a line is a critical instant, an interval of no length. Bars along the
    upper edge tell how much the splits (outlined) and the leaves of a regression (filled) weigh the
    mean over each interval, as a share of the largest: the maximum over nodes and derivatives.
    """
    tree = _functional(model)
    ax, look = start(ax, 6.4, 3.8)
    name, grid = tree._grid_of(predictor)
    if curves is not None:
        _draw_curves(ax, look, tree, curves, y, name, grid)
    whole = grid[-1] - grid[0]
    for lower, upper in tree.intervals(name):
        if upper - lower < 1e-9 * whole:
            ax.axvline(lower, color=look.between(0.75), linewidth=1.2, linestyle="--", zorder=3)
        else:
            ax.axvspan(lower, upper, color=look.between(0.5), alpha=0.35, linewidth=0, zorder=0)
    _draw_weights(ax, tree, name, whole)
    ax.set_xlim(grid[0], grid[-1])
    ax.set_xlabel(plain(name))
    sparsity = f"{tree.length_sparsity:.1f} % of the domain unused"
    ax.set_title(sparsity, fontsize="medium", pad=32)
    bare(ax)
    return ax


def plot_error_by_intervals(model: Any, ax: Any = None) -> Any:
    """Draw the score on held-out rows against the number of intervals.

    Parameters
    ----------
    model : FunctionalOrctModel, FunctionalOrrtModel or CvTable
        A tree whose settings were chosen by folds (:func:`softwood.fit_functional_orct_cv`,
        :func:`softwood.fit_functional_orrt_cv`).
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
    """
    table = model if isinstance(model, CvTable) else tree_of(model).report.cross_validation
    candidates_of = () if table is None else table.candidates
    tried = [c for c in candidates_of if isinstance(c, FunctionalCandidate)]
    if table is None or not tried:
        raise ValueError("the model's settings were not chosen by folds of curves")
    ax, look = start(ax, 5.6, 3.6)
    best = tried[table.chosen]
    lines = _alike_but_for_intervals(tried)
    colours = colormaps["viridis"](np.linspace(0, 0.9, len(lines)))
    for (label, candidates), colour in zip(lines.items(), colours, strict=True):
        scored = [c for c in candidates if np.isfinite(c.score)]
        ax.errorbar(
            [c.n_intervals for c in scored], [c.score for c in scored],
            yerr=[c.standard_error for c in scored], color=colour, marker="o", markersize=3,
            linewidth=1, capsize=2, label=label,
        )  # fmt: skip
    ax.plot(best.n_intervals, best.score, "o", markersize=9, markerfacecolor="none",
            markeredgecolor=look.ink)  # fmt: skip
    if table.scoring not in LARGER_IS_BETTER and all(
        c.score > 0 for c in tried if np.isfinite(c.score)
    ):
        ax.set_yscale("log")
    ax.set_xlabel("critical intervals")
    ax.set_ylabel(f"{table.scoring} on held-out rows")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(fontsize="small", frameon=False)
    bare(ax)
    return ax


def plot_length_tradeoff(models: Sequence[Any], curves: Any, y: Any, ax: Any = None) -> Any:
    """Draw the share of the domain that trees leave unused against their mean squared error.

    Parameters
    ----------
    models : sequence of FunctionalOrrtModel
        Trees of different penalties on the lengths of intervals.
    curves : array_like, mapping or FDataGrid
        Rows to measure the error on.
    y : array_like, shape (N,)
        Their response.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
    """
    if not isinstance(models, Iterable):
        raise TypeError(
            f"models must be a sequence of trees on curves, got {type(models).__name__}"
        )
    trees = [_functional(model) for model in models]
    if not trees or not all(isinstance(tree, FunctionalOrrtModel) for tree in trees):
        raise ValueError("models must be one or more regression trees on curves")
    ax, look = start(ax, 5.2, 3.6)
    response = np.asarray(y, dtype=float)
    errors = [float(np.mean((tree.predict(curves) - response) ** 2)) for tree in trees]
    unused = [tree.length_sparsity for tree in trees]
    order = np.argsort(unused, kind="stable")
    ax.plot(np.take(unused, order), np.take(errors, order), color=look.between(0.4), linewidth=1)
    ax.plot(unused, errors, "o", color=POSITIVE, markersize=4)
    ax.set_xlabel("domain unused, %")
    ax.set_ylabel("mean squared error")
    ax.set_ylim(bottom=0)
    bare(ax)
    return ax


def _alike_but_for_intervals(
    tried: Sequence[FunctionalCandidate],
) -> dict[str, list[FunctionalCandidate]]:
    """Return candidates by what tells them apart beside the number of intervals."""
    settings = [candidate.settings() for candidate in tried]
    varied = [
        name
        for name, first in settings[0].items()
        if name != "n_intervals" and any(other[name] != first for other in settings)
    ]
    lines: dict[str, list[FunctionalCandidate]] = {}
    for candidate, own in zip(tried, settings, strict=True):
        label = "; ".join(f"{plain(name)} {_told(own[name])}" for name in varied or ["derivatives"])
        lines.setdefault(label, []).append(candidate)
    return lines


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else f"{value:g}"


def _functional(model: Any) -> Any:
    tree = tree_of(model)
    if not isinstance(tree, FunctionalModel):
        raise ValueError(f"the model must be a tree on curves, got {type(tree).__name__}")
    return tree


def _draw_curves(
    ax: Any, look: Any, tree: FunctionalModel, curves: Any, y: Any, name: str, grid: Any
) -> None:
    """Draw the curves of a predictor, coloured by what is predicted of them."""
    grids = tree.grids
    packed = _curves.repack(curves, [(n, None if g is None else list(g)) for n, g in grids.items()])
    first = 0
    for other, places in grids.items():
        width = 1 if places is None else len(places)
        if other == name:
            break
        first += width
    points = packed[:, first : first + len(grid)]
    order = np.arange(len(points))
    colours: Any = [look.between(0.4)] * len(points)
    if y is not None:
        values = np.asarray(y)
        if values.dtype.kind not in "fiub":
            values = np.unique(values, return_inverse=True)[1]
        order = np.argsort(values, kind="stable")
        spread = np.ptp(values) or 1
        colours = colormaps["coolwarm_r"]((values - values.min()) / spread)
    shown = order[np.unique(np.linspace(0, len(order) - 1, MOST_CURVES).astype(int))]
    lines = [np.column_stack([grid, points[i]]) for i in shown]
    collection = LineCollection(
        lines, colors=[colours[i] for i in shown], linewidths=0.7, alpha=0.7
    )
    ax.add_collection(collection)
    ax.autoscale_view()


def _draw_weights(ax: Any, tree: Any, name: str, whole: float) -> None:
    """Draw a bar for each interval along the upper edge, of splits and of leaves."""
    parts = [(NEGATIVE, False, np.abs(tree.coefficients))]
    if isinstance(tree, FunctionalOrrtModel):
        parts.append((POSITIVE, True, np.abs(tree.leaf_coefficients)))
    features = tree.features()
    for colour, filled, weights in parts:
        by_feature = weights.max(axis=0, initial=0.0)
        largest = by_feature.max(initial=0.0) or 1.0
        for h, (lower, upper) in enumerate(tree.intervals(name)):
            own = [j for j, (of, _, k) in enumerate(features) if of == name and k == h]
            height = 0.12 * by_feature[own].max(initial=0.0) / largest
            width = max(upper - lower, 0.006 * whole)
            ax.bar(
                0.5 * (lower + upper), height, width, bottom=1.0, align="center",
                transform=ax.get_xaxis_transform(), clip_on=False, edgecolor=colour,
                facecolor=colour if filled else "none", alpha=0.6 if filled else 1.0,
                linewidth=1.2, zorder=4 - filled,
            )  # fmt: skip
