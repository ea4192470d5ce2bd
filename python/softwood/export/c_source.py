"""Plain C that predicts one row: C99 and its mathematics alone, no memory of its own."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from typing import Any

from .formula import Classes, Column, Formula, formula_of
from .steps import Dialect, Outcome, steps

# Words that no field of a structure may be called by, in C and in C++.
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """auto bool break case catch char class const continue default delete do double else enum
        extern false float for friend goto if inline int long namespace new operator private
        protected public register restrict return short signed sizeof static struct switch template
        this throw true try typedef typename union unsigned using virtual void volatile while""",
    )
)


class CDialect(Dialect):
    """Constants of a function; a row is an array of doubles or, with text, a structure."""

    both = "&&"

    def __init__(self, columns: Sequence[Column]) -> None:
        self.lines: list[str] = []
        self.fields = _fields(columns) if any(c.is_text for c in columns) else []

    def let(self, kind: str, place: int, expression: str, note: str = "") -> str:
        """Define a constant."""
        told = f"  /* {comment(note)} */" if note else ""
        self.lines.append(f"const double {kind}{place} = {expression};{told}")
        return f"{kind}{place}"

    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        """Return a conditional expression."""
        return "(" + "".join(f"{when} ? {value} : " for when, value in cases) + otherwise + ")"

    def exp(self, expression: str) -> str:
        """Return e to a power."""
        return f"exp({expression})"

    def column(self, column: Column) -> str:
        """Return an entry or a field of the row."""
        return f"row->{self.fields[column.place]}" if self.fields else f"row[{column.place}]"

    def is_missing(self, column: Column) -> str:
        """Return whether it is NULL or NaN."""
        value = self.column(column)
        return f"!{value}" if column.is_text else f"isnan({value})"

    def equals(self, column: Column, level: Any) -> str:
        """Return whether it is a level."""
        value = self.column(column)
        if column.coding == "truth":
            return f"{value} != 0"
        if not column.is_text:
            return f"{value} == {self.number(level)}"
        return f"({value} && strcmp({value}, {quoted(level)}) == 0)"

    def label(self, labels: list[Any], k: int) -> str:
        """Return the class's position."""
        return str(k)


def to_c(model: Any, *, name: str = "tree", routing: str | None = None) -> str:
    """Write a model as C source that predicts one row; it needs nothing but C99.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    name : str
        What the names of everything that is defined begin with.
    routing : {"soft", "hard"}, optional
        As in `predict` of a classification tree; by default as the model's own `predict`.

    Returns
    -------
    str
        Source of ``double tree_predict(row)``, which is NaN if a value is missing that the model
        cannot do without; of a classification tree, of ``int tree_predict(row, probabilities)``,
        which returns the position in ``tree_classes``, −1 if a value is missing, and fills
        `probabilities` unless that is NULL. A row is an array of doubles, one for each column, or
        ``struct tree_row`` if columns hold text, with NULL where it is missing.

    Examples
    --------
    >>> import softwood
    >>> from softwood.export import to_c
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    >>> [line for line in to_c(model).splitlines() if "tree_predict" in line]
    ['int tree_predict(const double *row, double *probabilities)']
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be an identifier of C, got {reprlib.repr(name)}")
    formula = formula_of(model, routing)
    to = CDialect(formula.columns)
    outcome = steps(formula, to)
    head = [
        f"/* Predicts one row by a tree of softwood ({formula.kind}, {formula.routing} routing).",
        "   Columns, in order:",
        *(f"   {c.place}: {comment(c.name)}" for c in formula.columns),
        "*/",
        "#include <math.h>",
        "#include <string.h>",
        "",
    ]
    return "\n".join(
        [*head, *_structure(formula, to, name), *_function(formula, outcome, to, name)]
    )


def _structure(formula: Formula, to: CDialect, name: str) -> list[str]:
    if not to.fields:
        return []
    kinds = ["const char *" if c.is_text else "double " for c in formula.columns]
    fields = [f"    {kind}{field};" for kind, field in zip(kinds, to.fields, strict=True)]
    return [f"struct {name}_row {{", *fields, "};", ""]


def _function(formula: Formula, outcome: Outcome, to: CDialect, name: str) -> list[str]:
    row = f"const struct {name}_row *row" if to.fields else "const double *row"
    missing = " || ".join(to.is_missing(c) for c in formula.used_columns if not c.missing)
    guard = "NAN" if not isinstance(formula.at_leaves, Classes) else "-1"
    lines = [] if formula.used_columns else ["(void)row;  /* all rows are predicted alike */"]
    lines += [f"if ({missing}) return {guard};"] if missing else []
    lines += to.lines
    if isinstance(formula.at_leaves, Classes):
        labels = ", ".join(quoted(str(label)) for label in formula.at_leaves.labels)
        head = [
            f"const char *const {name}_classes[{len(formula.at_leaves.labels)}] = {{{labels}}};",
            "",
            f"int {name}_predict({row}, double *probabilities)",
        ]
        shares = [f"    probabilities[{k}] = {p};" for k, p in enumerate(outcome.probabilities)]
        lines += ["if (probabilities) {", *shares, "}"]
    else:
        head = [f"double {name}_predict({row})"]
    lines.append(f"return {outcome.prediction};")
    body = [f"    {part}" for line in lines for part in line.split("\n")]
    return [*head, "{", *body, "}", ""]


def _fields(columns: Sequence[Column]) -> list[str]:
    """Return a distinct identifier for each column, its name as far as C allows."""
    fields: list[str] = []
    for column in columns:
        field = re.sub(r"[^A-Za-z0-9_]", "_", column.name)
        if not re.match(r"[A-Za-z]", field) or field in RESERVED or field in fields:
            field = f"column_{column.place}"
        fields.append(field)
    return fields


def quoted(text: str) -> str:
    """Return a literal of C; bytes that are not plain ASCII are written as octal numbers."""
    plain = (
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode()
    )
    return '"' + "".join(plain) + '"'


def comment(text: str) -> str:
    """Return text that ends no comment."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split()).replace("\\", "/")
