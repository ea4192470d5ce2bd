"""Hard oblique trees with a proven bound: known optima, starts, models, limits, bad input."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import softwood


def blobs(n=60, seed=0):
    """Three classes that overlap a little, in two dimensions of very different units."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) * 0.45 + np.array([[0, 0], [2, 0], [1, 2]])[y]
    return X * [1e3, 1e-3] + [5e4, 0.0], np.array(["a", "b", "c"])[y]


def separable(U, left, right, margin):
    """Return whether a hyperplane parts these rows by the margin, |g − h·u| ≤ 1 for all."""
    A = np.c_[np.ones(len(U)), -U]
    rows = [A, -A, -A[left], A[right]]
    limits = [np.ones(len(U))] * 2 + [np.full(len(left), -margin), np.full(len(right), -margin)]
    found = linprog(
        np.zeros(A.shape[1]), np.vstack(rows), np.concatenate(limits), bounds=(None, None)
    )
    return found.status == 0


def fewest_errors_of_one_split(X, y, margin):
    """Return the fewest wrong rows of a tree of depth 1, by trying all sets of right rows."""
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    labels = np.unique(y)
    for errors in range(len(y)):
        for wrong in itertools.combinations(range(len(y)), errors):
            kept = np.setdiff1d(np.arange(len(y)), wrong)
            for a, b in itertools.combinations(labels, 2):
                if np.isin(y[kept], [a, b]).all():
                    left, right = kept[y[kept] == a], kept[y[kept] == b]
                    if separable(U, left, right, margin):
                        return errors
    raise AssertionError


@pytest.mark.parametrize("margin", [0.01, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_proven_optimum_is_that_of_all_sets_of_rows_tried_one_by_one(seed, margin):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(9, 2)), rng.integers(0, 2, 9)
    y[:2] = 0, 1
    model = softwood.fit_svm1_odt(X, y, depth=1, epsilon=margin, time_limit=None)
    expected = fewest_errors_of_one_split(X, y, margin)
    assert model.report.status == "optimal"
    assert model.report.objective == model.report.proof.bound == expected
    assert model.report.proof.gap == 0


def test_exclusive_or_takes_two_levels():
    X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    y = [0, 0, 1, 1]
    one = softwood.fit_svm1_odt(X, y, depth=1)
    two = softwood.fit_svm1_odt(X, y, depth=2)
    assert (one.report.objective, one.report.proof.bound) == (1, 1)
    assert (two.report.objective, two.report.proof.bound) == (0, 0)
    assert two.predict(X).tolist() == y


def test_a_wider_margin_costs_errors():
    X = np.array([[0.0], [0.49], [0.51], [1.0]])
    y = [0, 0, 1, 1]
    narrow = softwood.fit_svm1_odt(X, y, depth=1, epsilon=0.01)
    wide = softwood.fit_svm1_odt(X, y, depth=1, epsilon=0.1)
    assert (narrow.report.objective, wide.report.objective) == (0, 1)
    # The widest margin of the four: h = 2, g = 1, and 0.49 is 0.02 away.
    wide_open = softwood.fit_svm1_odt(X, y, depth=1, epsilon=0.01, slack_cost=1e6)
    assert wide_open.report.proof.reached_margin == pytest.approx(0.02, abs=1e-4)
    assert narrow.report.proof.reached_margin >= 0.01 - 1e-9
    assert wide.report.status == "optimal"


def test_what_is_predicted_is_what_is_counted():
    X, y = blobs()
    model = softwood.fit_svm1_odt(X, y, max_nodes=0)
    wrong = (model.predict(X) != y).sum()
    assert model.report.loss == pytest.approx(wrong / len(y), abs=1e-12)
    assert wrong <= model.report.objective
    assert model.report.proof.bound <= model.report.objective
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    for node in model.splits:
        rule = model.rule(node)
        values = X[:, list(rule.features)] @ rule.weights - rule.threshold
        assert np.abs(values).max() <= 1 + 1e-6  # M = 1
    assert model.leaf_weights.sum() == len(y)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.classes[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
    assert U.shape == X.shape


def test_weight_two_is_the_row_twice():
    X, y = blobs(30)
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    settings = {"max_nodes": 2000, "n_starts": 3}
    weighted = softwood.fit_svm1_odt(X, y, sample_weight=weights, **settings)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))[::-1]
    repeated = softwood.fit_svm1_odt(X[rows], y[rows], **settings)
    assert (weighted.intercepts == repeated.intercepts).all()
    assert weighted.report.objective == repeated.report.objective


