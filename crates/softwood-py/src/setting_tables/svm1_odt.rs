//! Settings of `fit_svm1_odt`.

use super::selection::row_selection;
use super::table::*;
use crate::names::Name;
use crate::settings::*;
use crate::values::wrong_type;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use softwood::mip::MipSettings;
use softwood::{RowSelection, StartSplit, Svm1OdtSettings, Svm1OdtStart};

/// The name of a start, or splits that `softwood._settings` has taken from a tree.
struct Start;

/// Node, features and weights, threshold.
type Split = (usize, Vec<(usize, f64)>, f64);

/// The starts that have names.
const STARTS: [(&str, Svm1OdtStart); 4] = [
    ("auto", Svm1OdtStart::Auto),
    ("orct", Svm1OdtStart::Orct),
    ("cart", Svm1OdtStart::Cart),
    ("random", Svm1OdtStart::Random),
];

impl Kind<Svm1OdtStart> for Start {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Svm1OdtStart> {
        let expected = "\"auto\", \"orct\", \"cart\", \"random\" or a fitted tree";
        if value.is_instance_of::<PyString>() {
            let said: String = value.extract()?;
            let found = STARTS.into_iter().find(|(start, _)| *start == said);
            let refuse = || format!("{name} must be {expected}, got {said:?}");
            return found
                .map(|(_, start)| start)
                .ok_or_else(|| PyValueError::new_err(refuse()));
        }
        let splits: Vec<Split> = value
            .extract()
            .map_err(|_| wrong_type(name, expected, value))?;
        let split = |(node, weights, threshold)| StartSplit {
            node,
            weights,
            threshold,
        };
        Ok(Svm1OdtStart::Tree(splits.into_iter().map(split).collect()))
    }

    fn show<'py>(&self, py: Python<'py>, value: &Svm1OdtStart) -> PyResult<Bound<'py, PyAny>> {
        let named = STARTS.iter().find(|(_, start)| start == value);
        let (name, _) = named.expect("a default has a name");
        Ok(PyString::new(py, name).into_any())
    }
}

table! { read_svm1_odt, show_svm1_odt, Svm1OdtSettings;
    "depth" => depth: Whole(1, 3);
    "epsilon" => epsilon: OrAuto(Number, "a number");
    "alpha2" => alpha2: OrAuto(Number, "a number");
    "slack_cost" => slack_cost: OrAuto(Number, "a number");
    "split_penalty" => split_penalty: OrAuto(Number, "a number");
    "start" => start: Start;
    "improve" => improve: OrAuto(Truth, "True, False");
    "rows" => selection: Selection;
    "n_starts" => n_starts: Whole(1, 1_000_000);
    "restarts" => restarts: Whole(1, 1_000_000);
    "max_nodes" => max_nodes: MostNodes;
    "random_state" => run.random_state: SEED;
    "n_threads" => run.n_threads: Threads;
    "time_limit" => run.time_limit: Seconds;
    "feature_names" => run.feature_names: Prepared;
    "encoding" => run.encoding: OfTable;
}

table! { read_mip, show_mip, MipSettings;
    "solver" => formulation: Name;
    "alpha1" => alpha1: OrAuto(Number, "a number, None");
    "count_coefficients" => count_coefficients: Truth;
    "cuts" => cuts: Truth;
    "level_splits" => level_splits: Truth;
}

/// All rows, which is None in the core, or a dict that says how to select some.
struct Selection;

impl Kind<Option<RowSelection>> for Selection {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<RowSelection>> {
        if value.is_none() {
            return Ok(None);
        }
        let given = value.cast::<PyDict>();
        row_selection(Some(
            given.map_err(|_| wrong_type(name, "a RowSelection", value))?,
        ))
    }

    fn show<'py>(&self, py: Python<'py>, _: &Option<RowSelection>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyString::new(py, "all").into_any())
    }
}

/// A number of nodes, or None for no limit.
struct MostNodes;

impl Kind<Option<u64>> for MostNodes {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let most: Option<usize> = Whole(0, u64::MAX >> 1).take(name, value)?;
        Ok(most.map(|most| most as u64))
    }

    fn show<'py>(&self, py: Python<'py>, value: &Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        Whole(0, 0).show(py, &value.map(|most| most as usize))
    }
}

/// Settings of an SVM1-ODT tree.
pub fn svm1_odt_settings(given: &Bound<'_, PyDict>) -> PyResult<Svm1OdtSettings> {
    let mut settings = Svm1OdtSettings::default();
    read_svm1_odt(&mut settings, given)?;
    Ok(settings)
}

/// Settings of a mixed-integer program.
pub fn mip_settings(given: &Bound<'_, PyDict>) -> PyResult<MipSettings> {
    let mut settings = MipSettings::default();
    read_mip(&mut settings, given)?;
    Ok(settings)
}
