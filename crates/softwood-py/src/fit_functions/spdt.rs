//! `fit_spdt`, as the Python package calls it.

use super::data::Training;
use crate::doorway::{Call, run_fit};
use crate::setting_tables::spdt_settings;
use crate::spdt::SpdtHandle;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

/// Fit an SPDT; `softwood.fit_spdt` prepares the arguments.
#[pyfunction]
pub fn fit_spdt(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SpdtHandle> {
    let settings = spdt_settings(settings)?;
    let data = training.open_rows(py)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_spdt(data.rows, &data.labels, weights, &settings, control)
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_spdt"),
        progress.as_ref(),
        fit,
        SpdtHandle,
    )
}