def test_the_tree_is_never_worse_than_its_start():
    X, y = blobs(150, seed=4)
    orct = softwood.fit_orct(X, y, depth=2, scaling="minmax", n_starts=2)
    model = softwood.fit_svm1_odt(X, y, start=orct, max_nodes=0)
    assert model.report.objective <= model.report.start_objectives[0]
    assert model.report.loss * len(y) <= model.report.objective


def test_the_start_is_returned_where_time_is_up_at_once():
    X, y = blobs(150, seed=4)
    with pytest.warns(softwood.SoftwoodWarning, match="time_limit"):
        model = softwood.fit_svm1_odt(X, y, start="cart", time_limit=1e-9)
    assert model.report.status == "time_limit"
    assert model.report.loss < 0.5


def test_a_tree_of_the_best_is_a_start_that_cannot_be_improved():
    X, y = blobs(40, seed=2)
    best = softwood.fit_svm1_odt(X, y, depth=1)
    again = softwood.fit_svm1_odt(X, y, depth=1, start=best, max_nodes=0)
    assert best.report.status == "optimal"
    assert again.report.start_objectives == (best.report.objective,)


def test_starts_that_cannot_be_taken_are_refused():
    X, y = blobs()
    deep = softwood.fit_svm1_odt(X, y, depth=2, max_nodes=0)
    with pytest.raises(ValueError, match="start is a tree of depth 2, deeper than depth=1"):
        softwood.fit_svm1_odt(X, y, depth=1, start=deep)
    two = y != "c"
    curved = softwood.fit_orct(X[two], y[two], depth=1, scaling="quantile", n_starts=1)
    with pytest.raises(ValueError, match="quantile scaling"):
        softwood.fit_svm1_odt(X, y, start=curved)
    wide = softwood.fit_orct(np.c_[X, X], y, depth=2, scaling="minmax", n_starts=1)
    with pytest.raises(ValueError, match="start must be"):
        softwood.fit_svm1_odt(X, y, start=wide)
    with pytest.raises(ValueError, match='start must be "auto"'):
        softwood.fit_svm1_odt(X, y, start="best")
    with pytest.raises(TypeError, match="start must be"):
        softwood.fit_svm1_odt(X, y, start=3)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("epsilon", 0.0),
        ("epsilon", -1.0),
        ("epsilon", 1.0),
        ("epsilon", 1e-7),
        ("alpha2", -1.0),
        ("alpha2", np.inf),
        ("slack_cost", 0.0),
        ("slack_cost", 1e7),
        ("split_penalty", -0.1),
        ("split_penalty", 1.1),
        ("improve", "never"),
        ("depth", 4),
        ("depth", 0),
        ("restarts", 0),
        ("n_starts", 0),
        ("max_nodes", -1),
        ("time_limit", 0),
    ],
)
def test_bad_settings_are_named(setting, value):
    X, y = blobs()
    with pytest.raises((ValueError, TypeError), match=setting):
        softwood.fit_svm1_odt(X, y, **{setting: value})


def test_bad_rows_are_refused():
    X, y = blobs()
    with pytest.raises(ValueError, match="at least two classes"):
        softwood.fit_svm1_odt(X, ["a"] * len(y))
    with pytest.raises(ValueError, match="finite"):
        softwood.fit_svm1_odt(np.full_like(X, np.nan), y)


