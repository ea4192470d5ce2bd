"""What predicts, and nothing else: columns, maps, splits and leaves as exports read them."""

from __future__ import annotations

import json
import math
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import (
    CLASSIFIERS,
    OrctModel,
    OrrtModel,
    SpdtModel,
    SrtModel,
    Svm1OdtModel,
    TreeModel,
)

ROUTINGS = ("soft", "hard")

# How the prediction of each kind of tree routes a row, the default first.
ROUTES: dict[type[TreeModel], tuple[str, ...]] = {
    OrctModel: ("soft", "hard"),
    OrrtModel: ("soft",),
    SpdtModel: ("hard",),
    SrtModel: ("hard",),
    Svm1OdtModel: ("hard",),
}


@dataclass(frozen=True)
class Column:
    """A column of the user's rows, and the features it stands for; as in MODEL_FORMAT.md."""

    name: str
    place: int
    coding: str
    levels: tuple[Any, ...]
    typical: Any
    missing: str | None
    first: int

    @property
    def is_text(self) -> bool:
        """Whether its values are text."""
        return bool(self.levels) and isinstance(self.levels[0], str)

    @property
    def width(self) -> int:
        """How many features it stands for."""
        return self.plain + (self.missing == "indicator")

    @property
    def plain(self) -> int:
        """How many of them are not the one that marks missing values."""
        return len(self.levels) if self.coding == "levels" else 1


@dataclass(frozen=True)
class Map:
    """How a feature becomes u: straight between (values, levels); beyond them on or flat.

    Without values u is the feature itself.
    """

    values: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()
    flat: bool = False


@dataclass(frozen=True)
class Doubt:
    """How the classes of a leaf become alike near the split above it, of hard trees.

    Their probabilities are ``frequencies + share * shift`` with share = min(2/(1 + exp(slope · d)),
    `MOST`), d being the distance of ``weights @ u + offsets`` from 0 there.
    """

    MOST = 1 - 1e-9  # at the split itself the leaf's class is still the most probable one

    slopes: NDArray[np.float64]
    shift: NDArray[np.float64]


@dataclass(frozen=True)
class Classes:
    """What leaves of a classification tree hold."""

    labels: list[Any]
    frequencies: NDArray[np.float64]
    hard_frequencies: NDArray[np.float64]
    hard_decisions: list[int]
    decision: str
    # What stands beside a class's probability when it is chosen: L × K labels, or K × K costs.
    leaf_labels: NDArray[np.float64]
    costs: NDArray[np.float64] | None = None
    doubt: Doubt | None = None


@dataclass(frozen=True)
class Responses:
    """What leaves of a regression tree hold: linear models of u, and bends that all share."""

    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    curves: dict[int, tuple[list[float], list[float]]]


@dataclass(frozen=True)
class Formula:
    """A tree: rows go left at splits where ``weights @ u + offsets`` is not below 0.

    With soft routing, the log odds of going left are gamma times that.
    """

    kind: str
    depth: int
    gamma: float
    routing: str
    columns: tuple[Column, ...]
    maps: tuple[Map | None, ...]
    splits: tuple[int, ...]
    leaves: tuple[int, ...]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    at_leaves: Classes | Responses

    @property
    def used(self) -> list[int]:
        """Features that the prediction depends on."""
        matter = (self.weights != 0).any(axis=0)
        if isinstance(self.at_leaves, Responses):
            matter |= (self.at_leaves.weights != 0).any(axis=0)
            matter[list(self.at_leaves.curves)] = True
        return [j for j in np.flatnonzero(matter).tolist() if self.maps[j] is not None]

    @property
    def used_columns(self) -> list[Column]:
        """Columns that the prediction depends on."""
        used = set(self.used)
        return [c for c in self.columns if used & set(range(c.first, c.first + c.width))]

    @property
    def needs_exp(self) -> bool:
        """Whether the exponential function is needed."""
        doubts = isinstance(self.at_leaves, Classes) and self.at_leaves.doubt is not None
        return self.routing == "soft" or doubts

    @property
    def saturation(self) -> float:
        """Log odds beyond this count as this: no probability changes by more than e^−saturation."""
        return 690 / (self.depth + 1)

    def way(self, leaf: int) -> list[tuple[int, bool]]:
        """Return the splits from the root to a leaf, by position, and whether the way is left."""
        node, way = self.leaves[leaf], []
        while node > 0:
            parent = (node - 1) // 2
            way.append((self.splits.index(parent), node == 2 * parent + 1))
            node = parent
        return way[::-1]

    def terms(self, weights: NDArray[np.float64]) -> list[tuple[int, float]]:
        """Return the features with a weight that is not 0, and the weights."""
        used = set(self.used)
        return [(j, float(weights[j])) for j in np.flatnonzero(weights).tolist() if j in used]


def formula_of(model: Any, routing: str | None = None) -> Formula:
    """Return what predicts of a model, or of a fitted estimator.

    Everything is read from the model's file, whose format is public.
    """
    routing, model = _routing(model, routing), getattr(model, "model_", model)
    file = json.loads(model.to_json())
    gamma, maps, weights, offsets = _hard_splits(file) if "forms" in file else _soft_splits(file)
    return Formula(
        kind=file["kind"],
        depth=model.depth,
        gamma=gamma,
        routing=routing,
        columns=_columns(model, file),
        maps=maps,
        splits=model.splits,
        leaves=model.leaves,
        weights=weights,
        offsets=offsets,
        at_leaves=_classes(model, file) if isinstance(model, CLASSIFIERS) else _responses(file),
    )


