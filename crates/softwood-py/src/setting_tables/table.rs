//! How a table of settings is written, and what several tables share.

use crate::exceptions::CoreError;
use crate::settings::{Kind, Prepared, Whole};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::objective::PenaltySettings;
use softwood::tree::Topology;

pub(super) const DEPTH: Whole = Whole(1, Topology::MAX_DEPTH as u64);
pub(super) const STARTS: Whole = Whole(1, 1_000_000);
pub(super) const FOLDS: Whole = Whole(2, 1000);
pub(super) const SEED: Whole = Whole(0, u64::MAX);

/// Makes `$read`, which puts the items of a dict where they belong, and `$show`, which makes a dict.
macro_rules! table {
    ($read:ident, $show:ident, $settings:ty; $($name:literal => $($place:ident).+: $kind:expr;)*) => {
        pub(super) fn $read(settings: &mut $settings, given: &Bound<'_, PyDict>) -> PyResult<()> {
            for (name, value) in given {
                let name: String = name.extract()?;
                match name.as_str() {
                    $($name => settings.$($place).+ = $kind.take($name, &value)?,)*
                    _ => return Err($crate::setting_tables::table::unknown(&name, &[$($name),*])),
                }
            }
            Ok(())
        }

        pub(super) fn $show<'py>(py: Python<'py>, settings: &$settings) -> PyResult<Bound<'py, PyDict>> {
            let shown = PyDict::new(py);
            $(shown.set_item($name, $kind.show(py, &settings.$($place).+)?)?;)*
            Ok(shown)
        }
    };
}

/// A table of one kind of tree: its own settings among those that all of them have.
macro_rules! fit_table {
    ($read:ident, $show:ident, $settings:ty; $($own:tt)*) => {
        table! { $read, $show, $settings;
            "depth" => depth: DEPTH;
            $($own)*
            "n_starts" => n_starts: STARTS;
            "tol" => tol: Number;
            "random_state" => run.random_state: SEED;
            "n_threads" => run.n_threads: Threads;
            "time_limit" => run.time_limit: Seconds;
            "feature_names" => run.feature_names: Prepared;
            "encoding" => run.encoding: OfTable;
        }
    };
}

pub(super) use {fit_table, table};

pub(super) fn unknown(name: &str, known: &[&str]) -> PyErr {
    let known = known.join(", ");
    PyTypeError::new_err(format!("unknown setting {name}; known are {known}"))
}

/// Takes an item out of a dict.
pub(super) fn take_out<'py>(
    given: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = given.get_item(name)?;
    if value.is_some() {
        given.del_item(name)?;
    }
    Ok(value)
}

/// Parameters of a penalty's shape, by name.
pub(super) type Parameters = Vec<(String, f64)>;

/// Takes the parameters of a penalty's shape out of the settings: they come after the shape.
pub(super) fn penalty_parameters<'py>(
    given: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyDict>, Parameters)> {
    let given = given.copy()?;
    let parameters = match take_out(&given, "penalty_parameters")? {
        Some(parameters) => Prepared.take("penalty_parameters", &parameters)?,
        None => Vec::new(),
    };
    Ok((given, parameters))
}

pub(super) fn set_parameters(
    penalty: &mut PenaltySettings,
    parameters: &[(String, f64)],
) -> PyResult<()> {
    let shape = penalty.shape.with_parameters(parameters);
    penalty.shape = shape.map_err(CoreError::from)?;
    Ok(())
}
