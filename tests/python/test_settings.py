"""Settings do what they say, and a wrong one is refused by name before any work."""

import inspect

import numpy as np
import pandas as pd
import pytest

import softwood
from plain import fit_plain
from softwood._settings import DEFAULTS
from softwood.warnings import OneClassWarning

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("depth", 0, ValueError, r"depth must be an integer from 1 to 12, got 0"),
        ("depth", 13, ValueError, r"depth must be an integer from 1 to 12, got 13"),
        ("depth", -1, ValueError, r"depth must be an integer from 1 to 12, got -1"),
        ("depth", 10**100, ValueError, r"depth must be an integer from 1 to 12, got 1000"),
        pytest.param("depth", 10**9999, ValueError, r"from 1 to 12, got a number", id="depth-huge"),
        ("depth", 2.0, TypeError, r"depth must be an integer, got 2.0 \(float\)"),
        ("depth", True, TypeError, r"depth must be an integer, got True \(bool\)"),
        ("depth", "2", TypeError, r"depth must be an integer, got '2' \(str\)"),
        ("depth", None, TypeError, r"depth must be an integer, got None"),
        ("depth", np.array([2]), TypeError, r"depth must be an integer, got array"),
        ("gamma", 0, ValueError, r"gamma must be a positive number, got 0"),
        ("gamma", -512.0, ValueError, r"gamma must be a positive number, got -512.0"),
        ("gamma", float("nan"), ValueError, r"gamma must be a finite number, got nan"),
        ("gamma", 10**400, ValueError, r"gamma must be a finite number, got 1000"),
        ("gamma", 1e10, ValueError, r"gamma must be a positive number up to 1e9"),
        (
            "gamma",
            "512",
            TypeError,
            r"gamma must be a number above 0 or \"auto\", got '512' \(str\)",
        ),
        ("gamma", True, TypeError, r"gamma must be a number, got True"),
        ("gamma", 1 + 0j, TypeError, r"gamma must be a number, got \(1\+0j\) \(complex\)"),
        ("costs", [0, 1], ValueError, r"costs must have 2 dimension\(s\), got shape \(2,\)"),
        ("costs", np.zeros((2, 8)), ValueError, r"costs must have shape \(3, 3\).*got \(2, 8\)"),
        ("costs", -np.ones((3, 3)), ValueError, r"costs\[0, 0\] is -1.0; costs must be numbers from 0"),
        ("costs", np.ones((3, 3)), ValueError, r"costs\[0, 0\] is 1.0; .* 0 on the diagonal"),
        ("costs", [[0, 1, 1], [1, 0, -2], [1, 1, 0]], ValueError, r"costs\[1, 2\] is -2"),
        ("costs", [["a"] * 3] * 3, TypeError, r"costs must hold numbers, got dtype <U1"),
        ("costs", [[0, 1], [1]], ValueError, r"costs must be an array of numbers"),
        ("sample_weight", np.ones(299), ValueError, r"X has 300 rows but sample_weight has 299"),
        ("sample_weight", np.zeros(300), ValueError, r"sample_weight is zero for all 300 rows"),
        ("sample_weight", -np.ones(300), ValueError, r"sample_weight\[0\] is -1.0; weights must be"),
        ("sample_weight", np.full(300, np.nan), ValueError, r"sample_weight\[0\] is NaN"),
        ("sample_weight", np.full(300, 1e308), ValueError, r"weights with a finite sum"),
        ("sample_weight", np.ones((300, 1)), ValueError, r"sample_weight must have 1 dimension"),
        ("sample_weight", ["a"] * 300, TypeError, r"sample_weight must hold numbers, got dtype"),
        ("scaling", "standard", ValueError, r"scaling must be .*minmax.*quantile.*got .standard."),
        ("scaling", None, TypeError, r"scaling must be a string, got None"),
        ("local_penalty", -0.1, ValueError, r"must be a number from 0 to 1e100, got -"),
        ("local_penalty", 1e305, ValueError, r"local_penalty must be .* from 0 to 1e100"),
        ("global_penalty", 1.1e100, ValueError, r"global_penalty must be .* from 0 to 1e100"),
        ("global_penalty", float("nan"), ValueError, r"global_penalty must be a finite number"),
        ("global_penalty", "a lot", TypeError, r"global_penalty must be a number, got 'a lot'"),
        ("penalty_shape", "l2", ValueError, r"penalty_shape must be .*norm.*exp.*got .l2."),
        ("penalty_parameters", {"alpha": 1}, ValueError, r"penalty_parameters must be alpha for"),
        ("penalty_parameters", 5, TypeError, r"penalty_parameters must be a mapping"),
        ("groups", [0, 0, 1], ValueError, r"groups must be one group for each column of X.*3 gr"),
        ("groups", [[0, 0, 1, 1]], ValueError, r"groups must have one dimension"),
        ("groups", [0.5, 0, 1, 1], TypeError, r"groups must hold ids that are ints or strings"),
        ("min_class_rate", {5: 0.9}, ValueError, r"names the class 5, which is not a label in y"),
        ("min_class_rate", 1.5, ValueError, r"min_class_rate must be rates from 0 to 1, got 1.5"),
        ("min_class_rate", {0: -0.1}, ValueError, r"min_class_rate must be rates from 0 to 1"),
        ("min_class_rate", [0.5, 0.5], ValueError, r"a rate for each of the 3 classes, got 2"),
        ("min_class_rate", {0: "high"}, TypeError, r"min_class_rate\[0\] must be a number"),
        ("solver", "newton", ValueError, r"solver must be .full., .nodes., .convergent. or .auto."),
        ("cover_classes", 1, TypeError, r"cover_classes must be True or False, got 1 \(int\)"),
        ("n_starts", 0, ValueError, r"n_starts must be an integer from 1 to 1000000, got 0"),
        ("n_starts", 10**12, ValueError, r"n_starts must be an integer from 1 to 1000000"),
        ("n_starts", 1.5, TypeError, r"n_starts must be an integer, got 1.5"),
        ("random_state", -1, ValueError, r"random_state must be an integer from 0 to 1844"),
        ("random_state", 2**64, ValueError, r"random_state must be an integer from 0 to 1844"),
        ("random_state", "any", TypeError, r"random_state must be an integer, got 'any'"),
        ("class_weight", "even", ValueError, r"class_weight must be 'balanced', .*got 'even'"),
        ("class_weight", [1, 2, 3], TypeError, r"class_weight must be 'balanced', .*got list"),
        ("class_weight", {7: 2}, ValueError, r"class_weight names the class 7, .* are 0, 1, 2"),
        ("class_weight", {"1": 2}, ValueError, r"class_weight names the class '1', which is not"),
        ("class_weight", {1: -2}, ValueError, r"class_weight\[1\] must not be negative, got -2"),
        ("class_weight", {1: np.nan}, ValueError, r"class_weight\[1\] must be a finite number"),
        ("class_weight", {1: np.inf}, ValueError, r"class_weight\[1\] must be a finite number"),
        ("class_weight", {1: "2"}, TypeError, r"class_weight\[1\] must be a number, got '2'"),
        ("class_weight", {1: 0}, ValueError, r"all rows of class 1 have weight 0"),
        ("feature_names", ["a", "b"], ValueError, r"feature_names must .*got 2 names for 4 col"),
        ("feature_names", list("abca"), ValueError, r"distinct, got 'a' for columns 0 and 3"),
        ("feature_names", ["a", "b", 3, "d"], TypeError, r"feature_names\[2\] is 3 \(int\)"),
        ("feature_names", "abcd", TypeError, r"feature_names must be a sequence .*got 'abcd'"),
        ("feature_names", 4, TypeError, r"feature_names must be a sequence of strings.*got 4"),
        ("feature_names", ["a", "b", "c", "\ud800"], ValueError, r"feature_names.*not valid Uni"),
        ("verbose", 2, TypeError, r"verbose must be True or False, got 2"),
        (
            "n_threads",
            0,
            ValueError,
            r"n_threads must be .* 1 to 1024 or None for all cores, got 0",
        ),
        ("n_threads", -1, ValueError, r"n_threads must be an integer from 1 to 1024 or None"),
        ("n_threads", "all", TypeError, r"n_threads must be an integer or None for all cores, got"),
        ("max_iter", 0, ValueError, r"max_iter must be an integer from 1"),
        ("max_iter", 2**64, ValueError, r"max_iter must be an integer from 1"),
        ("tol", -1e-6, ValueError, r"tol must be a number of at least 0"),
        ("tol", None, TypeError, r"tol must be a number, got None"),
        ("time_limit", 0, ValueError, r"time_limit must be a positive number of seconds or None"),
        ("time_limit", -1.0, ValueError, r"time_limit must be a positive number of seconds"),
        (
            "time_limit",
            "1s",
            TypeError,
            r"time_limit must be a number of seconds or None, got '1s'",
        ),
        ("progress", 1, TypeError, r"progress must be None, True or a callable, got 1"),
        ("progress", "bar", TypeError, r"progress must be None, True or a callable, got 'bar'"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(three, name, value, error, message):
    with pytest.raises(error, match=message):
        fit_plain(*three, **{"n_starts": 1, name: value})


def test_numbers_of_numpy_are_numbers(three):
    plain = fit_plain(*three, 2, gamma=64, n_starts=2, random_state=3, max_iter=9, tol=1e-6)
    numpy = fit_plain(
        *three,
        np.int8(2),
        gamma=np.float32(64),
        n_starts=np.uint64(2),
        random_state=np.int64(3),
        max_iter=np.int32(9),
        cover_classes=np.True_,
        time_limit=np.float64(1e300),
        tol=np.float64(1e-6),
    )
    assert numpy.coefficients.tobytes() == plain.coefficients.tobytes()


def test_the_seed_alone_decides_on_the_starts(three):
    def bits(**settings):
        model = fit_plain(*three, n_starts=3, max_iter=20, **settings)
        starts = np.array(model.report.start_objectives)
        return model.coefficients.tobytes() + model.intercepts.tobytes() + starts.tobytes()

    expected = bits(random_state=1)
    for threads in (1, 2, 3, 7):
        assert bits(random_state=1, n_threads=threads) == expected
    assert bits(random_state=2**64 - 1) != expected


def test_a_weight_counts_as_so_many_rows(three):
    X, y = three
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    settings = {"n_starts": 2, "gamma": 32}
    weighted = fit_plain(X, y, sample_weight=weights, **settings)
    repeated = fit_plain(np.repeat(X, weights, 0), np.repeat(y, weights), **settings)
    assert weighted.report.objective == pytest.approx(repeated.report.objective, rel=1e-5)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-2)


