"""Models know their columns, compare, stay as they are, and load from pickles of earlier builds."""

import copy
import os
import pickle

import numpy as np
import pandas as pd
import pytest

import softwood
from plain import fit_plain
from softwood import _core

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")


@pytest.fixture(scope="module", params=["orct", "srt"])
def fit(request, three):
    """A function that fits rows of three features by either kind of model."""
    y = three[1][:90]
    if request.param == "orct":
        return lambda X: fit_plain(X, y, n_starts=1, max_iter=10)
    return lambda X: softwood.fit_srt(X, y.astype(float), n_starts=1, macro_iterations=2)


@pytest.fixture(scope="module")
def frame(three):
    return pd.DataFrame(three[0][:90, [0, 1, 3]], columns=["x0", "x1", "x2"])


def test_columns_named_like_numbered_ones_are_names(fit, frame):
    model = fit(frame)
    for same in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert same.predict(frame).tolist() == model.predict(frame.to_numpy()).tolist()
        swapped = frame[["x1", "x0", "x2"]]
        assert same.predict(swapped).tolist() == model.predict(frame).tolist()
        with pytest.raises(ValueError, match=r'it lacks "x2" and has "b" besides'):
            same.leaf_probabilities(frame.rename(columns={"x2": "b"}))


def test_a_model_of_rows_without_names_takes_any(fit, frame):
    model = fit(frame.to_numpy())
    assert model.feature_names == ["x0", "x1", "x2"]
    expected = model.predict(frame).tolist()
    for same in (model, pickle.loads(pickle.dumps(model))):
        for names in (["x1", "x0", "x2"], ["a", "b", "c"]):
            assert same.predict(frame.set_axis(names, axis=1)).tolist() == expected


def test_a_model_from_a_file_finds_columns_by_their_names(fit, frame, tmp_path):
    fit(frame).save(tmp_path / "model.json")
    model = softwood.load(tmp_path / "model.json")
    swapped = frame[["x1", "x0", "x2"]]
    assert model.predict(swapped).tolist() == model.predict(frame).tolist()


def test_names_and_labels_that_are_not_unicode_are_refused(three, frame):
    y = three[1][:90]
    wrong = {"a": frame["x0"], "\ud800": frame["x1"]}  # pandas may refuse such a name itself
    with pytest.raises(ValueError, match=r"a column name of X is '\\ud800', which is not valid"):
        fit_plain(wrong, y)
    with pytest.raises(ValueError, match=r"a label in y is '\\ud800', which is not valid"):
        fit_plain(frame, np.where(y == 0, "\ud800", "b").astype(object))


def test_models_compare_by_content(fit, frame):
    model, same, other = fit(frame), fit(frame), fit(2 * frame + 1)
    text = model.to_json()
    assert model == type(model).from_json(text)
    assert hash(model) == hash(type(model).from_json(text))
    assert model != other
    assert model != text
    assert (same.coefficients == model.coefficients).all()


def test_models_take_no_attributes(fit, frame):
    model = fit(frame)
    for name in ("depth", "_handle", "note"):
        with pytest.raises(AttributeError, match="does not change"):
            setattr(model, name, 1)
    with pytest.raises(AttributeError, match="does not change"):
        del model._handle
    with pytest.raises(TypeError, match="is made by the functions that fit"):
        type(model)("handle")


def test_pickles_of_earlier_builds_load(fit, frame):
    model = fit(frame)
    # As Python wrote them for the compiled classes: getattr(softwood.OrctModel, "from_json")(text).
    text = model.to_json().replace("\\", "\\u005c").replace("\n", "\\u000a")
    name = type(model).__name__
    old = f"c__builtin__\ngetattr\n(csoftwood\n{name}\nVfrom_json\ntR(V{text}\ntR."
    assert pickle.loads(old.encode("raw_unicode_escape")) == model


def test_threads_are_accepted_where_rows_are(fit, frame):
    model = fit(frame)
    methods = ["predict", "leaf_probabilities", "explain"]
    methods += ["predict_proba"] if isinstance(model, softwood.OrctModel) else ["apply"]
    for name in methods:
        method = getattr(model, name)
        assert method(frame, n_threads=2).tobytes() == method(frame).tobytes()
        with pytest.raises(ValueError, match="n_threads must be an integer from 1 to 1024 or None"):
            method(frame, n_threads=0)
        with pytest.raises(TypeError, match="n_threads must be an integer or None"):
            method(frame, n_threads="all")


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads cannot be listed")
def test_threads_are_kept_between_predictions(fit, frame):
    model = fit(frame)
    many = np.tile(frame.to_numpy(), (300, 1))

    def threads_after(n_threads):
        model.predict(many, n_threads=n_threads)
        return set(os.listdir("/proc/self/task"))

    first = threads_after(3)
    for n_threads in (3, 3, 1, 3):
        kept = threads_after(n_threads) & first
        assert len(kept) > 3  # those three and this one, whatever else has ended
    assert threads_after(3) <= first | threads_after(1)


def test_a_panic_of_the_core_is_an_exception_that_names_the_function(three, capfd):
    assert issubclass(softwood.InternalError, RuntimeError)
    X, y = three
    codes = y.astype(np.uint32)
    # The core trusts the codes that softwood makes; these were not made by softwood.
    objective = _core.OrctObjective(
        X,
        codes,
        [0, 1, 2],
        np.full(4, 9, np.uint32),
        None,
        {"depth": 2, "gamma": 512, "scaling": "minmax"},
    )
    with pytest.raises(
        softwood.InternalError,
        match=r"internal error in value_and_gradient on X of shape \(300, 4\): ",
    ):
        objective.value_and_gradient(np.zeros(objective.dim))
    capfd.readouterr()  # Rust tells where it was, on stderr
