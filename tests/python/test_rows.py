"""Rows of every kind are read as they lie, converted where they must be, or refused."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import softwood
from plain import fit_plain
from softwood.warnings import OneClassWarning

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")

LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every other row and column": lambda X: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "column of a cube": lambda X: np.stack([X, X + 1], axis=-1)[..., 0],
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
    "unaligned": lambda X: (
        np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(X.dtype).reshape(X.shape)
    ),
    "swapped bytes": lambda X: X.astype(X.dtype.newbyteorder()),
    "field of records": lambda X: X.astype([("x", X.dtype), ("i", "i1")])["x"],
    "np.matrix": lambda X: X.view(np.matrix),
}


@pytest.fixture(scope="module")
def small(three):
    """Rows that are the same in both precisions, labels, and the fit as it should come out."""
    X = three[0][:120].astype(np.float32).astype(np.float64)
    y = three[1][:120]
    return X, y, fit_plain(X, y, n_starts=2, max_iter=20)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_and_precision_do_not_matter(small, layout, dtype):
    X, y, expected = small
    rows = LAYOUTS[layout](X.astype(dtype))
    assert (np.asarray(rows, np.float64) == X).all()
    model = fit_plain(rows, y, n_starts=2, max_iter=20)
    assert model.coefficients.tobytes() == expected.coefficients.tobytes()
    for method in ("predict_proba", "leaf_probabilities", "explain"):
        assert getattr(expected, method)(rows).tobytes() == getattr(expected, method)(X).tobytes()


def test_integers_bools_and_lists_are_converted(three):
    y = three[1]
    X = np.round(three[0] * [4, 1, 1, 500]).astype(np.int16)  # exact in float16 too
    expected = fit_plain(X.astype(float), y, n_starts=1, max_iter=20)
    for rows in (X, X.tolist(), X.astype(np.float16), X.astype(np.longdouble), pd.DataFrame(X)):
        model = fit_plain(rows, y, n_starts=1, max_iter=20)
        assert model.coefficients.tobytes() == expected.coefficients.tobytes()
        assert (expected.predict(rows) == expected.predict(X)).all()
    bools = X.mean(axis=0) < X
    model = fit_plain(bools, y, n_starts=1)
    assert (model.predict(bools) == model.predict(bools.astype(float))).all()


def test_a_data_frame_gives_names_and_must_keep_them(three):
    X, y = three
    frame = pd.DataFrame(X, columns=["age", "weight", "unit", "dose"])
    model = fit_plain(frame, y, n_starts=1)
    assert model.feature_names == ["age", "weight", "unit", "dose"]
    assert fit_plain(X, y, n_starts=1).feature_names == ["x0", "x1", "x2", "x3"]
    assert "weight" in str(model)
    assert "weight" in model.rule(0).names
    expected = model.predict(X)  # rows without names are taken as they come
    assert (model.predict(frame) == expected).all()
    assert (model.predict(frame.set_axis(range(4), axis=1)) == expected).all()
    assert (model.predict(frame[["dose", "unit", "weight", "age"]]) == expected).all()
    with pytest.raises(ValueError, match=r'it lacks "dose" and has "rate" besides$'):
        model.predict_proba(frame.rename(columns={"dose": "rate"}))
    with pytest.raises(ValueError, match=r'fitted on: it lacks "dose"$'):
        model.explain(frame[["age", "weight", "unit"]])
    with pytest.raises(ValueError, match=r'fitted on: it has "rate" besides$'):
        model.apply(frame.assign(rate=1.0))
    # Names are free for models fitted without any.
    assert (fit_plain(X, y, n_starts=1).predict(frame) == expected).all()


def test_frames_of_mixed_numbers_are_numbers(three):
    X, y = three
    frame = pd.DataFrame(
        {
            "a": X[:, 0],
            "b": X[:, 1] > -50,
            "c": pd.array(np.round(X[:, 3] * 1000), dtype="Int64"),
            "d": X[:, 3].astype(np.float32),
        }
    )
    plain = np.column_stack([X[:, 0], X[:, 1] > -50, np.round(X[:, 3] * 1000), frame["d"]])
    model = fit_plain(frame, y, n_starts=1, max_iter=20)
    assert (model.predict_proba(frame) == model.predict_proba(plain)).all()
    frame.loc[7, "c"] = pd.NA
    with pytest.raises(ValueError, match=r'values are missing in column "c" \(row 7\); fill'):
        model.predict(frame)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (np.zeros(3), ValueError, r"X must have two dimensions.*got 1; one row is X.reshape"),
        (np.zeros((2, 2, 2)), ValueError, r"X must have two dimensions.*got 3$"),
        (3.0, TypeError, r"X must hold numbers .* in rows and columns, got 3.0 \(float\)"),
        (None, TypeError, r"got None \(NoneType\)"),
        ([[1, 2], [3]], ValueError, r"X must be a table with rows of equal length"),
        (np.zeros((0, 4)), ValueError, r"at least one row and one column, got shape \(0, 4\)"),
        (np.zeros((4, 0)), ValueError, r"at least one row and one column, got shape \(4, 0\)"),
        (np.ones((4, 2), complex), TypeError, r"X must hold numbers.*got dtype complex128$"),
        (np.ones((4, 2), object), TypeError, r"got dtype object; .* use X.astype\(float\)"),
        ([["1", "2"]] * 4, TypeError, r"X must hold numbers.*got dtype <U1"),
        (np.ones((4, 2), "M8[s]"), TypeError, r"X must hold numbers.*got dtype datetime64"),
        (np.ma.masked_all((4, 2)), TypeError, r"X must not be a masked array"),
        ([np.ma.masked_all(2)] * 4, TypeError, r"masked array or hold one; fill it"),
        (np.array([[1, 2], [3, np.nan], [np.inf, 4]]), ValueError, r"X\[1, 1\] is NaN"),
        (np.array([[1, 2], [3, 5], [-np.inf, 4]], "f4"), ValueError, r"X\[2, 0\] is -inf"),
    ],
)
def test_bad_rows_are_refused(rows, error, message):
    y = np.arange(np.shape(rows)[0] if isinstance(rows, np.ndarray) else 4) % 2
    with pytest.raises(error, match=message):
        fit_plain(rows, y, depth=1)


def test_arrays_larger_than_memory_are_refused_at_once(example):
    X, y = example
    model = fit_plain(X, y, depth=1, n_starts=1, max_iter=5)
    tall = np.broadcast_to(X[:1], (10**12, 30))
    with pytest.raises(ValueError, match="X has 1000000000000 rows but y has 569 values"):
        fit_plain(tall, y)
    with pytest.raises(MemoryError):
        fit_plain(tall, np.broadcast_to(1, 10**12))
    for method in (model.predict, model.predict_proba, model.leaf_probabilities, model.explain):
        with pytest.raises(MemoryError, match=r"no memory for the .*: 1000000000000 × "):
            method(tall)
    wide = np.broadcast_to(X[:, :1], (569, 10**10))
    with pytest.raises(MemoryError, match="no memory for the parameters"):
        fit_plain(wide, y)
    with pytest.raises(MemoryError, match="no memory for the parameters"):
        softwood.OrctObjective(wide, y, ["benign", "malignant"], depth=1)


@pytest.mark.parametrize("scaling", ["minmax", "quantile"])
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_the_size_of_numbers_does_not_matter(three, size, scaling):
    X, y = three
    X = X - X[0]
    settings = {"n_starts": 2, "scaling": scaling, "gamma": 32}
    model = fit_plain(X * size, y, **settings)
    expected = fit_plain(X, y, **settings)
    assert model.report.objective == pytest.approx(expected.report.objective, rel=1e-3)
    assert np.isfinite(model.predict_proba(X * size)).all()
    assert np.isfinite(model.explain(X[:20] * size)).all()


def test_degenerate_rows_are_fitted():
    with pytest.warns(OneClassWarning):
        constant = fit_plain(np.ones((6, 3)), [0, 1] * 3, depth=1, n_starts=2)
    assert constant.report.objective == pytest.approx(0.25)
    assert np.isfinite(constant.predict_proba(np.zeros((2, 3)))).all()
    duplicates = fit_plain([[0.0], [1.0]] * 50, ["a", "b"] * 50, depth=1, n_starts=4)
    assert duplicates.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    one_each = fit_plain(np.eye(4), list("abcd"), depth=2, n_starts=20)
    assert sorted(one_each.leaf_classes) == list("abcd")
    assert one_each.report.objective < 0.375


MEMORY = """
import sys
import numpy as np, softwood
order, dtype = sys.argv[1:]
X = np.empty((1_000_000, 16), dtype=dtype, order=order)
for j in range(16):
    X[:, j] = np.random.default_rng(j).random(len(X), dtype=dtype)
