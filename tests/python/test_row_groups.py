"""Bounds on groups of rows of a classification: recall, selection rate, accuracy, gaps."""

import numpy as np
import pytest

import softwood
from plain import PLAIN
from softwood import RowGroup
from softwood.warnings import BoundMissedWarning

# Under bounds no split is left out for being idle.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")

SETTINGS = PLAIN | {"n_starts": 4}


def people(n=500, seed=0):
    """Two features, labels of which one sex has more; the sex is none of the features."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    X = np.column_stack([rng.normal(size=n), rng.normal(size=n) + (sex == "m")])
    y = np.where(X.sum(axis=1) + rng.normal(size=n) > 1, "yes", "no")
    return X, y, sex


def between_sexes(**bounds):
    return [RowGroup(where="f", compared_with="m", **bounds), RowGroup(where="m")]


def gap(predicted, sex, counted=slice(None)):
    predicted, sex = predicted[counted], sex[counted]
    rates = [(predicted[sex == s] == "yes").mean() for s in "fm"]
    return abs(rates[0] - rates[1])


@pytest.mark.parametrize("gamma", [64, 512])
@pytest.mark.parametrize("bound", [0.1, 0.05, 0.02])
def test_a_gap_of_selection_rates_is_kept_by_what_is_predicted(gamma, bound, tmp_path):
    X, y, sex = people()
    free = softwood.fit_orct(X, y, depth=2, **SETTINGS | {"gamma": gamma})
    assert gap(free.predict(X), sex) > 0.12
    groups = between_sexes(max_selection_gap={"yes": bound})
    model = softwood.fit_orct(
        X, y, 2, row_groups=groups, sensitive_features=sex, **SETTINGS | {"gamma": gamma}
    )
    (told,) = model.report.constraints
    reached = gap(model.predict(X), sex)
    assert told.reached == pytest.approx(reached, abs=1e-12)
    assert reached <= bound + 1e-3
    expected = model.label_probabilities(X)[:, 1]
    expected = abs(expected[sex == "f"].mean() - expected[sex == "m"].mean())
    assert told.expected == pytest.approx(expected, abs=1e-9)
    assert (told.kind, told.label) == ("group_selection_gap", "yes")
    assert (told.group, told.compared_with, told.feasible) == ("f", "m", True)
    assert model.report.objective >= free.report.objective - 1e-3
    model.save(tmp_path / "tree.json")
    again = softwood.load(tmp_path / "tree.json")
    assert again.report.constraints == model.report.constraints


@pytest.mark.filterwarnings("ignore::softwood.warnings.BoundMissedWarning")
def test_a_gap_of_zero_is_come_close_to_as_far_as_single_rows_allow():
    X, y, sex = people()
    groups = between_sexes(max_selection_gap={"yes": 0.0})
    model = softwood.fit_orct(X, y, 2, row_groups=groups, sensitive_features=sex, **SETTINGS)
    (told,) = model.report.constraints
    assert told.reached < 0.01
    assert told.feasible == (told.reached <= 1e-3) == (model.report.status != "infeasible")
    assert len(set(model.predict(X))) == 2


def test_all_kinds_of_bounds_hold_together_with_penalties_and_class_rates():
    X, y, sex = people()
    women = sex == "f"
    groups = [
        RowGroup(rows=women, name="women", min_recall={"yes": 0.6}, max_recall_gap={"no": 0.1}),
        RowGroup(rows=np.flatnonzero(~women), max_selection_rate={"yes": 0.6}, min_accuracy=0.6),
        RowGroup(X=X[:99], name="own", min_selection_rate={"yes": 0.25}),
        RowGroup(rows=[3, 4, 5, 6], name="four", max_accuracy_gap=0.6),
    ]
    bounds = {"row_groups": groups, "min_class_rate": {"yes": 0.65}, "max_leaves": 3}
    model = softwood.fit_orct(X, y, 2, **bounds, **SETTINGS | {"local_penalty": 1e-3})
    p, right = model.predict(X), model.predict(X) == y
    no = y == "no"
    wanted = [
        ("class_rate", model.label_probabilities(X)[~no, 1].mean()),
        ("group_recall", right[women & ~no].mean()),
        ("group_recall_gap", abs(right[women & no].mean() - right[no].mean())),
        ("group_accuracy", right[~women].mean()),
        ("group_most_selection", (p[~women] == "yes").mean()),
        ("group_least_selection", (p[:99] == "yes").mean()),
        ("group_accuracy_gap", abs(right[3:7].mean() - right.mean())),
    ]
    told = {bound.kind: bound for bound in model.report.constraints}
    assert told.keys() == dict(wanted).keys()
    for kind, value in wanted:
        assert told[kind].reached == pytest.approx(value, abs=1e-9)
        assert told[kind].feasible, told[kind]


def test_a_weight_of_two_is_a_row_twice_and_threads_and_order_do_not_matter():
    X, y, sex = people(200)
    groups = between_sexes(max_selection_gap={"yes": 0.05})

    def coefficients(rows, **more):
        model = softwood.fit_orct(
            X[rows], y[rows], 2, row_groups=groups, sensitive_features=sex[rows], **SETTINGS, **more
        )
        return np.column_stack([model.coefficients, model.intercepts])

    twice = np.arange(200) < 70
    weighted = coefficients(slice(None), sample_weight=1.0 + twice, n_threads=1)
    repeated = np.concatenate([np.arange(200), np.flatnonzero(twice)])
    shuffled = np.random.default_rng(1).permutation(repeated)
    for rows in (repeated, shuffled):
        np.testing.assert_array_equal(weighted, coefficients(rows, n_threads=2))


@pytest.mark.filterwarnings("ignore::softwood.warnings.OneClassWarning")
def test_bounds_that_exclude_one_another_end_as_infeasible():
    X, y, sex = people(200)
    groups = [
        RowGroup(where="f", min_selection_rate={"yes": 0.9}),
        RowGroup(rows=sex == "f", name="again", max_selection_rate={"yes": 0.1}),
    ]
    with pytest.warns(BoundMissedWarning, match="selection rate of class 'yes' of"):
        model = softwood.fit_orct(X, y, 1, row_groups=groups, sensitive_features=sex, **SETTINGS)
    assert model.report.status == "infeasible"
    assert not all(bound.feasible for bound in model.report.constraints)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_sex_that_is_a_feature_too_is_bounded_as_well():
    X, y, sex = people()
    X = np.column_stack([X, sex == "f"])
    groups = between_sexes(max_selection_gap={"yes": 0.02})
    model = softwood.fit_orct(X, y, 2, row_groups=groups, sensitive_features=sex, **SETTINGS)
    assert gap(model.predict(X), sex) <= 0.021


def test_a_gap_of_recall_is_kept_where_settings_are_chosen_on_folds():
    X, y, sex = people()
    model = softwood.fit_orct_cv(
        X,
        y,
        depths=(1, 2),
        gammas=(512,),
        scalings=("minmax",),
        local_grid=(0,),
        n_starts=2,
        row_groups=between_sexes(max_recall_gap={"yes": 0.05}),
        sensitive_features=sex,
    )
    assert gap(model.predict(X), sex, y == "yes") <= 0.051
    assert len(model.report.cross_validation.candidates) == 2


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"rows": [], "min_accuracy": 0.5}, "no row of positive weight"),
        ({"rows": [1, 2], "min_accuracy": 0.5}, "no row of positive weight"),
        ({"rows": [0, 200], "min_accuracy": 0.5}, "names row 200, but there are 200"),
        ({"rows": [4, 4], "min_accuracy": 0.5}, "names row 4 twice"),
        ({"rows": [5]}, "has no bound"),
        ({"rows": [5], "min_accuracy": -0.1}, "has the bound -0.1"),
        ({"rows": [5], "min_recall": {"yes": 1.5}}, "from 0 to 1"),
        ({"rows": [5], "max_selection_gap": {"yes": -1}}, "not negative"),
        ({"rows": [5], "min_recall": {"maybe": 0.5}}, "names the class 'maybe'"),
        ({"rows": [5], "max_mse": 1.0}, "fit_orrt alone"),
        ({"rows": [5], "max_accuracy_gap": 0.1, "compared_with": "x"}, "which is no other group"),
        ({"where": "x", "min_accuracy": 0.5}, "no sensitive_features were given"),
        ({"X": np.zeros((2, 2)), "min_accuracy": 0.5}, "must have y"),
        ({"X": np.zeros((2, 3)), "max_selection_rate": {"yes": 0.5}}, "3 columns"),
        ({"X": np.zeros((1, 2)), "y": ["maybe"], "min_accuracy": 1}, "has the label 'maybe'"),
    ],
)
def test_groups_that_make_no_sense_are_refused(group, message):
    X, y, _ = people(200)
    weights = np.ones(200)
    weights[[1, 2]] = 0.0
    with pytest.raises(ValueError, match=message):
        softwood.fit_orct(X, y, sample_weight=weights, row_groups=RowGroup(**group), **SETTINGS)


def test_a_group_without_rows_of_the_class_whose_recall_is_bounded_is_named():
    X, y, _ = people(200)
    group = RowGroup(rows=y == "no", name="refused", min_recall={"yes": 0.5})
    with pytest.raises(ValueError, match='"refused" has no row of class yes'):
        softwood.fit_orct(X, y, row_groups=group, **SETTINGS)


def test_bounds_on_classes_are_none_of_a_regression():
    X, _, _ = people(200)
    with pytest.raises(ValueError, match="min_accuracy of row group 'group 0' is a bound for"):
        softwood.fit_orrt(X, X[:, 0], row_groups=RowGroup(rows=[1], min_accuracy=0.5))


def test_groups_of_a_regression_may_be_compared_with_each_other():
    X, _, sex = people(300)
    groups = [RowGroup(where="f", compared_with="m", max_mean_gap=0.1), RowGroup(where="m")]
    y = X.sum(axis=1)
    model = softwood.fit_orrt(X, y, 1, n_starts=2, row_groups=groups, sensitive_features=sex)
    p = model.predict(X)
    assert abs(p[sex == "f"].mean() - p[sex == "m"].mean()) <= 0.101


def test_estimators_take_sensitive_features_by_metadata_routing():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from softwood.sklearn import ORCTClassifier

    X, y, sex = people()
    with sklearn.config_context(enable_metadata_routing=True):
        tree = ORCTClassifier(
            depth=1, row_groups=between_sexes(max_selection_gap={"yes": 0.05}), **SETTINGS
        )
        tree.set_fit_request(sensitive_features=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler(), tree), {"orctclassifier__depth": [1, 2]}, cv=2
        )
        search.fit(X, y, sensitive_features=sex)
    assert gap(search.predict(X), sex) <= 0.051
    (bound,) = search.best_estimator_[-1].model_.report.constraints
    assert bound.feasible


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_a_regression_out_of_time_at_once_is_a_tree_that_tells_of_its_bounds():
    X = np.random.default_rng(0).normal(size=(60, 3))
    group = softwood.RowGroup(rows=np.arange(30), max_mse=0.5)
    model = softwood.fit_orrt(X, X[:, 0] * X[:, 1], row_groups=[group], time_limit=1e-9)
    assert model.report.status == "time_limit"
    assert len(model.report.constraints) == 1
