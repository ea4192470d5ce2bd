"""Trees on curves: what they accept, find and tell."""

import pickle

import numpy as np
import pytest

import softwood

GRID = np.linspace(850, 1050, 60)


def paths(rows=120, points=60, seed=0):
    """Return random walks, scaled, one a row."""
    steps = np.random.default_rng(seed).normal(size=(rows, points))
    return np.cumsum(steps, axis=1) / np.sqrt(points)


def mean_inside(curves):
    """Return the mean over a stretch in the middle."""
    return curves[:, 18:31].mean(axis=1)


def response(curves):
    """Return a kink of it, which takes both leaves of a tree."""
    mean = mean_inside(curves)
    return abs(mean) + 0.5 * mean


@pytest.fixture(scope="module")
def model():
    """Return a tree on curves and a number."""
    curves = paths()
    return softwood.fit_functional_orrt(
        {"walk": curves, "age": curves[:, 0] * 0 + np.arange(120) % 7},
        response(curves),
        n_intervals=1,
        grids={"walk": GRID},
        n_starts=6,
        smoothing=0.0,
    )


def test_the_interval_that_matters_is_found_in_the_curves_own_units(model):
    lower, upper = model.intervals("walk")[0]
    wanted = GRID[18], GRID[30]
    assert abs(lower - wanted[0]) < 0.03 * 200
    assert abs(upper - wanted[1]) < 0.03 * 200
    curves = paths()
    packed = np.column_stack([curves, np.arange(120) % 7])
    assert np.mean((model.predict(packed) - response(curves)) ** 2) < 0.01 * response(curves).var()


def test_features_are_means_of_the_splines(model):
    from scipy.interpolate import CubicSpline

    curves = paths(rows=5, seed=3)
    means = model.interval_means({"walk": curves, "age": np.arange(5.0)})
    lower, upper = model.intervals("walk")[0]
    spline = CubicSpline(GRID, curves.T, bc_type="natural")
    expected = spline.integrate(lower, upper) / (upper - lower)
    np.testing.assert_allclose(means[:, 0], expected, atol=1e-10)
    np.testing.assert_allclose(means[:, 1], np.arange(5.0))
    assert model.features() == [("walk", 0, 0), ("age", None, None)]
    assert model.feature_names[0].startswith("walk [")
    assert model.feature_names[1] == "age"


def test_smoothing_is_that_of_scipys_smoothing_splines():
    from scipy.interpolate import make_smoothing_spline

    curves = paths(rows=30)
    model = softwood.fit_functional_orrt(
        curves, response(curves), n_intervals=1, derivatives=[0, 1], n_starts=2, smoothing=1e-4
    )
    assert model.smoothing == {"x": 1e-4}
    lower, upper = model.intervals()[0]
    places = np.linspace(0, 1, 60)
    spline = make_smoothing_spline(places, curves[0], lam=1e-4)
    whole = spline.antiderivative()
    means = model.interval_means(curves[:1])[0]
    assert means[0] == pytest.approx((whole(upper) - whole(lower)) / (upper - lower), abs=1e-6)
    assert means[1] == pytest.approx((spline(upper) - spline(lower)) / (upper - lower), abs=1e-5)


def test_explanations_are_changes_by_the_mean_over_an_interval(model):
    curves = paths(rows=4, seed=5)
    given = {"walk": curves, "age": np.zeros(4)}
    raised = {"walk": curves + 1e-5, "age": np.zeros(4)}
    change = (model.predict(raised) - model.predict(given)) / 1e-5
    np.testing.assert_allclose(model.explain(given)[:, 0], change, atol=1e-3)


def test_a_model_survives_its_file_and_its_pickle(model, tmp_path):
    model.save(tmp_path / "tree.json")
    for copy in (softwood.load(tmp_path / "tree.json"), pickle.loads(pickle.dumps(model))):
        assert copy == model
        assert type(copy) is softwood.FunctionalOrrtModel
        curves = {"walk": paths(rows=3), "age": np.zeros(3)}
        np.testing.assert_array_equal(copy.predict(curves), model.predict(curves))
    assert "1 critical interval of walk, age" in str(model)
    assert "walk [" in str(model)


