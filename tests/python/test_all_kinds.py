"""Every kind of model is shown and exported by everything that shows and exports, or refused."""

import json
import warnings

import numpy as np
import pytest

import softwood
from softwood import export
from softwood.models import KINDS

pytest.importorskip("matplotlib").use("agg")
from matplotlib import pyplot as plt  # noqa: E402

from softwood import plotting  # noqa: E402

# What a kind does not have, and what the error says of it.
REFUSED = {
    ("FunctionalOrctModel", "plot_curve"): "no curves",
    ("FunctionalOrctModel", "plot_decision_map"): "trees on curves have no map",
    ("FunctionalOrctModel", "plot_importance"): "not shuffled one by one",
    ("FunctionalOrctModel", "plot_rates"): "no rate of a class",
    ("FunctionalOrrtModel", "plot_curve"): "no curves",
    ("FunctionalOrrtModel", "plot_decision_map"): "trees on curves have no map",
    ("FunctionalOrrtModel", "plot_importance"): "not shuffled one by one",
    ("FunctionalOrrtModel", "plot_rates"): "no rate of a class",
    ("FunctionalOrrtModel", "plot_reliability"): "no probabilities",
    ("FunctionalOrrtModel", "to_sql, an expression"): "needs a query of several stages",
    ("OrctModel", "plot_curve"): "no curves",
    ("OrctModel", "plot_intervals"): "on curves",
    ("OrrtModel", "plot_curve"): "no curves",
    ("OrrtModel", "plot_intervals"): "on curves",
    ("OrrtModel", "plot_rates"): "no rate of a class",
    ("OrrtModel", "plot_reliability"): "no probabilities",
    ("OrrtModel", "to_sql, an expression"): "needs a query of several stages",
    ("SpdtModel", "plot_curve"): "no curves",
    ("SpdtModel", "plot_effects"): "SpdtModel has no effects, since its splits are hard",
    ("SpdtModel", "plot_intervals"): "on curves",
    ("SpdtModel", "plot_rates"): "no rate of a class",
    ("SrtModel", "plot_intervals"): "on curves",
    ("SrtModel", "plot_rates"): "no rate of a class",
    ("SrtModel", "plot_reliability"): "no probabilities",
    ("Svm1OdtModel", "plot_curve"): "no curves",
    ("Svm1OdtModel", "plot_effects"): "Svm1OdtModel has no effects, since its splits are hard",
    ("Svm1OdtModel", "plot_intervals"): "on curves",
    ("Svm1OdtModel", "plot_rates"): "no rate of a class",
}

SHOWN = {
    "plot_curve": lambda model, X, y: plotting.plot_curve(model, X=X),
    "plot_decision_map": plotting.plot_decision_map,
    "plot_effects": lambda model, X, y: plotting.plot_effects(model, X[:5]),
    "plot_explanation": lambda model, X, y: plotting.plot_explanation(model, X[0]),
    "plot_importance": plotting.plot_importance,
    "plot_intervals": plotting.plot_intervals,
    "plot_rates": plotting.plot_rates,
    "plot_reliability": plotting.plot_reliability,
    "plot_starts": lambda model, X, y: plotting.plot_starts(model),
    "plot_tree": lambda model, X, y: plotting.plot_tree(model, X=X),
}
# Pictures of many models, paths and choices on folds.
OF_MANY = {"plot_path", "plot_path_map", "plot_error_by_intervals", "plot_length_tradeoff"}

WRITTEN = {
    "to_c": export.to_c,
    "to_dot": export.to_dot,
    "to_onnx": export.to_onnx,
    "to_python": export.to_python,
    "to_sql": lambda model: export.to_sql(model, "measured"),
    "to_sql, an expression": export.to_sql,
    "to_text": export.to_text,
}


def _fit_all():
    X = np.random.default_rng(0).normal(size=(200, 3))
    side = X[:, 0] > X[:, 1]
    y, labels = np.where(side, 3 * X[:, 0], X[:, 1]) + np.exp(X[:, 2]), np.where(side, "a", "b")
    curves = np.cumsum(np.random.default_rng(1).normal(size=(60, 12)), axis=1)
    area = curves[:, 4:8].mean(axis=1)
    on_curves = {"n_intervals": 1, "n_starts": 2}
    high = np.where(area > 0, "a", "b")
    functional = {
        "FunctionalOrctModel": (softwood.fit_functional_orct(curves, high, **on_curves), high),
        "FunctionalOrrtModel": (softwood.fit_functional_orrt(curves, area, **on_curves), area),
    }
    columns = {
        "OrctModel": (softwood.fit_orct(X, labels, 1, min_class_rate=0.7, n_starts=2), labels),
        "OrrtModel": (softwood.fit_orrt(X, y, 1, n_starts=2), y),
        "SpdtModel": (softwood.fit_spdt(X, labels, 2), labels),
        "SrtModel": (softwood.fit_srt(X, y, 1, curves=True, n_starts=2), y),
        "Svm1OdtModel": (softwood.fit_svm1_odt(X, labels, 2, max_nodes=0), labels),
    }
    return {name: (model, curves, y) for name, (model, y) in functional.items()} | {
        name: (model, X, y) for name, (model, y) in columns.items()
    }


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", softwood.SoftwoodWarning)  # trees need not be good ones
        return _fit_all()


every_kind = pytest.mark.parametrize("kind", [kind.__name__ for kind in KINDS])


def attempt(kind, name, call):
    """Call what is to work, or must be refused with a reason."""
    if (kind, name) not in REFUSED:
        return call()
    with pytest.raises((TypeError, ValueError), match=REFUSED[kind, name]):
        call()
    return None


def test_nothing_is_left_out(fitted):
    assert set(SHOWN) | OF_MANY == set(plotting.__all__)
    assert {name.split(",")[0] for name in WRITTEN} == set(export.__all__) - {"register_skl2onnx"}
    assert set(fitted) == {kind.__name__ for kind in KINDS}


@every_kind
@pytest.mark.parametrize("name", SHOWN)
def test_every_kind_has_its_pictures(fitted, kind, name):
    model, X, y = fitted[kind]
    drawn = attempt(kind, name, lambda: SHOWN[name](model, X, y))
    if drawn is not None:
        assert drawn.figure.axes[0] is drawn
        drawn.figure.canvas.draw()
    plt.close("all")


@every_kind
@pytest.mark.parametrize("name", WRITTEN)
def test_every_kind_is_exported(fitted, kind, name):
    if name == "to_onnx":
        pytest.importorskip("onnx")
    model, _, _ = fitted[kind]
    assert type(model).__name__ == kind
    written = attempt(kind, name, lambda: WRITTEN[name](model))
    if isinstance(written, str):
        assert len(written) > 50


@every_kind
def test_every_kind_shows_itself_on_pages_and_in_words(fitted, kind):
    model, _, _ = fitted[kind]
    page = model._repr_html_()
    assert page.count("<svg") == len(model.splits) + len(model.leaves)
    assert str(model).split("\n")[0] in page
    assert model.rule(0).text
    written = json.loads(model.to_json())["kind"]
    assert written.replace("_", "") == kind.removesuffix("Model").lower()
