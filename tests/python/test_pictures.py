"""Pictures show what they are of, and nothing on them overlaps."""

import math
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import softwood

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402

from softwood import plotting  # noqa: E402

LONG = "a rather long name of some measurement, $5 a piece, number {}"
QUICK = {"n_starts": 2, "scaling": "minmax"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    score = X[:, 0] * X[:, 1] + X[:, 2]
    return (
        X,
        np.array(["low", "middle", "a class of a very long name, $1"])[
            np.digitize(score, [-0.6, 0.6])
        ],
        np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], X[:, 1]) + np.exp(X[:, 2]),
    )


def fit(rows, columns, depth, **given):
    X, y, _ = rows
    names = [LONG.format(j) for j in range(columns)]
    settings = {"gamma": 16, "feature_names": names, "cover_classes": False, **QUICK, **given}
    return softwood.fit_orct(X[:, :columns], y, depth=depth, **settings)


class Written(NamedTuple):
    text: str
    box: object
    drawn: object

    @property
    def slant(self):
        """Angle of slanting text, 0 of text along an axis, whose box is no larger than itself."""
        return self.drawn.get_rotation() % 90

    def is_apart_from(self, other):
        box, place = self.box, other.box
        if self.slant and self.slant == other.slant:
            # Ends of slanting lines are side by side: what counts is the distance across them.
            across = abs(box.x1 - place.x1) * math.sin(math.radians(self.slant))
            return across >= self.drawn.get_fontsize() * self.drawn.figure.dpi / 72
        wide = min(box.x1, place.x1) - max(box.x0, place.x0)
        high = min(box.y1, place.y1) - max(box.y0, place.y0)
        # Boxes of lines hold room for accents and descenders; letters do not touch.
        return wide <= 0.5 or high <= 0.25 * min(box.height, place.height)


def boxes(ax):
    """Return the texts of a picture and where the renderer puts them."""
    figure = ax.figure
    figure.canvas.draw()
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            room = 1e-9 * (high - low)
            ticks = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
            hidden |= {label for label, at in ticks if not low - room <= at <= high + room}
            hidden |= set(axis.get_ticklabels()) if not axes.axison else set()
    found = [text for text in figure.findobj(plt.Text) if text.get_text().strip()]
    shown = [text for text in found if text.get_visible() and text not in hidden]
    return [Written(text.get_text(), text.get_window_extent(), text) for text in shown]


def assert_apart(ax):
    """No two texts overlap, and none leaves the figure."""
    written = [one for one in boxes(ax) if one.box.width > 0]
    figure = ax.figure.bbox
    for i, one in enumerate(written):
        assert figure.x0 - 1 < one.box.x0 < one.box.x1 < figure.x1 + 1, one.text
        assert figure.y0 - 1 < one.box.y0 < one.box.y1 < figure.y1 + 1, one.text
        for other in written[i + 1 :]:
            assert one.is_apart_from(other), (one.text, other.text)


def cards(ax):
    """Return the frames of a tree's cards."""
    frames = [p for p in ax.patches if type(p).__name__ == "FancyBboxPatch"]
    return [frame.get_window_extent() for frame in frames]


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize(("columns", "depth"), [(2, 1), (8, 2), (60, 3), (12, 4)])
def test_a_tree_is_legible_at_any_depth(rows, columns, depth, style):
    model = fit(rows, columns, depth)
    with plt.style.context(style):
        ax = plotting.plot_tree(model)
        assert_apart(ax)
        frames = cards(ax)
    assert len(frames) == len(model.splits) + len(model.leaves)
    for i, one in enumerate(frames):
        assert not any(one.overlaps(other) for other in frames[i + 1 :])
    for text, box, _ in boxes(ax):
        inside = [f.x0 < box.x0 and box.x1 < f.x1 and f.y0 < box.y1 < f.y1 + 5 for f in frames]
        if text.endswith("%") or "·" in text:
            assert any(inside), text


