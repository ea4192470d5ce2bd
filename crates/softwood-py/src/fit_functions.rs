//! The fit functions, as `softwood.functions` calls them.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::orct_model::OrctModel;
use crate::run_interruptible::run_interruptible;
use crate::settings::OrctOptions;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use softwood::data::Labels;

/// Fit an ORCT to coded labels; `softwood.fit_orct` prepares the arguments.
#[pyfunction]
pub fn fit_orct(
    py: Python<'_>,
    x: Matrix<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: Classes,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    settings: OrctOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctModel> {
    let settings = settings.check()?;
    let labels = Labels {
        classes: classes.into(),
        codes: codes.as_array().to_vec(),
    };
    let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
    let rows = x.rows();
    check_memory_for_splits(rows.features(), settings.depth)?;
    run_interruptible(py, progress.as_ref(), |control| {
        softwood::fit_orct(rows, &labels, weights.as_deref(), &settings, control)
    })
    .map(OrctModel)
}
