//! Settings of `fit_orrt` and `fit_orrt_cv`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::{OrrtCvSettings, OrrtSettings};

fit_table! { read_orrt, show_orrt, OrrtSettings;
    "gamma" => gamma: OrAuto(Positive, "a number above 0");
    "ridge_leaves" => ridge_leaves: Number;
    "scaling" => scaling: Name;
    "local_penalty" => penalty.local: Number;
    "global_penalty" => penalty.global: Number;
    "penalty_shape" => penalty.shape: Name;
    "groups" => penalty.groups: Prepared;
    "max_iter" => max_iter: Whole(1, i64::MAX as u64);
}

table! { read_orrt_cv, show_orrt_cv, OrrtCvSettings;
    "depths" => depths: List("integers", "depths", DEPTH);
    "scalings" => scalings: List("names", "scalings: scaling", Name);
    "gammas" => gammas: List("numbers", "gammas: gamma", Positive);
    "ridges" => ridges: List("numbers or None", "ridges", Number);
    "local_grid" => local_grid: List("numbers", "local_grid", Number);
    "global_grid" => global_grid: List("numbers", "global_grid", Number);
    "folds" => folds: FOLDS;
    "scoring" => scoring: Name;
    "rule" => rule: Name;
}

/// Settings of a cross-validation, with `fit` for all that is not chosen.
pub fn orrt_cv_settings(fit: OrrtSettings, given: &Bound<'_, PyDict>) -> PyResult<OrrtCvSettings> {
    let mut settings = OrrtCvSettings {
        fit,
        ..OrrtCvSettings::default()
    };
    read_orrt_cv(&mut settings, given)?;
    Ok(settings)
}

/// Settings of an ORRT.
pub fn orrt_settings(given: &Bound<'_, PyDict>) -> PyResult<OrrtSettings> {
    let mut settings = OrrtSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_orrt(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}