def test_weights_of_classes_multiply_those_of_rows(three):
    X, y = three
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    settings = {"n_starts": 2, "gamma": 32}

    def bits(**given):
        return fit_plain(X, y, **given, **settings).coefficients.tobytes()

    wanted = bits(sample_weight=weights * np.choose(y, [2, 1.5, 0.5]))
    assert bits(sample_weight=weights, class_weight={0: 2, 1: 1.5, 2: 0.5}) == wanted
    totals = np.bincount(y, weights=weights)
    wanted = bits(sample_weight=weights * (weights.sum() / (3 * totals))[y])
    assert bits(sample_weight=weights, class_weight="balanced") == wanted


def test_balanced_classes_weigh_the_same_whatever_their_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.arange(400) % 20 == 0
    X[y] += 1.0
    with pytest.warns(OneClassWarning):
        fit_plain(X, y, depth=1, gamma=64, n_starts=2)
    balanced = fit_plain(X, y, depth=1, gamma=64, n_starts=2, class_weight="balanced")
    assert balanced.predict(X)[y].mean() > 0.5
    # Tiny and huge weights: factors neither overflow nor vanish.
    for size in (1e-307, 1e300):
        model = fit_plain(
            *(X, y, 1), gamma=64, n_starts=2, class_weight="balanced", sample_weight=[size] * 400
        )
        assert (model.predict(X) == balanced.predict(X)).mean() > 0.99