def test_everything_that_a_tree_tells_it_tells_of_curves(model):
    packed = np.column_stack([paths(rows=6), np.zeros(6)])
    assert model.leaf_probabilities(packed).sum(axis=1) == pytest.approx(np.ones(6))
    assert model.apply(packed).shape == (6,)
    assert model.decision_path(packed).shape == (6, 2)
    assert model.effects(packed).shape == (6, 2)
    assert len(model.explain_path(packed[0])) == 1
    assert model.importance(of="leaves").shape == (2,)
    assert model.leaf_model(0).features
    assert 0 <= model.length_sparsity <= 100
    assert model.report.loss < 0.02


def test_its_tree_on_means_is_a_tree_of_its_own(model):
    curves = {"walk": paths(rows=6), "age": np.zeros(6)}
    inner = model.on_means
    assert type(inner) is softwood.OrrtModel
    np.testing.assert_array_equal(
        inner.predict(model.interval_means(curves)), model.predict(curves)
    )
    from softwood import export

    assert "walk [" in export.to_text(inner)
    assert "<svg" in model._repr_html_()


def test_several_predictors_are_taken_in_any_form():
    first, second = paths(seed=1), paths(points=30, seed=2)
    y = response(first)
    given = {"n_intervals": 1, "n_starts": 2}
    named = softwood.fit_functional_orrt({"x0": first, "x1": second}, y, **given)
    listed = softwood.fit_functional_orrt([first, second], y, **given)
    spanned = softwood.fit_functional_orrt(
        np.hstack([first, second]), y, spans={"x0": (0, 60), "x1": (60, 90)}, **given
    )
    assert named.predictors == listed.predictors == spanned.predictors == ["x0", "x1"]
    expected = named.predict({"x1": second, "x0": first})
    for model in (listed, spanned):
        np.testing.assert_array_equal(model.predict([first, second]), expected)


def test_curves_of_scikit_fda_are_taken_with_their_grid():
    class Grid:
        """What softwood asks of an FDataGrid."""

        def __init__(self, points):
            self.data_matrix, self.grid_points = points[:, :, np.newaxis], (GRID,)

    curves = paths()
    model = softwood.fit_functional_orrt(Grid(curves), response(curves), n_intervals=1, n_starts=2)
    assert model.grids["x"][0] == 850
    np.testing.assert_array_equal(model.predict(Grid(curves)), model.predict(curves))
    skfda = pytest.importorskip("skfda")
    data = skfda.FDataGrid(curves, GRID)
    np.testing.assert_array_equal(model.predict(data), model.predict(curves))
    with pytest.raises(ValueError, match="grid points of curves are not those"):
        model.predict(skfda.FDataGrid(curves, GRID + 1))


def test_classes_are_told_apart_and_probable():
    curves = paths(200)
    y = np.where(mean_inside(curves) > 0, "up", "down")
    model = softwood.fit_functional_orct(curves, y, n_intervals=1, n_starts=4)
    assert (model.predict(curves) == y).mean() > 0.95
    assert model.predict_proba(curves).sum(axis=1) == pytest.approx(np.ones(200))
    lower, upper = model.intervals()[0]
    assert 0.2 < lower <= upper < 0.65
    assert pickle.loads(pickle.dumps(model)) == model
    assert model.explain(curves[:2]).shape == (2, 2, 1)


def test_three_classes_of_derivatives():
    rng = np.random.default_rng(4)
    s, slopes = np.linspace(0, 1, 40), rng.uniform(-3, 3, 150)
    curves = rng.normal(size=(150, 1)) * 5 + slopes[:, None] * s
    y = np.digitize(slopes, [-1, 1])
    model = softwood.fit_functional_orct(curves, y, depth=2, n_intervals=1, derivatives=[1])
    assert (model.predict(curves) == y).mean() > 0.95


