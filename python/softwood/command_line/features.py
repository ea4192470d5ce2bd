"""Columns of a CSV file as the rows that a fit and a model take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..models import TreeModel
from .csv_file import CsvFile


def rows_of(table: CsvFile, names: Sequence[str], text: Sequence[str]) -> Any:
    """Return columns as what they hold; those in `text` hold text."""
    columns = {name: table.texts(name) if name in text else table.column(name) for name in names}
    for name, column in columns.items():
        if isinstance(column, list):
            row = next(row for row, value in enumerate(column) if value is not None)
            raise table.error(row, name, f"{column[row]!r} is not a number; leave it out by --drop")
    return np.column_stack([np.asarray(column) for column in columns.values()])


def rows_for(model: TreeModel, table: CsvFile) -> Any:
    """Return the columns that a model was fitted on."""
    return np.column_stack([table.numbers(name) for name in model.feature_names])
