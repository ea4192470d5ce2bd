//! The one place where errors of the core become Python exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use softwood::fitted::ModelFileError;
use softwood::{FitError, InputError};

pub fn from_input_error(error: InputError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn from_fit_error(error: FitError) -> PyErr {
    match error {
        FitError::Input(error) => from_input_error(error),
        FitError::Cancelled | FitError::Threads { .. } => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}

/// As Python's own open: FileNotFoundError and the like, with the name of the file.
pub fn from_file_error(error: ModelFileError) -> PyErr {
    match &error {
        ModelFileError::Invalid { .. } => PyValueError::new_err(error.to_string()),
        ModelFileError::Io { source, path, .. } => match source.raw_os_error() {
            Some(number) => {
                let text = source.to_string();
                let text = text
                    .split(" (os error")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                PyOSError::new_err((number, text, path.as_os_str().to_owned()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
    }
}

pub fn no_threads(reason: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("could not start threads: {reason}"))
}
