"""What a fitted tree predicts and explains, and that its file is enough to predict elsewhere."""

import copy
import json
import pickle

import numpy as np
import pytest

import softwood
from plain import fit_plain
from softwood.warnings import OneClassWarning

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


def leaves_from_left_to_right(node, splits):
    """Return the leaves at or below a node."""
    if node not in splits:
        return [node]
    below = (leaves_from_left_to_right(child, splits) for child in (2 * node + 1, 2 * node + 2))
    return [leaf for leaves in below for leaf in leaves]


def predict_from_file(text, X):
    """Leaf and class probabilities from a model's JSON alone, as any reader could compute them."""
    file = json.loads(text)
    assert (file["format"], file["version"], file["kind"]) == ("softwood", 2, "orct")
    columns = []
    for x, feature in zip(X.T, file["features"], strict=True):
        if feature["map"] == "constant":
            columns.append(np.zeros(len(x)))
        elif feature["map"] == "linear":
            columns.append((x - feature["min"]) / (feature["max"] - feature["min"]))
        else:
            columns.append(np.interp(x, feature["values"], feature["levels"]))
    U = np.stack(columns, axis=1)
    z = U @ np.array(file["coefficients"]).T / X.shape[1] - file["intercepts"]
    left = 1 / (1 + np.exp(-file["gamma"] * z))
    reach = {0: np.ones(len(X))}
    for t, node in enumerate(file["splits"]):
        reach[2 * node + 1] = reach[node] * left[:, t]
        reach[2 * node + 2] = reach[node] * (1 - left[:, t])
    leaves = leaves_from_left_to_right(0, set(file["splits"]))
    leaves = np.stack([reach[leaf] for leaf in leaves], axis=1)
    return leaves, leaves @ np.array(file["leaf_frequencies"]), file["classes"]["values"]


def test_a_foreign_reader_predicts_the_same(model, three, tmp_path):
    X = three[0]
    model.save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    leaves, probabilities, classes = predict_from_file(text, X)
    np.testing.assert_allclose(model.leaf_probabilities(X), leaves, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), probabilities, rtol=1e-9, atol=1e-12)
    assert (model.predict(X) == np.take(classes, probabilities.argmax(axis=1))).all()


def test_probabilities_sum_to_one(model, three):
    far = three[0] * 1e6  # far outside the training range
    for X in (three[0], far):
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1, atol=1e-12)
        assert np.allclose(model.leaf_probabilities(X).sum(axis=1), 1, atol=1e-12)


def test_labels_get_the_probabilities_of_their_leaves(three):
    X, y = three
    model = fit_plain(X, y, depth=4, n_starts=2)
    membership = np.equal.outer(model.leaf_classes, np.arange(3))
    expected = model.leaf_probabilities(X) @ membership
    np.testing.assert_allclose(model.label_probabilities(X), expected, rtol=0, atol=1e-14)


def test_no_split_is_idle(three):
    X, y = three
    model = fit_plain(X, y, depth=4, n_starts=2)
    assert len(model.splits) < 15
    weights = dict(zip(model.leaves, model.leaf_weights.sum(axis=1), strict=True))
    label = dict(zip(model.leaves, model.leaf_classes, strict=True))
    for node in reversed(model.splits):
        left, right = 2 * node + 1, 2 * node + 2
        assert label[left] != label[right] or label[left] is None
        label[node] = None
        weights[node] = weights[left] + weights[right]
    # What is left out changes neither the label probabilities nor the objective.
    wrong = 1 - model.label_probabilities(X)[np.arange(len(y)), y]
    assert model.report.objective == pytest.approx(0.5 * wrong.mean(), rel=1e-10)
    assert model.report.objective == min(model.report.start_objectives)


def test_leaves_know_the_classes_of_the_rows_that_reach_them(model, three):
    X, y = three
    P, of_class = model.leaf_probabilities(X), np.equal.outer(y, np.arange(3))

    def smoothed(weights):
        base = weights.sum(axis=0) / weights.sum()
        return (weights + base) / (weights.sum(axis=1, keepdims=True) + 1)

    # Expectation maximization from the shares of classes among the rows that reach a leaf.
    frequencies, before = smoothed(P.T @ of_class), -np.inf
    for _ in range(50):
        belongs = P * frequencies[:, y].T
        likelihood = np.log(belongs.sum(axis=1)).mean()
        frequencies = smoothed((belongs / belongs.sum(axis=1, keepdims=True)).T @ of_class)
        if likelihood - before < 1e-5:
            break
        before = likelihood
    np.testing.assert_allclose(model.leaf_frequencies, frequencies, rtol=1e-9, atol=1e-9)
    ends = np.equal.outer(model.apply(X), range(len(model.leaves)))
    assert (model.leaf_weights == ends.T.astype(int) @ of_class).all()
    np.testing.assert_allclose(model.hard_frequencies, smoothed(model.leaf_weights), rtol=1e-12)
    assert model.leaf_frequencies.sum(axis=1) == pytest.approx(1)
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


