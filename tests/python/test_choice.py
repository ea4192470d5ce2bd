"""Choices by folds: what a fit is not told, settings of both kinds of trees, margins of rates."""

import numpy as np
import pytest

import softwood

pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.SoftwoodWarning")


@pytest.fixture(scope="module")
def noisy():
    """240 rows, 6 features of which two count, a tenth of the labels wrong."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(240, 6))
    y = np.where((X[:, 0] + X[:, 1] > 1) ^ (rng.random(240) < 0.1), "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def bent():
    """300 rows and a response that is linear on each side of x0 = 0."""
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(300, 3))
    return X, np.where(X[:, 0] > 0, 3 - X[:, 1], X[:, 1]) + 0.05 * rng.normal(size=300)


def test_a_fit_tells_how_its_settings_were_chosen(noisy):
    model = softwood.fit_orct(*noisy, n_starts=3)
    table = model.report.cross_validation
    chosen = table.candidates[table.chosen]
    assert table.scoring == "brier_and_agreement"
    assert isinstance(chosen, softwood.OrctCandidate)
    assert (chosen.gamma, chosen.scaling) == (model.gamma, model.scaling)
    assert {c.balanced for c in table.candidates} == {False, True}
    head, *lines = str(table).splitlines()
    assert head.split()[:3] == ["depth", "scaling", "gamma"]
    assert "brier_and_agreement" in head
    assert lines[0].endswith("*")


@pytest.mark.parametrize("name", ["gamma", "balance", "local_penalty"])
def test_auto_is_the_only_text_that_settings_of_numbers_take(noisy, name):
    with pytest.raises(TypeError, match=f'{name} must be .* or "auto"'):
        softwood.fit_orct(*noisy, **{name: "automatic"})


def test_a_plain_fit_chooses_nothing(noisy):
    settings = {"gamma": 512, "scaling": "minmax", "balance": False, "local_penalty": 0}
    assert softwood.fit_orct(*noisy, n_starts=2, **settings).report.cross_validation is None


@pytest.mark.parametrize(
    "scoring",
    [
        "cost",
        "accuracy",
        "balanced_accuracy",
        "log_loss",
        "brier",
        "brier_and_agreement",
        "roc_auc",
    ],
)
def test_scores_are_those_of_their_names(noisy, scoring):
    fit = {"depths": (1,), "scalings": ("minmax",), "gammas": (512,), "local_grid": (0, 100)}
    model = softwood.fit_orct_cv(*noisy, **fit, scoring=scoring, n_starts=2)
    table = model.report.cross_validation
    assert table.scoring == scoring
    assert table.chosen == 0  # the other one has no features
    assert scoring in str(table).splitlines()[0]
    first, second = (c.score for c in table.candidates)
    larger = scoring in ("accuracy", "balanced_accuracy", "roc_auc")
    assert (first > second) == larger


def test_unknown_scores_are_refused(noisy, bent):
    with pytest.raises(ValueError, match=r'scoring must be "cost", .*, got "gini"'):
        softwood.fit_orct_cv(*noisy, scoring="gini")
    with pytest.raises(ValueError, match=r'scoring must be "r2", "mae" or "mse", got "auc"'):
        softwood.fit_srt_cv(*bent, scoring="auc")


def test_the_table_of_a_regression_tells_its_scores(bent):
    X, y = bent
    model = softwood.fit_srt_cv(X[:200], y[:200], (1, 2), curves=(False,))
    table = model.report.cross_validation
    assert (model.depth, table.scoring) == (table.candidates[table.chosen].depth, "r2")
    assert [c.settings() for c in table.candidates] == [
        {"depth": 1, "curves": False, "ridge_leaves": None},
        {"depth": 2, "curves": False, "ridge_leaves": None},
    ]
    error = np.var(y[200:] - model.predict(X[200:])) / np.var(y[200:])
    assert error < 0.1
    assert abs(table.candidates[table.chosen].score - (1 - error)) < 0.03


def test_penalties_of_a_regression_are_chosen_by_absolute_errors(bent, tmp_path):
    choices = {"depths": (1,), "curves": (False,), "ridges": (None, 1e6), "scoring": "mae"}
    model = softwood.fit_srt_cv(*bent, **choices, n_starts=2)
    table = model.report.cross_validation
    assert table.candidates[table.chosen].ridge_leaves is None
    model.save(tmp_path / "tree.json")
    assert softwood.load(tmp_path / "tree.json").report.cross_validation == table


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"depths": ()}, ValueError, "depths must be at least one value, got none"),
        ({"curves": (1,)}, TypeError, "curves must be True or False"),
        ({"ridges": (-1.0,)}, ValueError, "ridges must be numbers of at least 0, or None, got -1"),
        ({"folds": 1}, ValueError, "folds must be"),
        ({"depth": 2}, TypeError, "depth: chosen by cross-validation; give depths"),
        ({"ridge_leaves": 1.0}, TypeError, "ridge_leaves: chosen by cross-validation; give ridges"),
    ],
)
def test_bad_choices_of_regressions_are_refused(bent, arguments, error, message):
    with pytest.raises(error, match=message):
        softwood.fit_srt_cv(*bent, **arguments)


def test_rates_asked_for_on_folds_are_told(noisy):
    model = softwood.fit_orct(
        *noisy, 1, min_class_rate={"yes": 0.9}, min_class_rate_on="folds", n_starts=3, gamma=512
    )
    (bound,) = model.report.constraints
    assert bound.asked == 0.9
    assert bound.imposed >= 0.9
    assert 0.8 < bound.cross_validated <= 1
    assert bound.reached > bound.imposed - 1e-3
    assert "cross-validated" in str(model.report)


def test_rates_on_folds_are_for_fits_to_all_rows(noisy):
    fit = {"min_class_rate": 0.5, "min_class_rate_on": "folds"}
    with pytest.raises(ValueError, match='min_class_rate_on must be "training" here'):
        softwood.fit_orct(*noisy, rows="selected", **fit)
    with pytest.raises(ValueError, match='min_class_rate_on must be "training" or "folds"'):
        softwood.fit_orct(*noisy, min_class_rate_on="test")
