"""The printed tree, read and walked by hand, is the model."""

import re

import numpy as np
import pytest

import softwood

LEAF = re.compile(r"(.+): (no|[\d.]+) rows(?:, ([\d.]+) % errors)?")
SPLIT = re.compile(r"\[(\d+)\] .*\?  \(([\d.]+) % of ([\d.]+) rows\)$")


def nodes(model):
    """The lines of the printed tree without what leads to them, from the root, yes before no."""
    lines = str(model).split("\n\n", 1)[1].splitlines()
    return iter([re.sub(r"^[│├└─ ]*(yes: |no:  )?", "", line) for line in lines])


def goes_left(rule, X, names):
    """Whether rows go left by the text of a rule."""
    left, right = re.fullmatch(r"left if (.+) > (\S+)", str(rule)).groups()
    first, *others = re.split(r" ([+-]) ", left)
    terms = ["+", first, *others]
    total = np.zeros(len(X))
    for sign, term in zip(terms[::2], terms[1::2], strict=True):
        weight, name = term.split("·")
        total += float(sign + "1") * float(weight) * X[:, names.index(name)]
    return total > float(right)


def walk(model, lines, X, y, rows, predicted):
    """Send rows down the next node of the text, and compare what it says of them."""
    line = next(lines)
    if split := SPLIT.match(line):
        node, share, count = split.groups()
        left = goes_left(model.rule(int(node)), X[rows], model.feature_names)
        assert len(rows) == float(count)
        assert 100 * left.mean() == pytest.approx(float(share), abs=0.51)
        walk(model, lines, X, y, rows[left], predicted)
        walk(model, lines, X, y, rows[~left], predicted)
        return
    label, count, errors = LEAF.match(line).groups()
    predicted[rows] = label
    assert len(rows) == (0 if count == "no" else float(count))
    if errors is not None:
        assert 100 * (y[rows] != label).mean() == pytest.approx(float(errors), abs=0.51)


@pytest.mark.parametrize(
    "settings",
    [{}, {"global_penalty": 0.01}, {"max_features": 3, "depth": 3}, {"local_penalty": 0}],
    ids=str,
)
def test_the_printed_tree_walked_by_hand_predicts_as_the_model(settings):
    X, y, names = softwood.load_example()
    model = softwood.fit_orct(X, y, scaling="minmax", n_starts=3, feature_names=names, **settings)
    predicted = np.empty(len(y), y.dtype)
    lines = nodes(model)
    walk(model, lines, X, y, np.arange(len(y)), predicted)
    assert next(lines, None) is None
    # Printed numbers have four digits: a row on the edge of a split may fall to the other side.
    assert (predicted != model.predict(X, routing="hard")).sum() <= 1
    disagreement = (model.predict(X) != model.predict(X, routing="hard")).mean()
    assert model.report.hard_disagreement == pytest.approx(disagreement)
