"""Soft regression trees from Python: arguments, members, predictions, files, interruption."""

import copy
import doctest
import inspect
import pickle
import threading
import time

import numpy as np
import pandas as pd
import pytest

import softwood
from softwood.warnings import LimitWarning

# Trees here are deeper than their data on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")


@pytest.fixture(scope="module")
def kinked():
    """400 × 3 with a constant column and a response that bends along a slanted line."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (400, 3)) * [1, 10, 0] + [0, 5, 7]
    y = abs(X[:, 0] + 0.1 * (X[:, 1] - 5)) * 100 + X[:, 1] + rng.normal(size=400)
    X.setflags(write=False)
    return X, y


@pytest.fixture(
    scope="module", params=[("minmax", False), ("quantile", False), ("minmax", True)], ids=str
)
def tree(kinked, request):
    scaling, curves = request.param
    return softwood.fit_srt(*kinked, n_starts=3, scaling=scaling, curves=curves)


def r2(model, X, y):
    return 1 - ((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def scaled(X):
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1)


def first_penalties(A, y):
    """The likeliest penalty, a power of √10, for all columns around their means."""
    varying = np.ptp(A, axis=0) > 0
    U, y = A[:, varying] - A[:, varying].mean(axis=0), y - y.mean()
    best = np.inf, 1e3
    for penalty in 1e3 / np.sqrt(10) ** np.arange(15):
        covariance = np.eye(len(y)) + U @ U.T / penalty
        errors = y @ np.linalg.solve(covariance, y)
        best = min(best, (len(y) * np.log(errors) + np.linalg.slogdet(covariance)[1], penalty))
    return np.where(varying, best[1], min(best[1], 0.05))


def evidence_regression(A, y, hinges=()):
    """Ridge regression with the penalties of columns that maximize the evidence of y.

    The last columns may be hinges, of which those of the same feature share a penalty.
    """
    of_column = np.arange(A.shape[1] - len(hinges))
    of_hinge = np.unique(hinges, return_inverse=True)[1] + len(of_column)
    group = np.concatenate([of_column, of_hinge]).astype(int)
    is_curve = np.arange(group.max() + 1) >= len(of_column)
    least, most = np.where(is_curve, 1e-8, 1e-4), np.where(is_curve, 1e8, 1e3)
    penalties = first_penalties(A, y)
    for _ in range(30):
        inverse = np.linalg.inv(A.T @ A + np.diag(penalties))
        beta = inverse @ A.T @ y
        determined = np.maximum(1 - penalties * np.diag(inverse), 0)
        errors = ((A @ beta - y) ** 2).sum() / max(len(y) - determined.sum(), 0.001 * len(y))
        squares = np.bincount(group, beta**2)
        determined = np.bincount(group, determined)
        variances = np.empty(len(squares))
        for family, zeros in ((~is_curve, 0), (is_curve, 2)):
            common = squares[family].sum() / max(determined[family].sum(), 1e-300)
            variances[family] = squares[family] + 0.2 * common
            variances[family] /= determined[family] + 0.2 + zeros
        following = (errors / variances).clip(least, most)[group]
        change = abs(np.log(following / penalties)).max()
        penalties = following
        if change < 0.02:
            break
    return np.linalg.solve(A.T @ A + np.diag(penalties), A.T @ y)


def test_fit_srt_has_the_promised_signature():
    assert list(inspect.signature(softwood.fit_srt).parameters) == [
        *("X", "y", "depth", "ridge_branches", "ridge_leaves", "curves", "scaling", "start"),
        *("n_starts", "macro_iterations", "imbalance", "convergent", "tol", "sample_weight"),
        *("random_state", "n_threads", "time_limit", "missing", "ordered", "feature_names"),
        *("progress", "verbose"),
    ]


def test_a_model_has_the_promised_members(tree):
    methods = (
        "predict apply leaf_probabilities explain importance rule leaf_model curves describe save "
        "effects decision_path explain_path encode"
    )
    attributes = (
        "coefficients intercepts leaf_coefficients leaf_intercepts depth feature_names scaling "
        "ridge_branches ridge_leaves report splits leaves typical_values leaf_weights "
        "encoded_names"
    )
    public = {name for name in dir(tree) if not name.startswith("_")}
    assert public == {*methods.split(), *attributes.split(), "to_json", "from_json"}
    assert isinstance(tree.report, softwood.SrtReport)
    assert len(tree.report.start_objectives) == 3
    assert tree.report.objective == min(tree.report.start_objectives)
    assert "3 starts from" in str(tree.report)


@pytest.mark.parametrize(
    "name",
    [
        *("predict", "apply", "leaf_probabilities", "explain", "importance", "rule"),
        *("leaf_model", "curves", "effects", "decision_path", "explain_path", None),
    ],
)
def test_examples_of_the_compiled_class_are_true(name):
    target = softwood.SrtModel if name is None else getattr(softwood.SrtModel, name)
    (test,) = doctest.DocTestFinder(recurse=False).find(target, name or "SrtModel")
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


# A deep tree evaluates only the splits on a row's way, a shallow one all of them.
@pytest.mark.parametrize("depth", [3, 7])
def test_predictions_are_those_of_the_papers_formulas(kinked, depth):
    X, y = kinked
    model = softwood.fit_srt(X, y, depth=depth, n_starts=2, macro_iterations=2)
    u = scaled(X)
    z = model.intercepts + u @ model.coefficients.T / X.shape[1]
    p = 1 / (1 + np.exp(-z))
    node = np.zeros(len(X), int)
    P = np.ones((len(X), 2**depth))
    for leaf in range(2**depth):
        at = 0
        for level in reversed(range(depth)):
            right = leaf >> level & 1
            P[:, leaf] *= 1 - p[:, at] if right else p[:, at]
            at = 2 * at + 1 + right
    for _ in range(depth):
        node = 2 * node + np.where(p[np.arange(len(X)), node] >= 0.5, 1, 2)
    leaf = node - (2**depth - 1)
    np.testing.assert_array_equal(model.apply(X), leaf)
    np.testing.assert_allclose(model.leaf_probabilities(X), P, atol=1e-12)
    every = model.leaf_intercepts + u @ model.leaf_coefficients.T
    np.testing.assert_allclose(model.predict(X), every[np.arange(len(X)), leaf], rtol=1e-10)
    # The objective: expected squared error relative to that of the linear regression.
    loss = (P * (every - y[:, None]) ** 2).sum() / len(y)
    A = np.column_stack([u, np.ones(len(u))])
    beta = evidence_regression(A, (y - y.mean()) / y.std())
    trend = y.mean() + y.std() * (A @ beta)
    assert model.report.loss == pytest.approx(loss / ((trend - y) ** 2).mean(), rel=1e-9)
    omega = np.column_stack([model.coefficients, model.intercepts])
    scale = np.sqrt(((trend - y) ** 2).mean())
    delta = np.column_stack([model.leaf_coefficients, model.leaf_intercepts - y.mean()])
    delta = (delta - y.std() * beta) / scale
    penalty = (model.ridge_branches * omega**2).sum() + (model.ridge_leaves * delta**2).sum()
    assert model.report.objective == pytest.approx(model.report.loss + penalty / 2, rel=1e-9)


def test_curves_are_the_regression_of_plain_formulas():
    rng = np.random.default_rng(6)
    X = rng.uniform(0, 1, (300, 3)) ** [1, 2, 1]
    X[:, 2] = (X[:, 2] > 0.5).astype(float)
    y = np.exp(2 * X[:, 0]) + np.sqrt(X[:, 1]) + X[:, 2] + 0.2 * rng.normal(size=300)
    # Leaves that may not differ from the trend: the trend alone.
    model = softwood.fit_srt(X, y, 1, curves=True, n_starts=1, ridge_leaves=1e12)
    u = scaled(X)
    columns, hinges = [u, np.ones((300, 1))], []
    for j in (0, 1):
        inner = np.sort(u[:, j])[1:-1]
        # The least value at which so large a share of the distribution is reached.
        levels = np.arange(1, 299) / 299
        # A distribution function has 256 knots at most.
        kept = np.searchsorted(np.arange(300) / 299, np.arange(1, 255) / 255)
        values, levels = inner[np.unique(kept) - 1], levels[np.unique(kept) - 1]
        knots = values[np.searchsorted(levels, np.arange(1, 13) / 13)]
        bounds = np.concatenate([[0], knots, [1]])
        weights = np.sqrt((bounds[2:] - bounds[:-2]) / 2)
        columns.append(weights * np.maximum(u[:, j, None] - knots, 0))
        hinges += [j] * 12
    A = np.column_stack(columns)
    beta = evidence_regression(A, (y - y.mean()) / y.std(), hinges)
    wanted = y.mean() + y.std() * (A @ beta)
    np.testing.assert_allclose(model.predict(X), wanted, atol=1e-6)
    assert [curve.name for curve in model.curves()] == ["x0", "x1"]


def test_curves_are_shown_and_add_to_the_leaves(kinked):
    X, y = kinked
    model = softwood.fit_srt(X, y + X[:, 1] ** 2, depth=1, curves=True)
    (curve, *_) = model.curves()
    assert (curve.feature, curve.name) == (1, "x1")
    assert (curve.values[0], curve.values[-1]) == (X[:, 1].min(), X[:, 1].max())
    # All that leaves share of x1, trend and bends, 0 at its typical value.
    assert np.interp(model.typical_values[1], curve.values, curve.effects) == pytest.approx(0)
    assert min(curve.effects) < -10
    assert curve.effects[-1] > 200
    # ... and the leaves differ by slopes of opposite sign.
    leaves = map(model.leaf_model, (0, 1))
    slopes = [dict(zip(leaf.features, leaf.weights, strict=True))[1] for leaf in leaves]
    assert slopes[0] == pytest.approx(-slopes[1])
    assert abs(slopes[0]) > 5
    assert "plus, in every leaf, curves of x1" in str(model)
    # Beyond the largest value of training it goes on straight.
    far = X.max(axis=0) + np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0]])
    first, second = np.diff(model.predict(far))
    assert first == pytest.approx(second, rel=1e-9)
    assert softwood.fit_srt(X, y, depth=1, n_starts=1).curves() == ()


def test_the_kink_is_found(kinked):
    X, y = kinked
    model = softwood.fit_srt(X, y, depth=1)
    assert r2(model, X, y) > 0.99
    assert {abs(round(w)) for w in (model.leaf_model(0).weights[0], model.leaf_model(1).weights[0])}
    linear = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]
    residual = y - np.column_stack([X, np.ones(len(X))]) @ linear
    assert 1 - residual.var() / y.var() < 0.5


def test_explanations_are_differences_of_predictions(tree, kinked):
    # New rows: those of training are knots of quantile maps, where slopes jump.
    rng = np.random.default_rng(8)
    X = rng.uniform(kinked[0].min(axis=0), kinked[0].max(axis=0), (400, 3))
    explained = tree.explain(X)
    for j, width in ((0, 2.0), (1, 20.0)):
        # Steps of a 10^5th of the range that stay in a leaf and, for quantiles, between two knots.
        step = np.zeros(3)
        step[j] = 1e-5 * width
        below, above = X - step, X + step
        same = tree.apply(below) == tree.apply(above)
        slope = (tree.predict(above) - tree.predict(below)) / (2 * step[j])
        close = np.isclose(slope, explained[:, j], rtol=1e-4, atol=1e-4 * abs(explained).max())
        assert close[same].mean() > 0.99
    assert (explained[:, 2] == 0).all()


def test_importances_are_sums_and_maxima(tree):
    np.testing.assert_allclose(tree.importance(), abs(tree.coefficients).sum(axis=0))
    np.testing.assert_allclose(tree.importance("max"), abs(tree.coefficients).max(axis=0))
    np.testing.assert_allclose(
        tree.importance(of="leaves"), abs(tree.leaf_coefficients).sum(axis=0)
    )
    for wrong in ({"kind": "mean"}, {"of": "trees"}):
        with pytest.raises(ValueError, match="must be"):
            tree.importance(**wrong)


def test_text_shows_every_leaf(tree):
    assert str(tree).startswith("SRT of depth 2")
    assert str(tree).count("yes:") + str(tree).count("no: ") == 6
    assert repr(tree).startswith("SrtModel(depth=2, features=3")
    assert str(tree.leaf_model(1)) == tree.leaf_model(1).text


def test_files_pickles_and_copies_are_the_same_model(tree, kinked, tmp_path):
    tree.save(tmp_path / "tree.json")
    loaded = softwood.load(tmp_path / "tree.json")
    assert isinstance(loaded, softwood.SrtModel)
    for same in (loaded, pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert same.to_json() == tree.to_json()
        np.testing.assert_array_equal(same.predict(kinked[0]), tree.predict(kinked[0]))
    with pytest.raises(ValueError, match='kind is "srt", not "orct"'):
        softwood.OrctModel.from_json(tree.to_json())


def test_frames_give_names_and_must_have_them(kinked):
    X, y = kinked
    frame = pd.DataFrame(X, columns=["length", "width", "age"])
    model = softwood.fit_srt(frame, pd.Series(y), depth=1, n_starts=1)
    assert model.feature_names == ["length", "width", "age"]
    assert "length" in str(model.rule(0))
    np.testing.assert_array_equal(model.predict(frame), model.predict(X))
    swapped = frame[["width", "length", "age"]]
    np.testing.assert_array_equal(model.predict(swapped), model.predict(X))
    with pytest.raises(ValueError, match=r'lacks "width"$'):
        model.predict(frame[["length", "age"]])


def test_any_layout_and_precision_is_fitted(kinked):
    X, y = kinked
    wanted = softwood.fit_srt(X, y, n_starts=2).predict(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist()):
        model = softwood.fit_srt(same, y.tolist(), n_starts=2)
        np.testing.assert_array_equal(model.predict(X), wanted)
    single = X.astype(np.float32)
    model = softwood.fit_srt(single, y, n_starts=2)
    np.testing.assert_array_equal(
        model.predict(single),
        softwood.fit_srt(single.astype(float), y, n_starts=2).predict(single),
    )


def test_a_seed_fixes_the_model_whatever_the_threads(kinked):
    one, two = (
        softwood.fit_srt(*kinked, n_starts=4, random_state=9, n_threads=threads)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.coefficients, two.coefficients)
    assert one.report.start_objectives == two.report.start_objectives
    other = softwood.fit_srt(*kinked, n_starts=4, random_state=10)
    assert (other.coefficients != one.coefficients).any()


@pytest.mark.parametrize("convergent", [True, 0])
def test_a_convergent_fit_ends_at_a_stationary_point(kinked, convergent):
    X, y = kinked
    model = softwood.fit_srt(
        *(X[:100], y[:100], 1),
        ridge_branches=1e-3,
        ridge_leaves=1e-3,
        macro_iterations=1000,
        convergent=convergent,
        n_starts=1,
    )
    assert model.report.status == "converged"
    assert model.report.optimality <= 1e-6


@pytest.mark.parametrize("value", [0.0, 7.5, -3e300])
def test_a_constant_response_is_predicted(kinked, value):
    model = softwood.fit_srt(kinked[0], np.full(400, value))
    assert (model.predict(kinked[0]) == value).all()


def test_huge_responses_are_fitted(kinked):
    X, y = kinked
    small, huge = softwood.fit_srt(X, y), softwood.fit_srt(X, y * 1e298)
    np.testing.assert_allclose(huge.predict(X) / 1e298, small.predict(X), rtol=1e-6)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_few_rows_are_fitted(kinked, rows):
    X, y = kinked
    model = softwood.fit_srt(X[:rows], y[:rows], depth=3)
    assert np.isfinite(model.predict(X[:rows])).all()


BAD = [
    ({"depth": 0}, ValueError, "depth must be an integer from 1 to 12"),
    ({"depth": 2.0}, TypeError, "depth must be an integer"),
    ({"ridge_leaves": -1}, ValueError, "ridge_leaves must be a number from 0 to 1e100"),
    ({"ridge_branches": "strong"}, TypeError, "ridge_branches must be a number"),
    ({"ridge_branches": float("nan")}, ValueError, "ridge_branches must be a finite"),
    ({"n_starts": 0}, ValueError, "n_starts must be"),
    ({"macro_iterations": 0}, ValueError, "macro_iterations must be"),
    ({"imbalance": (0.3, 0.1)}, ValueError, "imbalance must be 3 numbers, got 2"),
    ({"imbalance": 0.3}, TypeError, "imbalance must be 3 numbers"),
    ({"imbalance": (0.1, 0.3, 0.4)}, ValueError, "imbalance must be three shares"),
    ({"convergent": "yes"}, TypeError, "convergent must be an integer, True or False"),
    ({"convergent": -1}, ValueError, "convergent must be"),
    ({"tol": -1.0}, ValueError, "tol must be"),
    ({"curves": "yes"}, TypeError, "curves must be True or False"),
    ({"scaling": "auto"}, ValueError, 'scaling must be "minmax" or "quantile"'),
    ({"start": "warm"}, ValueError, "start must be"),
    ({"sample_weight": [1, 2]}, ValueError, "sample_weight has 2 values"),
    ({"sample_weight": np.zeros(400)}, ValueError, "zero for all 400 rows"),
    ({"time_limit": 0}, ValueError, "time_limit must be a positive"),
    ({"n_threads": 0}, ValueError, "n_threads must be"),
    ({"progress": 3}, TypeError, "progress must be"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD)
def test_bad_settings_are_refused(kinked, arguments, error, message):
    with pytest.raises(error, match=message):
        softwood.fit_srt(*kinked, **arguments)


def test_bad_responses_are_refused(kinked):
    X, y = kinked
    wrong = y.copy()
    wrong[5] = np.inf
    for bad, error, message in [
        (y[:-1], ValueError, "X has 400 rows but y has 399 values"),
        (wrong, ValueError, r"y\[5\] is inf"),
        (y[:, None], ValueError, "y must have 1 dimension"),
        (["a"] * 400, TypeError, "y must hold numbers"),
        (np.ma.masked_array(y), TypeError, "masked"),
    ]:
        with pytest.raises(error, match=message):
            softwood.fit_srt(X, bad)


def test_progress_is_told_and_can_end_the_fit(kinked):
    seen = []
    softwood.fit_srt(*kinked, n_starts=4, progress=seen.append)
    assert seen[-1].starts_done == seen[-1].starts
    assert seen[-1].best_objective is not None

    def enough(state):
        raise LookupError("enough")

    with pytest.raises(LookupError):
        softwood.fit_srt(*kinked, depth=6, n_starts=10_000, progress=enough)


def test_the_time_limit_ends_a_fit_with_a_model(kinked):
    began = time.monotonic()
    with pytest.warns(LimitWarning):
        model = softwood.fit_srt(*kinked, depth=6, n_starts=100_000, time_limit=0.3)
    assert time.monotonic() - began < 5
    assert model.report.status == "time_limit"
    assert np.isfinite(model.predict(kinked[0])).all()


def test_ctrl_c_ends_a_fit_within_a_second(interrupted):
    seconds, _ = interrupted(
        "import numpy as np, softwood\nX = np.random.default_rng(0).random((20000, 10))",
        "softwood.fit_srt(X, X[:, 0] * X[:, 1], depth=5, n_starts=1000)",
    )
    assert seconds < 1


def test_other_threads_go_on_during_a_fit(kinked):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.warns(LimitWarning):
            softwood.fit_srt(*kinked, depth=6, n_starts=100_000, time_limit=0.5, n_threads=1)
    finally:
        stop.set()
        thread.join()
    assert len(ticks) > 10


def test_the_loss_can_be_told_in_units_of_the_response():
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 9, (300, 2))
    y = 1000 * abs(X[:, 0] - 4) + 100 * rng.normal(size=300)
    model = softwood.fit_srt(X, y, depth=2)
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    predictions = U @ model.leaf_coefficients.T + model.leaf_intercepts
    errors = (model.leaf_probabilities(X) * (predictions - y[:, None]) ** 2).sum(axis=1)
    assert np.isclose(model.report.loss * model.report.loss_unit, errors.mean(), rtol=1e-9)


def test_one_row_beyond_all_others_leaves_finite_splits():
    X = 1e6 + np.random.default_rng(0).integers(0, 3, (8, 3))
    X[1] = np.finfo(float).max
    y = np.random.default_rng(1).normal(size=8) * 1e-289
    for seed in range(10):
        model = softwood.fit_srt(X, y, n_starts=1, random_state=seed)
        assert np.isfinite(model.coefficients).all()
        assert np.isfinite(model.intercepts).all()
        assert np.isfinite(model.report.objective)