def test_weights_that_leave_a_class_nothing_are_refused(three):
    X, y = three
    none = np.where(y == 1, 0.0, 1.0)
    for class_weight in ("balanced", {1: 5}):
        with pytest.raises(ValueError, match=r"all rows of class 1 have weight 0"):
            fit_plain(X, y, sample_weight=none, class_weight=class_weight)
    with pytest.raises(ValueError, match=r"of class 1 times sample_weight is too large"):
        fit_plain(X, y, sample_weight=none + 1e300, class_weight={1: 1e300})
    with pytest.raises(ValueError, match=r"X has 300 rows but sample_weight has 2 values"):
        fit_plain(X, y, sample_weight=[1, 2], class_weight="balanced")
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is -1"):
        fit_plain(X, y, sample_weight=-np.ones(300), class_weight="balanced")


@pytest.mark.parametrize("name", ["fit_orct_cv", "sparsity_path", "lambda_max"])
def test_other_functions_take_weights_of_classes(three, name):
    X, y = three
    settings = {
        "fit_orct_cv": {"depths": (2,), "gammas": (32,), "local_grid": (0,), "n_starts": 1},
        "sparsity_path": {"local_grid": [0], "global_grid": [0], "n_starts": 1},
        "lambda_max": {},
    }[name]

    def outcome(**given):
        answer = getattr(softwood, name)(X, y, **settings, **given)
        if name == "sparsity_path":
            answer = answer.models[0][0]
        return answer if name == "lambda_max" else answer.coefficients.tobytes()

    wanted = outcome(sample_weight=np.choose(y, [1.5, 1, 1]))
    assert outcome(class_weight={0: 1.5}) == wanted
    assert outcome() != wanted


