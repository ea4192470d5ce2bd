"""The outline of a tree: what pictures, pages and exports show of each node, whatever the kind."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .models import CLASSIFIERS, OrctModel, OrrtModel, SoftTreeModel, SrtModel, TreeModel
from .results import LeafModel, LinearForm, Rule


@dataclass(frozen=True)
class Node:
    """A node of a tree, numbered as in `TreeModel.splits` and `leaves`.

    `rows` is the weight of the rows that come here by the likelier branches, `share` their share
    of all; `reach` the mean probability of coming here. None where it is not known.
    """

    node: int
    rows: float | None
    share: float | None
    reach: float | None

    @property
    def level(self) -> int:
        """Splits above it."""
        return (self.node + 1).bit_length() - 1

    def counted(self) -> str:
        """Return how many rows come here, in words; empty if that is not known."""
        if self.rows is None or self.share is None:
            return ""
        return f"{figure(self.rows, 6)} rows, {percent(self.share)}"


@dataclass(frozen=True)
class Split(Node):
    """A split: its rule, and its coefficients as features of comparable size have them.

    On scaled features; of hard trees, the effects of used features over their ranges.
    """

    rule: Rule
    coefficients: NDArray[np.float64]


@dataclass(frozen=True)
class Leaf(Node):
    """A leaf: the classes in it, or its linear model with coefficients on scaled features."""

    place: int
    label: object = None
    mix: tuple[float, ...] = ()
    form: LeafModel | None = None
    coefficients: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Outline:
    """All nodes of a tree, from the root on; `names` are of the features that coefficients have."""

    nodes: dict[int, Split | Leaf]
    names: list[str]
    classes: list[object]
    curves: list[str]

    @property
    def splits(self) -> list[Split]:
        """The splits, breadth first."""
        return [node for node in self.nodes.values() if isinstance(node, Split)]

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves, from left to right."""
        leaves = [node for node in self.nodes.values() if isinstance(node, Leaf)]
        return sorted(leaves, key=lambda leaf: leaf.place)


def outline(model: Any, X: Any = None) -> Outline:
    """Return what is shown of a model, or a fitted estimator; counts are of X, else of training."""
    tree = tree_of(model)
    rows, reach = _counts(tree, X)
    total = None if rows is None else float(rows.sum())

    def about(node: int) -> dict[str, Any]:
        below = [place for place, leaf in enumerate(tree.leaves) if _is_below(leaf, node)]
        count = None if rows is None else float(rows[below].sum())
        return {
            "node": node,
            "rows": count,
            "share": count / total if count is not None and total else None,
            "reach": None if reach is None else float(reach[below].sum()),
        }

    nodes: dict[int, Split | Leaf] = {}
    rules = [tree.rule(node) for node in tree.splits]
    names, coefficients = _strips(tree, rules)
    for t, node in enumerate(tree.splits):
        nodes[node] = Split(**about(node), rule=rules[t], coefficients=coefficients[t])
    for place, node in enumerate(tree.leaves):
        nodes[node] = Leaf(**about(node), place=place, **_leaf(tree, place))
    classes = tree.classes.tolist() if isinstance(tree, CLASSIFIERS) else []
    curves = [curve.name for curve in tree.curves()] if isinstance(tree, SrtModel) else []
    return Outline(dict(sorted(nodes.items())), names, classes, curves)


def tree_of(model: Any) -> TreeModel:
    """Return the model itself, or that of a fitted estimator."""
    tree = getattr(model, "model_", model)
    if not isinstance(tree, TreeModel):
        raise TypeError(f"a fitted model or estimator is needed, got {type(model).__name__}")
    return tree


def _strips(tree: TreeModel, rules: list[Rule]) -> tuple[list[str], NDArray[np.float64]]:
    """Return the features that strips have a cell for, and their coefficients in each split."""
    if isinstance(tree, SoftTreeModel):
        return tree.encoded_names, tree.coefficients
    # Of the features of a hard tree, of which there may be millions, those that it uses.
    pairs = (zip(rule.features, rule.names, strict=True) for rule in rules)
    used = dict(sorted(chain.from_iterable(pairs)))
    places = {feature: place for place, feature in enumerate(used)}
    effects = np.zeros((len(rules), len(used)))
    for row, rule in zip(effects, rules, strict=True):
        row[[places[feature] for feature in rule.features]] = rule.effects
    return list(used.values()), effects


