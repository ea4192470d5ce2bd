"""Labels of every kind come back from predict as they went in; what is no label is refused."""

import numpy as np
import pandas as pd
import pytest

import softwood
from plain import fit_plain

X = np.arange(12.0).reshape(-1, 1)
HALVES = np.arange(12) >= 6

KINDS = {
    "ints": np.where(HALVES, 7, -3),
    "small ints": np.where(HALVES, 7, 3).astype(np.uint8),
    "large ints": np.where(HALVES, 2**62, -(2**62)),
    "bools": HALVES,
    "floats": np.where(HALVES, 0.5, -1.5),
    "float32": np.where(HALVES, 0.5, 0.1).astype(np.float32),
    "strings": np.where(HALVES, "yes", "no"),
    "other alphabets": np.where(HALVES, "да", "нет"),
    "strings as objects": np.where(HALVES, "yes", "no").astype(object),
    "ints as objects": np.where(HALVES, 1, 2).astype(object),
    "list of ints": [1] * 6 + [2] * 6,
    "list of strings": ["b"] * 6 + ["a"] * 6,
    "list of bools": [True] * 6 + [False] * 6,
    "tuple of numbers": (1,) * 6 + (2.5,) * 6,
    "series": pd.Series(np.where(HALVES, "yes", "no"), index=range(5, 17)),
    "categorical": pd.Categorical(np.where(HALVES, "yes", "no")),
    "categorical series": pd.Series(pd.Categorical(np.where(HALVES, 3, 9))),
    "nullable ints": pd.Series(np.where(HALVES, 3, 9), dtype="Int64"),
    "nullable bools": pd.Series(HALVES, dtype="boolean"),
    "pandas strings": pd.Series(np.where(HALVES, "yes", "no"), dtype="string"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_come_back(kind):
    y = KINDS[kind]
    model = fit_plain(X, y, depth=1, n_starts=4)
    expected = np.asarray(list(y))
    predicted = model.predict(X)
    assert (predicted == expected).all()
    assert predicted.dtype.kind == expected.dtype.kind.replace("u", "i")
    assert (model.classes == np.unique(expected)).all()
    assert set(model.leaf_classes) == set(model.classes)
    again = softwood.OrctModel.from_json(model.to_json())
    assert again.classes.dtype == model.classes.dtype
    assert (again.predict(X) == expected).all()


def test_labels_that_differ_in_a_trailing_nul_stay_apart():
    y = np.array(["a"] * 6 + ["a\0"] * 6, dtype=object)
    model = fit_plain(X, y, depth=1, n_starts=4)
    assert model.classes.tolist() == ["a", "a\0"]
    assert model.predict(X).tolist() == y.tolist()


def test_numpy_strings_of_variable_length_come_back():
    dtypes = pytest.importorskip("numpy.dtypes")
    if not hasattr(dtypes, "StringDType"):
        pytest.skip("needs NumPy 2")
    y = np.where(HALVES, "yes", "no").astype(dtypes.StringDType())
    model = fit_plain(X, y, depth=1, n_starts=4)
    assert model.predict(X).tolist() == y.tolist()


def with_value(value, dtype=object):
    y = np.array(["a", "b"] * 6, dtype=dtype)
    y[3] = value
    return y


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (HALVES[:11], ValueError, "X has 12 rows but y has 11 values"),
        (HALVES.reshape(-1, 1), ValueError, r"y must have one dimension, got shape \(12, 1\); use"),
        (np.zeros((12, 2)), ValueError, r"y must have one dimension, got shape \(12, 2\)$"),
        (pd.DataFrame({"y": HALVES}), ValueError, r"y must have one dimension"),
        (1, TypeError, r"y must be a list or array of labels, got 1 \(int\)"),
        ("abcdefghijkl", TypeError, r"y must be a list or array of labels"),
        (None, TypeError, r"y must be a list or array of labels, got None"),
        (np.where(HALVES, 1.0, np.nan), ValueError, r"y\[0\] is nan; labels must be finite"),
        (np.where(HALVES, np.inf, 0), ValueError, r"y\[6\] is inf; labels must be finite"),
        ([1.0, float("nan")] * 6, ValueError, r"y\[1\] is nan"),
        (with_value(None), ValueError, r"y\[3\] is None; every row needs a label"),
        (with_value(np.nan), ValueError, r"y\[3\] is nan; every row needs a label"),
        (with_value(pd.NA), ValueError, r"y\[3\] is <NA>; every row needs a label"),
        (pd.Series(with_value(None), dtype="category"), ValueError, r"y\[3\] is nan"),
        (with_value(1), TypeError, r"all of one kind, got int, str"),
        ([1, "a"] * 6, TypeError, r"all of one kind, got int, str"),
        ([True, 2] * 6, TypeError, r"all of one kind, got bool, int"),
        ([(1, 2), "a"] * 6, (TypeError, ValueError), "y must|y has"),
        (np.array([b"a", b"b"] * 6), TypeError, r"got dtype \|S1; decode them to str"),
        (np.ones(12, complex), TypeError, r"y must hold .*, got dtype complex128"),
        (np.zeros(12, "M8[D]"), TypeError, r"y must hold .*, got dtype datetime64"),
        (np.full(12, 2**63, np.uint64), ValueError, r"y must hold integers below 2\*\*63"),
        ([2**70, 1] * 6, ValueError, r"y must hold integers of at most 64 bits"),
        (np.zeros(12), ValueError, r"y must hold at least two classes with positive weight, got 1"),
        (np.arange(12), ValueError, r"12 classes .* depth 2 has 4 leaves; use depth 4 or more, or"),
    ],
)
def test_what_is_no_label_is_refused(y, error, message):
    with pytest.raises(error, match=message):
        fit_plain(X, y)


def test_more_classes_than_leaves_are_fitted_if_asked():
    model = fit_plain(X, np.arange(12) // 2, depth=1, cover_classes=False, n_starts=2)
    assert len(model.classes) == 6
    assert model.predict_proba(X).shape == (12, 6)
