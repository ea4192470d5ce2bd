//! How settings come from Python, and go there as defaults: a kind for each type of value.
//!
//! A table (see `setting_tables`) says of which kind each setting is. Reading a dict by the table, and
//! making the dict of defaults, are the same for all tables.

use crate::encoding::EncodingHandle;
use crate::values::{integer, number, positive, shown, threads, truth, wrong_type};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use softwood::data::Encoding;
use std::time::Duration;

/// A kind of setting with values of type T.
pub trait Kind<T> {
    /// The value given for `name`, or an error that names it.
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<T>;

    /// The value as Python writes it.
    fn show<'py>(&self, py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>>;
}

/// An integer within these bounds.
pub struct Whole(pub u64, pub u64);

impl Kind<u64> for Whole {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        integer(name, value, self.0, self.1, "")
    }

    fn show<'py>(&self, py: Python<'py>, value: &u64) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

impl Kind<usize> for Whole {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(integer(name, value, self.0, self.1, "")? as usize)
    }

    fn show<'py>(&self, py: Python<'py>, value: &usize) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

impl Kind<Option<usize>> for Whole {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        if value.is_none() {
            return Ok(None);
        }
        let number = integer(name, value, self.0, self.1, " or None")?;
        Ok(Some(number as usize))
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

/// A finite number, or None where the setting may be left open; the core knows which are allowed.
pub struct Number;

impl Kind<f64> for Number {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
        number(name, value, "")
    }

    fn show<'py>(&self, py: Python<'py>, value: &f64) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

impl Kind<Option<f64>> for Number {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        if value.is_none() {
            return Ok(None);
        }
        number(name, value, " or None").map(Some)
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<f64>) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

/// What is chosen on folds of the training rows unless it is said: `"auto"`, or a value of a kind, which is
/// described for those who give another text.
pub struct OrAuto<K>(pub K, pub &'static str);

impl<T, K: Kind<T>> Kind<Option<T>> for OrAuto<K> {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
        match value.cast::<PyString>() {
            Ok(said) if said.to_cow()? == "auto" => Ok(None),
            Ok(_) => Err(wrong_type(name, &format!("{} or \"auto\"", self.1), value)),
            Err(_) => self.0.take(name, value).map(Some),
        }
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<T>) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Some(value) => self.0.show(py, value),
            None => "auto".into_bound_py_any(py),
        }
    }
}

/// A finite number above 0.
pub struct Positive;

impl Kind<f64> for Positive {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
        positive(name, value, "")
    }

    fn show<'py>(&self, py: Python<'py>, value: &f64) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

/// Seconds above 0, or None; more than a Duration holds are no limit.
pub struct Seconds;

impl Kind<Option<Duration>> for Seconds {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
        if value.is_none() {
            return Ok(None);
        }
        let seconds = positive(name, value, " of seconds or None")?;
        Ok(Duration::try_from_secs_f64(seconds).ok())
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<Duration>) -> PyResult<Bound<'py, PyAny>> {
        value.map(|limit| limit.as_secs_f64()).into_bound_py_any(py)
    }
}

/// A number of threads, None for all cores.
pub struct Threads;

impl Kind<Option<usize>> for Threads {
    fn take(&self, _: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        threads(value)
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

/// True or False.
pub struct Truth;

impl Kind<bool> for Truth {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        truth(name, value)
    }

    fn show<'py>(&self, py: Python<'py>, value: &bool) -> PyResult<Bound<'py, PyAny>> {
        value.into_bound_py_any(py)
    }
}

/// Several values of one kind: what they are, what a wrong one is called, and their kind.
pub struct List<K>(pub &'static str, pub &'static str, pub K);

impl<K> List<K> {
    fn items<'py>(
        &self,
        name: &str,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let refuse = || wrong_type(name, &format!("a sequence of {}", self.0), value);
        if value.is_instance_of::<PyString>() {
            return Err(refuse());
        }
        value.try_iter().map_err(|_| refuse())?.collect()
    }
}

impl<T, K: Kind<T>> Kind<Vec<T>> for List<K> {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
        let items = self.items(name, value)?;
        items.iter().map(|item| self.2.take(self.1, item)).collect()
    }

    fn show<'py>(&self, py: Python<'py>, value: &Vec<T>) -> PyResult<Bound<'py, PyAny>> {
        let items: PyResult<Vec<_>> = value.iter().map(|item| self.2.show(py, item)).collect();
        Ok(PyTuple::new(py, items?)?.into_any())
    }
}

/// Three numbers.
pub struct Three;

impl Kind<[f64; 3]> for Three {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
        let refuse = || wrong_type(name, "3 numbers", value);
        if value.is_instance_of::<PyString>() {
            return Err(refuse());
        }
        let items: Vec<_> = value
            .try_iter()
            .map_err(|_| refuse())?
            .collect::<PyResult<_>>()?;
        let [a, b, c] = items.as_slice() else {
            let text = format!("{name} must be 3 numbers, got {}", items.len());
            return Err(PyValueError::new_err(text));
        };
        let each = |i: usize, item| number(&format!("{name}[{i}]"), item, "");
        Ok([each(0, a)?, each(1, b)?, each(2, c)?])
    }

    fn show<'py>(&self, py: Python<'py>, value: &[f64; 3]) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, value)?.into_any())
    }
}

/// The encoding of a table, or None.
pub struct OfTable;

impl Kind<Option<Encoding>> for OfTable {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Encoding>> {
        if value.is_none() {
            return Ok(None);
        }
        match value.cast::<EncodingHandle>() {
            Ok(handle) => Ok(Some(handle.get().0.clone())),
            Err(_) => Err(wrong_type(name, "an encoding or None", value)),
        }
    }

    fn show<'py>(&self, py: Python<'py>, _: &Option<Encoding>) -> PyResult<Bound<'py, PyAny>> {
        Ok(py.None().into_bound(py))
    }
}

/// What `softwood._settings` makes of arrays and mappings; by default there is none.
pub struct Prepared;

impl<T: for<'py> FromPyObjectOwned<'py> + Default> Kind<T> for Prepared {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
        if value.is_none() {
            return Ok(T::default());
        }
        let taken: PyResult<T> = value.extract().map_err(Into::into);
        taken.map_err(|error| {
            let reason = error.value(value.py()).to_string();
            PyValueError::new_err(format!("{name}: {reason}, got {}", shown(value)))
        })
    }

    fn show<'py>(&self, py: Python<'py>, _: &T) -> PyResult<Bound<'py, PyAny>> {
        Ok(py.None().into_bound(py))
    }
}
