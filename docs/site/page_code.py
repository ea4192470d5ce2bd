"""The Python on a page: its blocks, and what they print and draw when they run."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
# After a block: what it prints, or draws, is to stand there.
PRINTED = "<!-- printed -->"
PICTURE = re.compile(r"\s*<!-- picture: (.*?) -->")
STYLES = {"light": "default", "dark": "dark_background"}


@dataclass
class Shown:
    """What stands after a block: text that it printed, pictures as SVG, by style."""

    end: int
    marker: str
    printed: str = ""
    said: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)


def blocks(text: str) -> Iterator[str]:
    """Return the Python of a page, with lines where they are on it."""
    for found in BLOCK.finditer(text):
        yield "\n" * text[: found.start(1)].count("\n") + found[1]


def shows(text: str) -> bool:
    """Tell whether anything on the page is to be shown by running it."""
    return PRINTED in text or "<!-- picture: " in text


def run(text: str, name: str) -> list[Shown]:
    """Run blocks in order up to the last of which anything is shown, those that draw twice.

    What they write goes into a folder of its own.
    """
    there = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return _results(text, name)
        finally:
            os.chdir(there)


def _results(text: str, name: str) -> list[Shown]:
    import matplotlib as mpl

    mpl.use("agg")
    module: dict[str, object] = {}
    results: list[Shown] = []
    for found, code in zip(BLOCK.finditer(text), blocks(text), strict=True):
        if not shows(text[found.start() :]):
            break
        compiled = compile(code, name, "exec")
        rest = text[found.end() :]
        picture = PICTURE.match(rest)
        if picture:
            shown = Shown(found.end(), picture[0], said=picture[1])
            for style, of_matplotlib in STYLES.items():
                shown.pictures[style] = _drawn(compiled, module, of_matplotlib)
            results.append(shown)
            continue
        printed = _printed(compiled, module)
        if rest.lstrip("\n").startswith(PRINTED):
            marker = rest[: rest.index(PRINTED) + len(PRINTED)]
            results.append(Shown(found.end(), marker, printed=printed))
    return results


def _printed(compiled: object, module: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compiled, module)  # type: ignore[arg-type]
    return out.getvalue()


def _drawn(compiled: object, module: dict[str, object], style: str) -> bytes:
    """Return the last figure that is drawn."""
    from matplotlib import pyplot as plt

    with plt.style.context(style):
        plt.close("all")
        _printed(compiled, module)
        held = io.BytesIO()
        plt.gcf().savefig(held, format="svg", transparent=True)
        plt.close("all")
    return held.getvalue()
