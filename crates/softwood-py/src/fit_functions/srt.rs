//! The functions around `fit_srt`, as the Python package calls them.

use super::data::Regression;
use crate::doorway::{Call, run_fit};
use crate::setting_tables::{srt_cv_settings, srt_settings};
use crate::srt::SrtHandle;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

/// Fit a soft regression tree; `softwood.fit_srt` prepares the arguments.
#[pyfunction]
pub fn fit_srt(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SrtHandle> {
    let settings = srt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_srt(data.rows, &data.y, weights, &settings, control)
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_srt"),
        progress.as_ref(),
        fit,
        SrtHandle,
    )
}

/// Choose settings by cross-validation and fit; `softwood.fit_srt_cv` prepares the arguments.
#[pyfunction]
pub fn fit_srt_cv(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SrtHandle> {
    let settings = srt_cv_settings(srt_settings(settings)?, choices)?;
    let deepest = settings.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_srt_cv(data.rows, &data.y, weights, &settings, control)
    };
    run_fit(
        py,
        Call::on(&data.rows, "fit_srt_cv"),
        progress.as_ref(),
        fit,
        SrtHandle,
    )
}
