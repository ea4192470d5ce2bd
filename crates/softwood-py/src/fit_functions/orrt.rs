//! The functions around `fit_orrt`, as the Python package calls them.

use super::data::Regression;
use super::row_groups::{Group, open_groups, row_groups};
use crate::doorway::{Call, run_fit};
use crate::orrt::OrrtHandle;
use crate::setting_tables::orrt_settings;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

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