def test_lengths_shrink_under_their_penalty_down_to_instants():
    curves = paths()
    y = response(curves)
    free, held = (
        softwood.fit_functional_orrt(curves, y, n_intervals=2, n_starts=4, length_penalty=penalty)
        for penalty in (0.0, 100.0)
    )
    assert held.length_sparsity > 99.9 > free.length_sparsity
    assert (np.diff(held.ends) >= 0).all()
    assert (np.diff(free.ends) >= 0).all()
    assert np.isfinite(held.predict(curves)).all()


def test_a_predictor_leaves_the_tree_as_a_whole():
    first, noise = paths(seed=1), paths(seed=2)
    model = softwood.fit_functional_orrt(
        {"first": first, "noise": noise},
        response(first),
        n_intervals=1,
        derivatives=[0, 1],
        global_penalty=0.1,
        n_starts=4,
    )
    by_predictor = {
        name: [
            abs(model.leaf_coefficients[:, j]).max() + abs(model.coefficients[:, j]).max()
            for j, (of, _, _) in enumerate(model.features())
            if of == name
        ]
        for name in ("first", "noise")
    }
    assert max(by_predictor["noise"]) == 0 < max(by_predictor["first"])


def test_folds_choose_intervals_and_derivatives():
    rng = np.random.default_rng(4)
    s, slopes = np.linspace(0, 1, 40), rng.uniform(-3, 3, 90)
    curves = rng.normal(size=(90, 1)) * 5 + slopes[:, None] * s + rng.normal(size=(90, 40)) * 0.01
    model = softwood.fit_functional_orrt_cv(
        curves, abs(slopes), n_intervals=(1, 2), derivatives=([0], [1]), gammas=(32.0,), n_starts=4
    )
    assert model.derivatives == (1,)
    table = model.report.cross_validation
    assert len(table.candidates) == 4
    assert "n_intervals" in str(table)
    assert pickle.loads(pickle.dumps(model)) == model


def test_folds_choose_for_classes_as_well(tmp_path):
    rng = np.random.default_rng(4)
    s, slopes = np.linspace(0, 1, 40), rng.uniform(-3, 3, 90)
    curves = rng.normal(size=(90, 1)) * 5 + slopes[:, None] * s + rng.normal(size=(90, 40)) * 0.01
    y = np.array(["falls", "lies", "rises"])[np.digitize(slopes, [-1, 1])]
    # Depth 1 has too few leaves for three classes.
    model = softwood.fit_functional_orct_cv(
        curves, y, (1, 2), n_intervals=(1, 2), derivatives=([0], [1]), gammas=(128.0,), n_starts=4
    )
    assert model.derivatives == (1,)
    assert (model.predict(curves) == y).mean() > 0.95
    table = model.report.cross_validation
    assert {type(tried) for tried in table.candidates} == {softwood.FunctionalOrctCandidate}
    assert [tried.depth for tried in table.candidates] == [2] * 4
    assert table.scoring == "cost"
    assert table.candidates[table.chosen].accuracy > 0.9
    assert "accuracy" in str(table)
    assert "ridge" not in str(table)
    model.save(tmp_path / "tree.json")
    assert softwood.load(tmp_path / "tree.json") == model
    assert pickle.loads(pickle.dumps(model)).report.cross_validation == table


def test_penalties_are_chosen_by_folds():
    first, noise = paths(seed=1), paths(seed=2)
    model = softwood.fit_functional_orrt_cv(
        {"first": first, "noise": noise},
        response(first),
        n_intervals=(1,),
        derivatives=([0],),
        gammas=(32.0,),
        length_penalties=(0.0, 0.01),
        local_penalties=(0.0, 100.0),
        global_penalties=(0.0, 100.0),
        folds=3,
        n_starts=3,
    )
    table = model.report.cross_validation
    tried = {(c.length_penalty, c.local_penalty, c.global_penalty) for c in table.candidates}
    assert len(tried) == len(table.candidates) == 8
    best = table.candidates[table.chosen]
    assert (best.local_penalty, best.global_penalty) == (0.0, 0.0)
    assert isinstance(best, softwood.FunctionalOrrtCandidate)


