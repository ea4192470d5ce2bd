//! Row selection, as `softwood.selection` calls it.

use crate::arrays::Matrix;
use crate::run_interruptible::run_interruptible;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// The answer of `select_extreme_points`: covered, indptr, indices, values, unresolved.
type Covering<'py> = (
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    usize,
);

fn as_int64(values: Vec<usize>) -> Vec<i64> {
    values.into_iter().map(|value| value as i64).collect()
}

/// Rows in the hull of the others; `softwood.select_extreme_points` prepares the arguments.
#[pyfunction]
#[pyo3(signature = (x, *, tolerance, n_threads))]
pub fn select_extreme_points<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    tolerance: f64,
    n_threads: Option<usize>,
) -> PyResult<Covering<'py>> {
    let rows = x.rows();
    let answer = run_interruptible(py, None, |control| {
        softwood::selection::select_extreme_points(rows, tolerance, n_threads, &control.stop)
    })?;
    Ok((
        answer.covered.into_pyarray(py),
        as_int64(answer.indptr).into_pyarray(py),
        as_int64(answer.indices).into_pyarray(py),
        answer.values.into_pyarray(py),
        answer.unresolved,
    ))
}
