"""Estimators among frames, pipelines, searches and savers."""

import io

import numpy as np
import pytest

import softwood

pytest.importorskip("sklearn")
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, VotingRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from softwood.sklearn import ORCTClassifier, SRTRegressor

QUICK = {"depth": 1, "n_starts": 2, "scaling": "minmax"}


@pytest.fixture(scope="module")
def fitted(example):
    return ORCTClassifier(**QUICK).fit(*example)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_give_names_and_the_same_tree(example, fitted, library):
    library = pytest.importorskip(library)
    X, y = example
    names = softwood.load_example()[2]
    columns = dict(zip(names, X.T.copy(), strict=True))
    make = library.table if library.__name__ == "pyarrow" else library.DataFrame
    frame = make(columns)
    tree = ORCTClassifier(**QUICK).fit(frame, y)
    assert (tree.model_.coefficients == fitted.model_.coefficients).all()
    assert (tree.predict(frame) == fitted.predict(X)).all()
    if library.__name__ == "pyarrow":
        return  # whose names not every version of scikit-learn takes
    assert tree.feature_names_in_.tolist() == tree.model_.feature_names == names
    turned = make({name: columns[name] for name in reversed(names)})
    with pytest.raises(ValueError, match="same order as they were in fit"):
        tree.predict(turned)


@pytest.fixture(scope="module")
def mixed():
    """Columns of numbers, text, bools and missing values; the class follows from two of them."""
    rng = np.random.default_rng(8)
    colour = rng.choice(["red", "green", "blue"], 120)
    size = rng.normal(size=120)
    y = np.where((colour == "red") ^ (size > 0), "yes", "no")
    size[::17] = np.nan
    return {"size": size, "colour": colour.tolist(), "old": rng.random(120) > 0.5}, y


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_mixed_columns_are_encoded(mixed, library):
    library = pytest.importorskip(library)
    columns, y = mixed
    frame = (library.table if library.__name__ == "pyarrow" else library.DataFrame)(columns)
    tree = ORCTClassifier(n_starts=4, missing="indicator").fit(frame, y)
    model = softwood.fit_orct(columns, y, n_starts=4, missing="indicator")
    assert tree.n_features_in_ == 3
    assert tree.feature_importances_.shape == (3,)
    assert tree.model_.encoded_names == model.encoded_names
    assert (tree.model_.coefficients == model.coefficients).all()
    assert (tree.predict(frame) == model.predict(columns)).all()


def test_missing_values_are_refused_by_column_or_marked(mixed):
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame(mixed[0]), mixed[1]
    with pytest.raises(ValueError, match=r"missing in column .size."):
        ORCTClassifier(**QUICK).fit(frame, y)
    numbers = frame[["size"]].to_numpy()
    with pytest.raises(ValueError, match="NaN"):
        ORCTClassifier(**QUICK).fit(numbers, y)
    marked = ORCTClassifier(missing="indicator", **QUICK).fit(numbers, y)
    assert len(marked.model_.encoded_names) == 2
    assert get_tags(marked).input_tags.allow_nan


def test_folds_of_a_frame_are_frames(mixed):
    pandas = pytest.importorskip("pandas")
    tree = ORCTClassifier(n_starts=4, missing="indicator")
    scores = cross_validate(tree, pandas.DataFrame(mixed[0]), mixed[1], cv=3)
    assert scores["test_score"].min() > 0.7


def test_a_grid_search_runs_in_two_processes(example):
    X, y = example
    search = GridSearchCV(ORCTClassifier(**QUICK), {"depth": [1, 2]}, n_jobs=2, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.model_.depth in (1, 2)


def test_columns_are_transformed_in_a_pipeline(example):
    pandas = pytest.importorskip("pandas")
    X, y = example
    table = pandas.DataFrame(X[:, :4], columns=list("abcd"))
    table["size"] = np.where(X[:, 0] > 14, "large", "small")
    columns = ColumnTransformer(
        [("text", OneHotEncoder(sparse_output=False), ["size"])],
        remainder=StandardScaler(),
        verbose_feature_names_out=False,
    )
    line = make_pipeline(columns, ORCTClassifier(**QUICK)).set_output(transform="pandas")
    line.fit(table, y)
    assert line.score(table, y) > 0.85
    assert "size_large" in line[-1].model_.feature_names


def test_probabilities_are_calibrated(example):
    X, y = example
    calibrated = CalibratedClassifierCV(ORCTClassifier(**QUICK), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.9


def test_trees_are_bagged(example):
    X, y = example
    bag = BaggingClassifier(ORCTClassifier(**QUICK), n_estimators=3, random_state=0).fit(X, y)
    assert bag.score(X, y) > 0.9
    assert len({tree.random_state for tree in bag.estimators_}) == 3


def test_regressors_vote(example):
    X = example[0]
    vote = VotingRegressor([("one", SRTRegressor(depth=1, n_starts=2))])
    assert vote.fit(X[:, 1:], X[:, 0]).score(X[:, 1:], X[:, 0]) > 0.9


def test_importance_by_permutation_and_partial_dependence(example, fitted):
    X, y = example
    shuffled = permutation_importance(fitted, X, y, n_repeats=2, random_state=0)
    unused = fitted.model_.importance() == 0
    assert (shuffled.importances_mean[unused] == 0).all()
    assert shuffled.importances_mean.max() > 0
    best = int(np.argmax(fitted.feature_importances_))
    curve = partial_dependence(fitted, X, [best], grid_resolution=5)["average"]
    assert curve.shape == (1, 5)
    assert np.ptp(curve) > 0


def test_weights_are_routed_through_pipelines_and_folds(example):
    import sklearn

    X, y = example
    weights = np.where(y == "benign", 1.0, 5.0)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = ORCTClassifier(**QUICK).set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        line = make_pipeline(scaler, tree).fit(X, y, sample_weight=weights)
        scores = cross_validate(tree, X, y, params={"sample_weight": weights}, cv=3)
    rows = StandardScaler().fit_transform(X)
    alone = softwood.fit_orct(rows, y, sample_weight=weights, **QUICK)
    assert (line[-1].model_.coefficients == alone.coefficients).all()
    assert scores["test_score"].min() > 0.85


def test_joblib_keeps_every_bit(example, fitted):
    import joblib

    store = io.BytesIO()
    joblib.dump(fitted, store)
    same = joblib.load(store)
    assert (same.predict_proba(example[0]) == fitted.predict_proba(example[0])).all()


@pytest.mark.parametrize("kind", [ORCTClassifier, SRTRegressor])
def test_skops_needs_no_trust_but_in_the_estimator(example, kind):
    skops = pytest.importorskip("skops.io")
    X, y = example
    if kind is SRTRegressor:
        y = np.abs(X[:, 0] - 14)
    fitted = kind(**QUICK).fit(X, y)
    stored = skops.dumps(fitted)
    unknown = skops.get_untrusted_types(data=stored)
    assert unknown == [f"softwood.sklearn.trees.{kind.__name__}"]
    same = skops.loads(stored, trusted=unknown)
    assert (same.predict(X) == fitted.predict(X)).all()
