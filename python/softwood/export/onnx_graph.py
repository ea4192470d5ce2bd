"""A model as an ONNX graph in double precision, columns in, predictions out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .formula import Classes, Column, Doubt, Formula, Map, Responses, formula_of

OPSET, ML_OPSET = 17, 3
ML_DOMAIN = "ai.onnx.ml"

# Types of tensors, as ONNX numbers them.
TYPES = {"int": 7, "text": 8, "bool": 9, "double": 11}
DOUBLE = TYPES["double"]

# Adds a node: operator, inputs, outputs, attributes.
Emit = Callable[[str, list[str], list[str], dict[str, Any]], None]


class Graph:
    """Nodes and constants by way of two functions, so that other converters can take them."""

    def __init__(self, emit: Emit, keep: Callable[[str, NDArray[Any]], None], prefix: str) -> None:
        self._emit, self._keep, self._prefix = emit, keep, prefix
        self._made = 0

    def add(
        self, operator: str, *inputs: str | NDArray[Any], name: str = "", **settings: Any
    ) -> str:
        """Add a node; arrays among its inputs become constants. Returns the name of its output."""
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        output = name or self._name()
        self._emit(operator, names, [output], settings)
        return output

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant; returns its name."""
        name = self._name()
        self._keep(name, values)
        return name

    def _name(self) -> str:
        self._made += 1
        return f"{self._prefix}{self._made}"


def to_onnx(model: Any, *, routing: str | None = None) -> Any:
    """Write a model as an ONNX graph, scaling and the encoding of tables included.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    routing : {"soft", "hard"}, optional
        As in `predict` of a classification tree; by default as the model's own `predict`.

    Returns
    -------
    onnx.ModelProto
        A graph in double precision. Its input is ``X``, N × columns; of a model that was fitted to
        a table with columns that are not numbers, an input of N × 1 for each column, by its name:
        strings for levels of text, where the empty string is a missing value unless it is a level,
        else doubles, where NaN is one. Its outputs are ``label`` (N) and ``probabilities`` (N × K),
        or ``prediction`` (N). Probabilities and predictions are NaN where a value is missing that
        the model cannot do without.

    Raises
    ------
    ImportError
        If the package onnx is missing; ``pip install softwood[onnx]`` installs it.

    Examples
    --------
    >>> import softwood
    >>> from softwood.export import to_onnx
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    >>> graph = to_onnx(model).graph  # doctest: +SKIP
    >>> [output.name for output in graph.output]  # doctest: +SKIP
    ['label', 'probabilities']
    """
    try:
        from onnx import checker, helper, numpy_helper
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install softwood[onnx]") from None
    formula = formula_of(model, routing)
    nodes, constants = [], []

    def emit(
        operator: str, inputs: list[str], outputs: list[str], settings: dict[str, Any]
    ) -> None:
        domain = ML_DOMAIN if operator == "LabelEncoder" else ""
        nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **settings))

    def keep(name: str, values: NDArray[Any]) -> None:
        constants.append(numpy_helper.from_array(values, name))

    graph = Graph(emit, keep, "softwood/")
    if is_matrix(formula):
        inputs = {"X": ("double", len(formula.columns))}
        outputs = whole_graph(formula, graph, matrix="X")
    else:
        inputs = {c.name: ("text" if c.is_text else "double", 1) for c in formula.columns}
        outputs = whole_graph(formula, graph)
    shapes = {"label": ["N"], "prediction": ["N"]}
    width = len(formula.at_leaves.labels) if isinstance(formula.at_leaves, Classes) else 0

    made = helper.make_graph(
        nodes,
        f"softwood {formula.kind}",
        [helper.make_tensor_value_info(n, TYPES[k], ["N", w]) for n, (k, w) in inputs.items()],
        [
            helper.make_tensor_value_info(name, TYPES[kind], shapes.get(name, ["N", width]))
            for name, kind in outputs.items()
        ],
        constants,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(ML_DOMAIN, ML_OPSET)]
    # Version 8 of the representation goes with the opset, so that older runtimes read the file.
    whole = helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="softwood")
    checker.check_model(whole)
    return whole


def is_matrix(formula: Formula) -> bool:
    """Tell whether all columns are numbers, which stand in one matrix."""
    return all(column.coding == "number" for column in formula.columns)


