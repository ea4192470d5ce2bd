"""What a report tells beside the tree: columns of the data, scores on rows held out, pictures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..html import report_page
from ..models import OrctModel, SrtModel
from ..outline import figure, percent
from ..warnings import SoftwoodWarning
from .csv_file import Column

FOLDS = 5
SHOWN_LEVELS, SHOWN_CURVES = 4, 3

Model = OrctModel | SrtModel
Columns = dict[str, Column]


def write_report(
    path: str,
    title: str,
    model: Model,
    X: Columns,
    y: NDArray[Any],
    fit: Callable[[Columns, NDArray[Any], NDArray[np.intp]], Model],
) -> None:
    """Write the page; `fit` fits rows, told which of all rows they are, as the model was fitted."""
    tables: dict[str, Any] = {
        "Columns": (("column", "holds", "missing", "values"), [_column(n, c) for n, c in X.items()])
    }
    tables["What is predicted"] = _target(y)
    held_out = cross_validated(X, y, fit)
    if held_out is not None:
        heading = f"Scores on {FOLDS} folds, each predicted by a tree of the others"
        tables[heading] = _scores(y, held_out, model)
    page = report_page(title, model, tables, _pictures(model, X, y, held_out))
    Path(path).write_text(page, encoding="utf-8")


def cross_validated(
    X: Columns, y: NDArray[Any], fit: Callable[[Columns, NDArray[Any], NDArray[np.intp]], Model]
) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return each row's fold, and its prediction, or probabilities, by a tree of the other folds.

    Classes are spread evenly over the folds. None if rows are too few, or a class would be missing.
    """
    codes = np.unique(y, return_inverse=True)[1] if y.dtype.kind != "f" else np.zeros(len(y), int)
    if np.bincount(codes).min() < FOLDS:
        return None
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(len(y), np.intp)
    fold[order] = np.arange(len(y)) % FOLDS
    parts: list[NDArray[np.float64]] = []
    for k in range(FOLDS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SoftwoodWarning)
            model = fit(_rows(X, fold != k), y[fold != k], np.flatnonzero(fold != k))
            held = _rows(X, fold == k)
            if isinstance(model, OrctModel):
                parts.append(model.predict_proba(held))
            else:
                parts.append(model.predict(held))
    told = np.empty((len(y), *parts[0].shape[1:]))
    for k, part in enumerate(parts):
        told[fold == k] = part
    return fold, told


def _rows(X: Columns, chosen: NDArray[np.bool_]) -> Columns:
    places = np.flatnonzero(chosen)
    return {
        name: column[places] if isinstance(column, np.ndarray) else [column[i] for i in places]
        for name, column in X.items()
    }


def _column(name: str, column: Column) -> tuple[str, str, str, str]:
    if isinstance(column, np.ndarray):
        there = column[~np.isnan(column)]
        told = "none"
        if len(there):
            low, middle, high = np.quantile(there, [0, 0.5, 1])
            told = f"{figure(low)} to {figure(high)}, median {figure(middle)}"
        return name, "numbers", _missing(len(column) - len(there), len(column)), told
    levels, counts = np.unique([v for v in column if v is not None], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shown = [f"{levels[k]} ({counts[k]})" for k in order[:SHOWN_LEVELS]]
    more = [f"{len(levels) - SHOWN_LEVELS} more"] if len(levels) > SHOWN_LEVELS else []
    return name, "text", _missing(column.count(None), len(column)), ", ".join([*shown, *more])


def _missing(count: int, rows: int) -> str:
    return f"{count} ({percent(count / rows)})" if count else "0"


def _target(y: NDArray[Any]) -> tuple[tuple[str, ...], list[Any]]:
    if y.dtype.kind == "f":
        told = [len(y), *(figure(v, 5) for v in (y.mean(), y.std(), y.min(), y.max()))]
        return ("rows", "mean", "deviation", "smallest", "largest"), [tuple(told)]
    labels, counts = np.unique(y, return_counts=True)
    rows = [(k, n, percent(n / len(y))) for k, n in zip(labels, counts, strict=True)]
    return ("class", "rows", "share"), rows


def _scores(
    y: NDArray[Any], held_out: tuple[NDArray[np.intp], NDArray[np.float64]], model: Model
) -> tuple[tuple[str, ...], list[tuple[str, str, str]]]:
    """Return scores with mean and deviation over the folds."""
    fold, told = held_out
    measures: Mapping[str, Callable[[NDArray[np.bool_]], float]]
    if isinstance(model, OrctModel):
        codes = np.searchsorted(model.classes, y)
        right = told.argmax(axis=1) == codes
        sure = told[np.arange(len(y)), codes].clip(1e-15)
        count = range(len(model.classes))
        measures = {
            "accuracy": lambda rows: right[rows].mean(),
            "balanced accuracy": lambda rows: np.mean(
                [right[rows & (codes == k)].mean() for k in count]
            ),
            "log loss": lambda rows: -np.log(sure[rows]).mean(),
        }
    else:
        error = y - told
        measures = {
            "R²": lambda rows: 1 - (error[rows] ** 2).mean() / max(y[rows].var(), 1e-300),
            "root mean squared error": lambda rows: np.sqrt((error[rows] ** 2).mean()),
            "mean absolute error": lambda rows: np.abs(error[rows]).mean(),
        }
    rows = []
    for name, measure in measures.items():
        scores = [float(measure(fold == k)) for k in range(FOLDS)]
        rows.append((name, figure(float(np.mean(scores)), 4), figure(float(np.std(scores)), 2)))
    return ("score", "mean", "deviation"), rows


def _pictures(
    model: Model,
    X: Columns,
    y: NDArray[Any],
    held_out: tuple[NDArray[np.intp], NDArray[np.float64]] | None,
) -> dict[str, Callable[[], Any]]:
    try:
        from .. import plotting
        from ..plotting.fit import draw_reliability
    except ImportError:
        return {"Pictures": lambda: None}  # the page says what they need
    drawn: dict[str, Callable[[], Any]] = {
        "The picture": lambda: plotting.plot_tree(model),
        "Importance": lambda: plotting.plot_importance(model, X, y),
    }
    if isinstance(model, SrtModel):
        for curve in model.curves()[:SHOWN_CURVES]:
            rows = X if curve.name in X else None
            picture = partial(plotting.plot_curve, model, curve.name, rows)
            drawn[f"Curve of {curve.name}"] = picture
    elif held_out is not None:
        label, shares = model.classes[-1], held_out[1][:, -1]
        drawn["Probabilities of rows held out"] = lambda: draw_reliability(
            shares, y == label, label, None, 10
        )
    drawn["Starts"] = lambda: plotting.plot_starts(model)
    return drawn