if order == "C":
    X = X[::-1, ::-1]  # strides of both signs
y = X[:, 0] > X[:, 1]
few = np.ascontiguousarray(X[:2000])
settings = dict(depth=1, n_starts=1, max_iter=2, n_threads=2)
settings |= dict(gamma=512, scaling="minmax", balance=False, local_penalty=0)
model = softwood.fit_orct(few, y[:2000], **settings)
objective = softwood.OrctObjective(few, y[:2000], [True, False], depth=1, n_threads=2)
objective.value_and_gradient(np.zeros(17))
# Not ru_maxrss: it begins with that of the parent process.
status = lambda: dict(line.split(":") for line in open("/proc/self/status"))
peak = lambda: int(status()["VmHWM"].split()[0]) * 1024
before = peak()
objective = softwood.OrctObjective(X, y, [True, False], depth=1, n_threads=2)
objective.value_and_gradient(np.zeros(17))
del objective  # it holds the classes of the rows
softwood.fit_orct(X, y, **settings)
model.predict_proba(X)
print((peak() - before) / X.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("order", "dtype"), [("F", "float64"), ("C", "float64"), ("F", "float32")])
def test_rows_are_not_copied(order, dtype):
    command = [sys.executable, "-c", MEMORY, order, dtype]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    # y, its codes and the predictions take 16 to 32 bytes a row; X has 128 or 64.
    assert float(run.stdout) < 0.6