def test_a_tree_tells_rules_classes_and_rows(rows):
    model = fit(rows, 3, 2, feature_names=["a", "b", "c"])
    ax = plotting.plot_tree(model, X=rows[0][:, :3])
    written = [one.text for one in boxes(ax)]
    assert written.count("yes") == written.count("no") == len(model.splits)
    assert sum("300 rows, 100 %" in text for text in written) == 1
    assert sum(text.startswith("reach ") for text in written) == len(model.leaves)
    assert sum(text.startswith("> ") for text in written) == len(model.splits)
    assert {"low", "middle"} <= set(written)


def test_children_stand_below_their_split_and_on_its_sides(rows):
    model = fit(rows, 8, 3, max_leaves=5)
    ax = plotting.plot_tree(model)
    from softwood.outline import outline
    from softwood.plotting.tree import _arrange

    placed = _arrange(outline(model), 3).cards
    for split in model.splits:
        left, right = placed[2 * split + 1], placed[2 * split + 2]
        assert left.x < placed[split].x < right.x
        assert left.top == right.top < placed[split].top - placed[split].height
    assert_apart(ax)


def test_trees_of_few_among_many_sparse_columns_are_drawn():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = sparse.random(300, 100_000, 1e-3, random_state=0, format="lil")
    X[:, 7], X[:, 99_999] = rng.normal(size=300), rng.normal(size=300)
    X, y = X.tocsr(), np.where(X[:, 7].toarray()[:, 0] > 0, "high", "low")
    model = softwood.fit_spdt(X, y, C=1.0, max_features=4)
    ax = plotting.plot_tree(model, X=X)
    assert_apart(ax)
    assert {"high", "low"} <= {one.text for one in boxes(ax)}
    assert "reach" not in "".join(one.text for one in boxes(ax))
    plotting.plot_explanation(model, X[0])
    plotting.plot_reliability(model, X, y)
    bars = plotting.plot_importance(model, X, y)
    assert len(bars.get_yticklabels()) == len(model.features_)
    shown = plotting.plot_decision_map(model, X, y, features=(7, 99_999))
    assert shown.get_xlabel() == "x7"
    with pytest.raises(TypeError, match="has no effects"):
        plotting.plot_effects(model, X)


def test_regression_trees_and_given_axes(rows):
    X, _, y = rows
    names = [LONG.format(j) for j in range(4)]
    srt = softwood.fit_srt(X[:, :4], y, depth=2, curves=True, feature_names=names)
    assert_apart(plotting.plot_tree(srt))
    orrt = softwood.fit_orrt(X[:, :4], y, depth=1, n_starts=2, feature_names=names)
    _, ax = plt.subplots(figsize=(5, 3.5))
    assert plotting.plot_tree(orrt, ax, X=X[:, :4]) is ax
    assert_apart(ax)


@pytest.fixture(scope="module")
def example_tree(example):
    X, y = example
    names = softwood.load_example()[2]
    return softwood.fit_orct(X, y, depth=2, feature_names=names, gamma=32, **QUICK), X, y


def test_importance_is_that_of_the_model_the_largest_first(example_tree):
    model, X, y = example_tree
    ax = plotting.plot_importance(model, top=7)
    order = np.argsort(-model.importance(), kind="stable")[:7]
    assert [t.get_text() for t in ax.get_yticklabels()] == [model.feature_names[j] for j in order]
    wide = [bar.get_width() for bar in ax.patches]
    assert np.allclose(wide, model.importance()[order] / model.importance().max())
    assert_apart(ax)
    beside = plotting.plot_importance(model, X, y, top=7, repeats=2)
    assert len(beside.patches) == 14
    assert_apart(beside)
    with pytest.raises(ValueError, match="X and y go together"):
        plotting.plot_importance(model, X)


