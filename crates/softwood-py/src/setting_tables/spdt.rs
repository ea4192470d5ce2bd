//! Settings of `fit_spdt`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::SpdtSettings;

table! { read_spdt, show_spdt, SpdtSettings;
    "depth" => depth: DEPTH;
    "C" => cost: OrAuto(Positive, "a number above 0");
    "budget" => budget: OrAuto(Whole(1, u32::MAX as u64), "an integer of at least 1");
    "split_features" => split_features: OrAuto(Whole(1, u32::MAX as u64), "an integer of at least 1");
    "max_features" => max_features: Whole(1, u32::MAX as u64);
    "scaling" => scaling: Name;
    "min_rows" => min_rows: Number;
    "folds" => folds: FOLDS;
    "vote" => vote: Truth;
    "interactions" => interactions: Truth;
    "tol" => tol: Number;
    "random_state" => run.random_state: SEED;
    "n_threads" => run.n_threads: Threads;
    "time_limit" => run.time_limit: Seconds;
    "feature_names" => run.feature_names: Prepared;
    "encoding" => run.encoding: OfTable;
}

/// Settings of an SPDT.
pub fn spdt_settings(given: &Bound<'_, PyDict>) -> PyResult<SpdtSettings> {
    let mut settings = SpdtSettings::default();
    read_spdt(&mut settings, given)?;
    Ok(settings)
}
