"""Bounds on features and leaves are met whatever else is asked; a share is the penalty it says."""

import numpy as np
import pytest

import softwood
from plain import fit_plain

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


def used(model):
    return np.flatnonzero(np.abs(model.coefficients).max(axis=0, initial=0))


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_features_than_asked_are_used(example, most):
    X, y = example
    model = softwood.fit_orct(X, y, n_starts=2, max_features=most)
    assert len(used(model)) <= most
    assert (model.predict(X) == y).mean() > 0.9
    assert model.global_sparsity == 100 * (30 - len(used(model))) / 30


def test_groups_count_as_one_feature(example):
    X, y = example
    groups = np.repeat(np.arange(10), 3)
    model = fit_plain(X, y, n_starts=2, max_features=2, groups=groups)
    assert len(set(groups[used(model)])) <= 2
    assert len(used(model)) > 2


@pytest.mark.parametrize("most", [2, 3, 5])
def test_no_more_leaves_than_asked_are_left(example, most):
    X, y = example
    model = fit_plain(X, y, depth=3, n_starts=2, max_leaves=most)
    assert len(model.leaf_classes) <= most
    assert (model.predict(X) == y).mean() > 0.93


def test_both_bounds_with_weights_folds_and_a_limit(three):
    X, y = three
    weight = np.arange(len(y)) % 3
    model = softwood.fit_orct_cv(
        X,
        y,
        depths=(3,),
        gammas=(512,),
        folds=2,
        n_starts=2,
        sample_weight=weight,
        max_features=2,
        max_leaves=4,
        time_limit=2,
    )
    assert len(used(model)) <= 2
    assert len(model.leaf_classes) <= 4


def test_a_share_of_the_penalty_that_empties_the_tree(example):
    X, y = example
    counts = [
        len(used(fit_plain(X, y, n_starts=2, local_penalty="auto", penalty=share)))
        for share in (0, 0.01, 0.1)
    ]
    assert counts[0] == 30 > counts[1] > counts[2]
    with pytest.warns(softwood.warnings.NoFeaturesWarning):
        empty = fit_plain(X, y, n_starts=2, local_penalty="auto", penalty=1)
    assert len(used(empty)) == 0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"max_features": 0}, ValueError, r"max_features must be an integer from 1 to \d+ or None"),
        ({"max_features": 31}, ValueError, r"max_features must be .* features, got 31 of 30"),
        ({"max_features": 2.5}, TypeError, "max_features must be an integer or None"),
        ({"max_leaves": 1}, ValueError, "max_leaves must be an integer from 2"),
        ({"max_leaves": True}, TypeError, "max_leaves must be an integer or None"),
        ({"penalty": -0.1}, ValueError, "penalty must be a share from 0 to 1, got -0.1"),
        ({"penalty": 2}, ValueError, "penalty must be a share from 0 to 1, got 2"),
        ({"penalty": "0.1"}, TypeError, "penalty must be a number or None"),
        ({"penalty": 0.1, "local_penalty": 0}, ValueError, "penalty must be given without local"),
        ({"penalty": 0.1, "global_penalty": 1}, ValueError, "penalty must be given without local"),
    ],
)
def test_bounds_that_cannot_be_met_are_refused(example, settings, error, message):
    with pytest.raises(error, match=message):
        softwood.fit_orct(*example, **settings)


def test_fewer_leaves_than_classes_are_refused_unless_classes_may_go_without(three):
    with pytest.raises(ValueError, match=r"max_leaves must be at least the number of classes"):
        softwood.fit_orct(*three, max_leaves=2)
    model = fit_plain(*three, max_leaves=2, cover_classes=False, n_starts=2)
    assert len(model.leaf_classes) <= 2


def test_a_bound_on_a_rate_does_not_empty_a_tree_of_few_features(example):
    """Soft splits on four features keep the rate most easily by one class for all rows."""
    X, y = example
    model = softwood.fit_orct(
        X[:380],
        y[:380],
        1,
        gamma=128,
        scaling="minmax",
        max_features=4,
        min_class_rate={"malignant": 0.9},
        n_starts=4,
    )
    assert (model.predict(X[:380]) == y[:380]).mean() > 0.9
    assert model.report.constraints[0].feasible
