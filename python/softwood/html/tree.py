"""A model as a part of a page: nested splits that open and close, each with its coefficients."""

from __future__ import annotations

from html import escape
from typing import Any

from ..outline import (
    Leaf,
    Outline,
    Split,
    cells,
    condition,
    figure,
    outline,
    percent,
    predicted,
    tree_of,
)
from ..results import LinearForm
from .parts import bar, strip, table
from .style import STYLE

# Levels that are open at first, levels that are shown, and terms of a table.
OPEN_LEVELS, SHOWN_LEVELS, SHOWN_TERMS = 4, 6, 60


def model_html(model: Any) -> str:
    """Return a model as HTML: self-contained, no scripts, light or dark as the reader has it."""
    shown = outline(model)
    head = str(tree_of(model)).split("\n\n")[0]
    lines = "<br>".join(escape(line) for line in head.splitlines())
    curves = (
        f'<p class="sw-faint">plus, in every leaf, curves of {escape(", ".join(shown.curves))}</p>'
        if shown.curves
        else ""
    )
    body = TreePart(shown).node(0, "")
    return f'<div class="softwood"><style>{STYLE}</style><p>{lines}</p>{body}{curves}</div>'


class TreePart:
    """The nodes of one tree, whose strips share a scale."""

    def __init__(self, shown: Outline) -> None:
        self.shown = shown
        self.largest = {
            kind: max(
                (
                    float(abs(node.coefficients).max(initial=0))
                    for node in shown.nodes.values()
                    if isinstance(node, kind) and node.coefficients is not None
                ),
                default=0.0,
            )
            for kind in (Split, Leaf)
        }

    def node(self, number: int, turn: str) -> str:
        """Return a node and all below it; `turn` is the answer that leads to it."""
        node = self.shown.nodes[number]
        start = f'<span class="sw-turn">{turn}:</span> ' if turn else ""
        if isinstance(node, Leaf):
            return f'<div class="sw-node">{start}{self._leaf(node)}</div>'
        if node.level >= SHOWN_LEVELS:
            return f'<div class="sw-node">{start}<span class="sw-faint">… more splits</span></div>'
        said = f"goes left where the sum exceeds {figure(node.rule.threshold, 6)}"
        opened = " open" if node.level < OPEN_LEVELS else ""
        below = self.node(2 * number + 1, "yes") + self.node(2 * number + 2, "no")
        return (
            f'<details class="sw-node"{opened}><summary>{start}'
            f"{escape(condition(node.rule, 3, 60))}? {_counted(node)}"
            f"{self._strip(node)}</summary>"
            f"{_terms(node.rule, said)}"
            f'<div class="sw-below">{below}</div></details>'
        )

    def _strip(self, node: Split | Leaf) -> str:
        if node.coefficients is None:
            return ""
        return strip(cells(node.coefficients, self.shown.names), self.largest[type(node)])

    def _leaf(self, leaf: Leaf) -> str:
        if leaf.form is not None:
            told = f"{escape(predicted(leaf.form, 3, 60))} {_counted(leaf)}{self._strip(leaf)}"
            return told + _terms(leaf.form, f"added to {figure(leaf.form.intercept, 6)}")
        if not leaf.mix:
            return _counted(leaf)
        share = percent(leaf.mix[self.shown.classes.index(leaf.label)])
        said = f"<b>{escape(str(leaf.label))}</b> {share} {_counted(leaf)}"
        return said + bar(self.shown.classes, leaf.mix)


def _counted(node: Split | Leaf) -> str:
    return f'<span class="sw-faint">({escape(node.counted())})</span>' if node.counted() else ""


def _terms(form: LinearForm, said: str) -> str:
    """Return all terms of a sum, closed at first."""
    if not form.names:
        return ""
    terms = list(zip(form.names, form.weights, form.measures, form.effects, strict=True))
    rows = [
        (name if measure != "quantile" else f"quantile of {name}", figure(w, 4), figure(e, 3))
        for name, w, measure, e in terms[:SHOWN_TERMS]
    ]
    more = f"<p>and {len(terms) - SHOWN_TERMS} more</p>" if len(terms) > SHOWN_TERMS else ""
    head = ("feature", "weight", "effect over its range")
    count = f"{len(terms)} term{'s' if len(terms) > 1 else ''}"
    return (
        f'<details><summary class="sw-faint">{count}, {escape(said)}</summary>'
        f"{table(head, rows)}{more}</details>"
    )
