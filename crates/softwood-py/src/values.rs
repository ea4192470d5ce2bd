//! Single values from Python, of the type and range asked for, or refused by name.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

/// Longest text of a value that is shown as a whole, and how much is shown of a longer one.
const SHOWN: (usize, usize) = (60, 40);

/// A text, or the beginning of its first line if it is too long for a message.
pub fn beginning(text: String) -> String {
    if text.chars().count() <= SHOWN.0 && !text.contains('\n') {
        return text;
    }
    let start: String = text.chars().take(SHOWN.1).collect();
    format!("{}…", start.lines().next().unwrap_or_default())
}

/// A value short enough for a message, with its type.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = match value.repr() {
        Ok(text) => text.to_string(),
        // An int beyond Python's limit of digits.
        Err(_) => "a number of very many digits".into(),
    };
    let text = beginning(text);
    let kind = value.get_type().name();
    format!(
        "{text} ({})",
        kind.map_or_else(|_| "?".into(), |name| name.to_string())
    )
}

/// TypeError that says what `name` must be.
pub fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} must be {expected}, got {}", shown(value)))
}

/// ValueError that says what `name` must be.
pub fn wrong_value(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{name} must be {expected}, got {}", shown(value)))
}

/// Whether a value is of this class of NumPy's scalars.
fn is_numpy(value: &Bound<'_, PyAny>, class: &str) -> PyResult<bool> {
    value.is_instance(&value.py().import("numpy")?.getattr(class)?)
}

fn is_integer(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let plain = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    Ok(plain || is_numpy(value, "integer")?)
}

/// An integer within low … high; `otherwise` says what else is allowed.
#[pyfunction]
#[pyo3(signature = (name, value, low, high, otherwise = ""))]
pub fn integer(
    name: &str,
    value: &Bound<'_, PyAny>,
    low: u64,
    high: u64,
    otherwise: &str,
) -> PyResult<u64> {
    if !is_integer(value)? {
        return Err(wrong_type(name, &format!("an integer{otherwise}"), value));
    }
    match value.extract::<u64>() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => {
            let expected = format!("an integer from {low} to {high}{otherwise}");
            Err(wrong_value(name, &expected, value))
        }
    }
}

/// A finite number; `otherwise` says what else is allowed.
#[pyfunction]
#[pyo3(signature = (name, value, otherwise = ""))]
pub fn number(name: &str, value: &Bound<'_, PyAny>, otherwise: &str) -> PyResult<f64> {
    let real =
        value.is_instance_of::<PyFloat>() || is_integer(value)? || is_numpy(value, "floating")?;
    if !real {
        return Err(wrong_type(name, &format!("a number{otherwise}"), value));
    }
    match value.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => {
            let expected = format!("a finite number{otherwise}");
            Err(wrong_value(name, &expected, value))
        }
    }
}

/// A finite number above 0; `otherwise` says what else is allowed.
pub fn positive(name: &str, value: &Bound<'_, PyAny>, otherwise: &str) -> PyResult<f64> {
    let result = number(name, value, otherwise)?;
    if result > 0.0 {
        return Ok(result);
    }
    let expected = format!("a positive number{otherwise}");
    Err(wrong_value(name, &expected, value))
}

/// True or False.
pub fn truth(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let known = value.is_instance_of::<PyBool>() || is_numpy(value, "bool_")?;
    if !known {
        return Err(wrong_type(name, "True or False", value));
    }
    value.is_truthy()
}

/// A string.
pub fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if !value.is_instance_of::<PyString>() {
        return Err(wrong_type(name, "a string", value));
    }
    value.extract()
}

/// A number of threads, None for all cores.
pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    const MOST: u64 = 1024;
    if value.is_none() {
        return Ok(None);
    }
    let count = integer("n_threads", value, 1, MOST, " or None for all cores")?;
    Ok(Some(count as usize))
}