def test_hard_routing_follows_the_printed_tree(model, three):
    X = three[0]
    for i, row in enumerate(X[:50]):
        node = 0
        while node in model.splits:
            rule = model.rule(node)
            values = [
                row[j] if measure == "value" else np.mean(X[:, j] <= row[j])
                for j, measure in zip(rule.features, rule.measures, strict=True)
            ]
            if "quantile" in rule.measures:
                break  # levels are those of the map; the leaf is checked by its probability
            node = 2 * node + (1 if np.dot(rule.weights, values) >= rule.threshold else 2)
        else:
            leaf = model.leaves.index(node)
            assert model.apply(X)[i] == leaf
            frequencies = model.predict_proba(X, routing="hard")[i]
            assert (frequencies == model.hard_frequencies[leaf]).all()
            assert model.predict(X, routing="hard")[i] == frequencies.argmax()
    hard, soft = model.predict(X, routing="hard"), model.predict(X)
    assert model.report.hard_disagreement == pytest.approx((hard != soft).mean())
    with pytest.raises(ValueError, match='routing must be "soft" or "hard", got "firm"'):
        model.predict(X, routing="firm")


def test_costs_decide():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (rng.random(400) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    costs = np.array([[0, 1], [3, 0]])
    model = fit_plain(X, y, costs=costs, gamma=16, n_starts=2)
    assert model.decision == "least_cost"
    expected = (model.predict_proba(X) @ costs).argmin(axis=1)
    assert (model.predict(X) == expected).all()
    assert (model.predict(X) != model.predict_proba(X).argmax(axis=1)).any()


def test_weights_of_any_scale_leave_leaves_their_classes(three):
    X, y = three
    plain = fit_plain(X, y, n_starts=2)
    highest = np.sort(plain.predict_proba(X), axis=1)
    # The row's weight that smooths frequencies may be less, or nothing beside large weights.
    clear = highest[:, -1] - highest[:, -2] > 0.02
    assert clear.mean() > 0.9
    for scale in (2.0**-1000, 2.0**-9, 2.0**900):
        model = fit_plain(X, y, n_starts=2, sample_weight=np.full(len(y), scale))
        assert (model.coefficients == plain.coefficients).all()
        assert (model.leaf_classes == plain.leaf_classes).all()
        assert (model.predict(X) == plain.predict(X))[clear].all()
        probabilities = model.predict_proba(X)
        assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_a_tree_of_one_label_tells_the_shares_of_the_classes():
    X = np.random.default_rng(0).random((200, 2))
    y = np.arange(200) == 0
    with pytest.warns(OneClassWarning):
        model = fit_plain(X, y, gamma=4, cover_classes=False, n_starts=1)
    assert (model.splits, model.leaves, model.depth) == ((), (0,), 0)
    assert model.predict_proba(X) == pytest.approx(np.tile([0.995, 0.005], (200, 1)))
    assert not model.predict(X).any()
    assert model.local_sparsity == model.global_sparsity == 100
    assert model.explain(X).shape == (200, 2, 2)
    assert "false: 200 rows" in str(model)
    with pytest.raises(ValueError, match="the tree splits nowhere"):
        model.rule(0)


def test_explanations_are_derivatives(model, three):
    width = np.ptp(three[0], axis=0)
    # Not the training rows: they are knots of the quantile maps.
    X = three[0].mean(axis=0) + width * np.random.default_rng(8).uniform(-0.2, 0.2, (40, 4))
    explained = model.explain(X)
    assert explained.shape == (40, 3, 4)
    assert (explained[:, :, 2] == 0).all()  # the constant feature
    assert np.abs(explained[:, :, 0]).max() * width[0] > 1
    for j in (0, 1, 3):
        h = np.zeros(4)
        h[j] = 1e-7 * width[j]
        difference = (model.predict_proba(X + h) - model.predict_proba(X - h)) / 2e-7
        np.testing.assert_allclose(explained[:, :, j] * width[j], difference, rtol=1e-4, atol=1e-4)
    assert abs(explained.sum(axis=1)).max() <= 1e-9 * abs(explained).max()


def test_rules_route_rows_as_the_splits_do(three):
    X, y = three
    model = fit_plain(X, y, gamma=32, n_starts=2)
    left = model.leaf_probabilities(X)[:, :2].sum(axis=1)
    rule = model.rule(0)
    score = X[:, rule.features] @ rule.weights - rule.threshold
    odds = np.log(left) - np.log1p(-left)
    near = abs(odds) < 15
    np.testing.assert_allclose(rule.steepness * score[near], odds[near], rtol=1e-5, atol=1e-8)
    assert rule.names == tuple(f"x{j}" for j in rule.features)
    assert (np.diff(np.abs(rule.effects)) <= 0).all()
    assert str(rule).startswith("left if ")
    assert rule.node == 0
    assert set(rule.measures) == {"value"}


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_weighted_importance_counts_splits_by_the_rows_that_pass_them(three):
    X, y = three
    weight = np.arange(len(y)) % 4
    trees = [
        fit_plain(X, y, depth=3, n_starts=2, sample_weight=weight),
        softwood.fit_srt(X[:, 1:], X[:, 0], depth=2, n_starts=2, sample_weight=weight),
    ]
    for tree, rows in zip(trees, (X, X[:, 1:]), strict=True):
        paths = tree.decision_path(rows)
        passed = [weight @ (paths == node).any(axis=1) for node in tree.splits]
        expected = passed @ np.abs(tree.coefficients) / weight.sum()
        np.testing.assert_allclose(tree.importance("weighted"), expected, rtol=1e-12)
    shares = np.bincount(trees[1].apply(X[:, 1:]), weight, 4) / weight.sum()
    np.testing.assert_allclose(trees[1].leaf_weights, shares * weight.sum())
    expected = shares @ np.abs(trees[1].leaf_coefficients)
    np.testing.assert_allclose(trees[1].importance("weighted", of="leaves"), expected)
    assert f"({trees[1].leaf_weights[0]:g} weight)" in str(trees[1])


def test_importance_and_sparsity_are_those_of_the_coefficients(model):
    a = model.coefficients
    assert (model.importance() == np.abs(a).sum(axis=0)).all()
    assert (model.importance(kind="max") == np.abs(a).max(axis=0)).all()
    assert model.local_sparsity == pytest.approx(100 * (a == 0).mean())
    assert model.global_sparsity == pytest.approx(100 * (a == 0).all(axis=0).mean())
    with pytest.raises(ValueError, match='kind must be "sum", "max" or "weighted", got "mean"'):
        model.importance("mean")


def test_attributes_have_their_shapes(model):
    assert (model.depth, model.gamma) == (2, 32.0)
    assert model.coefficients.shape == (3, 4)
    assert model.intercepts.shape == (3,)
    assert model.leaf_classes.shape == (4,)
    assert np.abs(model.coefficients).max() <= 1
    assert np.abs(model.intercepts).max() <= 1
    assert set(model.leaf_classes) == set(model.classes) == {0, 1, 2}
    report = model.report
    assert report.objective == report.start_objectives[report.best_start]
    assert report.objective == min(report.start_objectives)
    assert len(report.start_objectives) == 4
    assert report.scaling == model.scaling
    assert report.constraints == ()
    assert report.rows == 300
    assert 0 < report.iterations <= report.evaluations


@pytest.mark.parametrize("way", ["file", "pickle", "copy", "deepcopy", "json"])
def test_copies_are_the_same_to_the_bit(model, three, way, tmp_path):
    if way == "file":
        model.save(str(tmp_path / "m.json"))
        same = softwood.load(tmp_path / "m.json")
    else:
        same = {
            "pickle": lambda: pickle.loads(pickle.dumps(model)),
            "copy": lambda: copy.copy(model),
            "deepcopy": lambda: copy.deepcopy({"model": model})["model"],
            "json": lambda: softwood.OrctModel.from_json(model.to_json()),
        }[way]()
    assert same.to_json() == model.to_json()
    assert same.predict_proba(three[0]).tobytes() == model.predict_proba(three[0]).tobytes()
    assert same.report == model.report
    assert pickle.loads(pickle.dumps(same.report)) == model.report


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol_works(model, protocol):
    assert pickle.loads(pickle.dumps(model, protocol)).to_json() == model.to_json()


def test_files_that_are_no_models_are_refused(model, tmp_path):
    path = tmp_path / "model.json"
    with pytest.raises(FileNotFoundError, match=r"model\.json"):
        softwood.load(path)
    with pytest.raises(FileNotFoundError, match="missing"):
        model.save(tmp_path / "missing" / "model.json")
    with pytest.raises((IsADirectoryError, PermissionError)):
        softwood.load(tmp_path)
    text = model.to_json()
    bad = {
        "empty": b"",
        "cut": text[: len(text) // 2].encode(),
        "binary": b"\xff\xfe\x00",
        "other version": text.replace('"version": 2', '"version": 99').encode(),
        "other format": text.replace('"softwood"', '"hardwood"').encode(),
        "nan": text.replace('"gamma": 32.0', '"gamma": NaN').encode(),
        "too deep": text.replace('"depth": 2', '"depth": 60').encode(),
    }
    for name, content in bad.items():
        assert content != text.encode(), name
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a valid softwood model"):
            softwood.load(path)


def test_other_widths_are_refused(model):
    for method in (model.predict, model.predict_proba, model.leaf_probabilities, model.explain):
        with pytest.raises(ValueError, match="X has 5 columns but the model was fitted on 4"):
            method(np.zeros((2, 5)))
        with pytest.raises(ValueError, match=r"X\[1, 2\] is NaN; every value must be finite"):
            method([[0, 0, 0, 0], [0, 0, np.nan, 0]])
        assert len(method(np.zeros((0, 4)))) == 0


def test_models_cannot_be_changed(model):
    with pytest.raises(AttributeError):
        model.depth = 3
    a = model.coefficients
    a[:] = 0
    assert np.abs(model.coefficients).max() > 0
