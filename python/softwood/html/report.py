"""The report of a fit as one page: the data, scores on rows held out, the tree, pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any

from .. import __version__
from ..outline import tree_of
from .parts import table
from .style import PAGE
from .tree import model_html

# A heading and what draws the picture below it.
Pictures = Mapping[str, Callable[[], Any]]
Table = tuple[Sequence[str], Sequence[Sequence[object]]]


def report_page(title: str, model: Any, tables: Mapping[str, Table], pictures: Pictures) -> str:
    """Return a whole page that needs nothing from elsewhere.

    `tables` have a heading, names of columns and rows; they stand before the tree, pictures after
    it. Without matplotlib a sentence takes the pictures' place.
    """
    report = tree_of(model).report
    parts = [_section(heading, table(*content)) for heading, content in tables.items()]
    parts.append(_section("The tree", model_html(model)))
    if report.notices:
        told = "".join(f"<li>{escape(str(notice))}</li>" for notice in report.notices)
        parts.append(_section("To be noted", f"<ul>{told}</ul>"))
    if report.cross_validation is not None:
        text = f"<pre>{escape(str(report.cross_validation))}</pre>"
        parts.append(_section("How settings were chosen", f'<div class="sw-scroll">{text}</div>'))
    parts += [_section(heading, _picture(heading, draw)) for heading, draw in pictures.items()]
    text = f'<div class="sw-scroll"><pre>{escape(str(report))}</pre></div>'
    parts.append(_section("The fit", text))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{PAGE}</style></head><body><main>"
        f"<h1>{escape(title)}</h1>{''.join(parts)}"
        f"<p>softwood {escape(__version__)}</p></main></body></html>\n"
    )


def _section(heading: str, content: str) -> str:
    return f'<section class="softwood"><h2>{escape(heading)}</h2>{content}</section>'


def _picture(heading: str, draw: Callable[[], Any]) -> str:
    """Return a picture in two versions, of which the browser shows the one for its theme."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        return "<p>Pictures need matplotlib: pip install softwood[plot]</p>"
    sources = []
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            axes = draw()
            held = BytesIO()
            axes.figure.savefig(held, format="svg", transparent=True)
            plt.close(axes.figure)
        sources.append("data:image/svg+xml;base64," + b64encode(held.getvalue()).decode())
    light, dark = sources
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(heading)}"></picture>'
    )
