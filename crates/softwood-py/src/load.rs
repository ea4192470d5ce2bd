//! Models of any kind from files.

use crate::exceptions::from_file_error;
use crate::orct_model::OrctModel;
use crate::srt_model::SrtModel;
use pyo3::prelude::*;
use softwood::Model;
use std::path::PathBuf;

/// Read a model from a file; `softwood.load` is documented.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    Ok(match Model::load(path).map_err(from_file_error)? {
        Model::Orct(model) => Bound::new(py, OrctModel(model))?.into_any(),
        Model::Srt(model) => Bound::new(py, SrtModel(model))?.into_any(),
    })
}
