//! The functions around `fit_orrt`, as the Python package calls them.

use super::data::Regression;
use super::path::{PathFields, path_fields};
use super::row_groups::{Group, open_groups, row_groups};
use crate::arrays::Matrix;
use crate::doorway::{Call, run_fit, run_interruptible};
use crate::orrt::OrrtHandle;
use crate::setting_tables::{orrt_cv_settings, orrt_settings};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::{Control, HeldRows, PenaltyGrid};

/// Fit a randomized regression tree; `softwood.fit_orrt` prepares the arguments.
#[pyfunction]
pub fn fit_orrt(
    py: Python<'_>,
    training: Regression<'_>,
    groups: Vec<Group<'_>>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrrtHandle> {
    let settings = orrt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let groups = open_groups(py, &groups)?;
    let groups = row_groups(&groups);
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_orrt(data.rows, &data.y, weights, &groups, &settings, control)
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_orrt"),
        progress.as_ref(),
        fit,
        OrrtHandle,
    )
}

/// Choose settings by cross-validation and fit; `softwood.fit_orrt_cv` prepares the arguments.
#[pyfunction]
pub fn fit_orrt_cv(
    py: Python<'_>,
    training: Regression<'_>,
    groups: Vec<Group<'_>>,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrrtHandle> {
    let settings = orrt_cv_settings(orrt_settings(settings)?, choices)?;
    let deepest = settings.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let groups = open_groups(py, &groups)?;
    let groups = row_groups(&groups);
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_orrt_cv(data.rows, &data.y, weights, &groups, &settings, control)
    };
    let call = Call::on(&data.rows, "fit_orrt_cv");
    run_fit(py, call, progress.as_ref(), fit, OrrtHandle)
}

/// Fit along a grid of penalties; `softwood.orrt_sparsity_path` prepares the arguments.
#[pyfunction]
pub fn orrt_sparsity_path(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
    grid: (Vec<f64>, Vec<f64>),
    validation: Option<(Matrix<'_>, PyReadonlyArray1<'_, f64>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathFields<OrrtHandle>> {
    let settings = orrt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let grid = PenaltyGrid {
        local: grid.0,
        global: grid.1,
    };
    let held = validation.as_ref();
    let held = held.map(|(x, y)| Ok::<_, PyErr>((x.rows(py)?, y.as_array().to_vec())));
    let held = held.transpose()?;
    let held = held.as_ref().map(|(rows, y)| HeldRows {
        rows: rows.reborrow(),
        y,
    });
    let fit = |control: &Control| {
        let (rows, weights, held) = (data.rows, data.weights.as_deref(), held.as_ref());
        softwood::orrt_sparsity_path(rows, &data.y, weights, &grid, held, &settings, control)
    };
    let fields = |path| path_fields(path, OrrtHandle);
    let call = Call::on(&data.rows, "orrt_sparsity_path");
    run_fit(py, call, progress.as_ref(), fit, fields)
}

/// λ_max: local and global.
#[pyfunction]
pub fn orrt_lambda_max(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<(f64, f64)> {
    let settings = orrt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    run_interruptible(py, Call::on(&data.rows, "orrt_lambda_max"), |control| {
        let (weights, kind) = (data.weights.as_deref(), settings.scaling);
        let max = softwood::orrt_lambda_max(data.rows, &data.y, weights, kind, &settings, control)?;
        Ok((max.local, max.global))
    })
}
