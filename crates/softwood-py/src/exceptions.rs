//! The one place where errors of the core become Python exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use softwood::{FitError, InputError};

pub fn from_input_error(error: InputError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn from_fit_error(error: FitError) -> PyErr {
    match error {
        FitError::Input(error) => from_input_error(error),
        FitError::Cancelled => PyKeyboardInterrupt::new_err(error.to_string()),
        FitError::Threads { .. } => PyRuntimeError::new_err(error.to_string()),
    }
}
