//! The functions around `fit_functional_orrt`, as the Python package calls them.

use super::data::{Regression, Training};
use crate::doorway::run_fit;
use crate::functional::{FunctionalOrctHandle, FunctionalOrrtHandle, Predictors, curve_layout};
use crate::setting_tables::{
    functional_orct_cv_settings, functional_orct_settings, functional_orrt_cv_settings,
    functional_orrt_settings,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

/// Fit a regression tree to curves; `softwood.fit_functional_orrt` prepares the arguments.
#[pyfunction]
pub fn fit_functional_orrt(
    py: Python<'_>,
    training: Regression<'_>,
    predictors: Predictors,
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

/// Choose settings by cross-validation and fit; `softwood.fit_functional_orrt_cv` prepares the arguments.
#[pyfunction]
pub fn fit_functional_orrt_cv(
    py: Python<'_>,
    training: Regression<'_>,
    predictors: Predictors,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FunctionalOrrtHandle> {
    let settings = functional_orrt_cv_settings(functional_orrt_settings(settings)?, choices)?;
    let deepest = settings.grid.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let layout = curve_layout(predictors);
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_functional_orrt_cv(data.rows, &layout, &data.y, weights, &settings, control)
    };
    let name = "fit_functional_orrt_cv";
    run_fit(py, name, progress.as_ref(), fit, FunctionalOrrtHandle)
}

/// Fit a classification tree to curves; `softwood.fit_functional_orct` prepares the arguments.
#[pyfunction]
pub fn fit_functional_orct(
    py: Python<'_>,
    training: Training<'_>,
    predictors: Predictors,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FunctionalOrctHandle> {
    let settings = functional_orct_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let layout = curve_layout(predictors);
    let fit = |control: &Control| {
        let (labels, weights) = (&data.labels, data.weights.as_deref());
        softwood::fit_functional_orct(data.rows, &layout, labels, weights, &settings, control)
    };
    run_fit(
        py,
        "fit_functional_orct",
        progress.as_ref(),
        fit,
        FunctionalOrctHandle,
    )
}

/// Choose settings by cross-validation and fit; `softwood.fit_functional_orct_cv` prepares the arguments.
#[pyfunction]
pub fn fit_functional_orct_cv(
    py: Python<'_>,
    training: Training<'_>,
    predictors: Predictors,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FunctionalOrctHandle> {
    let settings = functional_orct_cv_settings(functional_orct_settings(settings)?, choices)?;
    let deepest = settings.grid.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let layout = curve_layout(predictors);
    let fit = |control: &Control| {
        let (labels, weights) = (&data.labels, data.weights.as_deref());
        softwood::fit_functional_orct_cv(data.rows, &layout, labels, weights, &settings, control)
    };
    let name = "fit_functional_orct_cv";
    run_fit(py, name, progress.as_ref(), fit, FunctionalOrctHandle)
}