def whole_graph(
    formula: Formula, graph: Graph, matrix: str = "", names: Sequence[str] = ()
) -> dict[str, str]:
    """Add the nodes from columns, or the matrix of them, to outputs; returns the outputs' types.

    `names` are what the outputs are called, if not as `to_onnx` calls them.
    """

    def values(column: Column) -> str:
        if not matrix:
            return column.name
        return graph.add("Gather", matrix, np.array([column.place]), axis=1)

    u, missing = _scaled(formula, graph, values)
    margins = _margins(formula, graph, u)
    reach = _reach(formula, graph, margins)
    if isinstance(formula.at_leaves, Classes):
        label, shares = names or ("label", "probabilities")
        told = _shares(formula, formula.at_leaves, graph, margins, reach)
        _put_values(graph, missing, told, shares)
        kind = _put_label(formula, formula.at_leaves, graph, reach, label)
        return {label: kind, shares: "double"}
    (name,) = names or ("prediction",)
    response = _response(formula, formula.at_leaves, graph, u, reach)
    _put_values(graph, missing, response, name, flat=not names)
    return {name: "double"}


def _scaled(
    formula: Formula, graph: Graph, values: Callable[[Column], str]
) -> tuple[str, list[str]]:
    """Return the used features, scaled, side by side; and which rows lack a value they need."""
    used, scaled, missing = set(formula.used), [], []
    for column in formula.used_columns:
        value = values(column)
        features = _features(graph, column, value)
        if not column.missing:
            missing.append(_is_missing(graph, column, value))
        for place, x in enumerate(features):
            shape = formula.maps[column.first + place]
            if column.first + place in used and shape is not None:
                scaled.append(_straight(graph, shape, x))
    if not scaled:  # a tree of one leaf that is the same for all rows: only their number matters
        first = values(formula.columns[0])
        same = graph.add("Equal", first, first)
        return graph.add("Cast", same, to=DOUBLE), []
    return graph.add("Concat", *scaled, axis=1), missing


def _is_missing(graph: Graph, column: Column, value: str) -> str:
    """Return N × 1 truth values."""
    if not column.is_text:
        return graph.add("IsNaN", value)
    code = _codes(graph, value, ["", *column.levels] if "" not in column.levels else [])
    return graph.add("Equal", code, np.array([[0]]))


def _codes(graph: Graph, value: str, levels: list[str]) -> str:
    """Return the places of text among levels, −1 where it is none of them."""
    keys, places = (levels, range(len(levels))) if levels else ([""], [-1])
    return graph.add(
        "LabelEncoder",
        value,
        keys_strings=keys,
        values_int64s=list(places),
        default_int64=-1,
    )


def _features(graph: Graph, column: Column, value: str) -> list[str]:
    """Return the features of a column, N × 1 each, before they are scaled."""
    missing = _is_missing(graph, column, value) if column.missing else ""

    def number(truth: str) -> str:
        return graph.add("Cast", truth, to=DOUBLE)

    def filled(feature: str, typical: float) -> str:
        return graph.add("Where", missing, np.array([[typical]]), feature) if missing else feature

    if column.coding == "number":
        features = [filled(value, column.typical or 0.0)]
    elif column.coding == "truth":
        is_false = graph.add("Equal", value, np.zeros((1, 1)))
        features = [filled(number(graph.add("Not", is_false)), float(column.typical))]
    else:
        if column.is_text:
            value = _codes(graph, value, list(column.levels))
            levels = [np.array([[k]]) for k in range(len(column.levels))]
        else:
            levels = [np.array([[float(level)]]) for level in column.levels]
        found = [number(graph.add("Equal", value, level)) for level in levels]
        if column.coding == "levels":
            features = [filled(x, float(k == column.typical)) for k, x in enumerate(found)]
        else:
            # Distances from the typical level: a level that was never seen counts as that.
            steps = np.arange(len(levels), dtype=np.float64)[:, None] - column.typical
            distance = graph.add("MatMul", graph.add("Concat", *found, axis=1), steps)
            features = [graph.add("Add", distance, np.array([[float(column.typical)]]))]
    return [*features, number(missing)] if column.missing == "indicator" else features


def _straight(graph: Graph, shape: Map, x: str) -> str:
    """Return the map of a feature: the sum over its pieces of the share of each that is below x."""
    if not shape.values:
        return x
    values, levels = np.array(shape.values), np.array(shape.levels)
    below = graph.add("Div", graph.add("Sub", x, values[None, :-1]), np.diff(values)[None])
    if not shape.flat:
        return below
    share = graph.add("Clip", below, np.array(0.0), np.array(1.0))
    rise = graph.add("MatMul", share, np.diff(levels)[:, None])
    return rise if levels[0] == 0 else graph.add("Add", rise, levels[:1][None])


def _margins(formula: Formula, graph: Graph, u: str) -> str:
    """Return what tells the side at each split, N × B: with soft routing the log odds of left."""
    weights = formula.weights[:, formula.used or [0]].T
    factor = formula.gamma if formula.routing == "soft" else 1.0
    return graph.add("Gemm", u, factor * weights, factor * formula.offsets)


