"""CSV files: columns of numbers or text with missing values; errors name file, line and column."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null"})
DELIMITERS = ",;\t|"

# A column with fewer texts among its numbers than this share is taken for a column with mistakes.
STRAY = 0.1

Column = NDArray[np.float64] | list[str | None]


@dataclass(frozen=True)
class CsvFile:
    """A table of text: the header, and the fields and line of every row."""

    path: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]

    def texts(self, name: str) -> list[str | None]:
        """Return a column as text, None where a value is missing."""
        j = self._place(name)
        return [None if row[j].lower() in MISSING else row[j] for row in self.rows]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where a value is missing; refuse anything else."""
        texts = self.texts(name)
        return self._finite(name, texts, [_number(text) for text in texts])

    def column(self, name: str) -> Column:
        """Return a column as what it holds: numbers, or text."""
        texts = self.texts(name)
        values = [_number(text) for text in texts]
        there = len(texts) - texts.count(None)
        strays = values.count(None)
        if strays >= STRAY * there and strays > 0:
            return texts
        try:
            return self._finite(name, texts, values)
        except ValueError as error:
            raise ValueError(f"{error}; if the column holds text, --text {name}") from None

    def _finite(
        self, name: str, texts: list[str | None], values: list[float | None]
    ) -> NDArray[np.float64]:
        for row, value in enumerate(values):
            if value is None:
                raise self.error(row, name, f"{texts[row]!r} is not a number")
            if math.isinf(value):
                raise self.error(row, name, f"{texts[row]!r} is not finite")
        return np.array(values, np.float64)

    def refuse_missing(self, names: Sequence[str]) -> None:
        """Refuse missing values, by the first of them."""
        for name in names:
            texts = self.texts(name)
            if None in texts:
                raise self.error(texts.index(None), name, "missing")

    def error(self, row: int, name: str, text: str) -> ValueError:
        """Return an error about one field."""
        return ValueError(f"{self.path}, line {self.lines[row]}, column {name!r}: {text}")

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(
                f"{self.path} has no column {name!r}; its columns are {', '.join(self.names)}"
            )
        return self.names.index(name)


def read_csv(path: str) -> CsvFile:
    """Read a file with a header, plain or gzipped; commas, semicolons, tabs or bars part fields."""
    content = Path(path).read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text") from None
    header = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for fields in reader:
            if fields and any(field.strip() for field in fields):
                rows.append([field.strip() for field in fields])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from None
    if len(rows) < 2:
        raise ValueError(f"{path} must have a header and at least one row of values")
    _check_header(path, rows[0], lines[0])
    for fields, line in zip(rows[1:], lines[1:], strict=True):
        if len(fields) != len(rows[0]):
            raise ValueError(
                f"{path}, line {line}: {len(fields)} fields, the header has {len(rows[0])}"
            )
    return CsvFile(path, rows[0], rows[1:], lines[1:])


def _check_header(path: str, names: Sequence[str], line: int) -> None:
    for j, name in enumerate(names):
        if not name:
            raise ValueError(f"{path}, line {line}: column {j + 1} has no name")
        if name in names[:j]:
            first = names.index(name) + 1
            raise ValueError(f"{path}, line {line}: columns {first} and {j + 1} are both {name!r}")


def _number(text: str | None) -> float | None:
    """Return the number that a text is, NaN for a missing one; 1_000 is one in Python alone."""
    if text is None:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
