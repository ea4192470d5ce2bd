"""Sparse and constrained trees, paths of penalties and chosen settings, as users call them."""

import pickle
import time

import numpy as np
import pytest

import softwood
from plain import fit_plain
from softwood.warnings import LimitWarning, OneClassWarning, RateMissedWarning

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


@pytest.fixture(scope="module")
def noisy():
    """400 × 6, two features tell the class nine times out of ten."""
    rng = np.random.default_rng(3)
    X = rng.random((400, 6))
    y = np.where((X[:, 0] + X[:, 1] > 1.1) ^ (rng.random(400) < 0.1), "yes", "no")
    return X, y


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
@pytest.mark.parametrize("shape", ["norm", "exp", "power", "inverse", "log"])
def test_the_objective_is_loss_plus_penalty_and_zeros_are_zeros(noisy, shape):
    local, large = 3e-3, 2e-3
    model = fit_plain(
        *noisy, local_penalty=local, global_penalty=large, penalty_shape=shape, n_starts=4
    )
    raw = {
        "norm": lambda u: u,
        "exp": lambda u: 1 - np.exp(-5 * u),
        "power": lambda u: np.sqrt(u + 0.01),
        "inverse": lambda u: -1 / (u + 0.1),
        "log": lambda u: np.log(u + 0.01),
    }[shape]

    def phi(u):  # what is not there costs nothing
        return raw(u) - raw(0.0)

    a = np.abs(model.coefficients)
    live, a = a, np.vstack([a, np.zeros((3 - len(a), a.shape[1]))])  # splits left out are 0
    penalty = local * phi(a).sum() + large * phi(a.max(0)).sum()
    assert model.report.objective == pytest.approx(model.report.loss + penalty, rel=1e-12)
    assert model.local_sparsity == pytest.approx(100 * (live == 0).mean())
    assert model.global_sparsity == pytest.approx(100 * (a.max(0) == 0).mean())
    assert model.local_sparsity > 0
    assert (model.importance("sum") == a.sum(0)).all()
    assert (model.importance("max") == a.max(0)).all()


def test_parameters_of_a_shape_change_it(noisy):
    def objective(**parameters):
        return fit_plain(
            *noisy,
            1,
            local_penalty=1e-3,
            penalty_shape="exp",
            penalty_parameters=parameters,
            n_starts=1,
        ).report.objective

    assert objective(alpha=5) == objective()
    assert objective(alpha=50) > objective()


@pytest.mark.parametrize(
    ("shape", "parameters", "message"),
    [
        ("exp", {"alpha": 0}, r"alpha must be a positive number, got 0"),
        ("exp", {"q": 0.5}, r"penalty_parameters must be alpha for"),
        ("power", {"q": 1}, r"q must be a number between 0 and 1"),
        ("inverse", {"q": 0.5}, r"q must be a number of at least 1"),
        ("log", {"epsilon": 0}, r"epsilon must be a positive number"),
        ("power", {"epsilon": float("inf")}, r"epsilon must be a finite number"),
    ],
)
def test_wrong_parameters_are_refused(noisy, shape, parameters, message):
    with pytest.raises(ValueError, match=message):
        fit_plain(*noisy, penalty_shape=shape, penalty_parameters=parameters)


def test_groups_of_any_names_leave_together(noisy):
    X, y = noisy
    groups = ["a", "a", "b", "b", "b", "b"]
    model = fit_plain(X, y, global_penalty=0.3, groups=groups, n_starts=4)
    used = np.abs(model.coefficients).max(0) > 0
    assert used[:2].all()
    assert not used[2:].any()


@pytest.mark.parametrize(
    "rates", [{"yes": 0.93}, [0.1, 0.93], np.array([0.0, 0.93])], ids=["dict", "list", "array"]
)
def test_class_rates_hold_on_the_training_rows(noisy, rates):
    X, y = noisy
    model = fit_plain(X, y, min_class_rate=rates, local_penalty=1e-3, n_starts=4)
    expected = model.label_probabilities(X)[y == "yes", 1].mean()
    assert expected >= 0.929
    assert model.decision == "leaf_labels"
    assert (model.predict(X) == model.classes[model.label_probabilities(X).argmax(axis=1)]).all()
    rate = model.report.constraints[-1]
    assert (rate.label, rate.asked, rate.feasible) == ("yes", 0.93, True)
    assert rate.reached == pytest.approx(expected)
    assert rate.multiplier >= 0
    assert "rate of yes" in str(model.report)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.report == model.report


def test_one_rate_is_for_all_classes(noisy):
    model = fit_plain(*noisy, min_class_rate=0.8, n_starts=4)
    assert [rate.label for rate in model.report.constraints] == ["no", "yes"]
    assert model.report.status != "infeasible"


