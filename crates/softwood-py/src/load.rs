//! Models of any kind from files.

use crate::doorway::enter;
use crate::functional::{FunctionalOrctHandle, FunctionalOrrtHandle};
use crate::orct::OrctHandle;
use crate::orrt::OrrtHandle;
use crate::spdt::SpdtHandle;
use crate::srt::SrtHandle;
use crate::svm1_odt::Svm1OdtHandle;
use pyo3::prelude::*;
use softwood::Model;
use std::path::PathBuf;

/// Read a model from a file; `softwood.load` is documented.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    Ok(match enter(py, "load", || Model::load(path))? {
        Model::FunctionalOrct(model) => Bound::new(py, FunctionalOrctHandle(model))?.into_any(),
        Model::FunctionalOrrt(model) => Bound::new(py, FunctionalOrrtHandle(model))?.into_any(),
        Model::Orct(model) => Bound::new(py, OrctHandle(model))?.into_any(),
        Model::Orrt(model) => Bound::new(py, OrrtHandle(model))?.into_any(),
        Model::Spdt(model) => Bound::new(py, SpdtHandle(model))?.into_any(),
        Model::Srt(model) => Bound::new(py, SrtHandle(model))?.into_any(),
        Model::Svm1Odt(model) => Bound::new(py, Svm1OdtHandle(model))?.into_any(),
    })
}