def _reach(formula: Formula, graph: Graph, odds: str) -> str:
    """Return the probability of each leaf, N × L; with hard routing 1 for one of them."""
    if formula.routing == "soft":
        limit = formula.saturation
        odds = graph.add("Clip", odds, np.array(-limit), np.array(limit))
        left, right = graph.add("Sigmoid", odds), graph.add("Sigmoid", graph.add("Neg", odds))
    else:
        is_left = graph.add("GreaterOrEqual", odds, np.zeros(1))
        left = graph.add("Cast", is_left, to=DOUBLE)
        right = graph.add("Cast", graph.add("Not", is_left), to=DOUBLE)
    sides = graph.add("Concat", left, right, axis=1)
    # A last column of ones is the branch of leaves that end above the deepest level.
    sides = graph.add("Pad", sides, np.array([0, 0, 0, 1]), np.array(1.0))
    splits = len(formula.splits)
    ways = [formula.way(leaf) for leaf in range(len(formula.leaves))]
    reach = ""
    for level in range(max(formula.depth, 1)):
        turns = [way[level] if level < len(way) else None for way in ways]
        places = [
            2 * splits if turn is None else turn[0] + splits * (not turn[1]) for turn in turns
        ]
        branch = graph.add("Gather", sides, np.array(places), axis=1)
        reach = graph.add("Mul", reach, branch) if reach else branch
    return reach


def _put_values(
    graph: Graph, missing: list[str], values: str, name: str, flat: bool = False
) -> None:
    """Put out values, N × K or flat, NaN in rows that lack a value."""
    for one in missing:
        values = graph.add("Where", one, np.array([[np.nan]]), values)
    if flat:
        graph.add("Reshape", values, np.array([-1]), name=name)
    else:
        graph.add("Identity", values, name=name)


def _shares(formula: Formula, leaves: Classes, graph: Graph, margins: str, reach: str) -> str:
    """Return the probability of each class, N × K."""
    hard = formula.routing == "hard"
    shares = graph.add("MatMul", reach, leaves.hard_frequencies if hard else leaves.frequencies)
    if leaves.doubt is None:
        return shares
    slopes = np.zeros((len(formula.splits), len(formula.leaves)))
    for leaf, slope in enumerate(leaves.doubt.slopes):
        if slope:
            split, is_left = formula.way(leaf)[-1]
            slopes[split, leaf] = -slope if is_left else slope
    doubt = graph.add("Sigmoid", graph.add("MatMul", margins, slopes))
    doubt = graph.add("Mul", doubt, np.array([[2.0]]))
    doubt = graph.add("Clip", doubt, np.array(0.0), np.array(Doubt.MOST))
    shift = graph.add("MatMul", graph.add("Mul", reach, doubt), leaves.doubt.shift)
    return graph.add("Add", shares, shift)


def _put_label(formula: Formula, leaves: Classes, graph: Graph, reach: str, name: str) -> str:
    """Put out the class that is chosen; returns its type."""
    if formula.routing == "hard":
        gains = graph.add("MatMul", reach, np.eye(len(leaves.labels))[leaves.hard_decisions])
    elif leaves.decision == "leaf_labels":
        gains = graph.add("MatMul", reach, leaves.leaf_labels)
    else:
        costs = np.eye(len(leaves.labels)) if leaves.costs is None else -np.asarray(leaves.costs)
        gains = graph.add("MatMul", reach, leaves.frequencies)
        gains = graph.add("MatMul", gains, costs)
    best = graph.add("ArgMax", gains, axis=1, keepdims=0)
    kind, labels = _labels(leaves.labels)
    graph.add("Gather", labels, best, name=name)
    return kind


def _labels(labels: list[Any]) -> tuple[str, NDArray[Any]]:
    if isinstance(labels[0], bool):
        return "bool", np.array(labels)
    if isinstance(labels[0], int):
        return "int", np.array(labels, np.int64)
    if isinstance(labels[0], float):
        return "double", np.array(labels)
    return "text", np.array(labels, dtype=object)


def _response(formula: Formula, leaves: Responses, graph: Graph, u: str, reach: str) -> str:
    """Return the prediction, N × 1."""
    used = formula.used or [0]
    values = graph.add("Gemm", u, leaves.weights[:, used].T, leaves.intercepts)
    mixed = graph.add("ReduceSum", graph.add("Mul", reach, values), np.array([1]))
    for j, (knots, bends) in leaves.curves.items():
        one = graph.add("Gather", u, np.array([used.index(j)]), axis=1)
        beyond = graph.add("Relu", graph.add("Sub", one, np.array(knots)[None]))
        mixed = graph.add("Add", mixed, graph.add("MatMul", beyond, np.array(bends)[:, None]))
    return mixed
