"""Pictures of a sparsity path: curves along one penalty, and a map over both."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import integer
from ..path import SparsityPath
from .canvas import bare, class_colours, start

SYMBOLS = {"local": r"local penalty $\lambda_L$", "global": r"global penalty $\lambda_G$"}
MOST_TICKS = 9


def plot_path(path: SparsityPath[Any], ax: Any = None, *, along: str = "auto", at: int = 0) -> Any:
    """Draw accuracy and sparsity along a path.

    Parameters
    ----------
    path : SparsityPath
        The path. Accuracy, or R² of a regression, is that on its validation rows; without such
        rows, 1 − the loss of training, an expected cost or the error of the standardized response,
        takes its place.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    along : {"auto", "local", "global"}
        The penalty that changes; ``"auto"`` is the one of more values.
    at : int
        Position of the other penalty in its grid.

    Returns
    -------
    matplotlib Axes
    """
    _refuse_others(path)
    if along not in ("auto", *SYMBOLS):
        raise ValueError(f"along must be 'auto', 'local' or 'global', got {reprlib.repr(along)}")
    if along == "auto":
        along = "local" if len(path.local_grid) >= len(path.global_grid) else "global"
    grid = path.local_grid if along == "local" else path.global_grid
    others = path.global_grid if along == "local" else path.local_grid
    at = integer("at", at, 0, len(others) - 1)
    ax, look = start(ax, 6.4, 3.8)

    def drawn(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[at] if along == "local" else values[:, at]

    if path.score is not None:
        lines = [(f"{path.score_name} on validation rows", 100 * path.score)]
    else:
        name = "R² of training" if path.score_name == "R²" else f"1 − {path.loss_name}"
        lines = [(name, 100 * (1 - path.loss))]
    lines.append(("coefficients that are 0", path.local_sparsity))
    lines.append(("features that are not used", path.global_sparsity))
    places = np.arange(len(grid))
    looks = zip(lines, class_colours(3), ("o-", "s-", "^--"), strict=True)
    for (name, values), colour, mark in looks:
        ax.plot(places, drawn(values), mark, markersize=4, color=colour, label=name)
    _name_penalties(ax.xaxis, grid)
    ax.set(xlabel=SYMBOLS[along], ylabel="percent", ylim=(-3, 103))
    ax.grid(axis="y", color=look.between(0.15), linewidth=0.6)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8)
    bare(ax)
    return ax


def plot_path_map(path: SparsityPath[Any], ax: Any = None, *, of: str = "auto") -> Any:
    """Draw a figure of each tree on a path as a map over both penalties.

    Parameters
    ----------
    path : SparsityPath
        The path.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    of : {"auto", "score", "loss", "objective", "local_sparsity", "global_sparsity"}
        The figure; ``"auto"`` is the score if there were validation rows, else the loss.

    Returns
    -------
    matplotlib Axes
    """
    _refuse_others(path)
    named = {
        "score": f"{path.score_name} on validation rows",
        "loss": path.loss_name,
        "objective": "objective",
        "local_sparsity": "coefficients that are 0, percent",
        "global_sparsity": "features that are not used, percent",
    }
    if of == "auto":
        of = "loss" if path.score is None else "score"
    if of not in named:
        raise ValueError(f"of must be one of {', '.join(named)}, got {reprlib.repr(of)}")
    values = getattr(path, of)
    if values is None:
        raise ValueError("the path has no score: it was fitted without validation rows")
    ax, _ = start(ax, 6.4, 4.6)
    image = ax.imshow(values, origin="lower", aspect="auto", cmap="viridis")
    _name_penalties(ax.xaxis, path.local_grid)
    _name_penalties(ax.yaxis, path.global_grid)
    ax.set(xlabel=SYMBOLS["local"], ylabel=SYMBOLS["global"])
    ax.figure.colorbar(image, ax=ax, label=named[of])
    return ax


def _name_penalties(axis: Any, grid: NDArray[np.float64]) -> None:
    """Name penalties, which stand at equal distances: their ratios are equal."""
    step = -(-len(grid) // MOST_TICKS)
    places = range(0, len(grid), step)
    axis.set_ticks(list(places), [f"{grid[k]:.1g}" for k in places])


def _refuse_others(path: Any) -> None:
    if not isinstance(path, SparsityPath):
        raise TypeError(f"path must be a SparsityPath, got {type(path).__name__}")
