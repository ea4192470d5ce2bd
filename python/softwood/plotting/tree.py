"""The picture of a tree: cards with rules, strips of coefficients, leaves with what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import integer
from ..outline import Leaf, Outline, Split, cells, figure, leading_terms, outline, percent
from .canvas import (
    POINTS,
    Look,
    class_colours,
    fitted,
    look_of,
    plain,
    plt,
    text_width,
)

# Sizes in points.
FONT = 9.0
LINE = 12.5
PAD = 6.0
STRIP = 8.0
ROOM = 3.5  # above and below a strip
SPLIT_WIDTH = 168.0
LEAF_WIDTH = 104.0
MODEL_WIDTH = 132.0  # of a leaf with a linear model
GAP_X, GAP_Y = 12.0, 34.0


@dataclass
class Card:
    """What stands on a node's card, and where its middle and top are."""

    node: Split | Leaf
    title: list[str]
    below: list[str]
    width: float
    has_strip: bool
    x: float = 0.0
    top: float = 0.0

    @property
    def height(self) -> float:
        """Height in points."""
        lines = len(self.title) + len(self.below)
        return 2 * PAD + LINE * lines + (STRIP + 2 * ROOM) * self.has_strip


@dataclass
class Layout:
    """Cards of all nodes in points, the origin at the lower left."""

    cards: dict[int, Card]
    width: float = 0.0
    height: float = 0.0
    legend: list[tuple[str, Any]] = field(default_factory=list)


def plot_tree(model: Any, ax: Any = None, *, X: Any = None, terms: int = 3) -> Any:
    """Draw a tree.

    A split shows the terms of largest effect of its rule, and a strip with a cell for each feature
    whose colour is the coefficient on scaled features; a leaf its class and the share of each class
    in it, or its linear model and a strip of that. Rows for which the rule holds go left, to "yes".

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure, as large as the tree needs.
    X : array_like or data frame, optional
        Rows that are counted at the nodes, in place of the training rows; the mean probability
        of reaching each leaf is then shown, too.
    terms : int
        Terms that are shown of each rule and leaf model.

    Returns
    -------
    matplotlib Axes
    """
    terms = integer("terms", terms, 1, 2**32)
    shown = outline(model, X)
    layout = _arrange(shown, terms)
    if ax is None:
        size = (layout.width / POINTS, layout.height / POINTS)
        ax = plt.figure(figsize=size).add_axes((0, 0, 1, 1))
    look = look_of(ax)
    ax.set_axis_off()
    box = ax.get_window_extent()
    per_point = ax.figure.dpi / POINTS
    scale = min(box.width / layout.width, box.height / layout.height) / per_point
    ax.set_xlim(0, layout.width)
    ax.set_ylim(0, layout.height)
    ax.set_aspect("equal", adjustable="box", anchor="C")
    pen = Pen(ax, look, scale, shown)
    for card in layout.cards.values():
        pen.branches(card, layout)
    for card in layout.cards.values():
        pen.card(card)
    pen.legend(layout)
    return ax


def _arrange(shown: Outline, terms: int) -> Layout:
    """Place the cards: leaves side by side, every split above the middle of its children."""
    cards = {number: _card(node, shown, terms) for number, node in shown.nodes.items()}
    levels = 1 + max(node.level for node in shown.nodes.values())
    slot = max(cards[leaf.node].width for leaf in shown.leaves) + GAP_X
    for place, leaf in enumerate(shown.leaves):
        cards[leaf.node].x = (place + 0.5) * slot
    for split in reversed(shown.splits):
        left, right = cards[2 * split.node + 1], cards[2 * split.node + 2]
        cards[split.node].x = (left.x + right.x) / 2
    bottom = 24.0
    heights = [
        max(card.height for card in cards.values() if card.node.level == level)
        for level in range(levels)
    ]
    total = bottom + sum(heights) + GAP_Y * (levels - 1) + GAP_X
    tops = [total - GAP_X / 2 - sum(heights[:k]) - GAP_Y * k for k in range(levels)]
    for card in cards.values():
        card.top = tops[card.node.level]
    low = min(card.x - card.width / 2 for card in cards.values()) - GAP_X / 2
    high = max(card.x + card.width / 2 for card in cards.values()) + GAP_X / 2
    wide = max(high - low, 230.0)
    for card in cards.values():
        card.x += (wide - (high - low)) / 2 - low
    return Layout(cards, wide, total)


def _card(node: Split | Leaf, shown: Outline, terms: int) -> Card:
    counted = [node.counted()] if node.counted() else []
    if isinstance(node, Split):
        lines = leading_terms(node.rule, terms, 10**9) or ["0"]
        lines[0] = lines[0].removeprefix("+ ")
        lines.append(f"> {figure(node.rule.threshold)} ?")
        return Card(node, lines, counted, SPLIT_WIDTH, True)
    if node.reach is not None:
        counted.append(f"reach {percent(node.reach)}")
    if node.form is not None:
        lines = [figure(node.form.intercept), *leading_terms(node.form, terms, 10**9)]
        return Card(node, lines, counted, MODEL_WIDTH, True)
    return Card(node, [str(node.label)], counted, LEAF_WIDTH, bool(node.mix))


