"""Parts of pages: strips of coefficients, bars of classes, tables; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import sqrt

from ..outline import figure, percent

# The first of them are those of `softwood.plotting`.
CLASS_COLOURS = (
    "#2a9d74", "#b06bc9", "#d1a11e", "#5b6fd6", "#d1584b",
    "#4fb3bf", "#8a8f98", "#a0704a", "#9bb53c", "#d98bb5",
)  # fmt: skip
WIDE = 1000


def strip(cells: Sequence[tuple[str, float]], largest: float) -> str:
    """Return coefficients as cells, whose titles tell names and values."""
    wide = WIDE / max(len(cells), 1)
    marks = []
    for place, (name, value) in enumerate(cells):
        # Roots, or small coefficients could not be told from those that are 0.
        depth = sqrt(min(abs(value) / largest, 1.0)) if largest > 0 else 0.0
        colour = "plus" if value > 0 else "minus"
        fill = f'fill="var(--{colour})" fill-opacity="{depth:.3f}"' if value else 'fill="none"'
        marks.append(_cell(place * wide, wide, fill, f"{name}: {figure(value, 4)}"))
    return _drawing("coefficients of all features", marks)


def bar(labels: Sequence[object], shares: Sequence[float]) -> str:
    """Return shares of classes as parts of a bar."""
    marks, x = [], 0.0
    for k, (label, share) in enumerate(zip(labels, shares, strict=True)):
        fill = f'fill="{CLASS_COLOURS[k % len(CLASS_COLOURS)]}"'
        marks.append(_cell(x, WIDE * share, fill, f"{label}: {percent(share)}"))
        x += WIDE * share
    return _drawing("shares of the classes", marks)


def _cell(x: float, width: float, fill: str, title: str) -> str:
    place = f'x="{x:.2f}" y="0" width="{width:.2f}" height="10"'
    return f'<rect {place} {fill} pointer-events="all"><title>{escape(title)}</title></rect>'


def _drawing(label: str, marks: Iterable[str]) -> str:
    ground = f'<rect x="0" y="0" width="{WIDE}" height="10" fill="var(--none)"/>'
    return (
        f'<svg viewBox="0 0 {WIDE} 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{ground}{"".join(marks)}</svg>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table that scrolls by itself where the page is narrow."""
    first = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td>{escape(str(value))}</td>" for value in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="sw-scroll"><table><tr>{first}</tr>{body}</table></div>'
