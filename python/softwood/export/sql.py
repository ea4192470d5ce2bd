"""A query, or an expression, that predicts the rows of a table in a database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from .c_source import comment
from .formula import Classes, Column, Formula, formula_of, routes_of
from .steps import Dialect, Outcome, steps


class SqlDialect(Dialect):
    """Expressions within one another."""

    both = "AND"

    def let(self, kind: str, place: int, expression: str, note: str = "") -> str:
        """Put the expression in the place of its name."""
        return f"({expression})"

    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        """Return a CASE."""
        whens = " ".join(f"WHEN {when} THEN {value}" for when, value in cases)
        return f"CASE {whens} ELSE {otherwise} END"

    def exp(self, expression: str) -> str:
        """Return e to a power."""
        return f"EXP({expression})"

    def column(self, column: Column) -> str:
        """Return the column's name."""
        return identifier(column.name)

    def is_missing(self, column: Column) -> str:
        """Return whether it is NULL."""
        return f"{self.column(column)} IS NULL"

    def equals(self, column: Column, level: Any) -> str:
        """Return whether it is a level."""
        if column.coding == "truth":
            return self.column(column)
        return f"{self.column(column)} = {literal(level)}"

    def label(self, labels: list[Any], k: int) -> str:
        """Return the label itself."""
        return literal(labels[k])


class StagedDialect(SqlDialect):
    """A common table expression for each kind of name, so that nothing is computed twice."""

    def __init__(self, taken: set[str]) -> None:
        self.stages: dict[str, list[str]] = {}
        self.prefix = "softwood_"
        while any(name.startswith(self.prefix) for name in taken):
            self.prefix += "_"

    def let(self, kind: str, place: int, expression: str, note: str = "") -> str:
        """Add a column to the stage."""
        name = f"{self.prefix}{kind}{place}"
        told = f" /* {comment(note)} */" if note else ""
        self.stages.setdefault(kind, []).append(f"{expression} AS {name}{told}")
        return name


def to_sql(
    model: Any,
    table: str | None = None,
    *,
    keep: Sequence[str] = (),
    probabilities: bool = False,
    materialized: bool = False,
    routing: str | None = None,
) -> str:
    """Write a model as SQL that predicts the rows of a table.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    table : str, optional
        Table, or view, with the columns that the model uses. Without it, the prediction is
        returned as one expression, a CASE, for hard routing alone: soft routing needs
        probabilities several times.
    keep : sequence of str
        Columns of the table that stand before the prediction, such as its key.
    probabilities : bool
        Whether the probability of each class follows the prediction.
    materialized : bool
        Whether the database is asked to compute each stage of the query once, which makes soft
        routing many times faster; SQLite from 3.35 on, PostgreSQL from 12 on and DuckDB know it.
    routing : {"soft", "hard"}, optional
        As in `predict` of a classification tree; by default as the model's own `predict`, without
        a table ``"hard"``. Soft routing needs the database to know EXP.

    Returns
    -------
    str
        A query whose last columns are ``prediction`` and, if asked for, ``"probability of …"``; or
        an expression. They are NULL where a value is that the model cannot do without.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> from softwood.export import to_sql
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = softwood.fit_orct(X, X[:, 0] > 0, depth=1, n_starts=2, feature_names=["a", "b"])
    >>> query = to_sql(model, "measured", keep=["id"], routing="hard")
    >>> query.splitlines()[-4:-2] + query.splitlines()[-1:]
    ['SELECT', '  "id",', 'FROM softwood_z']
    """
    if not isinstance(table, str | None):
        raise TypeError(f"table must be the name of a table or None, got {type(table).__name__}")
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise TypeError(f"keep must be a sequence of names of columns, got {type(keep).__name__}")
    keep = list(keep)
    for name in keep:
        if not isinstance(name, str):
            raise TypeError(f"keep must hold names of columns, got {type(name).__name__}")
    if table is None:
        formula = _for_expression(model, routing)
        if keep or probabilities:
            raise ValueError("keep and probabilities are for queries; give table, too")
        return _guarded(formula, steps(formula, SqlDialect()).prediction)
    formula = formula_of(model, routing)
    if probabilities and not isinstance(formula.at_leaves, Classes):
        raise ValueError("a regression has no probabilities of classes")
    if not probabilities and isinstance(formula.at_leaves, Classes):
        # The class of a hard tree needs no EXP, which its probabilities do.
        formula = replace(formula, at_leaves=replace(formula.at_leaves, doubt=None))
    to = StagedDialect({c.name.lower() for c in formula.columns} | {k.lower() for k in keep})
    results = _results(formula, steps(formula, to), probabilities)
    source, stages = identifier(table), []
    for kind, columns in to.stages.items():
        inner = ",\n    ".join(column.replace("\n", "\n    ") for column in columns)
        name, how = f"{to.prefix}{kind}", "AS MATERIALIZED" if materialized else "AS"
        stages.append(f"{name} {how} (\n  SELECT *,\n    {inner}\n  FROM {source})")
        source = name
    first = "WITH " + ",\n".join(stages) + "\n" if stages else ""
    shown = ",\n  ".join([*map(identifier, keep), *results])
    return f"{first}SELECT\n  {shown}\nFROM {source}"


def _for_expression(model: Any, routing: str | None) -> Formula:
    if routing is None and "hard" in routes_of(model):
        routing = "hard"
    formula = formula_of(model, routing)
    if formula.routing == "soft":
        raise ValueError("soft routing needs a query of several stages: give table, too")
    return formula


def _guarded(formula: Formula, expression: str) -> str:
    to = SqlDialect()
    missing = [to.is_missing(c) for c in formula.used_columns if not c.missing]
    return to.cases([(" OR ".join(missing), "NULL")], expression) if missing else expression


def _results(formula: Formula, outcome: Outcome, probabilities: bool) -> list[str]:
    """Return the columns of the result."""
    results = [f"{_guarded(formula, outcome.prediction)} AS prediction"]
    if probabilities and isinstance(formula.at_leaves, Classes):
        for label, share in zip(formula.at_leaves.labels, outcome.probabilities, strict=True):
            name = identifier(f"probability of {label}")
            results.append(f"{_guarded(formula, share)} AS {name}")
    return results


def identifier(name: str) -> str:
    """Return a name in quotes, as the standard has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a label or a level."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