def test_extreme_but_legal_input():
    two = softwood.fit_svm1_odt([[0.0], [1.0]], [0, 1], depth=3)
    assert two.report.objective == 0
    assert two.depth == 1
    with pytest.warns(softwood.SoftwoodWarning, match="predicts 1 for all"):
        same = softwood.fit_svm1_odt([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert (same.report.objective, same.report.status, same.depth) == (1, "optimal", 0)
    assert same.predict([[7.0]]).tolist() == [1]
    X, y = blobs(20)
    light = softwood.fit_svm1_odt(X, y, sample_weight=np.full(20, 1e-307), max_nodes=0)
    plain = softwood.fit_svm1_odt(X, y, max_nodes=0)
    assert (light.predict(X) == plain.predict(X)).all()
    rng = np.random.default_rng(0)
    wide = softwood.fit_svm1_odt(rng.normal(size=(10, 40)), rng.integers(0, 2, 10), depth=1)
    assert (wide.report.objective, wide.report.status) == (0, "optimal")
    tiny = softwood.fit_svm1_odt(X * 1e-300, y, max_nodes=0)
    assert np.isfinite(tiny.intercepts).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)
        strict = softwood.fit_svm1_odt(X, y, epsilon=0.999, max_nodes=0)
    assert strict.report.proof.reached_margin >= 0.999 - 1e-6


def test_a_tree_pruned_above_the_proven_least_is_not_called_optimal():
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 1, 1, 1, 1, 0]
    best = softwood.fit_svm1_odt(X, y).report
    assert (best.status, best.objective, best.proof.bound) == ("optimal", 0, 0)
    pruned = softwood.fit_svm1_odt(X, y, split_penalty=0.15).report
    assert (pruned.status, pruned.objective, pruned.proof.bound) == ("completed", 1, 0)
    assert pruned.proof.gap == 1


def test_alpha2_makes_coefficients_zero():
    X, y = blobs(60)
    X = np.c_[X, np.random.default_rng(3).normal(size=(len(y), 6))]
    plain = softwood.fit_svm1_odt(X, y, max_nodes=0)
    sparse = softwood.fit_svm1_odt(X, y, max_nodes=0, alpha2=10.0)
    assert sparse.report.objective == plain.report.objective
    assert sparse.report.proof.norm < plain.report.proof.norm
    assert sparse.report.proof.reached_margin >= 0.01 - 1e-6


def test_a_time_limit_returns_the_incumbent_with_its_bound():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
    model = softwood.fit_svm1_odt(X, y, time_limit=2.0, n_starts=1, restarts=1)
    report = model.report
    assert report.status == "time_limit"
    assert 0 <= report.proof.bound < report.objective
    assert report.proof.gap == pytest.approx(1 - report.proof.bound / report.objective)
    seconds = [moment.seconds for moment in report.proof.course]
    assert seconds == sorted(seconds)


def test_models_are_saved_pickled_and_printed(tmp_path):
    X, y = blobs()
    names = ["mass", "width"]
    model = softwood.fit_svm1_odt(X, y, feature_names=names, max_nodes=500)
    model.save(tmp_path / "tree.json")
    assert softwood.load(tmp_path / "tree.json") == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert softwood.load(tmp_path / "tree.json").report.proof == model.report.proof
    text = str(model)
    assert "SVM1-ODT of depth" in text
    assert "wrong or within margin 0.01" in text
    assert "mass" in text
    assert "at margin 0.01" in str(model.report)
    assert model.importance().shape == (2,)
    assert model.explain_path(X[0])[0].node == 0
    assert (model.apply(X) < len(model.leaves)).all()


def test_tables_keep_their_columns():
    table = {"size": [1.0, 2.0, 3.0, 4.0] * 5, "kind": ["u", "v", "u", "w"] * 5}
    y = [0, 1, 0, 1] * 5
    model = softwood.fit_svm1_odt(table, y, depth=1)
    assert model.report.objective == 0
    assert model.predict(table).tolist() == y