def _leaf(tree: TreeModel, place: int) -> dict[str, Any]:
    """Return what a leaf holds: the one place here that differs between kinds of trees."""
    if isinstance(tree, OrctModel):
        decided = tree.classes[tree._handle.leaf_decisions[place]]
        mix = tuple(tree.hard_frequencies[place].tolist())
        return {"label": decided.item() if hasattr(decided, "item") else decided, "mix": mix}
    if isinstance(tree, CLASSIFIERS):
        weights = tree.leaf_weights[place]
        shares = weights / weights.sum() if weights.any() else tree.leaf_frequencies[place]
        return {"label": tree.leaf_classes.tolist()[place], "mix": tuple(shares.tolist())}
    if isinstance(tree, (OrrtModel, SrtModel)):
        form = tree.leaf_model(place)
        return {"form": form, "coefficients": tree.leaf_coefficients[place]}
    raise TypeError(f"there is no outline of {type(tree).__name__}")


def _counts(
    tree: TreeModel, X: Any
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return rows that end in each leaf, and the mean probability of it."""
    if X is not None:
        ends = np.bincount(tree.apply(X), minlength=len(tree.leaves))
        reach = tree.leaf_probabilities(X).mean(axis=0) if isinstance(tree, SoftTreeModel) else None
        return ends.astype(np.float64), reach
    weights = np.asarray(getattr(tree, "leaf_weights", ()), np.float64)
    if not len(weights):
        return None, None
    return (weights.sum(axis=1) if weights.ndim > 1 else weights), None


def _is_below(leaf: int, node: int) -> bool:
    while leaf > node:
        leaf = (leaf - 1) // 2
    return leaf == node


def cells(
    coefficients: NDArray[np.float64], names: list[str], most: int = 200
) -> list[tuple[str, float]]:
    """Return names and values for a strip; of very many features, the largest of neighbours."""
    parts = np.array_split(np.arange(len(coefficients)), min(most, len(coefficients)) or 1)
    largest = [part[np.abs(coefficients[part]).argmax()] for part in parts if len(part)]
    return [(names[j], float(coefficients[j])) for j in largest]


def figure(value: float, digits: int = 3) -> str:
    """Return a number with a few digits and a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in percent; more than none is never 0 %."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.{2 if share < 0.995 else 3}g} %"


def shortened(text: object, length: int) -> str:
    """Return text on one line, cut in the middle, since names often differ at their ends."""
    line = " ".join(str(text).split())
    if len(line) <= length:
        return line
    tail = (length - 1) // 2
    return f"{line[: length - 1 - tail]}…{line[len(line) - tail :] if tail else ''}"


def leading_terms(form: LinearForm, terms: int, length: int = 40) -> list[str]:
    """Return the terms of largest effect, such as ``+ 0.2·age``; then how many more there are."""
    told = zip(form.weights, form.names, form.measures, strict=True)
    signed = [
        f"{'−' if weight < 0 else '+'} {figure(abs(weight))}·{measured(name, measure, length)}"
        for weight, name, measure in list(told)[:terms]
    ]
    more = len(form.names) - terms
    return [*signed, *([f"+ {more} more"] if more > 0 else [])]


def measured(name: str, measure: str, length: int) -> str:
    """Return what a weight is multiplied with, as models print it: x, q(x) or (x is red)."""
    mark = {"quantile": "q", "indicator": ""}
    line = shortened(name, length)
    return f"{mark[measure]}({line})" if measure in mark else line


def condition(rule: Rule, terms: int, length: int = 40, sign: str = ">") -> str:
    """Return on one line when a row goes left or, with another sign, right."""
    if not rule.names:
        return f"0 {sign} {figure(rule.threshold)}"
    line = " ".join(leading_terms(rule, terms, length))
    start = line[2:] if line.startswith("+ ") else line
    return f"{start} {sign} {figure(rule.threshold)}"


def predicted(form: LeafModel, terms: int, length: int = 40) -> str:
    """Return the model of a leaf on one line."""
    return " ".join([figure(form.intercept), *leading_terms(form, terms, length)])
