"""Fits warn of what is likely to be unwanted, say what to do, and keep it in the report."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import softwood
from plain import fit_plain
from softwood.warnings import (
    AllRowsSelectedWarning,
    EmptyLeavesWarning,
    LimitWarning,
    NoFeaturesWarning,
    OneClassWarning,
    RateMissedWarning,
)


@pytest.fixture(scope="module")
def line():
    """200 × 3, two classes of text told apart by a plane, the second one rarer."""
    X = np.random.default_rng(3).random((200, 3))
    return X, np.where(X[:, 0] + X[:, 1] > 1.3, "yes", "no")


def codes(model):
    return [notice.code for notice in model.report.notices]


def test_a_good_fit_gives_no_warning(line):
    assert codes(fit_plain(*line, depth=1, n_starts=2)) == []
    X, _ = line
    model = softwood.fit_srt(X, abs(X[:, 0] - X[:, 1]), depth=1)
    assert codes(model) == []
    assert model.report.status == "converged"


def test_a_tree_of_one_class_gives_a_warning():
    X, y = np.ones((40, 2)), np.arange(40) % 4 == 0
    with pytest.warns(OneClassWarning, match="predicts False for all .*class_weight='balanced'"):
        model = fit_plain(X, y, depth=1, n_starts=1)
    assert codes(model) == ["one_class"]
    assert model.report.notices[0].details == {"label": False}


def test_penalties_that_empty_the_tree_give_one_warning(line):
    with pytest.warns(NoFeaturesWarning, match=r"emptied the tree.*lower local_penalty") as seen:
        model = fit_plain(*line, depth=2, local_penalty=1e3, n_starts=2)
    assert len(seen) == 1
    assert codes(model) == ["no_features"]
    assert not model.coefficients.any()


def test_leaves_that_no_row_reaches_give_a_warning():
    X = np.arange(60).reshape(-1, 1) % 2
    with pytest.warns(EmptyLeavesWarning, match=r"reaches \d of the 4 leaves .*smaller depth"):
        model = softwood.fit_srt(X, X[:, 0], depth=2)
    (notice,) = model.report.notices
    empty = sorted({0, 1, 2, 3} - set(model.apply(X).tolist()))
    assert notice.details == {"leaves": empty, "of": 4}


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_leaves_count_as_reached_from_a_probability_of_a_hundredth_on(line):
    # Every class owns a leaf, also the third one, which nothing parts from the middle of the first.
    X, y = line[0].copy(), line[1].astype(object)
    X[:6], y[:6] = 0.3, ["no", "no", "no", "no", "rare", "rare"]
    model = fit_plain(X, y, depth=2, n_starts=2)
    (notice,) = (n for n in model.report.notices if n.code == "empty_leaves")
    reached = model.leaf_probabilities(X).max(axis=0)
    empty = np.flatnonzero(reached < 0.01).tolist()
    assert len(empty) > 0
    assert notice.details == {"leaves": empty, "of": len(reached)}


def test_a_few_empty_leaves_are_told_in_the_report_alone():
    X, y = make_friedman1(500, random_state=9)
    model = softwood.fit_srt(X, y, depth=3)
    (notice,) = model.report.notices
    assert notice.code == "empty_leaves"
    assert len(notice.details["leaves"]) < 4


def test_rows_without_weight_reach_no_leaf(line):
    X, y = line
    model = fit_plain(X, y, depth=1, n_starts=2)
    left = model.leaf_probabilities(X)[:, 0] > 0.5
    weights = np.where(left, 1.0, 0.0)
    weights[np.flatnonzero(left)[0]] = 1
    y = np.where(np.arange(len(y)) % 9 == 0, "yes", "no")
    with pytest.warns(OneClassWarning):
        fit_plain(X * 0 + left[:, None], y, depth=1, sample_weight=weights, n_starts=1)


def test_a_rate_that_is_missed_gives_a_warning():
    X = np.random.default_rng(0).random((200, 2))
    y = np.arange(200) % 2
    with pytest.warns(RateMissedWarning, match=r"class [01] is .* asks for 0.9; ask for less"):
        model = fit_plain(X, y, depth=2, min_class_rate=0.9, n_starts=2)
    notices = [n for n in model.report.notices if n.code == "rate_missed"]
    missed = [rate for rate in model.report.constraints if not rate.feasible]
    assert missed
    told = [(n.details["label"], n.details["asked"], n.details["reached"]) for n in notices]
    assert told == [(rate.label, rate.asked, rate.reached) for rate in missed]


def test_a_selection_of_everything_gives_a_warning():
    angle = np.arange(40) * 2 * np.pi / 40
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    y = X[:, 0] + 0.3 * X[:, 1] > 0
    rows = softwood.RowSelection(tolerance=0, beta1=0.99, beta2=1e-3)
    with pytest.warns(AllRowsSelectedWarning, match=r"kept all 40 rows .*raise the tolerance"):
        model = fit_plain(X, y, depth=1, rows=rows, n_starts=2)
    assert model.report.selection.share == 1


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_limits_give_a_warning_that_names_the_setting(example, three, long_fit):
    with pytest.warns(LimitWarning, match=r"ended at max_iter .*raise max_iter, or tol"):
        fit_plain(*three, depth=2, n_starts=1, max_iter=1, gamma=32)
    with pytest.warns(LimitWarning, match=r"ended at time_limit .*more time or .*fewer starts"):
        fit_plain(**long_fit, time_limit=0.2)
    X, y = three
    with pytest.warns(LimitWarning, match=r"raise macro_iterations"):
        softwood.fit_srt(X, y, depth=1, macro_iterations=2, convergent=0)


def test_planned_macro_iterations_are_no_limit(three):
    model = softwood.fit_srt(*three, depth=1, macro_iterations=1)
    assert model.report.status == "completed"
    assert not model.report.converged
    assert codes(model) == []


def test_a_warning_points_at_the_line_of_the_call(line):
    with pytest.warns(NoFeaturesWarning) as seen:
        fit_plain(*line, depth=1, local_penalty=1e3, n_starts=1)
    assert seen[0].filename == __file__


def test_all_are_warnings_of_softwood_and_can_be_made_errors(line):
    with warnings.catch_warnings():
        warnings.simplefilter("error", softwood.SoftwoodWarning)
        with pytest.raises(NoFeaturesWarning):
            fit_plain(*line, depth=1, local_penalty=1e3, n_starts=1)


def test_points_of_a_path_have_notices_but_give_no_warnings(line):
    path = softwood.sparsity_path(*line, 1, [0, 1], [0], n_starts=2)
    assert [codes(model) for model in path.models[0]] == [[], ["no_features"]]


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_notices_stay_with_the_model(line):
    model = fit_plain(*line, depth=1, local_penalty=1e3, n_starts=1)
    again = pickle.loads(pickle.dumps(model))  # without a warning
    assert again.report.notices == model.report.notices
    assert model.report.notices[0].message in str(model.report)
    assert str(model.report.notices[0]) == model.report.notices[0].message
