"""Are extreme points and selected rows those that linear programs for each row and Qhull find?"""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from sklearn.tree import DecisionTreeClassifier

import softwood
from plain import fit_plain

# HiGHS meets constraints within 1e-7; what is decided by less is not compared.
PRECISION = 1e-6


def distances_by_programs(X):
    """Least ε′ for which (7) covers each row by the others: one linear program for each row."""
    n, d = X.shape
    distances = np.empty(n)
    for j in range(n):
        others = np.delete(X, j, axis=0)
        if len(others) == 0:
            distances[j] = np.inf
            continue
        # min t with −t ≤ x_j − Σ λ_i x_i ≤ t, λ ≥ 0, Σ λ_i = 1
        rows = np.hstack([np.vstack([others.T, -others.T]), -np.ones((2 * d, 1))])
        found = linprog(
            np.r_[np.zeros(n - 1), 1.0],
            A_ub=rows,
            b_ub=np.r_[X[j], -X[j]],
            A_eq=np.r_[np.ones(n - 1), 0.0][None],
            b_eq=[1.0],
            method="highs",
        )
        assert found.status == 0
        distances[j] = found.fun
    return distances


def on_sphere(rng, n, d):
    points = rng.normal(size=(n, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


CLUSTERS = {
    "cloud": lambda rng, n, d: rng.normal(size=(n, d)),
    "sphere": on_sphere,
    "grid": lambda rng, n, d: rng.integers(0, 3, size=(n, d)).astype(float),
    "duplicates": lambda rng, n, d: rng.normal(size=(n // 3, d))[rng.integers(0, n // 3, n)],
    "collinear": lambda rng, n, d: np.outer(rng.integers(0, 9, n), rng.normal(size=d)),
    "flat": lambda rng, n, d: (
        rng.normal(size=(n, (d + 1) // 2)) @ rng.normal(size=((d + 1) // 2, d))
    ),
    "combinations": lambda rng, n, d: (
        rng.dirichlet(np.full(d + 3, 0.3), n) @ rng.normal(size=(d + 3, d))
    ),
}


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 12, 16, 20])
@pytest.mark.parametrize("kind", CLUSTERS)
def test_agrees_with_one_program_for_each_row(kind, d):
    rng = np.random.default_rng(100 * d + len(kind))
    X = CLUSTERS[kind](rng, 36, d)
    distinct, first = np.unique(X, axis=0, return_index=True)
    distances = distances_by_programs(distinct)
    for tolerance in (0.0, 0.03, 0.3):
        found = softwood.select_extreme_points(X, tolerance)
        assert found.unresolved == 0
        clear = (tolerance == 0) | (abs(distances - tolerance) > PRECISION)
        expected = distances <= tolerance + PRECISION
        assert np.array_equal(found.covered[first][clear], expected[clear])
        copies = np.setdiff1d(np.arange(len(X)), first)
        assert found.covered[copies].all()  # one copy stays
        check_weights(X, found, tolerance)


def check_weights(X, found, tolerance):
    weights = found.to_scipy()
    counts = np.diff(found.indptr)
    assert np.array_equal(counts > 0, found.covered)
    assert counts.max(initial=0) <= X.shape[1] + 1
    assert (found.values > 0).all()
    assert weights.diagonal().max(initial=0) == 0
    error = abs(weights @ X - X)[found.covered]
    assert (error <= tolerance + 2e-9 * np.ptp(X, axis=0) + 1e-14).all()
    np.testing.assert_allclose(weights.sum(axis=1)[found.covered], 1, rtol=1e-12)
    if tolerance == 0:
        assert found.extreme[found.indices].all()
        assert np.array_equal(found.extreme, ~found.covered)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6])
def test_extreme_points_are_the_vertices_of_qhull(d):
    rng = np.random.default_rng(d)
    for X in (rng.normal(size=(800, d)), rng.uniform(size=(800, d)) ** 3):
        vertices = ConvexHull(X).vertices
        found = softwood.select_extreme_points(X)
        assert np.array_equal(np.flatnonzero(~found.covered), np.sort(vertices))


@pytest.mark.parametrize("kind", ["cloud", "grid", "duplicates", "flat"])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_balanced_relaxation_reaches_the_optimum_that_highs_finds(kind, d):
    n = 15
    X = CLUSTERS[kind](np.random.default_rng(d), n, d)
    answer = softwood.balanced_relaxation(X)
    # Variables a, b, λ_ji row after row, λ_jj held at 0.
    size = 2 * n + n * n
    pair = 2 * n + np.arange(n * n).reshape(n, n)
    equations, bounds = [], []
    for j in range(n):
        for column in [*X.T, np.ones(n)]:
            row = np.zeros(size)
            row[pair[j]], row[n + j] = column, -column[j]
            equations.append(row)
        for i in range(n):
            row = np.zeros(size)
            row[pair[j, i]], row[i] = 1, -1
            bounds.append((row, 0.0))
        row = np.zeros(size)
        row[[j, n + j]] = 1
        bounds.append((row, 1.0))
    upper = np.ones(size)
    upper[np.diag(pair)] = 0
    found = linprog(
        np.r_[np.ones(n), -np.ones(n), np.zeros(n * n)],
        A_eq=np.array(equations),
        b_eq=np.zeros(len(equations)),
        A_ub=np.array([row for row, _ in bounds]),
        b_ub=np.array([limit for _, limit in bounds]),
        bounds=np.column_stack([np.zeros(size), upper]),
        method="highs",
    )
    assert found.status == 0
    assert answer.solved
    assert answer.objective == pytest.approx(-found.fun, abs=1e-5)
    assert answer.covered.sum() - answer.selected.sum() == pytest.approx(-found.fun, abs=1e-4)


def is_in_hull(X, row, others):
    """Return whether a row is a convex combination of others."""
    if not len(others):
        return False
    equations = np.vstack([X[others].T, np.ones(len(others))])
    found = linprog(np.zeros(len(others)), A_eq=equations, b_eq=np.r_[X[row], 1.0])
    return found.status == 0


@pytest.mark.parametrize("kind", ["cloud", "grid", "duplicates"])
@pytest.mark.parametrize("seed", range(2))
def test_balanced_rows_are_the_best_of_all_sets_that_agree_with_the_relaxation(kind, seed):
    n = 8
    X = CLUSTERS[kind](np.random.default_rng(seed), n, 2)
    relaxed = softwood.balanced_relaxation(X).covered
    best = -n
    for number in range(2**n):
        chosen = np.flatnonzero(number >> np.arange(n) & 1)
        others = np.setdiff1d(np.arange(n), chosen)
        covered = [j for j in others if relaxed[j] > 1e-6 and is_in_hull(X, j, chosen)]
        if set(np.flatnonzero(relaxed > 1 - 1e-6)) <= set(covered):
            best = max(best, len(covered) - len(chosen))
    found = softwood.select_balanced_rows(X)
    assert found.objective == found.bound == best
    assert found.objective == found.covered.sum() - len(found.indices)
    assert not found.covered[found.indices].any()
    assert all(is_in_hull(X, j, found.indices) for j in np.flatnonzero(found.covered))


def test_balanced_rows_of_a_limit_cover_what_they_say_and_are_bounded():
    X = np.random.default_rng(0).uniform(size=(60, 5))
    limited = softwood.select_balanced_rows(X, max_nodes=3)
    assert limited.nodes <= 4
    assert limited.objective <= limited.bound
    assert limited.bound <= softwood.balanced_relaxation(X).objective + 1e-6
    assert all(is_in_hull(X, j, limited.indices) for j in np.flatnonzero(limited.covered))
    with pytest.raises(ValueError, match="at most 100 rows"):
        softwood.select_balanced_rows(np.zeros((101, 1)))
    with pytest.raises((TypeError, ValueError), match="max_nodes"):
        softwood.select_balanced_rows(X, max_nodes=-1)


def test_weights_of_a_row_are_those_of_the_sparse_matrix():
    X = np.random.default_rng(0).normal(size=(100, 2))
    found = softwood.select_extreme_points(X)
    matrix = found.to_scipy()
    for i in range(len(X)):
        rows, weights = found.weights(i)
        assert np.array_equal(matrix[[i]].toarray()[0, rows], weights)
        assert matrix[[i]].nnz == len(rows)


def test_threads_and_order_of_rows_do_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 5))
    one, two = (softwood.select_extreme_points(X, n_threads=n) for n in (1, 2))
    for name in ("covered", "extreme", "indptr", "indices", "values"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    order = rng.permutation(len(X))
    shuffled = softwood.select_extreme_points(X[order])
    assert np.array_equal(shuffled.covered, one.covered[order])
    back = np.zeros((len(X), len(X)))
    back[np.ix_(order, order)] = shuffled.to_scipy().toarray()
    assert np.array_equal(back, one.to_scipy().toarray())


@pytest.mark.parametrize("kind", ["scikit-learn", "softwood"])
def test_rows_of_any_tree_are_selected_by_cluster(kind):
    X, y, _ = softwood.load_example()
    X = X[:, :4] / np.ptp(X[:, :4], axis=0)
    if kind == "softwood":
        tree = fit_plain(X, y, depth=2, n_starts=3)
    else:
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    leaves, hyperplanes = softwood.leaf_regions(tree, X)
    chosen = softwood.select_rows(X, y, leaves, hyperplanes, beta1=0.3, beta2=0.1)
    assert (np.diff(chosen.indices) > 0).all()
    assert sum(cluster.rows for cluster in chosen.clusters) == len(X)
    for cluster in chosen.clusters:
        members = np.flatnonzero((leaves == cluster.leaf) & (y == cluster.label))
        found = softwood.select_extreme_points(X[members])
        share = found.to_scipy().toarray().max(axis=0)
        carriers = share >= (1 - 1e-9) / (X.shape[1] + 1)
        assert cluster.rows == len(members)
        assert cluster.covered == found.covered.sum()
        assert cluster.carriers == carriers.sum()
        if cluster.covered >= 0.7 * len(members):
            rule, expected = "extreme", members[~found.covered]
        elif cluster.carriers > 0.1 * len(members):
            rule, expected = "carriers", members[carriers]
        else:
            rest = members[~found.covered & ~carriers]
            planes = list(hyperplanes.of_leaf[cluster.leaf])
            normals, offsets = hyperplanes.normals[planes], hyperplanes.offsets[planes]
            distance = abs(X[rest] @ normals.T - offsets) / np.linalg.norm(normals, axis=1)
            count = max(int(np.ceil(0.1 * len(members))), 1) - cluster.carriers
            nearest = rest[np.argsort(distance.min(axis=1))[:count]]
            rule, expected = "carriers and nearest", np.r_[members[carriers], nearest]
        picked = chosen.indices[np.isin(chosen.indices, members)]
        assert cluster.rule == rule
        assert np.array_equal(picked, np.sort(expected))
        assert cluster.selected == len(picked)
        weights = chosen.sample_weight[np.isin(chosen.indices, members)]
        np.testing.assert_allclose(weights.sum(), len(members))
    assert {cluster.label for cluster in chosen.clusters} == {"benign", "malignant"}


def test_regions_of_our_tree_are_cut_by_its_splits():
    X, y, _ = softwood.load_example()
    model = fit_plain(X, y, depth=2, n_starts=2)
    leaves, hyperplanes = softwood.leaf_regions(model, X)
    left = hyperplanes.offsets < X @ hyperplanes.normals.T
    by_sides = np.zeros(len(X), int)
    for split, node in enumerate(model.splits):
        here = by_sides == node
        by_sides[here] = 2 * node + np.where(left[here, split], 1, 2)
    by_sides = np.array([model.leaves.index(node) for node in by_sides])
    # The most probable leaf is the one on the more probable side, but for rows close to two splits.
    assert (by_sides == leaves).mean() > 0.98
    for leaf, path in hyperplanes.of_leaf.items():
        node, above = model.leaves[leaf], []
        while node:
            node = (node - 1) // 2
            above.append(model.splits.index(node))
        assert sorted(path) == sorted(above)


def test_bad_arguments_are_refused_with_a_reason():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    X[:, 0] = range(4)
    planes = (np.ones((1, 2)), [0.5])
    with pytest.raises(ValueError, match="tolerance must be a finite number of at least 0"):
        softwood.select_extreme_points(X, -0.1)
    with pytest.raises(TypeError, match="tolerance must be a number"):
        softwood.select_extreme_points(X, "0")
    with pytest.raises(ValueError, match=r"X\[1, 0\] is inf"):
        softwood.select_extreme_points([[0.0], [np.inf]])
    with pytest.raises(ValueError, match=r"leaves must have shape \(4,\)"):
        softwood.select_rows(X, y, [0, 1], planes)
    with pytest.raises(TypeError, match="leaves must hold integers"):
        softwood.select_rows(X, y, [0.0] * 4, planes)
    with pytest.raises(ValueError, match="beta1 must be a number above 0 and below 1"):
        softwood.select_rows(X, y, [0] * 4, planes, beta1=1.0)
    with pytest.raises(TypeError, match="a pair"):
        softwood.select_rows(X, y, [0] * 4, np.ones((1, 2)))
    with pytest.raises(ValueError, match="hyperplanes must be normals"):
        softwood.select_rows(X, y, [0] * 4, (np.ones((1, 3)), [0.5]))
    bounds = softwood.Hyperplanes(normals=planes[0], offsets=np.ones(1), of_leaf={0: [0]})
    with pytest.raises(ValueError, match="no entry for leaf 1"):
        softwood.select_rows(X, y, [0, 0, 1, 1], bounds)
    bounds = softwood.Hyperplanes(normals=planes[0], offsets=np.ones(1), of_leaf={0: [1]})
    with pytest.raises(ValueError, match="numbers below their count"):
        softwood.select_rows(X, y, [0] * 4, bounds)
    with pytest.raises(TypeError, match="tree must be"):
        softwood.leaf_regions("tree", X)
    model = fit_plain(X, y, depth=1, n_starts=1, scaling="quantile")
    with pytest.raises(ValueError, match="not bounded by hyperplanes"):
        softwood.leaf_regions(model, X)


def test_ctrl_c_ends_a_selection_within_a_second(interrupted):
    seconds, _ = interrupted(
        "import numpy as np, softwood\nX = np.random.default_rng(0).normal(size=(300_000, 14))",
        "softwood.select_extreme_points(X)",
        after=2,
    )
    assert seconds < 1


def test_a_time_limit_is_a_status_and_nothing_counts_as_covered_that_was_not_tested():
    X = np.random.default_rng(1).normal(size=(500, 3))
    found = softwood.select_extreme_points(X)
    hasty = softwood.select_extreme_points(X, time_limit=1e-9)
    assert (found.status, hasty.status) == ("completed", "time_limit")
    assert not hasty.covered.any()
    assert hasty.unresolved == len(X)
    leaves, planes = np.zeros(len(X), int), ([[1.0, 0.0, 0.0]], [0.0])
    chosen = softwood.select_rows(X, X[:, 0] > 0, leaves, planes, time_limit=1e-9)
    assert chosen.status == "time_limit"
    assert all(cluster.covered == 0 < cluster.selected for cluster in chosen.clusters)
    few = softwood.select_balanced_rows(X[:30], time_limit=1e-9)
    assert (few.status, few.objective, few.bound) == ("time_limit", 0, 30)
    assert softwood.select_balanced_rows(X[:10], None, time_limit=60).status == "optimal"
    relaxed = softwood.balanced_relaxation(X[:30], time_limit=1e-9)
    assert (relaxed.status, relaxed.solved) == ("time_limit", False)
    for call in (softwood.select_extreme_points, softwood.balanced_relaxation):
        with pytest.raises(ValueError, match="time_limit must be"):
            call(X[:30], time_limit=-1.0)
