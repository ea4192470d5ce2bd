"""Sparse rows are read where they are, and give what the same rows give when they are dense."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import softwood
from plain import fit_plain

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")

KINDS = {
    "csr_matrix": sp.csr_matrix,
    "csr_array": sp.csr_array,
    "csc_matrix": sp.csc_matrix,
    "csc_array": sp.csc_array,
}


# One split that is not steep: whatever the rounding, the search ends in one place.
SMOOTH = {"depth": 1, "gamma": 64, "n_starts": 2}


@pytest.fixture(scope="module")
def few():
    """400 × 25 with a tenth of the values not 0, two classes, and the tree of the dense rows."""
    rng = np.random.default_rng(2)
    X = np.round(sp.random(400, 25, 0.1, random_state=rng).toarray(), 2)
    X[:, 7] = 0
    y = np.where(X @ np.linspace(-1, 1, 25) > 0, "yes", "no")
    return X, y, fit_plain(X, y, **SMOOTH)


def reindexed(matrix, dtype):
    matrix.indices, matrix.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return matrix


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_is_that_of_dense_rows(few, kind, index):
    X, y, expected = few
    matrix = reindexed(KINDS[kind](X), index)
    model = fit_plain(matrix, y, **SMOOTH)
    assert model.report.objective == pytest.approx(expected.report.objective, rel=1e-9)
    assert model.coefficients == pytest.approx(expected.coefficients, abs=1e-5)
    assert (model.predict(matrix) == y).mean() == (expected.predict(X) == y).mean()


METHODS = (
    "predict",
    "predict_proba",
    "label_probabilities",
    "leaf_probabilities",
    "apply",
    "decision_path",
    "explain",
    "effects",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_what_a_model_tells_is_that_of_dense_rows(few, method, kind):
    X, _, model = few
    told, expected = (getattr(model, method)(rows) for rows in (KINDS[kind](X), X))
    assert told.dtype == expected.dtype
    if told.dtype.kind == "f":
        assert told == pytest.approx(expected, rel=1e-11, abs=1e-14)
    else:
        assert (told == expected).all()


def test_one_sparse_row_is_explained(few):
    X, _, model = few
    row = np.argmax((X != 0).sum(axis=1))
    assert model.explain_path(sp.csr_array(X)[[row]]) == model.explain_path(X[row])
    with pytest.raises(ValueError, match="x must be one row, got 400"):
        model.explain_path(sp.csr_matrix(X))


@pytest.mark.parametrize("dtype", [np.float32, np.longdouble, np.int8, np.uint64, bool, ">f8"])
def test_values_of_any_number_type_are_read(few, dtype):
    X, y, model = few
    values = np.round(X * 4) if np.dtype(dtype).kind in "iub" else X.astype(np.float32)
    matrix = sp.csr_matrix(values)
    matrix.data = matrix.data.astype(dtype)
    dense = matrix.toarray().astype(float)
    assert model.predict_proba(matrix) == pytest.approx(model.predict_proba(dense), rel=1e-11)
    assert fit_plain(matrix, y, depth=1, max_iter=5).depth == 1


def test_other_functions_take_sparse_rows(few):
    X, y, _ = few
    matrix = sp.csr_array(X)
    maxima = [softwood.lambda_max(rows, y, depth=1) for rows in (matrix, X)]
    assert maxima[0] == pytest.approx(maxima[1], rel=1e-12)
    path = softwood.sparsity_path(
        matrix, y, 1, [0.0, 0.01], [0.0], n_starts=1, X_validation=matrix[:50], y_validation=y[:50]
    )
    assert path.score is not None
    assert path.score[0, 0] > 0.9
    chosen = softwood.fit_orct_cv(matrix, y, depths=(1,), gammas=(64.0,), n_starts=2)
    assert (chosen.predict(matrix) == y).mean() > 0.9
    objective = [
        softwood.OrctObjective(rows, y, ["yes", "no"], depth=1, scaling="minmax")
        for rows in (matrix, X)
    ]
    theta = np.linspace(-1, 1, 26)
    (value, gradient), (wanted, wanted_gradient) = (o.value_and_gradient(theta) for o in objective)
    assert value == pytest.approx(wanted, rel=1e-13)
    assert gradient == pytest.approx(wanted_gradient, rel=1e-9, abs=1e-14)


def test_a_regression_has_the_bits_of_dense_rows(few):
    X = few[0][:, :6]
    y = X[:, 0] * 3 - X[:, 1] * X[:, 2]
    for curves in (False, True):
        models = [
            softwood.fit_srt(rows, y, depth=1, curves=curves) for rows in (sp.csr_array(X), X)
        ]
        assert models[0].coefficients.tobytes() == models[1].coefficients.tobytes()
        told = [models[1].predict(rows) for rows in (sp.csc_array(X), X)]
        assert told[0] == pytest.approx(told[1], rel=1e-9, abs=1e-12)


def test_weights_count_as_repetitions(few):
    X, y, _ = few
    weights = np.arange(400) % 3
    twice = np.repeat(np.arange(400), weights)
    weighted = fit_plain(sp.csr_array(X), y, sample_weight=weights, **SMOOTH)
    repeated = fit_plain(sp.csr_array(X[twice]), y[twice], **SMOOTH)
    assert weighted.coefficients.tobytes() == repeated.coefficients.tobytes()


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X = sp.random(21_000, 40, 0.05, format="csr", random_state=rng)
    y = X @ np.linspace(-1, 1, 40) > 0
    models = [fit_plain(X, y, depth=2, n_starts=1, max_iter=5, n_threads=n) for n in (1, 2)]
    assert models[0].coefficients.tobytes() == models[1].coefficients.tobytes()
    told = [models[0].predict_proba(X, n_threads=n).tobytes() for n in (1, 2)]
    assert told[0] == told[1]


def test_unsorted_and_duplicate_entries_are_read_as_scipy_reads_them(few):
    X, y, model = few
    matrix = sp.csr_matrix(X)
    order = np.concatenate(
        [np.arange(a, b)[::-1] for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
    )
    backwards = sp.csr_matrix(
        (matrix.data[order], matrix.indices[order], matrix.indptr), shape=X.shape
    )
    halves = sp.csr_matrix(
        (np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), 2 * matrix.indptr),
        shape=X.shape,
    )
    expected = model.predict_proba(matrix)
    for same in (backwards, halves):
        before = same.indices.copy(), same.data.copy()
        assert model.predict_proba(same).tobytes() == expected.tobytes()
        assert (same.indices == before[0]).all()
        assert (same.data == before[1]).all()
        fitted = fit_plain(same, y, **SMOOTH)
        assert fitted.report.objective == pytest.approx(model.report.objective, rel=1e-9)


def test_indices_that_scipy_is_told_to_trust_are_checked(few):
    y = few[1]
    matrix = sp.csr_matrix(np.eye(400, 25))
    matrix.indices[3] = 2**31 - 1
    with pytest.raises(ValueError, match="row 3 has a value outside of its 25 column"):
        fit_plain(matrix, y)
    twice = sp.csr_matrix(([1.0, 2.0], [1, 1], [0, 2] + [2] * 399), shape=(400, 25))
    twice.has_canonical_format = True
    with pytest.raises(ValueError, match="columns of row 0 do not increase, or one is there twice"):
        fit_plain(twice, y)
    short = sp.csr_matrix(np.eye(400, 25))
    short.indptr[-1] = 99
    with pytest.raises(ValueError, match=r"row 400 begins outside|Last value of index pointer"):
        fit_plain(short, y)


def test_explicit_zeros_empty_rows_and_columns_do_no_harm(few):
    X, y, model = few
    matrix = sp.csr_array(X)
    full = sp.csr_array(
        (X.ravel().copy(), np.tile(np.arange(25), 400), np.arange(401) * 25), shape=X.shape
    )
    assert full.nnz == X.size
    assert model.predict_proba(full).tobytes() == model.predict_proba(X).tobytes()
    nothing = sp.csr_array((3, 25))
    assert model.predict_proba(nothing) == pytest.approx(model.predict_proba(np.zeros((3, 25))))
    assert model.predict(matrix[:0]).shape == (0,)
    with pytest.raises(ValueError, match=r"X must have at least one row and one column"):
        fit_plain(matrix[:0], y[:0])
    with pytest.warns(softwood.warnings.OneClassWarning):
        fit_plain(sp.csr_array((400, 25)), np.where(np.arange(400) < 300, "a", "b"))


def test_more_columns_than_rows():
    X = sp.csr_array(([1.0, 5.0], ([0, 1], [3, 99_999])), shape=(2, 100_000))
    model = fit_plain(X, [0, 1], depth=1, n_starts=1)
    assert (model.predict(X) == [0, 1]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_value_that_is_not_finite_is_named(few, kind, bad):
    X, y, model = few
    wrong = X.copy()
    wrong[5, 3] = wrong[5, 9] = wrong[200, 0] = bad
    matrix = KINDS[kind](wrong)
    with pytest.raises(ValueError, match=r"X\[5, 3\] is (NaN|inf); every value must be finite"):
        fit_plain(matrix, y)
    for method in METHODS:
        with pytest.raises(ValueError, match=r"X\[5, 3\] is"):
            getattr(model, method)(matrix)


@pytest.mark.parametrize("kind", ["coo", "bsr", "lil", "dok"])
def test_other_sparse_formats_are_refused(few, kind):
    X, y, model = few
    matrix = sp.csr_matrix(X).asformat(kind)
    message = rf"X must be dense or a CSR or CSC matrix, got a sparse {kind}_matrix; use X.tocsr"
    with pytest.raises(TypeError, match=message):
        fit_plain(matrix, y)
    with pytest.raises(TypeError, match=message):
        model.predict(matrix)


def test_sparse_rows_of_other_things_are_refused(few):
    X, y, model = few
    with pytest.raises(TypeError, match=r"X must hold numbers.*complex128"):
        fit_plain(sp.csr_array(X.astype(complex)), y)
    with pytest.raises(ValueError, match="X has 24 columns but the model was fitted on 25"):
        model.predict(sp.csr_array(X[:, 1:]))
    with pytest.raises(ValueError, match="X has 400 rows but y has 399 values"):
        fit_plain(sp.csr_array(X), y[1:])
    for select in (
        softwood.select_extreme_points,
        softwood.balanced_relaxation,
        softwood.select_balanced_rows,
    ):
        with pytest.raises(TypeError, match=r"X must be dense, got a sparse csr_array; use"):
            select(sp.csr_array(X))


def test_arrays_of_the_matrix_are_borrowed(few):
    from softwood._inputs import as_rows

    for dtype in (np.float32, np.float64):
        matrix = sp.csr_matrix(few[0].astype(dtype))
        rows = as_rows(matrix)
        for name in ("indptr", "indices", "data"):
            assert np.shares_memory(getattr(rows, name), getattr(matrix, name))


def test_scipy_is_not_imported_with_softwood():
    code = "import sys, softwood; assert not any(m.startswith('scipy') for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
