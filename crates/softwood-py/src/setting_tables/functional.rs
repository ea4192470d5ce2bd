//! Settings of `fit_functional_orrt`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::FunctionalOrrtSettings;

const INTERVALS: Whole = Whole(1, 1 << 20);
const ORDERS: List<Whole> = List("orders 0, 1, 2", "derivatives", Whole(0, 2));

fit_table! { read_functional_orrt, show_functional_orrt, FunctionalOrrtSettings;
    "n_intervals" => intervals.n_intervals: INTERVALS;
    "derivatives" => intervals.derivatives: ORDERS;
    "smoothing" => intervals.smoothing: OrAuto(Number, "a number");
    "length_penalty" => intervals.length_penalty: Number;
    "gamma" => gamma: Positive;
    "ridge_leaves" => ridge_leaves: Number;
    "local_penalty" => penalty.local: Number;
    "global_penalty" => penalty.global: Number;
    "penalty_shape" => penalty.shape: Name;
    "max_iter" => max_iter: Whole(1, i64::MAX as u64);
}

/// Settings of a regression tree on curves.
pub fn functional_orrt_settings(given: &Bound<'_, PyDict>) -> PyResult<FunctionalOrrtSettings> {
    let mut settings = FunctionalOrrtSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_functional_orrt(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}