def test_permutation_importance_is_zero_for_unused_columns(rows):
    X, y, _ = rows
    from softwood.plotting.importance import permutation_losses

    model = softwood.fit_orct(X[:, :5], y, depth=2, penalty=0.03, **QUICK)
    losses = permutation_losses(model, X[:, :5], y, np.arange(5), 3, 0)
    assert (losses[model.importance() == 0] == 0).all()
    assert losses.argmax() == 2


def test_a_map_shows_the_predicted_regions(rows):
    X, y, response = rows
    model = fit(rows, 2, 2, feature_names=["a", "b"])
    ax = plotting.plot_decision_map(model, X[:, :2], y)
    assert ax.get_xlabel() == "a"
    assert ax.get_ylabel() == "b"
    assert_apart(ax)
    (image,) = ax.get_images()
    assert image.get_array().shape == (200, 200, 3)
    srt = softwood.fit_srt(X[:, :3], response, depth=1)
    drawn = plotting.plot_decision_map(srt, X[:, :3], response, features=("x0", 2))
    left, _, low, _ = drawn.get_images()[0].get_extent()
    corner = np.array([[left, srt.typical_values[1], low]])
    assert drawn.get_images()[0].get_array()[0, 0] == pytest.approx(srt.predict(corner)[0])
    with pytest.raises(ValueError, match="no column 'z'"):
        plotting.plot_decision_map(srt, X[:, :3], features=("z", 0))
    with pytest.raises(ValueError, match="0 to 2, got 9"):
        plotting.plot_decision_map(srt, X[:, :3], features=(9, 0))


def test_a_waterfall_adds_up(example_tree):
    model, X, _ = example_tree
    ax = plotting.plot_explanation(model, X[3], top=6)
    told = model.explain_path(X[3])[0]
    assert len(ax.patches) == min(len(told.features), 6) + (len(told.features) > 6)
    assert told.base + sum(bar.get_width() for bar in ax.patches) == pytest.approx(told.margin)
    assert_apart(ax)
    with pytest.raises(ValueError, match="step must be 0 to"):
        plotting.plot_explanation(model, X[3], step=9)


def test_effects_are_lines_of_rows(example_tree):
    model, X, _ = example_tree
    ax = plotting.plot_effects(model, X[:20], label="benign", top=5)
    effects = model.effects(X[:20])[:, 0]
    places = np.argsort(-np.abs(effects).mean(axis=0), kind="stable")[:5]
    drawn = sorted(line.get_ydata()[0] for line in ax.lines if len(line.get_ydata()) == 5)
    assert np.allclose(drawn, sorted(effects[:, places[0]]))
    assert_apart(ax)
    with pytest.raises(ValueError, match="one of the model's classes"):
        plotting.plot_effects(model, X[:20], label="unknown")


def test_a_curve_is_that_of_the_model(rows):
    X, _, y = rows
    model = softwood.fit_srt(X[:, :3], y, depth=1, curves=True)
    curve = model.curves()[0]
    ax = plotting.plot_curve(model, X=X[:, :3])
    assert tuple(ax.lines[1].get_xdata()) == curve.values
    assert tuple(ax.lines[1].get_ydata()) == curve.effects
    assert_apart(ax)
    with pytest.raises(ValueError, match="has no curve"):
        plotting.plot_curve(model, "unknown")
    with pytest.raises(ValueError, match="no curves"):
        plotting.plot_curve(softwood.fit_srt(X[:, :2], y, depth=1))


def test_paths_are_curves_and_maps(example):
    X, y = example
    grids = {"local_grid": 5, "global_grid": 2, "n_starts": 1}
    held = {"X_validation": X[1::2, :6], "y_validation": y[1::2]}
    path = softwood.sparsity_path(X[::2, :6], y[::2], 1, **grids, **held)
    ax = plotting.plot_path(path)
    assert np.allclose(ax.lines[0].get_ydata(), 100 * path.score[0])
    assert np.allclose(ax.lines[1].get_ydata(), path.local_sparsity[0])
    assert_apart(ax)
    drawn = plotting.plot_path_map(path, of="global_sparsity")
    assert np.allclose(drawn.get_images()[0].get_array(), path.global_sparsity)
    assert_apart(drawn)
    with pytest.raises(ValueError, match="at must be an integer from 0 to 2"):
        plotting.plot_path(path, at=7)
    with pytest.raises(ValueError, match="of must be one of"):
        plotting.plot_path_map(path, of="score_of_something")


