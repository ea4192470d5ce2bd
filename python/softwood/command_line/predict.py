"""Predict the rows of a CSV file by a model file."""

from __future__ import annotations

import argparse
import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..functions import load
from ..models import CLASSIFIERS, FunctionalModel
from .csv_file import read_csv
from .features import columns_for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="CSV file with a header; columns of the model are taken")
    parser.add_argument("--out", help="CSV file to write (default: standard output)")
    parser.add_argument(
        "--proba", action="store_true", help="also the probability of each class, a column each"
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Write a line for each row of the data."""
    model: Any = load(given.model)
    if isinstance(model, FunctionalModel):
        raise ValueError(f"{given.model} is a tree on curves: predict by it in Python or Rust")
    if given.proba and not isinstance(model, CLASSIFIERS):
        raise ValueError(f"{given.model} is a regression, which has no probabilities: no --proba")
    X = columns_for(model, read_csv(given.data))
    header: list[Any] = ["prediction"]
    try:
        columns = [model.predict(X)]
    except ValueError as error:
        raise ValueError(f"{given.data}: {error}") from None
    if given.proba and isinstance(model, CLASSIFIERS):
        header += [f"probability of {label}" for label in model.classes]
        columns += list(model.predict_proba(X).T)
    rows = np.rec.fromarrays(columns).tolist()
    with (
        Path(given.out).open("w", newline="", encoding="utf-8")
        if given.out
        else nullcontext(sys.stdout) as stream
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
