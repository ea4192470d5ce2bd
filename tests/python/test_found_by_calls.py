"""Calls of tests/adversary that ended in a fault once, and that no other test makes."""

import numpy as np
import pytest

import softwood


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("fit", [softwood.fit_orct, softwood.fit_orrt, softwood.fit_srt])
def test_rows_to_encode_are_finite_as_rows_to_predict_are(fit, value):
    X = np.arange(12.0)[:, None] % 4
    model = fit(X, X[:, 0] > 1, depth=1, n_starts=1)
    for read in (model.encode, model.predict):
        with pytest.raises(ValueError, match=r"X\[0, 0\] is"):
            read([[value]])


@pytest.mark.filterwarnings("ignore::softwood.warnings.SoftwoodWarning")
@pytest.mark.parametrize("bound", ["max_mse", "max_mse_gap", "max_mean_gap"])
def test_a_choice_on_five_rows_with_a_bound_on_a_group_can_be_loaded(bound):
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e12, 1e300, 1e-300):
        X, y = rng.normal(size=(5, 1)) * scale, rng.normal(size=5)
        group = softwood.RowGroup(rows=np.arange(0, 5, 2), **{bound: 0.3})
        settings = {"depths": (1,), "folds": 2, "n_starts": 1, "row_groups": [group]}
        model = softwood.fit_orrt_cv(X, y, **settings)
        assert softwood.models.OrrtModel.from_json(model.to_json()).report == model.report


@pytest.mark.filterwarnings("ignore::softwood.warnings.SoftwoodWarning")
@pytest.mark.parametrize("fit", [softwood.fit_orrt_cv, softwood.fit_srt_cv])
@pytest.mark.parametrize("rows", [3, 8])
def test_few_rows_of_hundreds_of_columns_are_fitted_at_once(fit, rows):
    rng = np.random.default_rng(rows)
    X, y = rng.normal(size=(rows, 390)), rng.normal(size=rows)
    model = fit(X, y, folds=2, time_limit=0.001)
    assert model.report.status == "time_limit"
    assert np.isfinite(model.predict(X)).all()


def test_what_a_hard_tree_does_not_take_is_not_quoted_at_length():
    with pytest.raises(ValueError, match="level_splits must be False") as refused:
        softwood.fit_svm1_odt([[0.0], [1.0]], [0, 1], level_splits="x" * 10_000)
    assert len(str(refused.value)) < 200
