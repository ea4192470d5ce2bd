//! Settings of `fit_orct` and `fit_orct_cv`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::{OrctCvSettings, OrctSettings};

fit_table! { read_orct, show_orct, OrctSettings;
    "gamma" => gamma: OrAuto(Positive, "a number above 0");
    "costs" => costs: Prepared;
    "scaling" => scaling: Name;
    "balance" => balance: OrAuto(Truth, "True, False");
    "local_penalty" => penalty.local: OrAuto(Number, "a number of at least 0");
    "global_penalty" => penalty.global: Number;
    "penalty_shape" => penalty.shape: Name;
    "groups" => penalty.groups: Prepared;
    "penalty" => penalty.share: Number;
    "split_penalty" => split_penalty: OrAuto(Number, "a number of at least 0");
    "max_features" => max_features: Whole(1, u32::MAX as u64);
    "max_leaves" => max_leaves: Whole(2, u32::MAX as u64);
    "min_class_rate" => min_class_rate: Prepared;
    "min_class_rate_on" => rates_on: Name;
    "cover_classes" => cover_classes: Truth;
    "solver" => solver: Name;
    "full_iterations" => full_iterations: Whole(0, i64::MAX as u64);
    "proximal_weight" => proximal_weight: Number;
    "max_iter" => max_iter: Whole(1, i64::MAX as u64);
}

table! { read_orct_cv, show_orct_cv, OrctCvSettings;
    "depths" => depths: List("integers", "depths", DEPTH);
    "scalings" => scalings: List("names", "scalings: scaling", Name);
    "gammas" => gammas: List("numbers", "gammas: gamma", Positive);
    "local_grid" => local_grid: List("numbers", "local_grid", Number);
    "global_grid" => global_grid: List("numbers", "global_grid", Number);
    "folds" => folds: FOLDS;
    "scoring" => scoring: Name;
    "rule" => rule: Name;
}

/// Settings of an ORCT.
pub fn orct_settings(given: &Bound<'_, PyDict>) -> PyResult<OrctSettings> {
    let mut settings = OrctSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_orct(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}

/// Settings of a cross-validation, with `fit` for all that is not chosen.
pub fn orct_cv_settings(fit: OrctSettings, given: &Bound<'_, PyDict>) -> PyResult<OrctCvSettings> {
    let mut settings = OrctCvSettings {
        fit,
        ..OrctCvSettings::default()
    };
    read_orct_cv(&mut settings, given)?;
    Ok(settings)
}

/// A steepness that needs no choice: any but "auto".
pub fn fixed_gamma(settings: &OrctSettings) -> PyResult<f64> {
    settings.gamma.ok_or_else(|| {
        pyo3::exceptions::PyValueError::new_err("gamma must be a number above 0, got \"auto\"")
    })
}

/// A scaling that the core can learn at once: any but "auto".
pub fn fixed_scaling(settings: &OrctSettings) -> PyResult<softwood::data::ScalingKind> {
    match settings.scaling {
        softwood::data::ScalingChoice::Fixed(kind) => Ok(kind),
        softwood::data::ScalingChoice::Auto => Err(pyo3::exceptions::PyValueError::new_err(
            "scaling must be \"minmax\" or \"quantile\", got \"auto\"",
        )),
    }
}
