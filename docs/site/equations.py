r"""Equations on pages, written as GitHub writes them, as MathML: no script is needed to show it.

Blocks are fenced (```math), with an optional \tag{…}; within a line they stand in $`…`$.
"""

from __future__ import annotations

import re

from latex2mathml.converter import convert

FENCED = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\$`(.+?)`\$")
TAG = re.compile(r"\\tag\{(.*?)\}")


def with_mathml(text: str) -> str:
    """Return a page with its equations as MathML."""
    # Within a span, since Markdown takes <math> at the start of a line for a block.
    inline = INLINE.sub(lambda found: f"<span>{convert(found[1])}</span>", text)
    return FENCED.sub(_block, inline)


def _block(found: re.Match[str]) -> str:
    tag = TAG.search(found[1])
    drawn = convert(" ".join(TAG.sub("", found[1]).split()), display="block")
    number = f'<span class="number">({tag[1]})</span>' if tag else ""
    return f'<div class="equation">{drawn}{number}</div>'
