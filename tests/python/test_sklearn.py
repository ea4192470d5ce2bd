"""What softwood's estimators do beyond scikit-learn's own checks of them."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import softwood
from plain import PLAIN

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import get_tags

from softwood.sklearn import (
    ORCTClassifier,
    ORCTClassifierCV,
    ORRTRegressor,
    ORRTRegressorCV,
    SRTRegressor,
    SRTRegressorCV,
)
from softwood.warnings import LimitWarning

QUICK = {"depth": 1, "n_starts": 2, "scaling": "minmax"}
FUNCTIONS = {
    ORCTClassifier: softwood.fit_orct,
    ORCTClassifierCV: softwood.fit_orct_cv,
    ORRTRegressor: softwood.fit_orrt,
    ORRTRegressorCV: softwood.fit_orrt_cv,
    SRTRegressor: softwood.fit_srt,
    SRTRegressorCV: softwood.fit_srt_cv,
}


@pytest.fixture(scope="module")
def fitted(example):
    return ORCTClassifier(**QUICK).fit(*example)


@pytest.fixture(scope="module")
def curve():
    """400 × 3 and a response with a kink."""
    X = np.random.default_rng(3).uniform(-1, 1, (400, 3))
    return X, np.abs(X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_parameters_and_defaults_are_those_of_the_function(kind):
    import inspect

    named = dict(inspect.signature(FUNCTIONS[kind]).parameters)
    for name in ("X", "y", "sample_weight", "feature_names"):
        del named[name]
    named.pop("sensitive_features", None)  # given to `fit`, where there are groups
    named["n_jobs"] = named.pop("n_threads")
    given = kind().get_params()
    assert given.keys() == named.keys()
    for name, parameter in named.items():
        assert np.array_equal(given[name], parameter.default), name


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_every_parameter_is_documented(kind):
    for name in kind().get_params():
        assert any(
            name in line.split(" :")[0].split(", ")
            for line in kind.__doc__.splitlines()
            if " : " in line
        ), name
    assert "{parameters}" not in kind.__doc__


def test_an_unknown_parameter_is_refused_by_name():
    with pytest.raises(
        TypeError, match="ORCTClassifier has no parameter deep; it has depth, gamma"
    ):
        ORCTClassifier(deep=2)


def test_the_estimator_holds_the_model_that_the_function_fits(example, fitted):
    model = softwood.fit_orct(*example, **QUICK)
    assert (fitted.model_.coefficients == model.coefficients).all()
    assert (fitted.predict(example[0]) == model.predict(example[0])).all()
    assert (fitted.predict_proba(example[0]) == model.predict_proba(example[0])).all()
    assert (fitted.classes_ == model.classes).all()
    assert fitted.n_iter_ == model.report.iterations


def test_the_regressor_holds_the_model_that_the_function_fits(curve):
    regressor = SRTRegressor(depth=1, n_starts=2).fit(*curve)
    model = softwood.fit_srt(*curve, depth=1, n_starts=2)
    assert (regressor.predict(curve[0]) == model.predict(curve[0])).all()
    assert regressor.score(*curve) > 0.95


def test_weights_reach_the_fit(example):
    X, y = example
    weights = np.where(y == "benign", 3.0, 1.0)
    weighted = ORCTClassifier(**QUICK).fit(X, y, sample_weight=weights)
    model = softwood.fit_orct(X, y, sample_weight=weights, **QUICK)
    assert (weighted.model_.coefficients == model.coefficients).all()
    classes = ORCTClassifier(class_weight={"benign": 3.0}, **QUICK).fit(X, y)
    assert (classes.model_.coefficients == model.coefficients).all()


def test_n_jobs_are_threads_and_do_not_change_the_tree(example, fitted):
    two = ORCTClassifier(n_jobs=2, **QUICK).fit(*example)
    assert (two.model_.coefficients == fitted.model_.coefficients).all()


@pytest.mark.parametrize("make", [lambda: None, lambda: np.random.RandomState(4)])
def test_random_state_is_drawn_from_as_elsewhere_in_scikit_learn(example, make):
    def coefficients(state):
        return ORCTClassifier(random_state=state, **QUICK).fit(*example).model_.coefficients

    np.random.seed(5)  # noqa: NPY002  what None draws from
    state = make()
    first, second = coefficients(state), coefficients(state)
    np.random.seed(5)  # noqa: NPY002
    assert (coefficients(make()) == first).all()
    assert (first != second).any()


def test_a_limit_reached_is_a_convergence_warning(example):
    with pytest.warns(ConvergenceWarning, match="max_iter") as caught:
        ORCTClassifier(max_iter=1, **QUICK).fit(*example)
    (limit,) = [w for w in caught if issubclass(w.category, LimitWarning)]
    assert limit.filename == __file__


def test_leaves_are_nodes_at_the_end_of_the_decision_path(three):
    X, y = three
    tree = ORCTClassifier(depth=2, n_starts=4).fit(X, y)
    path, leaves = tree.decision_path(X), tree.apply(X)
    assert set(leaves) <= set(tree.model_.leaves)
    assert (path[np.arange(len(X)), leaves] == 1).all()
    assert (path[:, [0]].toarray() == 1).all()
    assert (path.sum(axis=1).ravel() <= tree.model_.depth + 1).all()
    nodes = path.toarray().nonzero()[1]
    assert set(nodes) <= {*tree.model_.splits, *tree.model_.leaves}


def test_importances_are_shares(fitted, example):
    shares = fitted.feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert shares == pytest.approx(fitted.model_.importance() / fitted.model_.importance().sum())
    with pytest.warns(softwood.warnings.NoFeaturesWarning):
        empty = ORCTClassifier(local_penalty=1e3, **QUICK).fit(*example)
    assert (empty.feature_importances_ == 0).all()


def test_log_probabilities_are_logarithms(fitted, example):
    X = example[0]
    assert (fitted.predict_log_proba(X) == np.log(fitted.predict_proba(X))).all()


@pytest.mark.parametrize("name", ["predict", "predict_proba", "apply", "decision_path"])
def test_nothing_is_told_before_the_fit(example, name):
    with pytest.raises(NotFittedError):
        getattr(ORCTClassifier(), name)(example[0])
    for attribute in ("classes_", "feature_importances_"):
        assert not hasattr(ORCTClassifier(), attribute)


def test_a_wrong_setting_is_refused_by_fit_alone(example):
    tree = ORCTClassifier(gamma=-1)
    with pytest.raises(ValueError, match="gamma must be"):
        tree.fit(*example)
    with pytest.raises(ValueError, match=r"depth must be .*, got 99"):
        clone(tree).set_params(gamma=512, depth=99).fit(*example)


@pytest.mark.parametrize(
    "labels",
    [[False, True], ["no", "yes"], [-3, 8], [0.5, 1.5]],
    ids=["bool", "str", "int", "float"],
)
def test_labels_of_any_kind_come_back(example, labels):
    X, y = example
    y = np.array(labels)[(y == "benign").astype(int)]
    if y.dtype.kind == "f":
        with pytest.raises(ValueError, match="continuous"):  # as scikit-learn has it
            ORCTClassifier(**QUICK).fit(X, y)
        return
    tree = ORCTClassifier(**QUICK).fit(X, y)
    assert tree.classes_.tolist() == labels
    assert tree.predict(X).dtype.kind == y.dtype.kind
    assert tree.score(X, y) > 0.9


@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda X: np.asfortranarray(X)[:, ::-1][:, ::-1], np.float32]
)
def test_memory_layout_and_float32_change_nothing_else(three, change):
    X, y = np.round(three[0], 3), three[1]
    other = change(X)
    other.setflags(write=False)
    # Nothing chosen on folds: which rows make a fold goes by their digits.
    settings = PLAIN | QUICK | {"depth": 2, "n_starts": 8}
    one, two = (ORCTClassifier(**settings).fit(rows, y) for rows in (X, other))
    if other.dtype == np.float64:
        assert (one.model_.coefficients == two.model_.coefficients).all()
    assert (one.predict(X) == two.predict(other)).mean() > 0.95


def test_pickles_and_copies_predict_the_same_bits(fitted, example):
    import copy

    X = example[0]
    for same in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert (same.predict_proba(X) == fitted.predict_proba(X)).all()
        assert same.model_ == fitted.model_
        assert same.n_features_in_ == 30
    unfitted = pickle.loads(pickle.dumps(ORCTClassifier(depth=3)))
    assert unfitted.depth == 3
    assert not hasattr(unfitted, "model_")


def test_a_clone_is_not_fitted(fitted):
    assert not hasattr(clone(fitted), "model_")
    assert clone(fitted).get_params() == fitted.get_params()


def test_tags_say_what_is_taken():
    tags = get_tags(ORCTClassifier())
    assert tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.target_tags.multi_output
    assert not tags.input_tags.allow_nan
    assert not tags.non_deterministic


def test_an_old_or_missing_scikit_learn_is_named():
    code = "import sys; sys.modules['sklearn'] = None; import softwood.sklearn"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 1
    assert 'pip install "softwood[sklearn]"' in ended.stderr
