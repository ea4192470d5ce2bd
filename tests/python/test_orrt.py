"""Randomized regression trees: what they minimize, predict and refuse; bounds on groups of rows."""

import pickle

import numpy as np
import pytest

import softwood
from softwood.warnings import BoundMissedWarning


def rows(count=300, features=3, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (count, features))
    return X, abs(X[:, 0] + 0.3 * X[:, 1]) - 2 * X[:, 1] + 2 * abs(X[:, -1] + X[:, 0])


@pytest.fixture(scope="module")
def model():
    return softwood.fit_orrt(*rows(), depth=2, gamma=40, n_starts=3)


def mixture(model, X):
    """φ of a model in plain NumPy, in units of y, for minmax scaling of all of X."""
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    left = 1 / (
        1 + np.exp(-model.gamma * (U @ model.coefficients.T / X.shape[1] - model.intercepts))
    )
    chances = [
        left[:, 0] * left[:, 1],
        left[:, 0] * (1 - left[:, 1]),
        (1 - left[:, 0]) * left[:, 2],
        (1 - left[:, 0]) * (1 - left[:, 2]),
    ]
    values = U @ model.leaf_coefficients.T + model.leaf_intercepts
    return (np.transpose(chances) * values).sum(axis=1)


def test_predictions_and_loss_are_those_of_plain_numpy(model):
    X, y = rows()
    predicted = mixture(model, X)
    assert model.predict(X) == pytest.approx(predicted, abs=1e-12)
    mse = ((predicted - y) ** 2).mean()
    assert model.report.loss * model.report.loss_unit == pytest.approx(mse, rel=1e-9)
    assert model.report.loss_unit == pytest.approx(y.var())


def test_a_model_survives_pickle_and_file(model, tmp_path):
    model.save(tmp_path / "tree.json")
    assert softwood.load(tmp_path / "tree.json") == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert str(model).startswith("ORRT of depth 2, gamma 40, minmax scaling\nfitted to 300 rows")
    assert repr(model).startswith("OrrtModel(depth=2, features=3, scaling='minmax'")


def test_importance_is_of_splits_or_of_leaves(model):
    assert (model.importance(of="leaves") == abs(model.leaf_coefficients).sum(axis=0)).all()
    assert (model.importance("max") == abs(model.coefficients).max(axis=0)).all()
    with pytest.raises(ValueError, match='of must be "splits" or "leaves"'):
        model.importance(of="roots")


def test_penalties_empty_the_tree_of_features():
    X, y = rows(features=6)
    sparse = softwood.fit_orrt(X, y, depth=1, gamma=20, n_starts=3, global_penalty=0.03)
    assert sparse.global_sparsity >= 50
    unused = (sparse.coefficients == 0).all(axis=0) & (sparse.leaf_coefficients == 0).all(axis=0)
    assert 100 * unused.mean() == sparse.global_sparsity
    assert (sparse.explain(X)[:, unused] == 0).all()


def group_of(X, **bounds):
    return softwood.RowGroup(rows=X[:, 1] > 0.5, name="high", **bounds)


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
@pytest.mark.parametrize("depth", [1, 2])
def test_bounds_on_groups_are_kept_at_a_price(depth):
    X, y = rows()
    high = X[:, 1] > 0.5
    free = softwood.fit_orrt(X, y, depth=depth, n_starts=3).predict(X)
    gap = abs(free[high].mean() - free.mean())
    before = np.inf
    for share in (0.9, 0.5, 0.0):
        group = group_of(X, max_mean_gap=share * gap)
        model = softwood.fit_orrt(X, y, depth=depth, n_starts=3, row_groups=group)
        predicted = model.predict(X)
        reached = abs(predicted[high].mean() - predicted.mean())
        (bound,) = model.report.constraints
        assert reached <= share * gap + 1e-3
        assert bound.reached == pytest.approx(reached, abs=1e-9)
        assert (bound.kind, bound.group, bound.feasible) == ("group_mean_gap", "high", True)
        assert bound.multiplier > 0
        assert model.report.objective >= 0.99 * (before if np.isfinite(before) else 0)
        before = model.report.objective


def test_errors_of_groups_are_bounded_with_penalties_and_rows_of_their_own():
    X, y = rows()
    y = y + np.random.default_rng(1).normal(size=len(y)) * 0.3
    free = softwood.fit_orrt(X, y, depth=1, n_starts=2)
    errors = (free.predict(X) - y) ** 2
    high, low = X[:, 1] > 0.5, X[:, 1] < -0.5
    groups = [
        softwood.RowGroup(rows=high, max_mse=0.97 * errors[high].mean(), max_mse_gap=0.05),
        softwood.RowGroup(X=X[low], y=y[low], name="own", max_mse=1.1 * errors[low].mean()),
    ]
    model = softwood.fit_orrt(X, y, depth=1, n_starts=2, row_groups=groups, local_penalty=1e-4)
    told = {(bound.group, bound.kind): bound for bound in model.report.constraints}
    errors = (model.predict(X) - y) ** 2
    wanted = {
        ("group 0", "group_error"): errors[high].mean(),
        ("group 0", "group_error_gap"): abs(errors[high].mean() - errors.mean()),
        ("own", "group_error"): errors[low].mean(),
    }
    assert told.keys() == wanted.keys()
    for key, value in wanted.items():
        assert told[key].reached == pytest.approx(value, abs=1e-9)
        assert value <= told[key].asked + 1e-3