def test_a_path_of_regressions_says_what_its_scores_are(rows):
    X, _, y = rows
    X, y, held = X[:150, :4], y[:150], {"X_validation": X[150:, :4], "y_validation": y[150:]}
    path = softwood.orrt_sparsity_path(X, y, 1, [0.0], 4, n_starts=1, **held)
    ax = plotting.plot_path(path)
    assert np.allclose(ax.lines[0].get_ydata(), 100 * path.score[:, 0])
    assert ax.get_legend().get_texts()[0].get_text() == "R² on validation rows"
    drawn = plotting.plot_path_map(path, of="loss").figure.axes[1]
    assert "error of training" in drawn.get_ylabel()
    plain = softwood.orrt_sparsity_path(X, y, 1, [0.0], [0.0, 0.1], n_starts=1)
    ax = plotting.plot_path(plain)
    assert ax.get_legend().get_texts()[0].get_text() == "R² of training"
    error = ((plain.models[0][0].predict(X) - y) ** 2).mean()
    assert ax.lines[0].get_ydata()[0] == pytest.approx(100 * (1 - error / y.var()))


def test_rates_starts_and_reliability(example):
    X, y = example
    models = [
        softwood.fit_orct(X[:, :4], y, 1, min_class_rate={"malignant": rate}, n_starts=2)
        for rate in (0.8, 0.95)
    ]
    ax = plotting.plot_rates(models, X[:, :4], y)
    assert list(ax.lines[0].get_xdata()) == [0.8, 0.95]
    reached = [model.report.constraints[0].reached for model in models]
    assert list(ax.lines[0].get_ydata()) == reached
    assert_apart(ax)
    starts = plotting.plot_starts(models[0])
    ends = sorted(models[0].report.start_objectives)
    assert list(starts.lines[0].get_ydata()) == ends
    assert_apart(starts)
    drawn = plotting.plot_reliability(models[0], X[:, :4], y, bins=5)
    assert sum(bar.get_height() > 0 for bar in drawn.patches) <= 5
    assert_apart(drawn)
    with pytest.raises(ValueError, match="no rate of a class"):
        plotting.plot_rates(fit_without_bound(X, y))


def fit_without_bound(X, y):
    return softwood.fit_orct(X[:, :2], y, 1, gamma=16, **QUICK)


def test_importing_softwood_does_not_import_matplotlib():
    code = "import softwood, sys; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_error_says_what_to_install():
    code = """
import sys
sys.modules["matplotlib"] = None
try:
    import softwood.plotting
except ImportError as error:
    sys.exit(0 if "pip install softwood[plot]" in str(error) else 1)
sys.exit(2)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_frames_of_other_names_are_drawn_by_the_order_of_their_columns(rows):
    pd = pytest.importorskip("pandas")
    X, y, _ = rows
    model = softwood.fit_orct(X[:, :2], y, depth=2, **QUICK)
    frame = pd.DataFrame(X[:, :2], columns=["c0", "c1"])
    drawn, expected = (plotting.plot_decision_map(model, rows, y) for rows in (frame, X[:, :2]))
    assert (drawn.get_xlim(), drawn.get_ylim()) == (expected.get_xlim(), expected.get_ylim())
    bars = [plotting.plot_importance(model, rows, y).patches for rows in (frame, X[:, :2])]
    assert [bar.get_width() for bar in bars[0]] == [bar.get_width() for bar in bars[1]]
    with pytest.raises(ValueError, match="columns"):
        plotting.plot_decision_map(model, X[:, :1], y)
