//! The functions around `fit_functional_orrt`, as the Python package calls them.

use super::data::Regression;
use crate::doorway::run_fit;
use crate::functional::{FunctionalOrrtHandle, curve_layout};
use crate::setting_tables::functional_orrt_settings;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

/// Fit a regression tree to curves; `softwood.fit_functional_orrt` prepares the arguments.
#[pyfunction]
pub fn fit_functional_orrt(
    py: Python<'_>,
    training: Regression<'_>,
    predictors: Vec<(String, Option<Vec<f64>>)>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FunctionalOrrtHandle> {
    let settings = functional_orrt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let layout = curve_layout(predictors);
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_functional_orrt(data.rows, &layout, &data.y, weights, &settings, control)
    };
    run_fit(
        py,
        "fit_functional_orrt",
        progress.as_ref(),
        fit,
        FunctionalOrrtHandle,
    )
}
