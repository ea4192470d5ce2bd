//! `fit_svm1_odt`, as the Python package calls it.

use super::data::Training;
use crate::doorway::{Call, run_fit};
use crate::mip_solver::PythonSolver;
use crate::setting_tables::{mip_settings, svm1_odt_settings};
use crate::svm1_odt::Svm1OdtHandle;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::Control;

/// Fit an SVM1-ODT tree; `softwood.fit_svm1_odt` prepares the arguments.
#[pyfunction]
pub fn fit_svm1_odt(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Svm1OdtHandle> {
    let settings = svm1_odt_settings(settings)?;
    let data = training.open_rows(py)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_svm1_odt(data.rows, &data.labels, weights, &settings, control)
    };
    let call = Call::on(&data.rows, "fit_svm1_odt");
    run_fit(py, call, progress.as_ref(), fit, Svm1OdtHandle)
}

/// Fit an SVM1-ODT tree by a mixed-integer program, which `solve` solves; `softwood.fit_svm1_odt` prepares
/// the arguments.
#[pyfunction]
pub fn fit_svm1_odt_by_mip(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    of_mip: &Bound<'_, PyDict>,
    solve: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Svm1OdtHandle> {
    let (settings, of_mip) = (svm1_odt_settings(settings)?, mip_settings(of_mip)?);
    let (data, solver) = (training.open_rows(py)?, PythonSolver(solve));
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        let settings = (&settings, &of_mip);
        softwood::fit_svm1_odt_by_mip(data.rows, &data.labels, weights, settings, &solver, control)
    };
    let call = Call::on(&data.rows, "fit_svm1_odt");
    run_fit(py, call, progress.as_ref(), fit, Svm1OdtHandle)
}
