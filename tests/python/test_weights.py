"""A row of weight 2 is the row twice, one of weight 0 no row, and the order of rows is nothing."""

import numpy as np
import pytest

import softwood

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.SoftwoodWarning")

CASES = [
    (seed, rows, classes) for seed in range(3) for rows, classes in [(15, 2), (60, 3), (150, 2)]
]


def data(seed, rows, classes):
    """X, y, integer weights; and the rows repeated as the weights say, shuffled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.4, 0.4][: classes - 1])
    y[:classes] = range(classes)
    weight = rng.integers(0, 4, size=rows)
    weight[:classes] = 2
    order = rng.permutation(np.repeat(np.arange(rows), weight))
    return X, y, weight, order


def fits(**settings):
    return {
        "fit_orct": lambda X, y, **w: softwood.fit_orct(X, y, n_starts=3, **settings, **w),
        "fit_orct_cv": lambda X, y, **w: softwood.fit_orct_cv(
            X, y, depths=(2,), gammas=(128, 512), folds=2, n_starts=2, **settings, **w
        ),
    }


@pytest.mark.parametrize(("seed", "rows", "classes"), CASES)
@pytest.mark.parametrize("fit", fits().values(), ids=fits())
def test_a_classification_tree_is_the_same_for_weights_and_for_repeated_rows(
    fit, seed, rows, classes
):
    X, y, weight, order = data(seed, rows, classes)
    weighted = fit(X, y, sample_weight=weight)
    repeated = fit(X[order], y[order])
    np.testing.assert_array_equal(weighted.coefficients, repeated.coefficients)
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    assert weighted.report.objective == repeated.report.objective


@pytest.mark.parametrize(("seed", "rows", "classes"), CASES)
def test_a_regression_tree_is_the_same_for_weights_and_for_repeated_rows(seed, rows, classes):
    X, _, weight, order = data(seed, rows, classes)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    weighted = softwood.fit_srt(X, y, sample_weight=weight, n_starts=4, curves=seed == 1)
    repeated = softwood.fit_srt(X[order], y[order], n_starts=4, curves=seed == 1)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_weights_of_one_are_none_and_copies_count():
    X, y, _, _ = data(9, 80, 2)
    plain = softwood.fit_orct(X, y, n_starts=2)
    ones = softwood.fit_orct(X, y, sample_weight=np.ones(80), n_starts=2)
    np.testing.assert_array_equal(plain.predict_proba(X), ones.predict_proba(X))
    assert plain.report.rows == ones.report.rows == 80
    twice = softwood.fit_orct(np.tile(X, (2, 1)), np.tile(y, 2), n_starts=2)
    assert twice.report.rows == 160
    assert twice.leaf_weights.sum() == 160


def test_masked_weights_are_refused():
    X, y, weight, _ = data(0, 15, 2)
    masked = np.ma.masked_array(weight.astype(float), mask=np.arange(15) == 3)
    for fit in (softwood.fit_orct, softwood.fit_srt, softwood.fit_orrt):
        with pytest.raises(TypeError, match="sample_weight must not be a masked array"):
            fit(X, y, sample_weight=masked)
