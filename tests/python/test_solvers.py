"""Splits that move all at once or one after the other, and deep trees, as users call them."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse

import softwood
from plain import fit_plain
from softwood.sklearn import ORCTClassifier, ORCTClassifierCV

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings(
    "ignore::softwood.warnings.LimitWarning", "ignore::softwood.warnings.EmptyLeavesWarning"
)

SOLVERS = ("full", "nodes", "convergent", "auto")


@pytest.fixture(scope="module")
def blocks():
    """600 × 5: four classes by the signs of two features, some rows mislabelled, the rest noise."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(600, 5))
    y = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    return X, np.where(rng.random(600) < 0.05, rng.integers(4, size=600), y)


@pytest.fixture(scope="module")
def rings():
    """1,500 × 3: four rings around the origin, which no few splits tell apart."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(1500, 3))
    return X, np.digitize(np.hypot(X[:, 0], X[:, 1]), [0.6, 1.2, 1.8])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"local_penalty": 1e-2},
        {"global_penalty": 0.02, "penalty_shape": "exp"},
        {"groups": [0, 0, 1, 1, 2], "global_penalty": 0.02, "penalty_shape": "exp"},
        {"min_class_rate": 0.85},
        {"costs": 1 - np.eye(4)},
        {"max_leaves": 4},
        {"max_features": 2},
        {"split_penalty": 1e-3},
        {"proximal_weight": 1e-4},
        {"sample_weight": np.arange(600) % 3},
        {"scaling": "quantile", "balance": True},
    ],
    ids=lambda settings: next(iter(settings), "plain"),
)
def test_every_solver_takes_every_setting(blocks, solver, settings):
    X, y = blocks
    model = fit_plain(X, y, solver=solver, n_starts=2, max_iter=100, **settings)
    assert (model.predict(X) == y).mean() > 0.85
    a = model.coefficients
    if "global_penalty" in settings:
        assert model.global_sparsity > 0
    if "local_penalty" in settings:
        assert (a == 0).mean() > 0.3
    if "max_features" in settings:
        assert (a != 0).any(axis=0).sum() <= 2
    if "min_class_rate" in settings:
        assert all(bound.feasible for bound in model.report.constraints)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_objective_is_that_of_the_tree(blocks, solver):
    model = fit_plain(*blocks, solver=solver, local_penalty=1e-3, n_starts=2)
    penalty = 1e-3 * np.abs(model.coefficients).sum()
    assert model.report.objective == pytest.approx(model.report.loss + penalty, rel=1e-12)
    mistakes = 1 - model.label_probabilities(blocks[0])[np.arange(600), blocks[1]]
    assert model.report.loss == pytest.approx(0.5 * mistakes.mean(), rel=1e-9)


@pytest.mark.parametrize("depth", [2, 6])
@pytest.mark.parametrize("solver", SOLVERS)
def test_bits_do_not_depend_on_threads(blocks, solver, depth):
    one, two = (
        fit_plain(*blocks, depth, solver=solver, n_starts=2, n_threads=n, max_iter=60)
        for n in (1, 2)
    )
    assert (one.coefficients == two.coefficients).all()
    assert (one.intercepts == two.intercepts).all()


@pytest.mark.parametrize("solver", ["nodes", "convergent"])
def test_weight_two_is_a_row_repeated(blocks, solver):
    X, y = blocks
    twice = np.arange(600) % 4 == 0
    settings = {"solver": solver, "n_starts": 2, "max_iter": 80}
    weighted = fit_plain(X, y, sample_weight=1.0 + twice, **settings)
    repeated = fit_plain(np.r_[X, X[twice]], np.r_[y, y[twice]], **settings)
    assert (weighted.coefficients == repeated.coefficients).all()


def test_a_pull_keeps_steps_short(blocks):
    settings = {"solver": "nodes", "n_starts": 1, "max_iter": 40}
    free = fit_plain(*blocks, **settings)
    held = fit_plain(*blocks, proximal_weight=1e6, **settings)
    assert held.report.objective > free.report.objective
    assert fit_plain(*blocks, proximal_weight=1e100, **settings).report.loss > 0
    full = fit_plain(*blocks, n_starts=1, max_iter=40)
    pulled = fit_plain(*blocks, n_starts=1, max_iter=40, proximal_weight=1.0)
    assert (full.coefficients == pulled.coefficients).all()  # steps of "full" are not pulled


def test_a_small_tolerance_goes_on(blocks):
    settings = {"solver": "convergent", "n_starts": 1, "max_iter": 4000, "local_penalty": 1e-4}
    rough, fine = (fit_plain(*blocks, tol=tol, **settings).report for tol in (1e-3, 1e-7))
    assert fine.converged
    assert fine.iterations > rough.iterations
    assert fine.optimality < rough.optimality


def test_full_iterations_come_first(blocks):
    settings = {"solver": "nodes", "n_starts": 1, "max_iter": 40}
    plain = fit_plain(*blocks, **settings)
    led = fit_plain(*blocks, full_iterations=5, **settings)
    assert (plain.coefficients != led.coefficients).any()
    assert led.report.loss < 0.1


def test_more_macro_iterations_never_raise_the_objective(rings):
    """From depth 5 on a fit is one descent, so that fewer iterations are the first of more."""

    def objective(macro_iterations):
        return fit_plain(
            *rings,
            5,
            solver="nodes",
            n_starts=1,
            split_penalty=0.0,
            max_iter=40 * macro_iterations,
            local_penalty=1e-5,
        ).report.objective

    trace = [objective(k) for k in range(1, 6)]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(trace)), trace


@pytest.mark.parametrize("solver", SOLVERS)
def test_chosen_by_folds(blocks, solver):
    X, y = blocks
    chosen = softwood.fit_orct_cv(
        X,
        y,
        depths=(1, 2, 5),
        scalings=("minmax",),
        gammas=(512,),
        local_grid=(0, 0.06),
        n_starts=2,
        max_iter=40,
        solver=solver,
        cover_classes=False,
    )
    table = chosen.report.cross_validation
    assert table.candidates[table.chosen].depth in (2, 5)
    tree = ORCTClassifier(depth=2, gamma=512, n_starts=2, solver=solver, proximal_weight=1e-6)
    assert tree.fit(X, y).score(X, y) > 0.85
    found = ORCTClassifierCV(
        depths=(2,), gammas=(512,), scalings=("minmax",), n_starts=1, solver=solver, max_iter=40
    )
    assert found.fit(X, y).score(X, y) > 0.85


@pytest.fixture(scope="module")
def deep(rings):
    return fit_plain(*rings, 8, n_starts=4, local_penalty=1e-5, random_state=1)


def test_deeper_trees_tell_more_apart(rings, deep):
    X, y = rings
    shallow = fit_plain(*rings, 2, n_starts=4)
    assert (deep.predict(X) == y).mean() > 0.93
    assert (deep.predict(X) == y).mean() > (shallow.predict(X) == y).mean() + 0.05


def test_a_deep_tree_holds_live_nodes_alone(rings, deep, tmp_path):
    splits = len(deep.intercepts)
    assert 7 <= splits < 60 < 255
    assert len(deep.leaf_classes) == splits + 1
    assert (deep.leaf_weights.sum(axis=1) > 0).all()  # some row reaches every leaf
    path = tmp_path / "deep.json"
    deep.save(path)
    assert path.stat().st_size < 200 * (splits + 1) * 10
    for other in (softwood.load(path), pickle.loads(pickle.dumps(deep))):
        assert (other.predict_proba(rings[0]) == deep.predict_proba(rings[0])).all()
    assert str(deep).count("\n") < 12 * splits
    assert deep.rule(deep.splits[-1])


def test_splits_have_their_price(rings):
    leaves = [
        len(fit_plain(*rings, 6, n_starts=2, max_iter=40, split_penalty=price).leaf_classes)
        for price in (0.0, 1e-3, 0.02)
    ]
    assert leaves[0] >= leaves[1] > leaves[2]


def test_deep_trees_under_bounds(rings):
    X, y = rings
    bounded = fit_plain(X, y, 6, n_starts=1, min_class_rate={3: 0.97}, max_iter=100)
    assert (bounded.predict(X) == y)[y == 3].mean() > 0.96
    assert len(fit_plain(X, y, 6, n_starts=2, max_leaves=9, max_iter=60).leaf_classes) <= 9


@pytest.mark.filterwarnings("ignore::softwood.warnings.OneClassWarning")
def test_deep_trees_of_next_to_nothing():
    X, y = np.array([[0.0], [1.0]]), ["a", "b"]
    for solver in SOLVERS:
        model = fit_plain(X, y, 8, solver=solver, n_starts=2)
        assert list(model.predict(X)) == y
        assert len(model.leaf_classes) == 2
        tiny = fit_plain(X, y, 12, solver=solver, n_starts=1, sample_weight=[1e-307, 1e-307])
        assert list(tiny.predict(X)) == y
        flat = fit_plain(np.zeros((4, 2)), list("abab"), 6, solver=solver, n_starts=1)
        assert flat.report.loss == 0.25
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 40)), rng.integers(3, size=12)
    assert (fit_plain(X, y, 6, n_starts=2).predict(X) == y).all()


def test_a_deep_fit_without_time_is_a_tree(rings):
    model = fit_plain(*rings, 8, n_starts=20, time_limit=1e-6)
    assert model.report.status == "time_limit"
    assert len(model.leaf_classes) >= 4


def test_memory_is_asked_for_before_work_begins():
    rng = np.random.default_rng(0)

    def sparse(rows, columns):
        return scipy.sparse.random(rows, columns, density=2 / columns, format="csr", rng=rng)

    with pytest.raises(MemoryError, match=r"parameters.*: 40950040950 × 24 values of 8 bytes"):
        fit_plain(sparse(5000, 10_000_009), np.arange(5000) % 2, 12)
    # Few rows have few splits, whatever the depth.
    X = scipy.sparse.csr_array(([1.0, 2.0, 3.0], ([0, 1, 2], [5, 5, 9])), shape=(4, 20_000))
    model = fit_plain(X, list("abab"), 12, n_starts=1)
    assert len(model.leaf_classes) <= 4


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"solver": "newton"},
            ValueError,
            r"solver must be \"full\", \"nodes\", \"convergent\" or",
        ),
        ({"solver": None}, TypeError, r"solver must be a string, got None"),
        ({"proximal_weight": -1}, ValueError, r"proximal_weight must be a number from 0 to 1e100"),
        ({"proximal_weight": np.inf}, ValueError, r"proximal_weight must be a finite number"),
        ({"split_penalty": -1e-9}, ValueError, r"split_penalty must be"),
        ({"full_iterations": -1}, ValueError, r"full_iterations must be an integer from 0"),
        ({"depth": 13}, ValueError, r"depth must be an integer from 1 to 12, got 13"),
    ],
)
def test_bad_settings_are_refused(blocks, settings, error, message):
    with pytest.raises(error, match=message):
        fit_plain(*blocks, **settings)


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_classes_than_leaves(blocks, solver):
    with pytest.raises(ValueError, match=r"4 classes.*depth|depth.*2"):
        fit_plain(*blocks, 1, solver=solver)
