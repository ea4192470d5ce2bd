//! The fit functions, as `softwood.functions` calls them.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::exceptions::from_input_error;
use crate::orct_model::OrctModel;
use crate::run_interruptible::run_interruptible;
use crate::srt_model::SrtModel;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use softwood::data::{Labels, ScalingChoice};
use softwood::{InputError, OrctSettings, SrtSettings};
use std::time::Duration;

/// Fit an ORCT to coded labels; `softwood.fit_orct` prepares the arguments.
#[pyfunction]
#[pyo3(signature = (x, codes, classes, *, depth, gamma, costs, sample_weight, scaling, cover_classes,
                    n_starts, random_state, n_threads, max_iter, tol, time_limit, feature_names, progress))]
#[allow(clippy::too_many_arguments)] // the Python signature
pub fn fit_orct(
    py: Python<'_>,
    x: Matrix<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: Classes,
    depth: usize,
    gamma: f64,
    costs: Option<PyReadonlyArray2<'_, f64>>,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    scaling: &str,
    cover_classes: bool,
    n_starts: usize,
    random_state: u64,
    n_threads: Option<usize>,
    max_iter: u64,
    tol: f64,
    time_limit: Option<f64>,
    feature_names: Option<Vec<String>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctModel> {
    let settings = OrctSettings {
        depth,
        gamma,
        costs: costs.map(|costs| costs.as_array().iter().copied().collect()),
        scaling: scaling.parse().map_err(from_input_error)?,
        cover_classes,
        n_starts,
        random_state,
        n_threads,
        max_iter,
        tol,
        time_limit: duration(time_limit),
        feature_names,
    };
    let labels = Labels {
        classes: classes.into(),
        codes: codes.as_array().to_vec(),
    };
    let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
    let rows = x.rows();
    check_memory_for_splits(rows.features(), depth)?;
    run_interruptible(py, progress.as_ref(), |control| {
        softwood::fit_orct(rows, &labels, weights.as_deref(), &settings, control)
    })
    .map(OrctModel)
}

/// Fit a soft regression tree; `softwood.fit_srt` prepares the arguments.
#[pyfunction]
#[pyo3(signature = (x, y, *, depth, ridge_branches, ridge_leaves, scaling, start, n_starts, macro_iterations,
                    imbalance, convergent_after, tol, sample_weight, random_state, n_threads, time_limit,
                    feature_names, progress))]
#[allow(clippy::too_many_arguments)] // the Python signature
pub fn fit_srt(
    py: Python<'_>,
    x: Matrix<'_>,
    y: PyReadonlyArray1<'_, f64>,
    depth: usize,
    ridge_branches: Option<f64>,
    ridge_leaves: Option<f64>,
    scaling: &str,
    start: &str,
    n_starts: usize,
    macro_iterations: u64,
    imbalance: [f64; 3],
    convergent_after: Option<u64>,
    tol: f64,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    random_state: u64,
    n_threads: Option<usize>,
    time_limit: Option<f64>,
    feature_names: Option<Vec<String>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SrtModel> {
    let ScalingChoice::Fixed(scaling) = scaling.parse().map_err(from_input_error)? else {
        return Err(from_input_error(InputError::Setting {
            name: "scaling",
            expected: "\"minmax\" or \"quantile\"",
            got: format!("{scaling:?}"),
        }));
    };
    let settings = SrtSettings {
        depth,
        ridge_branches,
        ridge_leaves,
        scaling,
        start: start.parse().map_err(from_input_error)?,
        n_starts,
        macro_iterations,
        imbalance,
        convergent_after,
        tol,
        random_state,
        n_threads,
        time_limit: duration(time_limit),
        feature_names,
    };
    let y = y.as_array().to_vec();
    let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
    let rows = x.rows();
    check_memory_for_splits(rows.features(), depth)?;
    run_interruptible(py, progress.as_ref(), |control| {
        softwood::fit_srt(rows, &y, weights.as_deref(), &settings, control)
    })
    .map(SrtModel)
}

/// More seconds than a Duration holds are no limit.
fn duration(seconds: Option<f64>) -> Option<Duration> {
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}
