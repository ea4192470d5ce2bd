//! The functions around `fit_orct`, as the Python package calls them.

use super::data::Training;
use super::path::{PathFields, path_fields};
use super::row_groups::{Group, open_groups, row_groups};
use crate::arrays::Matrix;
use crate::doorway::{Call, enter, run_fit, run_interruptible};
use crate::orct::OrctHandle;
use crate::setting_tables::{
    fixed_gamma, fixed_scaling, orct_cv_settings, orct_settings, row_selection,
};
use crate::values::integer;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::tree::Topology;
use softwood::{Control, PenaltyGrid, ValidationRows};

/// Fit an ORCT; `softwood.fit_orct` prepares the arguments.
#[pyfunction]
pub fn fit_orct(
    py: Python<'_>,
    training: Training<'_>,
    groups: Vec<Group<'_>>,
    settings: &Bound<'_, PyDict>,
    selection: Option<&Bound<'_, PyDict>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctHandle> {
    let (settings, selection) = (orct_settings(settings)?, row_selection(selection)?);
    let data = training.open(py, settings.depth)?;
    let groups = open_groups(py, &groups)?;
    let groups = row_groups(&groups);
    let fit = |control: &Control| {
        let (rows, labels, weights) = (data.rows, &data.labels, data.weights.as_deref());
        match &selection {
            None => {
                softwood::fit_orct_with_groups(rows, labels, weights, &groups, &settings, control)
            }
            Some(selection) => {
                softwood::fit_orct_selected(rows, labels, weights, &settings, selection, control)
            }
        }
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_orct"),
        progress.as_ref(),
        fit,
        OrctHandle,
    )
}

/// Choose settings by cross-validation and fit; `softwood.fit_orct_cv` prepares the arguments.
#[pyfunction]
pub fn fit_orct_cv(
    py: Python<'_>,
    training: Training<'_>,
    groups: Vec<Group<'_>>,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctHandle> {
    let settings = orct_cv_settings(orct_settings(settings)?, choices)?;
    let deepest = settings.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let groups = open_groups(py, &groups)?;
    let groups = row_groups(&groups);
    let fit = |control: &Control| {
        let (rows, labels, weights) = (data.rows, &data.labels, data.weights.as_deref());
        softwood::fit_orct_cv_with_groups(rows, labels, weights, &groups, &settings, control)
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_orct_cv"),
        progress.as_ref(),
        fit,
        OrctHandle,
    )
}

/// Fit along a grid of penalties; `softwood.sparsity_path` prepares the arguments.
#[pyfunction]
pub fn sparsity_path(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    grid: (Vec<f64>, Vec<f64>),
    validation: Option<(Matrix<'_>, PyReadonlyArray1<'_, u32>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathFields<OrctHandle>> {
    let settings = orct_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let grid = PenaltyGrid {
        local: grid.0,
        global: grid.1,
    };
    let held = validation.as_ref();
    let held = held.map(|(x, codes)| Ok::<_, PyErr>((x.rows(py)?, codes.as_array().to_vec())));
    let held = held.transpose()?;
    let held = held.as_ref().map(|(rows, codes)| ValidationRows {
        rows: rows.reborrow(),
        codes,
    });
    let fit = |control: &Control| {
        let (rows, labels, weights) = (data.rows, &data.labels, data.weights.as_deref());
        let held = held.as_ref();
        softwood::sparsity_path(rows, labels, weights, &grid, held, &settings, control)
    };
    let fields = |path| path_fields(path, OrctHandle);
    let call = Call::on(&data.rows, "sparsity_path");
    run_fit(py, call, progress.as_ref(), fit, fields)
}

/// λ_max: local, global and, for depth 1 and two classes, at the bounds of the intercept.
#[pyfunction]
pub fn lambda_max(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<(f64, f64, Option<f64>)> {
    let settings = orct_settings(settings)?;
    let kind = fixed_scaling(&settings)?;
    fixed_gamma(&settings)?;
    let data = training.open(py, settings.depth)?;
    run_interruptible(py, Call::on(&data.rows, "lambda_max"), |control| {
        let weights = data.weights.as_deref();
        let max = softwood::lambda_max(data.rows, &data.labels, weights, kind, &settings, control)?;
        Ok((max.local, max.global, max.at_bounds))
    })
}

/// Bounds on the VC dimension: lower bound and order of the upper bound.
#[pyfunction]
pub fn vc_bounds(
    py: Python<'_>,
    depth: &Bound<'_, PyAny>,
    features: &Bound<'_, PyAny>,
) -> PyResult<(f64, f64)> {
    let depth = integer("depth", depth, 1, Topology::MAX_DEPTH as u64, "")? as usize;
    let features = integer("features", features, 1, 1 << 31, "")? as usize;
    enter(py, "vc_bounds", || {
        softwood::tree::vc_bounds(depth, features).map(|bounds| (bounds.lower, bounds.upper_order))
    })
}
