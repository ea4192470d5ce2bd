"""The steps from a row's columns to its prediction, in any language with infix arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .formula import Classes, Column, Doubt, Formula, Map, Responses

# Powers of e of no more than this are finite.
EXPONENTS = 690.0


class Dialect(ABC):
    """What languages write differently; the rest they share. Names are made by `let`."""

    both = "and"

    @abstractmethod
    def let(self, kind: str, place: int, expression: str, note: str = "") -> str:
        """Keep the value of an expression; return what stands for it from here on."""

    @abstractmethod
    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        """Return the value of the first case whose condition holds."""

    @abstractmethod
    def exp(self, expression: str) -> str:
        """Return e to a power."""

    @abstractmethod
    def column(self, column: Column) -> str:
        """Return a column's value in the row."""

    @abstractmethod
    def is_missing(self, column: Column) -> str:
        """Return the condition that a column has no value."""

    @abstractmethod
    def equals(self, column: Column, level: Any) -> str:
        """Return the condition that a column's value is a level."""

    @abstractmethod
    def label(self, labels: list[Any], k: int) -> str:
        """Return what stands for the k-th class."""

    def number(self, value: float) -> str:
        """Return a number with all of its digits."""
        return repr(float(value))


@dataclass(frozen=True)
class Outcome:
    """Expressions of the prediction and, of a classification tree, the classes' probabilities."""

    prediction: str
    probabilities: list[str]


def steps(formula: Formula, to: Dialect) -> Outcome:
    """Write the steps; what stands for the result is returned."""
    u = _scaled(formula, to)
    hard = formula.routing == "hard"
    margins = []
    for t, node in enumerate(formula.splits):
        terms = formula.terms(formula.weights[t])
        total = linear(to, terms, float(formula.offsets[t]), u)
        margins.append(to.let("z", node, total, "goes left where it is 0 or more"))
    if isinstance(formula.at_leaves, Responses):
        return _response(formula, formula.at_leaves, to, u, margins)
    if hard:
        return _leaf_classes(formula, formula.at_leaves, to, margins)
    return _mixed_classes(formula, formula.at_leaves, to, margins)


def linear(
    to: Dialect, terms: Sequence[tuple[int, float]], constant: float, u: dict[int, str]
) -> str:
    """Return a weighted sum, a term on each line."""
    products = [f"{to.number(weight)} * {u[j]}" for j, weight in terms]
    # The constant last: the sum of the others is then rounded as hard splits round it.
    return _sum([*products, to.number(constant)])


def _sum(terms: list[str]) -> str:
    return terms[0] if len(terms) == 1 else "(" + "\n     + ".join(terms) + ")"


def _scaled(formula: Formula, to: Dialect) -> dict[int, str]:
    """Return what stands for each scaled feature that is used."""
    used, u = set(formula.used), {}
    for column in formula.used_columns:
        for j in range(column.first, column.first + column.width):
            shape = formula.maps[j]
            if j not in used or shape is None:
                continue
            place, name = j - column.first, column.name
            if column.coding == "levels" and place < column.plain:
                name += f" is {column.levels[place]}"
            elif place == column.plain:
                name += " is missing"
            x = _feature(to, column, place)
            if shape.values and (column.coding != "number" or column.missing):
                x = to.let("x", j, x, name)
            said = f"{name}, scaled" if shape.values else name
            u[j] = to.let("u", j, _straight(to, shape, x), said)
    return u


def _feature(to: Dialect, column: Column, place: int) -> str:
    """Return one of the features of a column, before it is scaled."""
    one, zero = to.number(1), to.number(0)
    missing = [to.is_missing(column)] if column.missing else []
    if place == column.plain:
        return to.cases([(missing[0], one)], zero)
    if column.coding == "number":
        value = to.column(column)
        return to.cases([(missing[0], to.number(column.typical))], value) if missing else value
    if column.coding == "truth":
        filled = [(missing[0], one if column.typical else zero)] if missing else []
        return to.cases([*filled, (to.equals(column, True), one)], zero)
    if column.coding == "levels":
        filled = [(missing[0], one if column.typical == place else zero)] if missing else []
        return to.cases([*filled, (to.equals(column, column.levels[place]), one)], zero)
    # Of ordered levels one that is missing, or was never seen, counts as the typical one.
    known = [(to.equals(column, v), to.number(k)) for k, v in enumerate(column.levels)]
    return to.cases(known, to.number(column.typical))


def _straight(to: Dialect, shape: Map, x: str) -> str:
    """Return the piecewise linear map of x; the piece is found by halving."""
    values, levels = shape.values, shape.levels
    if not values:
        return x

    def pieces(low: int, high: int) -> str:
        if high - low == 1:
            origin, width = to.number(values[low]), to.number(values[high] - values[low])
            share = f"({x} - {origin}) / {width}"
            if (levels[low], levels[high]) == (0, 1):
                return share
            rise = to.number(levels[high] - levels[low])
            return f"{to.number(levels[low])} + {rise} * ({share})"
        middle = (low + high) // 2
        return to.cases(
            [(f"{x} < {to.number(values[middle])}", pieces(low, middle))], pieces(middle, high)
        )

    inside = pieces(0, len(values) - 1)
    if not shape.flat:
        return inside
    beyond = [
        (f"{x} < {to.number(values[0])}", to.number(levels[0])),
        (f"{x} >= {to.number(values[-1])}", to.number(levels[-1])),
    ]
    return to.cases(beyond, inside)


