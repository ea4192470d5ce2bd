//! Settings of `fit_functional_orrt`, `fit_functional_orct` and their cross-validations.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::{
    FunctionalOrctCvSettings, FunctionalOrctSettings, FunctionalOrrtCvSettings,
    FunctionalOrrtSettings,
};

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

fit_table! { read_functional_orct, show_functional_orct, FunctionalOrctSettings;
    "n_intervals" => intervals.n_intervals: INTERVALS;
    "derivatives" => intervals.derivatives: ORDERS;
    "smoothing" => intervals.smoothing: OrAuto(Number, "a number");
    "length_penalty" => intervals.length_penalty: Number;
    "gamma" => gamma: Positive;
    "costs" => costs: Prepared;
    "cover_classes" => cover_classes: Truth;
    "local_penalty" => penalty.local: Number;
    "global_penalty" => penalty.global: Number;
    "penalty_shape" => penalty.shape: Name;
    "max_iter" => max_iter: Whole(1, i64::MAX as u64);
}

/// A table of what is chosen of one kind of tree on curves: its own settings among those that all of them have.
macro_rules! grid_table {
    ($read:ident, $show:ident, $settings:ty; $($own:tt)*) => {
        table! { $read, $show, $settings;
            "depths" => grid.depths: List("integers", "depths", DEPTH);
            "n_intervals" => grid.n_intervals: List("integers", "n_intervals", INTERVALS);
            "derivatives" => grid.derivatives: List("sequences of orders", "derivatives", ORDERS);
            "gammas" => grid.gammas: List("numbers", "gammas: gamma", Positive);
            "length_penalties" => grid.length_penalties: List("numbers", "length_penalties", Number);
            "local_penalties" => grid.local_penalties: List("numbers", "local_penalties", Number);
            "global_penalties" => grid.global_penalties: List("numbers", "global_penalties", Number);
            $($own)*
            "folds" => folds: FOLDS;
            "scoring" => scoring: Name;
            "rule" => rule: Name;
        }
    };
}

grid_table! { read_functional_orct_cv, show_functional_orct_cv, FunctionalOrctCvSettings; }

grid_table! { read_functional_orrt_cv, show_functional_orrt_cv, FunctionalOrrtCvSettings;
    "ridges" => ridges: List("numbers", "ridges", Number);
}

/// Settings of a classification tree's cross-validation, with `fit` for all that is not chosen.
pub fn functional_orct_cv_settings(
    fit: FunctionalOrctSettings,
    given: &Bound<'_, PyDict>,
) -> PyResult<FunctionalOrctCvSettings> {
    let mut settings = FunctionalOrctCvSettings {
        fit,
        ..FunctionalOrctCvSettings::default()
    };
    read_functional_orct_cv(&mut settings, given)?;
    Ok(settings)
}

/// Settings of a regression tree's cross-validation, with `fit` for all that is not chosen.
pub fn functional_orrt_cv_settings(
    fit: FunctionalOrrtSettings,
    given: &Bound<'_, PyDict>,
) -> PyResult<FunctionalOrrtCvSettings> {
    let mut settings = FunctionalOrrtCvSettings {
        fit,
        ..FunctionalOrrtCvSettings::default()
    };
    read_functional_orrt_cv(&mut settings, given)?;
    Ok(settings)
}

/// Settings of a classification tree on curves.
pub fn functional_orct_settings(given: &Bound<'_, PyDict>) -> PyResult<FunctionalOrctSettings> {
    let mut settings = FunctionalOrctSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_functional_orct(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}

/// Settings of a regression tree on curves.
pub fn functional_orrt_settings(given: &Bound<'_, PyDict>) -> PyResult<FunctionalOrrtSettings> {
    let mut settings = FunctionalOrrtSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_functional_orrt(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}
