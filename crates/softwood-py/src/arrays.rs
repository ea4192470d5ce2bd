//! NumPy arrays in: borrowed, never copied as a whole.

use numpy::{PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use softwood::data::Rows;

/// A two-dimensional float array of either precision, borrowed for as long as this lives.
pub enum Matrix<'py> {
    F64(PyReadonlyArray2<'py, f64>),
    F32(PyReadonlyArray2<'py, f32>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Matrix<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.extract() {
            return Ok(Self::F64(array));
        }
        if let Ok(array) = object.extract() {
            return Ok(Self::F32(array));
        }
        let kind = match object.cast::<PyUntypedArray>() {
            Ok(array) => format!("an array of dtype {} with {} dimensions", array.dtype(), array.ndim()),
            Err(_) => format!("a {}", object.get_type()),
        };
        Err(PyTypeError::new_err(format!(
            "X must be a two-dimensional array of float64 or float32, got {kind}"
        )))
    }
}

impl Matrix<'_> {
    /// The rows as the core sees them.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            Self::F64(array) => array.as_array().into(),
            Self::F32(array) => array.as_array().into(),
        }
    }
}
