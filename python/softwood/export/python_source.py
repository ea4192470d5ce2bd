"""Plain Python that predicts one row, without softwood and without NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .formula import Classes, Column, Formula, formula_of
from .steps import Dialect, Outcome, steps


class PythonDialect(Dialect):
    """Assignments to local variables."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def let(self, kind: str, place: int, expression: str, note: str = "") -> str:
        """Assign."""
        name = f"{kind}{place}"
        self.lines.append(f"{name} = {expression}" + (f"  # {_one_line(note)}" if note else ""))
        return name

    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        """Return a conditional expression."""
        return "(" + "".join(f"{value} if {when} else " for when, value in cases) + otherwise + ")"

    def exp(self, expression: str) -> str:
        """Return e to a power."""
        return f"math.exp({expression})"

    def column(self, column: Column) -> str:
        """Return a value of the row."""
        return f"row[{column.place}]"

    def is_missing(self, column: Column) -> str:
        """Return whether it is None or NaN."""
        value = self.column(column)
        return f"{value} is None or {value} != {value}"

    def equals(self, column: Column, level: Any) -> str:
        """Return whether it is a level."""
        return f"{self.column(column)} == {level!r}"

    def label(self, labels: list[Any], k: int) -> str:
        """Return the label itself."""
        return repr(labels[k])


def to_python(model: Any, *, routing: str | None = None) -> str:
    """Write a model as Python source that predicts one row; it needs nothing but Python.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    routing : {"soft", "hard"}, optional
        As in `predict` of a classification tree; by default as the model's own `predict`.

    Returns
    -------
    str
        Source of a module with ``COLUMNS``, the names of the columns, and ``predict(row)``, where
        `row` holds a value for each of them; ``predict_proba(row)``, too, of a classification
        tree, whose labels are ``CLASSES``. A missing value (None, NaN) in a column that matters
        raises ValueError unless the model was fitted to tell what becomes of it.

    Examples
    --------
    >>> import softwood
    >>> from softwood.export import to_python
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    >>> module = {}
    >>> exec(to_python(model), module)
    >>> module["predict"](X[0]) == model.predict(X[:1])[0]
    True
    """
    formula = formula_of(model, routing)
    to = PythonDialect()
    outcome = steps(formula, to)
    parts = [
        f'"""Predicts a row by a tree of softwood ({formula.kind}, {formula.routing} routing)."""',
        "",
        "import math" if formula.needs_exp else "",
        "",
        f"COLUMNS = {[column.name for column in formula.columns]!r}",
        *_functions(formula, outcome, [*_guards(formula, to), *to.lines]),
        "",
    ]
    return "\n".join(parts)


def _guards(formula: Formula, to: PythonDialect) -> list[str]:
    lines = []
    for column in formula.used_columns:
        if not column.missing:
            text = f"column {column.name!r} is missing"
            lines += [f"if {to.is_missing(column)}:", f"    raise ValueError({text!r})"]
    return lines


def _functions(formula: Formula, outcome: Outcome, lines: list[str]) -> list[str]:
    body = [f"    {part}" for line in lines for part in line.split("\n")]
    if not isinstance(formula.at_leaves, Classes):
        return ["", "", "def predict(row):", *body, f"    return {outcome.prediction}"]
    shares = ", ".join(outcome.probabilities)
    return [
        f"CLASSES = {formula.at_leaves.labels!r}",
        *["", "", "def predict(row):", "    return evaluate(row)[0]"],
        *["", "", "def predict_proba(row):", "    return evaluate(row)[1]"],
        *["", "", "def evaluate(row):", *body],
        f"    return {outcome.prediction}, [{shares}]",
    ]


def _one_line(note: str) -> str:
    return " ".join(note.split())
