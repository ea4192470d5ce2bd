//! Settings of the selection of rows.

use super::table::*;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::RowSelection;
use softwood::selection::SelectionSettings;

table! { read_row_selection, show_row_selection, RowSelection;
    "beta1" => beta1: Number;
    "beta2" => beta2: Number;
    "tolerance" => tolerance: Number;
    "sample" => sample: Whole(1, 1 << 32);
    "rounds" => rounds: Whole(0, 1000);
}

table! { read_selection, show_selection, SelectionSettings;
    "beta1" => beta1: Number;
    "beta2" => beta2: Number;
    "tolerance" => tolerance: Number;
    "n_threads" => n_threads: Threads;
}

/// How rows to train on are selected: None for "all", a dict otherwise.
pub fn row_selection(given: Option<&Bound<'_, PyDict>>) -> PyResult<Option<RowSelection>> {
    let Some(given) = given else {
        return Ok(None);
    };
    let mut settings = RowSelection::default();
    read_row_selection(&mut settings, given)?;
    Ok(Some(settings))
}

/// Settings of `select_rows` and `select_extreme_points`.
pub fn selection_settings(given: &Bound<'_, PyDict>) -> PyResult<SelectionSettings> {
    let mut settings = SelectionSettings::default();
    read_selection(&mut settings, given)?;
    Ok(settings)
}