class Pen:
    """Draws cards at a scale: 1 is the size the layout was made for."""

    def __init__(self, ax: Any, look: Look, scale: float, shown: Outline) -> None:
        self.ax, self.look, self.scale, self.shown = ax, look, scale, shown
        self.colours = class_colours(len(shown.classes))
        splits = [abs(split.coefficients).max(initial=0) for split in shown.splits]
        leaves = [
            abs(leaf.coefficients).max(initial=0)
            for leaf in shown.leaves
            if leaf.coefficients is not None
        ]
        self.largest = {Split: max(splits, default=0) or 1, Leaf: max(leaves, default=0) or 1}

    def text(self, x: float, y: float, text: str, **look: Any) -> None:
        """Write one line; y is its middle."""
        size = look.pop("size", FONT) * self.scale
        look = {"ha": "center", "va": "center_baseline", "color": self.look.ink} | look
        self.ax.text(x, y, plain(text), fontsize=size, **look)

    def box(self, x: float, y: float, width: float, height: float, **look: Any) -> None:
        """Draw a rectangle from its lower left corner."""
        self.ax.add_patch(plt.Rectangle((x, y), width, height, **({"linewidth": 0} | look)))

    def branches(self, card: Card, layout: Layout) -> None:
        """Draw the lines to a split's children; the more rows, the wider."""
        if not isinstance(card.node, Split):
            return
        start = card.top - card.height
        for turn, said in ((1, "yes"), (2, "no")):
            child = layout.cards[2 * card.node.node + turn]
            bend = child.top + GAP_Y * 0.55
            share = child.node.share if child.node.share is not None else 0.3
            xs, ys = [card.x, card.x, child.x, child.x], [start, bend, bend, child.top]
            width = (0.8 + 3.2 * share) * self.scale
            colour = self.look.between(0.35)
            self.ax.plot(xs, ys, color=colour, linewidth=width, solid_joinstyle="round", zorder=1)
            side = "right" if turn == 1 else "left"
            away = -5 if turn == 1 else 5
            self.text(
                child.x + away, child.top + GAP_Y * 0.24, said, ha=side, size=8,
                color=self.look.between(0.7),
            )  # fmt: skip

    def card(self, card: Card) -> None:
        """Draw one card: lines, strip, lines."""
        left, bottom = card.x - card.width / 2, card.top - card.height
        frame = plt.matplotlib.patches.FancyBboxPatch(
            (left + 3, bottom + 3), card.width - 6, card.height - 6,
            boxstyle="round,pad=3", facecolor=self.look.between(0.05),
            edgecolor=self.look.between(0.25), linewidth=0.8 * self.scale, zorder=2,
        )  # fmt: skip
        self.ax.add_patch(frame)
        y, room = card.top - PAD, card.width - 2 * PAD
        is_class = isinstance(card.node, Leaf) and card.node.form is None
        for line in card.title:
            shown = fitted(line, room, FONT, is_class)
            weight = "bold" if is_class else "normal"
            self.text(card.x, y - LINE / 2, shown, fontweight=weight, zorder=4)
            y -= LINE
        if card.has_strip:
            self.strip(card, left + PAD, y - STRIP - ROOM, room)
            y -= STRIP + 2 * ROOM
        for line in card.below:
            self.text(
                card.x, y - LINE / 2, fitted(line, room, 8), size=8, zorder=4,
                color=self.look.between(0.75),
            )  # fmt: skip
            y -= LINE

    def strip(self, card: Card, x: float, y: float, width: float) -> None:
        """Draw coefficients as cells, or shares of classes as parts of a bar."""
        node = card.node
        if isinstance(node, Leaf) and node.coefficients is None:
            for share, colour in zip(node.mix, self.colours, strict=True):
                self.box(x, y, width * share, STRIP, facecolor=colour, zorder=3)
                x += width * share
            return
        shown = cells(np.asarray(node.coefficients), self.shown.names)
        values = np.array([value for _, value in shown]) / self.largest[type(node)]
        # Roots, or small coefficients could not be told from those that are 0.
        values = np.sign(values) * np.sqrt(np.abs(values))
        cell = width / len(values)
        for j, colour in enumerate(self.look.signs((1 + values) / 2)):
            self.box(x + j * cell, y, cell, STRIP, facecolor=colour, zorder=3)
        edge = self.look.between(0.25)
        self.box(
            x,
            y,
            width,
            STRIP,
            facecolor="none",
            edgecolor=edge,
            linewidth=0.6 * self.scale,
            zorder=3,
        )

    def legend(self, layout: Layout) -> None:
        """Name the classes and the colours of coefficients below the tree."""
        x, y = GAP_X / 2, 9.0
        rows = self.shown.classes
        if rows:
            room = (layout.width - GAP_X) / len(rows) - 18
            for label, colour in zip(rows, self.colours, strict=True):
                name = fitted(label, max(min(room, 120), 4), 8)
                self.box(x, y - 4, 8, 8, facecolor=colour)
                self.text(x + 12, y, name, ha="left", size=8)
                x += 18 + text_width(name, 8)
        elif self.shown.curves:
            said = f"in every leaf: curves of {', '.join(self.shown.curves)}"
            name = fitted(said, layout.width - 170, 8)
            self.text(x, y, name, ha="left", size=8)
            x += text_width(name, 8)
        said = "coefficients: − blue, + orange"
        wide = text_width(said, 8)
        if x + wide + 6 < layout.width and self.shown.splits:
            self.text(
                layout.width - GAP_X / 2, y, said, ha="right", size=8, color=self.look.between(0.7)
            )