def test_a_bound_that_cannot_be_kept_ends_as_infeasible():
    X, y = rows()
    y = y + np.random.default_rng(1).normal(size=len(y))
    with pytest.warns(BoundMissedWarning, match="mean squared error of high"):
        model = softwood.fit_orrt(X, y, depth=1, n_starts=2, row_groups=group_of(X, max_mse=1e-6))
    assert model.report.status == "infeasible"
    (bound,) = model.report.constraints
    assert not bound.feasible
    assert bound.reached > 1e-3
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"rows": [], "max_mse": 1.0}, "no row of positive weight"),
        ({"rows": [0, 300], "max_mse": 1.0}, "names row 300, but there are 300"),
        ({"rows": [-1], "max_mse": 1.0}, "names row -1"),
        ({"rows": [3, 3], "max_mse": 1.0}, "names row 3 twice"),
        ({"rows": [True, False], "max_mse": 1.0}, "mask of 2 values for 300"),
        ({"rows": [0]}, "has no bound"),
        ({"rows": [0], "max_mse": -1.0}, "has the bound -1"),
        ({"rows": [0], "max_mse": np.nan}, "max_mse of row group"),
        ({"max_mse": 1.0}, "one of rows, where, or X and y"),
        ({"X": np.zeros((2, 2)), "y": [0, 1], "max_mse": 1.0}, "2 columns"),
        ({"X": np.full((1, 3), np.nan), "y": [0], "max_mse": 1.0}, "finite"),
    ],
)
def test_groups_that_make_no_sense_are_refused(group, message):
    with pytest.raises(ValueError, match=message):
        softwood.fit_orrt(*rows(), row_groups=softwood.RowGroup(**group))


def test_groups_of_one_row_and_overlapping_groups_are_kept():
    X, y = rows()
    groups = [
        softwood.RowGroup(rows=[7], max_mse=0.01),
        softwood.RowGroup(rows=[7, 8, 9], name="three", max_mse=0.02),
    ]
    model = softwood.fit_orrt(X, y, depth=1, n_starts=2, row_groups=groups)
    assert all(bound.feasible for bound in model.report.constraints)
    assert (model.predict(X[7:8])[0] - y[7]) ** 2 <= 0.0101


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
@pytest.mark.parametrize("shape", [(2, 1), (5, 40), (1, 3)])
def test_few_rows_give_finite_predictions(shape):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    model = softwood.fit_orrt(X, y, depth=2, n_starts=2)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_a_time_limit_leaves_the_best_tree_so_far():
    X, y = rows(4000, 20)
    with pytest.warns(softwood.warnings.LimitWarning):
        model = softwood.fit_orrt(X, y, depth=6, n_starts=50, time_limit=0.2)
    assert model.report.status == "time_limit"
    assert np.isfinite(model.predict(X)).all()


def test_tables_are_encoded_in_groups_of_rows_too():
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "red"], 200)
    size = rng.uniform(0, 1, 200)
    y = np.where(colour == "red", 2 - size, 2 * size) + rng.normal(0, 0.02, 200)
    table = {"colour": colour, "size": size}
    some = {name: values[:50] for name, values in table.items()}
    group = softwood.RowGroup(X=some, y=y[:50], name="some", max_mse=0.01)
    model = softwood.fit_orrt(table, y, depth=1, n_starts=2, row_groups=group)
    (bound,) = model.report.constraints
    error = ((model.predict(some) - y[:50]) ** 2).mean()
    assert bound.feasible
    assert bound.reached == pytest.approx(error, rel=1e-6)
    assert model.feature_names == ["colour", "size"]


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_bounds_are_kept_where_the_group_is_a_feature_too():
    X, y = rows()
    member = (X[:, 2] > 0).astype(float)
    X = np.column_stack([X, member])
    y = y + 2 * member
    group = softwood.RowGroup(rows=member == 1, name="members", max_mean_gap=0.1)
    model = softwood.fit_orrt(X, y, depth=1, n_starts=2, row_groups=group)
    predicted = model.predict(X)
    assert abs(predicted[member == 1].mean() - predicted.mean()) <= 0.1 + 1e-3
    assert model.report.constraints[0].feasible


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_a_constant_response_and_more_columns_than_rows_bear_bounds():
    X, _ = rows(30)
    group = softwood.RowGroup(rows=[0, 1, 2], max_mse=0.5, max_mean_gap=0.0)
    model = softwood.fit_orrt(X, np.full(30, 4.0), depth=1, n_starts=2, row_groups=group)
    assert model.predict(X).tolist() == [4.0] * 30
    assert all(bound.feasible and bound.reached == 0 for bound in model.report.constraints)
    rng = np.random.default_rng(4)
    wide, noise = rng.normal(size=(20, 50)), rng.normal(size=20)
    some = softwood.RowGroup(rows=[3, 7], max_mse=0.2)
    model = softwood.fit_orrt(wide, noise, depth=1, n_starts=2, row_groups=some)
    assert ((model.predict(wide)[[3, 7]] - noise[[3, 7]]) ** 2).mean() <= 0.2 + 1e-3


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("unit", [1e-282, 1e204])
def test_bounds_on_responses_of_any_size_are_saved_and_loaded(unit):
    X = np.random.default_rng(0).normal(size=(12, 2))
    group = softwood.RowGroup(rows=np.arange(4), max_mse=0.0)
    model = softwood.fit_orrt(X, unit * X[:, 0] ** 2, 1, row_groups=[group], n_starts=1)
    assert softwood.OrrtModel.from_json(model.to_json()) == model


@pytest.mark.parametrize("gamma", [40, 64, 128])
def test_the_splits_of_a_regression_tree_are_followed_to_the_end(gamma):
    # After some iterations they are behind others, and in the end far ahead.
    model = softwood.fit_orrt(*rows(), depth=2, gamma=gamma, n_starts=8)
    assert model.report.objective < 0.02
