"""`fit_spdt` and its model: few features of very many, sparse rows, what models tell."""

import pickle

import numpy as np
import pytest

import softwood
from softwood.warnings import FewerFoldsWarning, LimitWarning, OneClassWarning

sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def wide():
    """300 rows of 2,000 columns, a tenth of them nonzero; two count."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2000)) * (rng.random((300, 2000)) < 0.1)
    X[:, [5, 1999]] = rng.normal(size=(300, 2))
    return X, np.where(X[:, 5] + X[:, 1999] > 0, "yes", "no")


@pytest.fixture(scope="module")
def model(wide):
    X, y = wide
    return softwood.fit_spdt(sparse.csr_matrix(X), y, C=1.0, budget=2, depth=2)


def test_sparse_rows_of_any_kind_give_one_model(wide, model):
    X, y = wide
    kinds = [
        sparse.csr_array(X),
        sparse.csc_matrix(X),
    ]
    wide_indices = sparse.csr_matrix(X)
    wide_indices.indices = wide_indices.indices.astype(np.int64)
    wide_indices.indptr = wide_indices.indptr.astype(np.int64)
    for rows in (*kinds, wide_indices):
        fitted = softwood.fit_spdt(rows, y, C=1.0, budget=2, depth=2)
        assert fitted.splits == model.splits
        assert all(
            (a == b).all()
            for a, b in zip(fitted.split_weights(), model.split_weights(), strict=True)
        )
    assert {5, 1999} <= set(model.features_.tolist())


def test_unsorted_and_repeated_indices_are_put_in_order(wide, model):
    X, y = wide
    rows = sparse.csr_matrix(X)
    turned = rows.copy()
    for i in range(turned.shape[0]):
        part = slice(turned.indptr[i], turned.indptr[i + 1])
        turned.indices[part] = turned.indices[part][::-1]
        turned.data[part] = turned.data[part][::-1]
    turned.has_sorted_indices = False
    turned.has_canonical_format = False
    fitted = softwood.fit_spdt(turned, y, C=1.0, budget=2, depth=2)
    assert (fitted.predict(rows) == model.predict(rows)).all()


def test_probabilities_agree_with_classes_and_rules_with_leaves(wide, model):
    X, _ = wide
    rows = sparse.csr_matrix(X)
    probabilities = model.predict_proba(rows)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (model.classes[probabilities.argmax(axis=1)] == model.predict(X)).all()
    assert ((model.decision_values(rows) > 0) == (model.predict(X) == "yes")).all()
    rule = model.rule(0)
    left = X[:, list(rule.features)] @ rule.weights >= rule.threshold
    assert (left == (model.decision_path(X)[:, 1] == 1)).all()
    assert np.isinf(rule.steepness)
    importance = model.importance()
    assert set(np.flatnonzero(importance)) == set(model.features_.tolist())
    assert importance[[5, 1999]].min() > np.delete(importance, [5, 1999]).max()


def test_a_model_survives_files_and_pickles(model, tmp_path):
    model.save(tmp_path / "tree.json")
    assert softwood.load(tmp_path / "tree.json") == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert "features='" in repr(model)
    assert str(model).startswith("SPDT of depth")


def test_c_is_chosen_by_folds_and_told(wide):
    X, y = wide
    table = softwood.fit_spdt(X[:, :60], y, budget=2, depth=1).report.cross_validation
    assert [c.C for c in table.candidates] == [0.01, 0.1, 1.0, 10.0, 100.0]
    assert max(c.score for c in table.candidates) == table.candidates[table.chosen].score


def test_a_class_of_few_rows_makes_fewer_folds(wide):
    X, _ = wide
    y = np.arange(300) < 3
    with pytest.warns(FewerFoldsWarning, match="3 were made"):
        softwood.fit_spdt(X, y, C=1.0, depth=1)


def test_class_weights_are_weights_of_rows(wide):
    X, y = wide
    weights = np.where(y == "yes", 3.0, 1.0)
    a = softwood.fit_spdt(X, y, C=1.0, depth=1, sample_weight=weights)
    b = softwood.fit_spdt(X, y, C=1.0, depth=1, class_weight={"yes": 3.0})
    assert (a.intercepts == b.intercepts).all()


def test_text_columns_of_tables_are_features():
    table = {"size": list(range(40)), "colour": ["red", "blue"] * 20}
    model = softwood.fit_spdt(table, [1, 0] * 20, C=1.0, depth=1)
    assert (model.predict(table) == [1, 0] * 20).all()
    assert "colour is" in str(model.rule(0))
    assert model.importance().shape == (2,)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"C": 0}, "C must be"),
        ({"C": "none"}, "C must be"),
        ({"budget": 0}, "budget must be"),
        ({"split_features": 0}, "split_features must be"),
        ({"max_features": 0}, "max_features must be"),
        ({"scaling": "minmax"}, "scaling must be"),
        ({"folds": 1}, "folds must be"),
        ({"min_rows": -1}, "min_rows must be"),
    ],
)
def test_bad_settings_are_refused(wide, setting, said):
    with pytest.raises((TypeError, ValueError), match=said):
        softwood.fit_spdt(*wide, **setting)


def test_what_is_not_finite_is_named():
    rows = sparse.csr_matrix(np.eye(5))
    rows.data[3] = np.inf
    with pytest.raises(ValueError, match=r"X\[3, 3\] is inf"):
        softwood.fit_spdt(rows, [0, 1, 0, 1, 0])


def test_a_nan_among_stored_values_is_named():
    rows = sparse.csr_matrix(np.eye(5))
    rows.data[2] = np.nan
    with pytest.raises(ValueError, match=r"X\[2, 2\] is NaN"):
        softwood.fit_spdt(rows, [0, 1, 0, 1, 0])


def test_repeated_entries_are_added_up(wide):
    X, y = wide
    rows = sparse.csr_matrix(X)
    halves = sparse.csr_matrix(
        (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), rows.shape
    )
    fitted = softwood.fit_spdt(halves, y, C=1.0, budget=2, depth=2)
    again = softwood.fit_spdt(rows, y, C=1.0, budget=2, depth=2)
    assert (fitted.intercepts == again.intercepts).all()


def test_one_class_is_refused_and_rows_alike_make_one_leaf():
    with pytest.raises(ValueError, match="two classes"):
        softwood.fit_spdt(np.eye(4), [1, 1, 1, 1])
    with pytest.warns(OneClassWarning):
        model = softwood.fit_spdt(sparse.csr_matrix((9, 3)), [1, 1, 1, 1, 1, 1, 0, 0, 0])
    assert model.depth == 0
    assert model.predict(sparse.csr_matrix((2, 3))).tolist() == [1, 1]


def test_budgets_beyond_all_columns_and_voting_folds_fit(wide):
    X, y = wide
    model = softwood.fit_spdt(X[:, :30], y, C=1.0, budget=1000, depth=1, vote=True)
    assert len(model.features_) <= 30
    table = softwood.fit_spdt(X, y, C=1.0, budget="auto", depth=1).report.cross_validation
    assert [c.budget for c in table.candidates] == [2, 5, 20, 100]


def test_chosen_settings_survive_the_file(wide):
    X, y = wide
    model = softwood.fit_spdt(X[:, :60], y, depth=1)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again.report.cross_validation == model.report.cross_validation


def test_selected_columns_are_those_of_the_rows(wide, model):
    X, _ = wide
    assert (model.select(X) == X[:, model.features_]).all()
    assert (model.select(sparse.csc_matrix(X)) == X[:, model.features_]).all()
    with pytest.raises(ValueError, match="X has 5 columns, the model 2000"):
        model.select(np.eye(5))


@pytest.mark.filterwarnings("ignore::softwood.warnings.OneClassWarning")
def test_limits_and_callbacks_end_a_fit_with_a_tree():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 3000))
    y = rng.random(2000) < 0.5
    with pytest.warns(LimitWarning):
        model = softwood.fit_spdt(X, y, depth=6, time_limit=0.5)
    assert model.report.status == "time_limit"
    assert model.predict(X[:3]).shape == (3,)

    shares = []

    def watch(state):
        shares.append(state.starts_done / max(state.starts, 1))
        if len(shares) == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough") as stopped:
        softwood.fit_spdt(X, y, depth=6, progress=watch)
    assert hasattr(stopped.value, "partial")
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_models_that_a_limit_has_cut_off_anywhere_are_saved_and_loaded():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    for limit in np.geomspace(3e-4, 1e-2, 200):
        model = softwood.fit_spdt(X, y, time_limit=limit)
        assert softwood.SpdtModel.from_json(model.to_json()) == model