def test_rates_that_cannot_hold_are_told():
    X = np.zeros((50, 2))
    y = np.arange(50) % 2
    with pytest.warns(RateMissedWarning), pytest.warns(OneClassWarning):
        model = fit_plain(X, y, 1, min_class_rate=0.9, n_starts=2)
    assert model.report.status == "infeasible"
    assert not model.report.converged
    assert any(not rate.feasible for rate in model.report.constraints)
    assert sum(rate.reached for rate in model.report.constraints) < 1.1


def test_a_path_is_a_table_of_trees(noisy):
    X, y = noisy
    path = softwood.sparsity_path(
        *(X[:300], y[:300], 2, [0, 1e-3, 1e-2], [0, 1e-2]),
        X_validation=X[300:],
        y_validation=y[300:],
        n_starts=3,
    )
    assert path.status == "converged"
    for array in (path.objective, path.loss, path.local_sparsity, path.global_sparsity, path.score):
        assert array.shape == (2, 3)
        assert np.isfinite(array).all()
    for i in range(2):
        for j in range(3):
            model = path.models[i][j]
            assert path.score[i, j] == (model.predict(X[300:]) == y[300:]).mean()
            assert path.local_sparsity[i, j] == model.local_sparsity
            assert path.objective[i, j] == model.report.objective
    assert path.local_sparsity[0, 2] > path.local_sparsity[0, 0]
    rows = path.rows()
    assert len(rows) == 6
    assert rows[1]["local_penalty"] == 1e-3
    assert len(str(path).splitlines()) == 7
    assert "2 × 3" in repr(path)


def test_grids_by_default_by_number_and_up_to_lambda_max(noisy):
    path = softwood.sparsity_path(*noisy, 1, None, [0.0], n_starts=1)
    expected = np.concatenate([[0], 2.0 ** np.arange(-12, 4) / 6])
    assert np.allclose(path.local_grid, expected)
    top = softwood.lambda_max(*noisy, depth=1)
    path = softwood.sparsity_path(*noisy, 1, 5, 0 * np.ones(1), n_starts=1)
    assert len(path.local_grid) == 6
    assert path.local_grid[-1] == top.local_penalty
    assert path.local_sparsity[0, -1] == 100
    assert top.global_penalty == pytest.approx(top.local_penalty)  # one split
    assert 0 < top.at_bounds < 1e-100
    assert softwood.lambda_max(*noisy, depth=2).at_bounds is None
    exp = softwood.lambda_max(*noisy, depth=1, penalty_shape="exp")
    assert exp.local_penalty == pytest.approx(top.local_penalty / 5)


def test_a_path_out_of_time_keeps_what_it_has(noisy):
    path = softwood.sparsity_path(*noisy, 4, n_starts=20, time_limit=0.5)
    assert path.status == "time_limit"
    done = np.isfinite(path.objective).sum()
    assert 1 <= done < path.objective.size
    assert len(path.rows()) == done


def test_ctrl_c_ends_a_path_and_hands_over_what_is_done(interrupted):
    seconds, answer = interrupted(
        "import numpy as np, softwood\n"
        "X = np.random.default_rng(0).random((2000, 6))\n"
        "y = (X[:, 0] + X[:, 1] > 1.1).astype(int)",
        "softwood.sparsity_path(X, y, 5, n_starts=4)",
        answer="type(stop.partial).__name__, stop.partial.status",
        after=0.7,
    )
    assert answer == "SparsityPath cancelled"
    assert seconds < 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"local_grid": [0, -1]}, ValueError, r"local_grid must be at least one penalty"),
        ({"local_grid": [1, 0]}, ValueError, r"local_grid must be .*increasing"),
        ({"global_grid": []}, ValueError, r"global_grid must be at least one penalty"),
        ({"global_grid": 0}, ValueError, r"global_grid must be an integer from 1 to 1000"),
        ({"X_validation": np.ones((3, 6))}, ValueError, r"X_validation and y_validation go"),
        (
            {"X_validation": np.ones((3, 5)), "y_validation": ["no"] * 3},
            ValueError,
            r"5 columns|5 features",
        ),
        ({"solver": "full"}, TypeError, r"unknown setting solver; known are depth, gamma"),
        ({"local_penalty": 0.1, "gama": 3}, TypeError, r"unknown setting gama"),
        ({"local_penalty": 0.1}, TypeError, r"local_penalty: the path .*; give local_grid"),
        ({"global_penalty": 0.1}, TypeError, r"global_penalty: the path .*; give global_grid"),
        ({"rows": "selected"}, TypeError, r"unknown setting rows; known are depth, gamma"),
    ],
)
def test_bad_paths_are_refused(noisy, arguments, error, message):
    with pytest.raises(error, match=message):
        softwood.sparsity_path(*noisy, 1, **arguments)