@pytest.mark.parametrize("fit", ["fit_functional_orct_cv", "fit_functional_orrt_cv"])
@pytest.mark.parametrize(
    ("choices", "error", "told"),
    [
        ({"depths": ()}, ValueError, "depths"),
        ({"n_intervals": (2, 1)}, ValueError, "increasing"),
        ({"n_intervals": (61,)}, ValueError, "cannot tell more intervals apart"),
        ({"derivatives": (0, 1)}, TypeError, "derivatives"),
        ({"gammas": (0,)}, ValueError, "gamma"),
        ({"local_penalties": (-1,)}, ValueError, "local_penalty"),
        ({"global_penalties": ()}, ValueError, "global_penalties"),
        ({"length_penalties": "long"}, TypeError, "length_penalties"),
        ({"local_penalty": 1}, TypeError, "local_penalties"),
        ({"gamma": 1}, TypeError, "gammas"),
        ({"folds": 1}, ValueError, "folds"),
        ({"scoring": "gini"}, ValueError, "scoring"),
        ({"rule": "one_standard_error"}, ValueError, "rule"),
    ],
)
def test_wrong_choices_are_refused(fit, choices, error, told):
    curves = paths(rows=12)
    with pytest.raises(error, match=told):
        getattr(softwood, fit)(curves, np.arange(12) % 2, **choices)


@pytest.mark.parametrize("fit", ["fit_functional_orct_cv", "fit_functional_orrt_cv"])
def test_a_time_limit_ends_a_choice_with_a_tree(fit):
    curves = paths()
    with pytest.warns(softwood.warnings.LimitWarning):
        model = getattr(softwood, fit)(
            curves, response(curves) > 0.5, n_intervals=(2, 8), n_starts=5000, time_limit=0.3
        )
    assert model.report.status == "time_limit"
    assert model.report.cross_validation.cut_short
    assert model.report.seconds < 5


def test_same_bits_on_any_number_of_threads_and_in_any_order():
    curves = paths()
    y = response(curves)
    given = {"n_intervals": 2, "n_starts": 3}
    models = [softwood.fit_functional_orrt(curves, y, n_threads=n, **given) for n in (1, 2)]
    np.testing.assert_array_equal(models[0].ends, models[1].ends)
    np.testing.assert_array_equal(models[0].predict(curves), models[1].predict(curves))
    order = np.random.default_rng(1).permutation(120)
    weights = np.ones(120)
    weights[:20] = 2
    weighted = softwood.fit_functional_orrt(curves, y, sample_weight=weights, **given)
    repeated = np.concatenate([order, np.arange(20)])
    twice = softwood.fit_functional_orrt(curves[repeated], y[repeated], **given)
    np.testing.assert_array_equal(weighted.ends, twice.ends)


def nan_inside():
    curves = paths(rows=10)
    curves[3, 7] = np.nan
    return curves