def _at_leaf(formula: Formula, to: Dialect, margins: list[str], of: Callable[[int], str]) -> str:
    """Return what `of` says of the leaf at the end of the likelier branches."""

    def below(node: int) -> str:
        if node in formula.leaves:
            return of(formula.leaves.index(node))
        margin = margins[formula.splits.index(node)]
        return to.cases([(f"{margin} >= 0", below(2 * node + 1))], below(2 * node + 2))

    return below(0)


def _reach(formula: Formula, to: Dialect, margins: list[str]) -> list[str]:
    """Return the probability of each leaf."""
    sides = []
    limit = to.number(formula.saturation)
    for node, margin in zip(formula.splits, margins, strict=True):
        odds = to.let("m", node, f"{to.number(formula.gamma)} * {margin}", "log odds of going left")
        held = to.let(
            "h",
            node,
            to.cases([(f"{odds} > {limit}", limit), (f"{odds} < -{limit}", f"-{limit}")], odds),
        )
        left = to.let("p", node, f"1.0 / (1.0 + {to.exp(f'-{held}')})", "probability of left")
        right = to.let("q", node, f"1.0 / (1.0 + {to.exp(held)})", "probability of right")
        sides.append((left, right))
    return [
        to.let(
            "r",
            leaf,
            " * ".join(sides[t][not left] for t, left in formula.way(leaf)) or to.number(1),
            f"probability of leaf {leaf}",
        )
        for leaf in range(len(formula.leaves))
    ]


def _mix(to: Dialect, reach: list[str], values: Any) -> str:
    """Return Σ_l P_l · value_l."""
    terms = [f"{to.number(v)} * {r}" for v, r in zip(values, reach, strict=True) if v != 0]
    return _sum(terms or [to.number(0)])


def _response(
    formula: Formula, leaves: Responses, to: Dialect, u: dict[int, str], margins: list[str]
) -> Outcome:
    def of(leaf: int) -> str:
        terms = formula.terms(leaves.weights[leaf])
        return linear(to, terms, float(leaves.intercepts[leaf]), u)

    if formula.routing == "hard":
        value = to.let("y", 0, _at_leaf(formula, to, margins, of), "the leaf's model")
        bends = [
            f"{to.number(bend)} * {_beyond(to, u[j], to.number(knot))}"
            for j, (knots, bends) in leaves.curves.items()
            for knot, bend in zip(knots, bends, strict=True)
        ]
        return Outcome(_sum([value, *bends]), [])
    reach = _reach(formula, to, margins)
    return Outcome(_sum([f"{r} * {of(leaf)}" for leaf, r in enumerate(reach)]), [])


def _beyond(to: Dialect, u: str, knot: str) -> str:
    """Return max(u − knot, 0)."""
    return to.cases([(f"{u} > {knot}", f"({u} - {knot})")], to.number(0))


def _leaf_classes(formula: Formula, leaves: Classes, to: Dialect, margins: list[str]) -> Outcome:
    label = _at_leaf(
        formula, to, margins, lambda leaf: to.label(leaves.labels, leaves.hard_decisions[leaf])
    )
    frequency = _frequencies(formula, leaves, to, margins)
    shares = [_at_leaf(formula, to, margins, frequency(k)) for k in range(len(leaves.labels))]
    return Outcome(label, shares)


def _frequencies(
    formula: Formula, leaves: Classes, to: Dialect, margins: list[str]
) -> Callable[[int], Callable[[int], str]]:
    """Return what writes the probability of a class in a leaf, by the distance from its split."""
    doubt, shares = leaves.doubt, {}
    if doubt is None:
        return lambda k: lambda leaf: to.number(leaves.hard_frequencies[leaf, k])
    limit, most = to.number(EXPONENTS), to.number(Doubt.MOST)
    for leaf in np.flatnonzero(doubt.shift.any(axis=1)).tolist():
        split, is_left = formula.way(leaf)[-1]
        slope = float(doubt.slopes[leaf]) * (1 if is_left else -1)
        d = to.let("d", leaf, f"{to.number(slope)} * {margins[split]}", f"distance of leaf {leaf}")
        held = to.cases([(f"{d} > {limit}", limit), (f"{d} < 0", to.number(0))], d)
        e = to.let("e", leaf, f"2.0 / (1.0 + {to.exp(held)})", "doubt, 1 at the split")
        shares[leaf] = to.cases([(f"{e} > {most}", most)], e)

    def probability(k: int) -> Callable[[int], str]:
        def of(leaf: int) -> str:
            certain, shift = to.number(leaves.hard_frequencies[leaf, k]), doubt.shift[leaf, k]
            return certain if shift == 0 else f"({certain} + {to.number(shift)} * {shares[leaf]})"

        return of

    return probability


def _mixed_classes(formula: Formula, leaves: Classes, to: Dialect, margins: list[str]) -> Outcome:
    reach = _reach(formula, to, margins)
    count = range(len(leaves.labels))
    shares = [
        to.let(
            "c", k, _mix(to, reach, leaves.frequencies[:, k]), f"probability of {leaves.labels[k]}"
        )
        for k in count
    ]
    if leaves.decision == "least_cost" and leaves.costs is not None:
        costs = np.asarray(leaves.costs)
        gains = [to.let("g", k, _mix(to, shares, -costs[:, k]), "cost, negative") for k in count]
    elif leaves.decision == "leaf_labels":
        gains = [to.let("g", k, _mix(to, reach, leaves.leaf_labels[:, k])) for k in count]
    else:
        gains = shares
    # The first class that no later one beats is the largest, the first one on a tie.
    winners = [
        (
            f" {to.both} ".join(f"{gains[k]} >= {gains[later]}" for later in count if later > k),
            to.label(leaves.labels, k),
        )
        for k in count[:-1]
    ]
    return Outcome(to.cases(winners, to.label(leaves.labels, count[-1])), shares)
