"""The map of what a tree predicts over two features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import CLASSIFICATION, OrctModel, SpdtModel, TreeModel
from ..outline import tree_of
from .canvas import Look, class_colours, fitted, plain, plt, start

POINTS_ACROSS = 200


def plot_decision_map(
    model: Any,
    X: Any,
    y: Any = None,
    features: tuple[int | str, int | str] = (0, 1),
    ax: Any = None,
    *,
    routing: str = "soft",
) -> Any:
    """Draw what a tree predicts where two features take any value; others have typical ones.

    Of a classification tree the colour at a point mixes those of the classes by their
    probabilities, and lines part the regions of the predicted classes. Of a regression tree it is
    the prediction.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    X : array_like or data frame
        Rows: the map spans their values and shows them as points.
    y : array_like, optional
        Their labels or responses, by which the points are coloured.
    features : pair of int or str
        Columns along the axes, by position or name; they must hold numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    routing : {"soft", "hard"}
        As in `predict` of a classification tree.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    places = [place_of(tree, feature) for feature in features]
    points = [column_of(X, tree, place) for place in places]
    ax, look = start(ax, 6, 4.6)
    spans = [np.linspace(*_widened(values), POINTS_ACROSS) for values in points]
    grid = _grid(tree, places, spans)
    shape = (POINTS_ACROSS, POINTS_ACROSS)
    edges = (spans[0][0], spans[0][-1], spans[1][0], spans[1][-1])
    setting = {"extent": edges, "origin": "lower", "aspect": "auto", "interpolation": "bilinear"}
    if isinstance(tree, CLASSIFICATION):
        _draw_classes(tree, ax, look, grid, shape, setting, routing)
        _scatter(ax, look, points, y, tree.classes.tolist())
    else:
        values = tree.predict(grid).reshape(shape)  # type: ignore[attr-defined]
        image = ax.imshow(values, cmap="viridis", **setting)
        ax.figure.colorbar(image, ax=ax, label="prediction")
        limits = {"vmin": image.norm.vmin, "vmax": image.norm.vmax, "cmap": "viridis"}
        colours = {"c": look.ink} if y is None else {"c": np.asarray(y), **limits}
        ax.scatter(*points, s=14, edgecolors=look.ink, linewidths=0.4, **colours)
    names = [plain(fitted(tree.feature_names[place], 260, 10)) for place in places]
    ax.set(xlabel=names[0], ylabel=names[1], xlim=edges[:2], ylim=edges[2:])
    return ax


def place_of(tree: TreeModel, feature: int | str) -> int:
    """Return the position of a column that is called by it or by its name."""
    if isinstance(feature, str):
        if feature not in tree.feature_names:
            raise ValueError(f"the model has no column {feature!r}; see its feature_names")
        return tree.feature_names.index(feature)
    if not 0 <= feature < len(tree.feature_names):
        raise ValueError(f"features must be 0 to {len(tree.feature_names) - 1}, got {feature}")
    return int(feature)


def column_of(X: Any, tree: TreeModel, place: int) -> NDArray[np.float64]:
    """Return a column of numbers."""
    name = tree.feature_names[place]
    if hasattr(X, "tocsc"):
        X, place = X.tocsc()[:, [place]].toarray(), 0
    values = X[name] if hasattr(X, "columns") or isinstance(X, dict) else np.asarray(X)[:, place]
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} must hold numbers to be drawn along an axis") from None


def _widened(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _grid(tree: TreeModel, places: Sequence[int], spans: list[NDArray[np.float64]]) -> Any:
    """Return rows for all points, the first feature fastest."""
    typical = tree.typical_values
    if isinstance(tree, SpdtModel) and typical.dtype.kind == "f":
        return _sparse_grid(tree, places, spans, typical)
    rows = np.repeat(typical[None], POINTS_ACROSS**2, axis=0)
    rows[:, places[1]] = np.repeat(spans[1], POINTS_ACROSS)
    rows[:, places[0]] = np.tile(spans[0], POINTS_ACROSS)
    return rows


def _sparse_grid(
    tree: SpdtModel,
    places: Sequence[int],
    spans: list[NDArray[np.float64]],
    typical: NDArray[np.float64],
) -> Any:
    """Return the same rows, those columns alone that the tree uses."""
    from scipy.sparse import csr_matrix

    columns = np.union1d(tree.features_, places)
    rows = np.repeat(typical[None, columns], POINTS_ACROSS**2, axis=0)
    rows[:, np.searchsorted(columns, places[1])] = np.repeat(spans[1], POINTS_ACROSS)
    rows[:, np.searchsorted(columns, places[0])] = np.tile(spans[0], POINTS_ACROSS)
    starts = np.arange(len(rows) + 1) * len(columns)
    stored = (rows.ravel(), np.tile(columns, len(rows)), starts)
    return csr_matrix(stored, shape=(len(rows), len(typical)))


def _draw_classes(
    tree: OrctModel | SpdtModel,
    ax: Any,
    look: Look,
    grid: Any,
    shape: tuple[int, int],
    setting: dict[str, Any],
    routing: str,
) -> None:
    colours = np.array(class_colours(len(tree.classes)))
    routed = {"routing": routing} if isinstance(tree, OrctModel) else {}
    shares = tree.predict_proba(grid, **routed)
    mixed = (0.45 * shares @ colours + 0.55 * np.array(look.paper)).clip(0, 1)
    ax.imshow(mixed.reshape(*shape, 3), **setting)
    codes = np.searchsorted(tree.classes, tree.predict(grid, **routed)).reshape(shape)
    left, right, low, high = setting["extent"]
    spans = [np.linspace(a, b, POINTS_ACROSS) for a, b in ((left, right), (low, high))]
    if codes.min() < codes.max():
        levels = np.arange(len(tree.classes) - 1) + 0.5
        ax.contour(*spans, codes, levels=levels, colors=[look.ink], linewidths=1)


def _scatter(
    ax: Any, look: Look, points: list[NDArray[np.float64]], y: Any, labels: list[Any]
) -> None:
    marks = {"s": 14, "edgecolors": look.ink, "linewidths": 0.4}
    handles = []
    for label, colour in zip(labels, class_colours(len(labels)), strict=True):
        told = None if y is None else np.asarray(y) == label
        xs, ys = (values if told is None else values[told] for values in points)
        name = plain(fitted(label, 110, 9))
        if y is not None:
            ax.scatter(xs, ys, color=[colour], **marks)
        handles.append(plt.Line2D([], [], ls="", marker="o", color=colour, label=name))
    if y is None:
        ax.scatter(*points, color=[look.between(0.6)], **marks)
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