# Steepness, maps of the features, weights and offsets of the splits.
Splits = tuple[float, tuple[Map | None, ...], NDArray[np.float64], NDArray[np.float64]]


def _soft_splits(file: dict[str, Any]) -> Splits:
    features = len(file["features"])
    weights = np.reshape(np.asarray(file["coefficients"], np.float64), (-1, features)) / features
    # The intercepts of soft regression trees are added, those of the others subtracted.
    sign = 1 if file["kind"] == "srt" else -1
    offsets = sign * np.asarray(file["intercepts"], np.float64)
    return file["gamma"], tuple(map(_map, file["features"])), weights, offsets


def _hard_splits(file: dict[str, Any]) -> Splits:
    forms, features = file["forms"], file["n_features"]
    weights = np.zeros((len(forms), features))
    for row, form in zip(weights, forms, strict=True):
        row[form["columns"]] = form["weights"]
    offsets = -np.array([form["threshold"] for form in forms], np.float64)
    return np.inf, (Map(),) * features, weights, offsets


def routes_of(model: Any) -> tuple[str, ...]:
    """Return how predictions of a model may route a row, the default first."""
    model = getattr(model, "model_", model)
    for kind, routes in ROUTES.items():
        if isinstance(model, kind):
            return routes
    known = ", ".join(kind.__name__ for kind in ROUTES)
    raise TypeError(f"exports know {known} and their estimators, got {type(model).__name__}")


def _routing(model: Any, routing: str | None) -> str:
    routes = routes_of(model)
    if routing is None:
        return routes[0]
    if routing not in ROUTINGS:
        raise ValueError(f"routing must be 'soft' or 'hard', got {reprlib.repr(routing)}")
    if routing not in routes:
        how = "mixes its leaves" if routes == ("soft",) else "goes to one leaf"
        raise ValueError(
            f"routing={routing!r}: the prediction of {type(model).__name__} {how}, "
            f"only routing={routes[0]!r} equals it"
        )
    return routing


def _columns(model: TreeModel, file: dict[str, Any]) -> tuple[Column, ...]:
    told = file.get("encoding") or [
        {"name": name, "coding": "number", "typical": None} for name in model.feature_names
    ]
    columns: list[Column] = []
    first = 0
    for place, one in enumerate(told):
        levels = tuple(one.get("levels", {}).get("values", ()))
        column = Column(
            name=one["name"],
            place=place,
            coding=one["coding"],
            levels=levels,
            typical=one["typical"],
            missing=one.get("missing"),
            first=first,
        )
        columns.append(column)
        first += column.width
    return tuple(columns)


def _map(feature: dict[str, Any]) -> Map | None:
    if feature["map"] == "constant":
        return None
    if feature["map"] == "knots":
        ends, made = (
            feature["values"],
            Map(tuple(feature["values"]), tuple(feature["levels"]), True),
        )
    else:
        ends = [feature["min"], feature["max"]]
        made = Map((ends[0], ends[1]), (0.0, 1.0), False)
    if not math.isfinite(ends[-1] - ends[0]):
        raise ValueError(
            f"feature {feature['name']!r} cannot be exported: the range of its training values, "
            f"{ends[0]} to {ends[-1]}, is wider than a double"
        )
    return made


def _classes(model: OrctModel | SpdtModel | Svm1OdtModel, file: dict[str, Any]) -> Classes:
    codes = model._handle.leaf_classes
    labels = np.zeros((len(model.leaves), len(model.classes)))
    labels[np.arange(len(codes)), codes] = 1
    if not isinstance(model, OrctModel):
        slopes = file.get("leaf_slopes", [0.0] * len(codes))
        return Classes(
            labels=model.classes.tolist(),
            frequencies=model.leaf_frequencies,
            hard_frequencies=model.leaf_frequencies,
            hard_decisions=codes.tolist(),
            decision="leaf_labels",
            leaf_labels=labels,
            doubt=_doubt(model.leaf_frequencies, np.asarray(slopes, np.float64)),
        )
    decision, costs = model._handle.decision
    return Classes(
        labels=model.classes.tolist(),
        frequencies=model.leaf_frequencies,
        hard_frequencies=model.hard_frequencies,
        hard_decisions=model._handle.leaf_decisions.tolist(),
        decision=decision,
        leaf_labels=labels,
        costs=costs,
    )


def _doubt(frequencies: NDArray[np.float64], slopes: NDArray[np.float64]) -> Doubt | None:
    """Return by how much the two most frequent classes of each leaf are to be alike."""
    if not slopes.any():
        return None
    shift = np.zeros_like(frequencies)
    for leaf in np.flatnonzero(slopes):
        first, second = np.argsort(-frequencies[leaf], kind="stable")[:2]
        half = (frequencies[leaf, first] - frequencies[leaf, second]) / 2
        shift[leaf, [first, second]] = -half, half
    return Doubt(slopes, shift)


def _responses(file: dict[str, Any]) -> Responses:
    mean, scale = file["response"]["mean"], file["response"]["scale"]
    curves = {
        j: (curve["knots"], [scale * bend for bend in curve["bends"]])
        for j, curve in enumerate(file.get("curves") or ())
        if curve["knots"] and file["features"][j]["map"] != "constant"
    }
    return Responses(
        weights=scale * np.asarray(file["leaf_coefficients"], np.float64),
        intercepts=mean + scale * np.asarray(file["leaf_intercepts"], np.float64),
        curves=curves,
    )
