//! The fit functions, as `softwood.functions` calls them.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::exceptions::from_input_error;
use crate::orct_model::OrctModel;
use crate::run_interruptible::run_interruptible;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use softwood::data::Labels;
use softwood::{OrctSettings, RowSelection};
use std::time::Duration;

/// Fit an ORCT to coded labels; `softwood.fit_orct` prepares the arguments.
#[pyfunction]
#[pyo3(signature = (x, codes, classes, *, depth, gamma, costs, sample_weight, scaling, cover_classes,
                    n_starts, random_state, n_threads, max_iter, tol, time_limit, feature_names, progress,
                    selection))]
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
    selection: Option<(f64, f64, f64, usize, usize)>,
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
        // More seconds than a Duration holds are no limit.
        time_limit: time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        feature_names,
    };
    let labels = Labels {
        classes: classes.into(),
        codes: codes.as_array().to_vec(),
    };
    let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
    let rows = x.rows();
    check_memory_for_splits(rows.features(), depth)?;
    let selection = selection.map(|(beta1, beta2, tolerance, sample, rounds)| RowSelection {
        beta1,
        beta2,
        tolerance,
        sample,
        rounds,
    });
    run_interruptible(py, progress.as_ref(), |control| {
        let weights = weights.as_deref();
        match &selection {
            None => softwood::fit_orct(rows, &labels, weights, &settings, control),
            Some(selection) => {
                softwood::fit_orct_selected(rows, &labels, weights, &settings, selection, control)
            }
        }
    })
    .map(OrctModel)
}