def test_names_can_be_given_to_features_of_any_rows(three):
    X, y = three
    names = ("age", "dose", "site", "ratio")
    fits = {
        "fit_orct": {"n_starts": 1},
        "fit_srt": {"n_starts": 1, "depth": 1},
        "fit_orct_cv": {"depths": (2,), "gammas": (32,), "local_grid": (0,), "n_starts": 1},
    }
    frame = pd.DataFrame(X, columns=list("abcd"))
    for name, settings in fits.items():
        for rows in (X, frame):
            model = getattr(softwood, name)(rows, y, feature_names=names, **settings)
            assert model.feature_names == list(names)
        model.predict(pd.DataFrame(X, columns=names))
        with pytest.raises(ValueError, match='lacks "age", "dose", "site", "ratio" and has "a"'):
            model.predict(frame)
    path = softwood.sparsity_path(X, y, 2, [0], [0], feature_names=np.array(names), n_starts=1)
    assert path.models[0][0].feature_names == list(names)


@pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")
def test_without_a_seed_every_fit_has_its_own(three):
    X, y = three
    fits = {
        "fit_orct": {"n_starts": 6, "max_iter": 5},
        "fit_srt": {"n_starts": 2, "macro_iterations": 1, "start": "random"},
        "fit_orrt": {"n_starts": 2, "max_iter": 5},
    }
    for name, settings in fits.items():
        models = [getattr(softwood, name)(X, y, random_state=None, **settings) for _ in range(3)]
        assert len({model.report.start_objectives for model in models}) == 3


def test_costs_move_predictions(three):
    X, y = three
    dear = 0.5 * (1 - np.eye(3))
    dear[2, :2] = 50
    counts = [
        (fit_plain(X, y, costs=costs, n_starts=4).predict(X) == 2).sum() for costs in (None, dear)
    ]
    assert counts[1] > counts[0]


def test_every_class_owns_a_leaf_unless_told_otherwise():
    X = np.linspace(0, 1, 200).reshape(-1, 1)
    y = np.digitize(X[:, 0], [0.5, 0.995])  # one row of class 2
    settings = {"depth": 2, "n_starts": 4, "gamma": 8}
    assert set(fit_plain(X, y, **settings).leaf_classes) == {0, 1, 2}
    free = fit_plain(X, y, cover_classes=False, **settings)
    assert set(free.leaf_classes) <= {0, 1}


@pytest.mark.parametrize("scaling", ["quantile", "auto"])
def test_the_report_names_the_scaling(example, scaling):
    X, y = example
    model = fit_plain(X[:, :5], y, depth=1, scaling=scaling, n_starts=1, max_iter=20)
    assert model.report.scaling == model.scaling
    assert model.scaling in ({"quantile"} if scaling == "quantile" else {"minmax", "quantile"})


@pytest.mark.parametrize(("stretch", "chosen"), [(0.1, "minmax"), (30, "quantile")])
def test_the_automatic_scaling_is_linear_unless_tails_are_long(stretch, chosen):
    rng = np.random.default_rng(0)
    X = rng.random((400, 2))
    y = X.sum(axis=1) > 1
    X = np.exp(stretch * X)  # of the longer tails min-max leaves nearly all rows at 0
    model = fit_plain(X, y, depth=1, scaling="auto", n_starts=2)
    assert model.scaling == chosen


def test_the_iteration_limit_is_no_error(three):
    model = fit_plain(*three, n_starts=1, max_iter=1)
    assert model.report.status == "iteration_limit"
    assert not model.report.converged


# Those of "mip" are no function's of their own.
@pytest.mark.parametrize("name", sorted(set(DEFAULTS) - {"mip"}))
def test_defaults_are_those_of_the_core(name):
    parameters = inspect.signature(getattr(softwood, name)).parameters
    core = DEFAULTS[name]
    assert {key: parameters[key].default for key in core} == core


@pytest.mark.parametrize("name", ["fit_orct_cv", "sparsity_path", "lambda_max", "OrctObjective"])
def test_functions_that_pass_settings_on_assume_what_fit_orct_does(name):
    fit = inspect.signature(softwood.fit_orct).parameters
    parameters = inspect.signature(getattr(softwood, name)).parameters
    shared = set(fit) & set(parameters)
    assert len(shared) > 5
    for setting, plain in {"scaling": "minmax", "gamma": 512}.items():
        if setting in shared:  # only fits choose it by folds
            shared.remove(setting)
            assert parameters[setting].default == plain
    assert {n: parameters[n].default for n in shared} == {n: fit[n].default for n in shared}
    assert all(p.kind != inspect.Parameter.VAR_KEYWORD for p in parameters.values())