def test_same_bits_on_any_number_of_threads():
    X, y = blobs(80, seed=5)
    one, two = (
        softwood.fit_svm1_odt(X, y, max_nodes=3000, n_threads=n, n_starts=4) for n in (1, 2)
    )
    assert (one.intercepts == two.intercepts).all()
    assert (one.report.proof.nodes, one.report.proof.bound) == (
        two.report.proof.nodes,
        two.report.proof.bound,
    )


def test_folds_choose_the_margin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + X[:, 1] > 0) ^ (rng.uniform(size=90) < 0.1)
    model = softwood.fit_svm1_odt(
        X, y, depth=1, epsilon="auto", alpha2="auto", max_nodes=0, n_starts=2, restarts=2
    )
    table = model.report.cross_validation
    chosen = table.candidates[table.chosen]
    assert model.report.proof.margin == chosen.epsilon
    assert {c.epsilon for c in table.candidates} == {0.003, 0.01, 0.03, 0.1, 0.3}
    assert {c.alpha2 for c in table.candidates} == {0.0, 10.0}
    assert {c.slack_cost for c in table.candidates} == {100.0}
    finalists = [c for c in table.candidates if c.folds == chosen.folds]
    assert chosen.folds == table.folds * table.repeats
    assert chosen.score == max(c.score for c in finalists)
    with pytest.raises(TypeError, match="epsilon must be a number"):
        softwood.fit_svm1_odt(X, y, epsilon="wide")


def test_folds_that_tell_nothing_apart_choose_the_defaults():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.uniform(size=(60, 2)) * 0.2 + 0.8 * y[:, None]
    open_settings = dict.fromkeys(("epsilon", "alpha2", "slack_cost"), "auto")
    model = softwood.fit_svm1_odt(X, y, depth=1, max_nodes=0, start="cart", **open_settings)
    table = model.report.cross_validation
    chosen = table.candidates[table.chosen]
    assert {c.score for c in table.candidates} == {1.0}
    assert (chosen.epsilon, chosen.alpha2, chosen.slack_cost) == (0.01, 0.0, 100.0)


def test_a_start_that_is_kept_stays_as_it_is_and_has_the_bound_of_all_trees():
    X, y = blobs(24, seed=2)
    kept = softwood.fit_svm1_odt(X, y, depth=1, start="cart", improve=False)
    searched = softwood.fit_svm1_odt(X, y, depth=1, start="cart")
    assert [len(kept.rule(node).features) for node in kept.splits] == [1]
    assert searched.report.status == "optimal"
    assert kept.report.proof.bound == searched.report.objective < kept.report.objective
    assert kept.report.status == "completed"
    given = softwood.fit_svm1_odt(X, y, depth=1, start=kept, improve=False, max_nodes=0)
    assert (given.predict(X) == kept.predict(X)).all()
    assert given.report.loss == kept.report.loss
    assert given.report.cross_validation is None
    soft = softwood.fit_orct(X, y, depth=1, scaling="minmax", cover_classes=False)
    hard = softwood.fit_svm1_odt(X, y, depth=1, start="orct", improve=False, max_nodes=0)
    assert hard.rule(0).features == soft.rule(0).features
    assert (hard.predict(X) == soft.predict(X, routing="hard")).all()
    with pytest.raises(ValueError, match='improve must be True or "auto"'):
        softwood.fit_svm1_odt(X, y, start="random", improve=False)