@pytest.mark.parametrize(
    ("curves", "settings", "told"),
    [
        (paths(rows=10), {"grids": np.r_[0, 2, 1, np.arange(3.0, 60)]}, "falling"),
        (paths(rows=10), {"grids": np.r_[0, 0, np.arange(2.0, 60)]}, "twice the same"),
        (paths(rows=10), {"grids": np.arange(59)}, r"shape \(60,\)"),
        (paths(rows=10, points=1), {}, "1 points"),
        (nan_inside(), {}, "is NaN in row 3 at point 7"),
        (paths(rows=10, points=4), {"n_intervals": 5}, "cannot tell more intervals apart"),
        (paths(rows=10), {"n_intervals": 0}, "n_intervals"),
        (paths(rows=10), {"derivatives": [1, 0]}, "increasing"),
        (paths(rows=10), {"derivatives": [3]}, "derivatives"),
        (paths(rows=10), {"smoothing": -1.0}, "smoothing"),
        (paths(rows=10), {"length_penalty": -1.0}, "length_penalty"),
        (paths(rows=10), {"gamma": 1e9}, "1000000000 for 2 intervals"),
        ({"age": np.arange(10.0)}, {}, "at least one curve"),
        ({"a": paths(rows=10), "b": paths(rows=9)}, {}, "same number of rows"),
        ({"a": paths(rows=10)}, {"grids": {"b": [0, 1]}}, "no predictor"),
        (paths(rows=10), {"spans": {"a": (0, 99)}}, "spans"),
        ({}, {}, "at least one predictor"),
    ],
)
def test_bad_curves_are_refused_with_a_reason(curves, settings, told):
    with pytest.raises(ValueError, match=told):
        softwood.fit_functional_orrt(curves, np.arange(10.0), **settings)


@pytest.mark.parametrize(
    ("curves", "settings", "told"),
    [
        ({3: paths(rows=10)}, {}, "strings"),
        (paths(rows=10), {"spans": [1, 2]}, "spans"),
        (paths(rows=10).astype(str), {}, "numbers"),
        (paths(rows=10), {"n_interval": 1}, "unknown setting n_interval"),
    ],
)
def test_arguments_of_other_types_are_refused(curves, settings, told):
    with pytest.raises(TypeError, match=told):
        softwood.fit_functional_orrt(curves, np.arange(10.0), **settings)


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_equal_curves_are_predicted_by_the_mean():
    curves = np.tile(np.sin(GRID / 30), (12, 1))
    y = np.arange(12.0)
    model = softwood.fit_functional_orrt(curves, y, n_intervals=2, n_starts=2)
    np.testing.assert_allclose(model.predict(curves), y.mean(), atol=1e-3)


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_curves_of_any_size_are_fitted(scale):
    curves = paths(rows=40)
    y = response(curves)
    model = softwood.fit_functional_orrt(curves * scale, y, n_intervals=1, n_starts=2)
    assert np.mean((model.predict(curves * scale) - y) ** 2) < 0.1 * y.var()


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
def test_two_curves_and_curves_of_two_points_are_enough():
    curves = np.array([[0.0, 1.0], [2.0, 5.0]])
    model = softwood.fit_functional_orrt(curves, [1.0, 2.0], n_intervals=1, derivatives=[0, 1, 2])
    assert np.isfinite(model.predict(curves)).all()
    weights = [1e-307, 2e-307]
    softwood.fit_functional_orrt(curves, [1.0, 2.0], n_intervals=1, sample_weight=weights)


def test_a_time_limit_ends_a_fit_with_a_tree():
    curves = paths()
    with pytest.warns(softwood.SoftwoodWarning):
        model = softwood.fit_functional_orrt(
            curves, response(curves), n_intervals=8, n_starts=5000, time_limit=0.3
        )
    assert model.report.status == "time_limit"
    assert model.n_intervals == 8
    assert model.report.seconds < 5


def test_progress_counts_all_starts():
    curves, seen = paths(), []
    softwood.fit_functional_orrt(
        curves, response(curves), n_intervals=2, n_starts=3, progress=seen.append
    )
    assert (seen[-1].starts, seen[-1].starts_done) == (6, 6)


def test_new_curves_must_be_those_of_training(model):
    with pytest.raises(ValueError, match="lack 'age'"):
        model.predict({"walk": paths(rows=2)})
    with pytest.raises(ValueError, match="points"):
        model.predict({"walk": paths(rows=2, points=50), "age": [0, 0]})
    with pytest.raises(ValueError, match="61"):
        model.predict(paths(rows=2))


