//! Settings of `fit_srt` and `fit_srt_cv`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use crate::values::integer;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use softwood::{SrtCvSettings, SrtSettings};

fit_table! { read_srt, show_srt, SrtSettings;
    "ridge_branches" => ridge_branches: Number;
    "ridge_leaves" => ridge_leaves: Number;
    "curves" => curves: Truth;
    "scaling" => scaling: Name;
    "start" => start: Name;
    "macro_iterations" => macro_iterations: Whole(1, 1 << 40);
    "imbalance" => imbalance: Three;
}

table! { read_srt_cv, show_srt_cv, SrtCvSettings;
    "depths" => depths: List("integers", "depths", DEPTH);
    "curves" => curves: List("truth values", "curves", Truth);
    "ridges" => ridges: List("numbers or None", "ridges", Number);
    "folds" => folds: FOLDS;
    "scoring" => scoring: Name;
    "rule" => rule: Name;
}

/// Settings of a soft regression tree; `convergent` depends on the other ones.
pub fn srt_settings(given: &Bound<'_, PyDict>) -> PyResult<SrtSettings> {
    let given = given.copy()?;
    let convergent = take_out(&given, "convergent")?;
    let mut settings = SrtSettings::default();
    read_srt(&mut settings, &given)?;
    if let Some(value) = convergent {
        settings.convergent_after = match value.cast::<PyBool>() {
            Ok(truth) if truth.is_true() => {
                let branches = (1u64 << settings.depth) - 1;
                Some(settings.macro_iterations / 2 * branches)
            }
            Ok(_) => None,
            Err(_) => Some(integer(
                "convergent",
                &value,
                0,
                1 << 60,
                ", True or False",
            )?),
        };
    }
    Ok(settings)
}

/// Settings of a cross-validation, with `fit` for all that is not chosen.
pub fn srt_cv_settings(fit: SrtSettings, given: &Bound<'_, PyDict>) -> PyResult<SrtCvSettings> {
    let mut settings = SrtCvSettings {
        fit,
        ..SrtCvSettings::default()
    };
    read_srt_cv(&mut settings, given)?;
    Ok(settings)
}