def test_splits_that_save_less_than_they_cost_become_leaves():
    X = np.array([[0.0], [1.0], [2.0], [3.0]]).repeat(25, axis=0)
    y = np.array([0] * 25 + [1] * 25 + [0] * 45 + [1] * 5)
    y[0] = 1
    whole = softwood.fit_svm1_odt(X, y, epsilon=0.05)
    assert (len(whole.splits), whole.report.objective) == (2, 6)
    with pytest.warns(softwood.SoftwoodWarning, match="predicts 0 for all"):
        leaf = softwood.fit_svm1_odt(X, y, epsilon=0.05, split_penalty=0.2)
    assert (leaf.splits, leaf.report.objective) == ((), 31)
    both = softwood.fit_svm1_odt(X, y, epsilon=0.05, split_penalty=0.1)
    assert len(both.splits) == 2
    assert leaf.report.proof.bound <= whole.report.objective


def test_folds_keep_a_start_unless_the_search_is_better_on_rows_held_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    noise = rng.uniform(size=120) < 0.3
    open_settings = {"improve": "auto", "split_penalty": "auto", "max_nodes": 0, "n_starts": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)
        model = softwood.fit_svm1_odt(X, noise, restarts=2, **open_settings)
    table = model.report.cross_validation
    assert {c.tree for c in table.candidates} == {"search", "orct", "cart"}
    assert {c.split_penalty for c in table.candidates} == {0.0, 0.01, 0.02, 0.05, 1.0}
    chosen = table.candidates[table.chosen]
    # There is nothing to be learned.
    assert chosen.tree != "search"
    whole = [c for c in table.candidates if c.tree == "search" and c.split_penalty == 0]
    assert chosen.score > max(c.score for c in whole)
    # A given tree may know the rows that are held out.
    start = softwood.fit_svm1_odt(X, X[:, 0] + X[:, 1] > 0, start="cart", max_nodes=0)
    again = softwood.fit_svm1_odt(X, X[:, 0] + X[:, 1] > 0, start=start, **open_settings)
    assert {c.tree for c in again.report.cross_validation.candidates} == {"search"}
    # CART cannot have this split.
    oblique = softwood.fit_svm1_odt(X, X[:, 0] + X[:, 1] > 0, start="cart", **open_settings)
    table = oblique.report.cross_validation
    assert table.candidates[table.chosen].tree == "search"


def test_a_choice_has_the_same_bits_on_any_number_of_threads():
    X, y = blobs(60, seed=7)
    names = ["epsilon", "alpha2", "split_penalty", "improve"]
    settings = dict.fromkeys(names, "auto") | {"time_limit": None, "max_nodes": 0, "n_starts": 2}
    one, two = (softwood.fit_svm1_odt(X, y, n_threads=n, **settings) for n in (1, 2))
    assert one.report.cross_validation == two.report.cross_validation
    assert (one.intercepts == two.intercepts).all()
    assert len(one.report.cross_validation.candidates) == 5 * (5 * 2 + 2)


def test_rows_that_stand_for_the_others_find_a_start_for_all():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 2))
    y = (X[:, 0] + 0.3 * X[:, 1] > 0.6) ^ (rng.uniform(size=600) < 0.05)
    model = softwood.fit_svm1_odt(
        X, y, depth=1, start="cart", rows="selected", max_nodes=0, restarts=2
    )
    selection = model.report.selection
    assert [one.step for one in selection.rounds][:2] == ["clusters", "mistakes"]
    assert selection.share < 0.3
    accuracies = [one.accuracy for one in selection.rounds if one.accepted]
    assert accuracies == sorted(accuracies)
    assert selection.accuracy == accuracies[-1]
    assert 1 - model.report.loss >= selection.accuracy - 1e-12
    with pytest.raises(ValueError, match="beta2"):
        softwood.fit_svm1_odt(X, y, rows=softwood.RowSelection(beta2=2.0))


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(20))
def test_weights_that_round_do_not_keep_line_searches_going(seed):
    # Weights add up to different sums in different orders; that is no gain.
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(55, 2)), rng.integers(0, 2, 55)
    weights = rng.choice([0.1, 0.2, 0.3, 1 / 3, 0.7], 55)
    model = softwood.fit_svm1_odt(X, y, sample_weight=weights, n_starts=1, max_nodes=100)
    assert model.report.loss <= 0.6