class TestPictures:
    def test_intervals_are_shaded_and_instants_lines(self, model):
        pytest.importorskip("matplotlib")
        from softwood.plotting import plot_intervals

        curves = {"walk": paths(), "age": np.zeros(120)}
        ax = plot_intervals(model, curves, response(paths()))
        assert len(ax.collections[0].get_segments()) == 120
        assert ax.get_xlim() == (850, 1050)
        assert "unused" in ax.get_title()

    def test_error_by_intervals_and_length(self):
        pytest.importorskip("matplotlib")
        from softwood.plotting import plot_error_by_intervals, plot_length_tradeoff

        curves = paths(rows=60)
        y = response(curves)
        chosen = softwood.fit_functional_orrt_cv(
            curves, y, n_intervals=(1, 2), derivatives=([0],), gammas=(32.0,), n_starts=2
        )
        assert plot_error_by_intervals(chosen).get_xlabel() == "critical intervals"
        models = [
            softwood.fit_functional_orrt(curves, y, n_starts=2, length_penalty=penalty)
            for penalty in (0.0, 1.0)
        ]
        ax = plot_length_tradeoff(models, curves, y)
        assert len(ax.lines[1].get_xdata()) == 2
        with pytest.raises(ValueError, match="not chosen"):
            plot_error_by_intervals(models[0])

    def test_a_line_for_all_that_differs_beside_the_intervals(self):
        pytest.importorskip("matplotlib")
        from softwood.plotting import plot_error_by_intervals

        curves = paths(rows=60)
        chosen = softwood.fit_functional_orct_cv(
            curves,
            mean_inside(curves) > 0,
            (1,),
            n_intervals=(1, 2),
            derivatives=([0], [0, 1]),
            gammas=(128,),
            local_penalties=(0, 0.01),
            folds=3,
            n_starts=2,
        )
        legend = plot_error_by_intervals(chosen).get_legend().get_texts()
        assert [text.get_text() for text in legend] == [
            f"derivatives {orders}; local_penalty {penalty}"
            for orders in ("0", "0, 1")
            for penalty in ("0", "0.01")
        ]


class TestEstimators:
    def test_they_fit_curves_and_several_predictors(self):
        pytest.importorskip("sklearn")
        from softwood.sklearn import (
            FunctionalORCTClassifier,
            FunctionalORCTClassifierCV,
            FunctionalORRTRegressor,
        )

        curves = paths()
        y = response(curves)
        tree = FunctionalORRTRegressor(n_intervals=1, n_starts=3).fit(curves, y)
        assert tree.score(curves, y) > 0.98
        spans = {"walk": (0, 60), "age": 60}
        both = np.column_stack([curves, np.arange(120)])
        tree = FunctionalORRTRegressor(spans=spans, n_intervals=1, n_starts=3).fit(both, y)
        assert tree.score(both, y) > 0.98
        assert tree.model_.predictors == ["walk", "age"]
        classes = mean_inside(curves) > 0
        tree = FunctionalORCTClassifier(n_intervals=1, n_starts=3).fit(curves, classes)
        assert tree.score(curves, classes) > 0.95
        few = {"depths": (1,), "n_intervals": (1,), "gammas": (128,), "folds": 3, "n_starts": 3}
        tree = FunctionalORCTClassifierCV(**few).fit(curves, classes)
        assert tree.score(curves, classes) > 0.95
        assert tree.model_.derivatives == (0,)


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("order", [0, 2])
def test_curves_at_the_ends_of_all_numbers_are_predicted(order):
    curves = paths(rows=12, points=8)
    curves *= 1e308 / np.abs(curves).max()
    for fit, y in (
        (softwood.fit_functional_orrt, np.arange(12.0)),
        (softwood.fit_functional_orct, np.arange(12) > 5),
    ):
        model = fit(curves, y, derivatives=[order], n_starts=2)
        assert np.isfinite(model.interval_means(curves)).all()
        again = type(model).from_json(model.to_json())
        assert (again.predict(curves) == model.predict(curves)).all()
