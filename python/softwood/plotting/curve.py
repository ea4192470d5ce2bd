"""The picture of a curve that all leaves of a soft regression tree share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..models import SrtModel
from ..outline import tree_of
from .canvas import POSITIVE, bare, fitted, plain, start
from .decision_map import column_of, place_of


def plot_curve(model: Any, feature: int | str | None = None, X: Any = None, ax: Any = None) -> Any:
    """Draw the curve of a feature: what it adds to predictions, compared with its typical value.

    Parameters
    ----------
    model : SrtModel or fitted SRTRegressor
        A tree that was fitted with curves.
    feature : int or str, optional
        Position or name of the feature; by default the one whose curve has the widest range.
    X : array_like or data frame, optional
        Rows, whose values are marked below the curve.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    curves = tree.curves() if isinstance(tree, SrtModel) else ()
    if not curves:
        raise ValueError("the model has no curves; fit_srt(curves=True) fits them")
    name = curves[0].name if feature is None else feature
    if not isinstance(name, str):
        name = tree.feature_names[place_of(tree, name)]
    found = [curve for curve in curves if curve.name == name]
    if not found:
        known = ", ".join(curve.name for curve in curves)
        raise ValueError(f"feature {name!r} has no curve; those that have one are {known}")
    curve = found[0]
    ax, look = start(ax, 5.2, 3.4)
    ax.axhline(0, color=look.between(0.4), linewidth=0.8)
    ax.plot(curve.values, curve.effects, color=POSITIVE, linewidth=2)
    ax.plot(curve.values, curve.effects, "o", color=POSITIVE, markersize=3)
    if X is not None and name in tree.feature_names:
        values = column_of(X, tree, tree.feature_names.index(name))
        inside = values[np.isfinite(values)]
        ax.plot(
            inside, np.full(len(inside), -0.02), "|", color=look.between(0.6), markersize=7,
            transform=ax.get_xaxis_transform(), clip_on=False, alpha=0.5,
        )  # fmt: skip
        ax.tick_params(axis="x", pad=9)
    ax.set_xlabel(plain(fitted(name, 300, 10)))
    ax.set_ylabel("effect on the prediction")
    bare(ax)
    return ax
