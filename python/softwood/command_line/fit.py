"""Fit a tree to the columns of a CSV file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._settings import ORCT
from ..functions import fit_orct, fit_orct_cv, fit_srt, fit_srt_cv
from ..models import OrctModel, SrtModel
from .csv_file import CsvFile, read_csv
from .features import columns_of
from .report import write_report

# A target of whole numbers with more values than this is a quantity, not a class.
MOST_CLASSES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = parser.add_argument
    add("data", help="CSV file with a header, plain or gzipped")
    add("--target", required=True, metavar="COLUMN", help="what to predict")
    add(
        "--task",
        choices=["auto", "classification", "regression"],
        default="auto",
        help=f"auto: regression if the target holds numbers other than {MOST_CLASSES} different "
        f"whole ones at most",
    )
    add("--depth", type=int, default=ORCT["depth"], help="depth of the tree (default: %(default)s)")
    add("--cv", action="store_true", help="choose depth and other settings by cross-validation")
    add("--drop", action="append", default=[], metavar="COLUMN", help="a column to leave out")
    add("--text", action="append", default=[], metavar="COLUMN", help="numbers that are names")
    add(
        "--missing",
        choices=["indicator", "error"],
        default="indicator",
        help="fill missing values and mark them, or refuse them (default: indicator)",
    )
    add("--weight", metavar="COLUMN", help="weights of the rows")
    add("--starts", type=int, help="starts of the search")
    add("--seed", type=int, default=0, help="seed of the starts (default: 0)")
    add("--threads", type=int, help="threads (default: one for each core)")
    add("--time-limit", type=float, metavar="SECONDS", help="end with the best tree so far")
    add("--out", metavar="FILE", help="where to save the model, for predict and show")
    add(
        "--report", metavar="FILE", help="HTML page to write: data, scores on folds, tree, pictures"
    )
    add("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Fit, print the tree and save it."""
    table = read_csv(given.data)
    apart = [given.target, *given.drop, *([given.weight] if given.weight else [])]
    for name in (*apart, *given.text):
        table.texts(name)  # refuses a name that is no column
    names = [name for name in table.names if name not in apart]
    if not names:
        raise ValueError(f"{given.data} has no column beside {', '.join(apart)} to predict from")
    y = target_of(table, given.target, given.task)
    X = columns_of(table, names, given.text)
    if given.missing == "error":
        table.refuse_missing(names)
    settings = {
        "missing": given.missing,
        "sample_weight": complete_numbers(table, given.weight) if given.weight else None,
        "random_state": given.seed,
        "n_threads": given.threads,
        "time_limit": given.time_limit,
        "progress": not given.quiet,
    }
    if given.starts is not None:
        settings["n_starts"] = given.starts

    def refit(X: Any, y: NDArray[Any], rows: NDArray[np.intp]) -> OrctModel | SrtModel:
        weights = settings["sample_weight"]
        part = {"sample_weight": None if weights is None else weights[rows], "progress": False}
        return fit_tree(X, y, given, settings | part)

    model = fit_tree(X, y, given, settings)
    print(model)
    print(f"On the training rows: {score_of(model, X, y)}")
    if given.out:
        model.save(given.out)
        print(f"Saved to {given.out}")
    if given.report:
        write_report(given.report, f"{given.target} of {Path(given.data).name}", model, X, y, refit)
        print(f"Report in {given.report}")


def fit_tree(
    X: Any, y: NDArray[Any], given: argparse.Namespace, settings: dict[str, Any]
) -> OrctModel | SrtModel:
    """Return the tree; on Ctrl-C the best one so far, if there is one."""
    regression = y.dtype.kind == "f"
    try:
        if given.cv:
            return (fit_srt_cv if regression else fit_orct_cv)(X, y, **settings)
        return (fit_srt if regression else fit_orct)(X, y, given.depth, **settings)
    except KeyboardInterrupt as stop:
        partial: OrctModel | SrtModel | None = getattr(stop, "partial", None)
        if partial is None:
            raise
        print("Interrupted: this is the best tree so far.")
        return partial


def target_of(table: CsvFile, name: str, task: str) -> NDArray[Any]:
    """Return labels as int or text, or a response as float."""
    table.refuse_missing([name])
    texts = table.texts(name)
    column = table.column(name) if task == "auto" else None
    if task == "regression" or (isinstance(column, np.ndarray) and not _looks_like_classes(column)):
        return complete_numbers(table, name)
    try:
        return np.array([int(str(text)) for text in texts], np.int64)
    except (ValueError, OverflowError):
        return np.array(texts, dtype=str)


def complete_numbers(table: CsvFile, name: str) -> NDArray[np.float64]:
    """Return a column of numbers without missing values."""
    table.refuse_missing([name])
    return table.numbers(name)


def _looks_like_classes(numbers: NDArray[np.float64]) -> bool:
    """Tell classes, which are few whole numbers, from a quantity."""
    return bool((numbers == np.round(numbers)).all()) and len(np.unique(numbers)) <= MOST_CLASSES


def score_of(model: OrctModel | SrtModel, X: Any, y: NDArray[Any]) -> str:
    """Return accuracy or R² in words."""
    predicted = model.predict(X)
    if isinstance(model, OrctModel):
        right = predicted == y
        return f"{right.sum()} of {right.size} right ({right.mean():.1%})"
    spread = ((y - y.mean()) ** 2).sum()
    share = 1 - ((y - predicted) ** 2).sum() / spread if spread > 0 else np.nan
    return f"R² {share:.4f}"
