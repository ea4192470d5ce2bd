"""What all pictures share: axes, colours for light and dark, text that fits. Imports matplotlib."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..outline import shortened

try:
    import matplotlib as mpl
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, to_rgb
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath
except ImportError:
    raise ImportError("softwood.plotting needs matplotlib: pip install softwood[plot]") from None

__all__ = [
    "NEGATIVE",
    "POINTS",
    "POSITIVE",
    "Look",
    "bare",
    "class_colours",
    "fitted",
    "look_of",
    "name_rows",
    "plain",
    "plt",
    "start",
    "text_width",
    "tick_size",
]

Colour = tuple[float, float, float]

# Colours of classes, told apart on white and on black; blue and orange are those of signs.
CLASSES = (
    "#2a9d74", "#b06bc9", "#d1a11e", "#5b6fd6", "#d1584b",
    "#4fb3bf", "#8a8f98", "#a0704a", "#9bb53c", "#d98bb5",
)  # fmt: skip
NEGATIVE, POSITIVE = "#3d8fd1", "#e0701e"

POINTS = 72  # to the inch


@dataclass(frozen=True)
class Look:
    """Colours of one figure: text, background, and what stands between them."""

    ink: Colour
    paper: Colour

    def between(self, share: float) -> Colour:
        """Return the background with so much of the text's colour in it."""
        return _blend(self.paper, self.ink, share)

    @property
    def signs(self) -> LinearSegmentedColormap:
        """Colours from negative over the background to positive."""
        middle = self.between(0.04)
        ends = [to_rgb(NEGATIVE), middle, to_rgb(POSITIVE)]
        return LinearSegmentedColormap.from_list("signs", ends)


def start(ax: Any, width: float, height: float) -> tuple[Any, Look]:
    """Return the axes to draw into, new ones of this size in inches if there are none."""
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax, look_of(ax)


def look_of(ax: Any) -> Look:
    """Return the colours of a figure; where it is transparent, those of the style."""
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be matplotlib Axes or None, got {reprlib.repr(ax)}")
    paper = ax.figure.get_facecolor()
    if len(paper) == 4 and paper[3] == 0:
        paper = mpl.rcParams["figure.facecolor"]
    return Look(to_rgb(mpl.rcParams["text.color"]), to_rgb(paper))


def class_colours(count: int) -> list[Colour]:
    """Return a colour for each class; those beyond ten are lighter than the first ten."""
    white = (1.0, 1.0, 1.0)
    rounds = (_blend(to_rgb(CLASSES[k % 10]), white, 0.3 * (k // 10 % 3)) for k in range(count))
    return list(rounds)


def _blend(one: Colour, other: Colour, share: float) -> Colour:
    r, g, b = ((1 - share) * a + share * c for a, c in zip(one, other, strict=True))
    return r, g, b


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide text is, in points."""
    # Mathematics ($) is not meant in names; TextPath would read it.
    font = FontProperties(weight="bold" if bold else "normal", size=size)
    return float(TextPath((0, 0), text.replace("$", "S"), prop=font).get_extents().x1)


def fitted(text: object, width: float, size: float, bold: bool = False) -> str:
    """Return text cut in the middle until it is no wider than `width` points."""
    line = " ".join(str(text).split())
    low, high = 1, len(line)
    if not line or text_width(line, size, bold) <= width:
        return line
    while high - low > 1:
        middle = (low + high) // 2
        wide = text_width(shortened(line, middle), size, bold) > width
        low, high = (low, middle) if wide else (middle, high)
    return shortened(line, low)


def plain(text: object) -> str:
    """Return text in which matplotlib sees no mathematics."""
    return str(text).replace("$", r"\$")


def bare(ax: Any) -> None:
    """Leave out the frame above and to the right."""
    ax.spines[["top", "right"]].set_visible(False)


def name_rows(ax: Any, names: list[str], look: Look, width: float = 150) -> None:
    """Name the rows of a chart of bars from the top, names cut to `width` points."""
    size = tick_size()
    ax.set_yticks(range(len(names)), [plain(fitted(name, width, size)) for name in names])
    ax.tick_params(axis="y", length=0, labelcolor=look.ink, labelsize=size)
    ax.set_ylim(len(names) - 0.5, -0.5)


def tick_size() -> float:
    """Return the size of tick labels, in points."""
    font = FontProperties(size=mpl.rcParams["ytick.labelsize"])
    return float(font.get_size_in_points())
