//! The one place where errors of the core become Python exceptions.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};
use rayon::ThreadPoolBuildError;
use softwood::fitted::ModelFileError;
use softwood::{FitError, InputError};
use std::any::Any;
use std::fmt::Display;

create_exception!(
    softwood,
    InternalError,
    PyRuntimeError,
    "A fault in softwood itself, not in what it was given: please report it."
);

/// Whatever the core may answer instead of a result.
pub enum CoreError {
    Input(InputError),
    Fit(FitError),
    File(ModelFileError),
    Threads(ThreadPoolBuildError),
}

impl From<InputError> for CoreError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<FitError> for CoreError {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Input(error) => Self::Input(error),
            error => Self::Fit(error),
        }
    }
}

impl From<ModelFileError> for CoreError {
    fn from(error: ModelFileError) -> Self {
        Self::File(error)
    }
}

impl From<ThreadPoolBuildError> for CoreError {
    fn from(error: ThreadPoolBuildError) -> Self {
        Self::Threads(error)
    }
}

impl From<CoreError> for PyErr {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::Input(error) => PyValueError::new_err(error.to_string()),
            CoreError::Fit(error) => PyRuntimeError::new_err(error.to_string()),
            CoreError::File(error) => from_file_error(&error),
            CoreError::Threads(error) => no_threads(error),
        }
    }
}

/// As Python's own open: FileNotFoundError and the like, with the name of the file.
fn from_file_error(error: &ModelFileError) -> PyErr {
    match error {
        ModelFileError::Invalid { .. } => PyValueError::new_err(error.to_string()),
        ModelFileError::Io { source, path, .. } => match source.raw_os_error() {
            Some(number) => {
                let text = source.to_string();
                let text = text.split(" (os error").next().unwrap_or_default();
                PyOSError::new_err((number, text.to_owned(), path.as_os_str().to_owned()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
    }
}

pub fn no_threads(reason: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("could not start threads: {reason}"))
}

/// A panic in a call, with what it said.
pub fn from_panic(call: &impl Display, panic: &(dyn Any + Send)) -> PyErr {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message");
    InternalError::new_err(format!(
        "internal error in {call}: {said}; please report it"
    ))
}
