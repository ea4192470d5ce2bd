"""Columns of a CSV file as the rows that a fit and a model take."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import TreeModel
from .csv_file import Column, CsvFile


def columns_of(table: CsvFile, names: Sequence[str], text: Sequence[str]) -> dict[str, Column]:
    """Return columns as what they hold; those in `text` hold text."""
    return {name: table.texts(name) if name in text else table.column(name) for name in names}


def columns_for(model: TreeModel, table: CsvFile) -> dict[str, Column]:
    """Return the columns that a model was fitted on: text where it knows levels of text."""
    typical = zip(model.feature_names, model.typical_values, strict=True)
    return {
        name: table.texts(name) if isinstance(value, str) else table.numbers(name)
        for name, value in typical
    }