def test_cross_validation_keeps_its_table(noisy):
    X, y = noisy
    fit = {"depths": (1, 2), "gammas": (512,), "local_grid": (0, 0.1), "n_starts": 3}
    model = softwood.fit_orct_cv(X[:300], y[:300], **fit)
    table = model.report.cross_validation
    assert len(table.candidates) == 8
    chosen = table.candidates[table.chosen]
    assert (chosen.scaling, chosen.gamma) == (model.scaling, 512)
    assert chosen.depth >= model.depth  # idle splits are left out
    assert chosen.folds == table.folds * table.repeats
    assert all(c.score >= chosen.score for c in table.candidates if c.folds == chosen.folds)
    assert (model.predict(X[300:]) == y[300:]).mean() > 0.8
    assert " *" in str(table)
    assert "candidates" in str(model.report)
    again = softwood.fit_orct_cv(X[:300], y[:300], n_threads=1, **fit)
    assert (again.coefficients == model.coefficients).all()
    assert again.report.cross_validation == table
    assert pickle.loads(pickle.dumps(model)).report.cross_validation == table


def test_cross_validation_within_a_time_limit(example):
    began = time.monotonic()
    with pytest.warns(LimitWarning):
        model = softwood.fit_orct_cv(*example, time_limit=0.3)
    assert time.monotonic() - began < 3
    assert model.report.status == "time_limit"
    assert model.report.cross_validation.cut_short


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"depths": ()}, ValueError, r"depths must be at least one value"),
        ({"depths": (0,)}, ValueError, r"depths must be an integer from 1 to 12"),
        ({"gammas": (-1,)}, ValueError, r"gamma must be a positive number"),
        ({"scalings": ("auto",)}, ValueError, r"scaling must be .*minmax.* or .*quantile"),
        ({"folds": 1}, ValueError, r"folds must be an integer from 2"),
        ({"rule": "luck"}, ValueError, r"rule must be .*best.* or .*one_se"),
        ({"local_grid": (-1,)}, ValueError, r"local_grid must be at least one penalty"),
        ({"depth": 2}, TypeError, r"depth: chosen by cross-validation"),
        ({"local_penalty": 0}, TypeError, r"local_penalty: chosen .*; give local_grid"),
        ({"rows": "all"}, TypeError, r"unknown setting rows; known are costs"),
        ({"depths": 1}, TypeError, r"depths must be a sequence of integers, got 1 \(int\)"),
        ({"depths": "12"}, TypeError, r"depths must be a sequence of integers, got '12'"),
        ({"depths": (1.5,)}, TypeError, r"depths must be an integer, got 1.5"),
        ({"scalings": "minmax"}, TypeError, r"scalings must be a sequence of names, got 'minmax'"),
        ({"scalings": (3,)}, TypeError, r"scalings: scaling must be a string, got 3"),
        ({"scalings": ("none",)}, ValueError, r"scalings: scaling must be .*minmax.*got .none."),
        ({"gammas": 512}, TypeError, r"gammas must be a sequence of numbers, got 512"),
        ({"gammas": (0,)}, ValueError, r"gammas: gamma must be a positive number, got 0"),
        ({"gammas": ("a",)}, TypeError, r"gammas: gamma must be a number, got 'a'"),
        ({"local_grid": 3}, TypeError, r"local_grid must be a sequence of numbers, got 3"),
        ({"folds": 2.5}, TypeError, r"folds must be an integer, got 2.5"),
    ],
)
def test_bad_choices_are_refused(noisy, arguments, error, message):
    with pytest.raises(error, match=message):
        softwood.fit_orct_cv(*noisy, **arguments)


def test_lambda_max_refuses_what_it_does_not_take(noisy):
    with pytest.raises(TypeError, match="unknown setting local_penalty; known are depth, gamma"):
        softwood.lambda_max(*noisy, local_penalty=0.1)
    with pytest.raises(ValueError, match='scaling must be "minmax" or "quantile", got "auto"'):
        softwood.lambda_max(*noisy, scaling="auto")


def test_arrays_are_lists_of_choices(noisy):
    fit = {"n_starts": 1, "max_iter": 5, "folds": 2}
    lists = {"depths": [1], "gammas": [64.0], "scalings": ["minmax"], "local_grid": [0, 0.1]}
    model = softwood.fit_orct_cv(*noisy, **lists, **fit)
    arrays = {name: np.array(values) for name, values in lists.items()}
    assert softwood.fit_orct_cv(*noisy, **arrays, **fit).coefficients.tolist() == (
        model.coefficients.tolist()
    )


def test_vc_bounds_grow_with_depth_and_features():
    assert softwood.vc_bounds(1, 10) == (11, 11)
    lower = [softwood.vc_bounds(depth, 20).lower for depth in range(1, 6)]
    assert lower == sorted(lower)
    with pytest.raises(ValueError, match="features must be an integer from 1"):
        softwood.vc_bounds(1, 0)
