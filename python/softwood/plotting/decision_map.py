"""The map of what a tree predicts over two features."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import CLASSIFIERS, FunctionalModel, OrctModel, SpdtModel, Svm1OdtModel, TreeModel
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
        As in `predict` of a classification tree whose splits are soft.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    if isinstance(tree, FunctionalModel):
        raise TypeError("trees on curves have no map over columns; plot_intervals shows them")
    if np.shape(np.asarray(features, object)) != (2,):
        raise TypeError(f"features must be a pair of names or places, got {reprlib.repr(features)}")
    places = [place_of(tree, feature) for feature in features]
    tree.apply(X)  # refuses rows of other columns
    points = [column_of(X, tree, place) for place in places]
    if y is not None and np.shape(y) != points[0].shape:
        shape = np.shape(y)
        raise ValueError(f"y must be a value for each of the {len(points[0])} rows, got {shape}")
    ax, look = start(ax, 6, 4.6)
    spans = [np.linspace(*_widened(values), POINTS_ACROSS) for values in points]
    edges = (spans[0][0], spans[0][-1], spans[1][0], spans[1][-1])
    setting = {"extent": edges, "origin": "lower", "aspect": "auto", "interpolation": "bilinear"}
    if isinstance(tree, CLASSIFIERS):
        codes, shares = _classes(tree, places, spans, routing)
        _draw_classes(tree, ax, look, codes, shares, setting)
        _scatter(ax, look, points, y, tree.classes.tolist())
    else:
        predict: Callable[[Any], Any] = tree.predict  # type: ignore[attr-defined]
        values = np.concatenate([predict(rows) for rows in _grid(tree, places, spans)])
        values = values.reshape(POINTS_ACROSS, POINTS_ACROSS)
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


def has_names(X: Any) -> bool:
    """Tell whether the columns of X have names: a data frame or a mapping."""
    return hasattr(X, "columns") or isinstance(X, dict)


def called(X: Any, tree: TreeModel, place: int) -> Any:
    """Return what X calls a column of the model, found by its name or, without, by its place."""
    if tree._handle.named:
        return tree.feature_names[place]
    return list(X if isinstance(X, dict) else getattr(X, "column_names", None) or X.columns)[place]


def column_of(X: Any, tree: TreeModel, place: int) -> NDArray[np.float64]:
    """Return a column of numbers."""
    name = tree.feature_names[place]
    if hasattr(X, "tocsc"):  # a sparse matrix
        return np.asarray(X.tocsc()[:, [place]].toarray(), np.float64).ravel()
    values = X[called(X, tree, place)] if has_names(X) else np.asarray(X)[:, place]
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} must hold numbers to be drawn along an axis") from None


def _widened(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _grid(
    tree: TreeModel, places: Sequence[int], spans: list[NDArray[np.float64]]
) -> Iterator[NDArray[Any]]:
    """Return rows for all points, a line of the map at a time, the first feature along it."""
    line = np.repeat(tree.typical_values[None], POINTS_ACROSS, axis=0)
    line[:, places[0]] = spans[0]
    for value in spans[1]:
        line[:, places[1]] = value
        yield line


def _classes(
    tree: OrctModel | SpdtModel | Svm1OdtModel,
    places: Sequence[int],
    spans: list[NDArray[np.float64]],
    routing: str,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the position of the class, and the classes' probabilities, at each point."""
    given: dict[str, Any] = {"routing": routing} if isinstance(tree, OrctModel) else {}
    codes, shares = [], []
    for rows in _grid(tree, places, spans):
        codes.append(np.searchsorted(tree.classes, tree.predict(rows, **given)))
        shares.append(tree.predict_proba(rows, **given))
    return np.array(codes), np.array(shares)


def _draw_classes(
    tree: OrctModel | SpdtModel | Svm1OdtModel,
    ax: Any,
    look: Look,
    codes: NDArray[np.intp],
    shares: NDArray[np.float64],
    setting: dict[str, Any],
) -> None:
    colours = np.array(class_colours(len(tree.classes)))
    mixed = (0.45 * shares @ colours + 0.55 * np.array(look.paper)).clip(0, 1)
    ax.imshow(mixed, **setting)
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
