"""Trees in words and as graphs: a rule for each leaf, and the language of Graphviz."""

from __future__ import annotations

from typing import Any

from ..outline import (
    Leaf,
    Outline,
    Split,
    condition,
    figure,
    leading_terms,
    outline,
    percent,
    predicted,
)


def to_text(model: Any, *, terms: int | None = None) -> str:
    """Write a model as rules in words, one for each leaf, in the units of the training rows.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    terms : int, optional
        Terms that are shown of each sum, largest effect first; by default all of them.

    Returns
    -------
    str
        For each leaf the conditions on the way to it, by the likelier branches, and what it says.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> from softwood.export import to_text
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = softwood.fit_orct(X, X[:, 0] > 0, depth=1, n_starts=2, feature_names=["a", "b"])
    >>> [line.split()[0] for line in to_text(model, terms=1).splitlines() if line]
    ['Rule', 'if', 'then', 'Rule', 'if', 'then']
    """
    shown = outline(model)
    rules = [_rule(shown, leaf, _all_or(terms)) for leaf in shown.leaves]
    if shown.curves:
        rules.append(f"plus, in every leaf, curves of {', '.join(shown.curves)}")
    return "\n\n".join(rules) + "\n"


def _all_or(terms: int | None) -> int:
    if terms is None:
        return 10**9
    if terms < 1:
        raise ValueError(f"terms must be 1 or more, got {terms}")
    return terms


def _rule(shown: Outline, leaf: Leaf, terms: int) -> str:
    counted = f" ({leaf.counted()})" if leaf.counted() else ""
    lines = [f"Rule {leaf.place + 1}{counted}"]
    node, way = leaf.node, []
    while node > 0:
        parent, is_left = (node - 1) // 2, node % 2 == 1
        split = shown.nodes[parent]
        assert isinstance(split, Split)
        way.append(condition(split.rule, terms, 10**9, sign=">" if is_left else "≤"))
        node = parent
    for number, text in enumerate(reversed(way)):
        lines.append(f"  {'and' if number else 'if '} {text}")
    return "\n".join([*lines, f"  then {_says(shown, leaf, terms)}"])


def _says(shown: Outline, leaf: Leaf, terms: int) -> str:
    if leaf.form is not None:
        return predicted(leaf.form, terms, 10**9)
    shares = sorted(zip(leaf.mix, shown.classes, strict=True), key=lambda pair: -pair[0])
    return f"{leaf.label} ({', '.join(f'{percent(share)} {name}' for share, name in shares)})"


def to_dot(model: Any, *, terms: int = 4) -> str:
    """Write a model as a graph in the language DOT, for Graphviz and others.

    Parameters
    ----------
    model : model or fitted estimator
        The tree.
    terms : int
        Terms that are shown of each sum, largest effect first.

    Returns
    -------
    str
        A directed graph; branches are called by whether the split's condition holds.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> from softwood.export import to_dot
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = softwood.fit_orct(X, X[:, 0] > 0, depth=1, n_starts=2)
    >>> print(to_dot(model).splitlines()[0])
    digraph tree {
    """
    shown, terms = outline(model), _all_or(terms)
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor="#f4f4f2", fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
    ]
    for node in shown.nodes.values():
        if isinstance(node, Split):
            sums = leading_terms(node.rule, terms)
            said = [*sums, f"> {figure(node.rule.threshold)}", node.counted()]
            look = ""
        else:
            said, look = [_says(shown, node, terms), node.counted()], ", shape=ellipse"
        label = "\\n".join(_escaped(line) for line in said if line)
        lines.append(f'  n{node.node} [label="{label}"{look}];')
    for node in shown.splits:
        lines.append(f'  n{node.node} -> n{2 * node.node + 1} [label="yes"];')
        lines.append(f'  n{node.node} -> n{2 * node.node + 2} [label="no"];')
    return "\n".join([*lines, "}", ""])


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
