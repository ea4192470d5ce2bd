//! Settings of `fit_orrt`.

use super::table::*;
use crate::names::Name;
use crate::settings::*;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::OrrtSettings;

fit_table! { read_orrt, show_orrt, OrrtSettings;
    "gamma" => gamma: Positive;
    "ridge_leaves" => ridge_leaves: Number;
    "scaling" => scaling: Name;
    "local_penalty" => penalty.local: Number;
    "global_penalty" => penalty.global: Number;
    "penalty_shape" => penalty.shape: Name;
    "groups" => penalty.groups: Prepared;
    "max_iter" => max_iter: Whole(1, i64::MAX as u64);
}

/// Settings of an ORRT.
pub fn orrt_settings(given: &Bound<'_, PyDict>) -> PyResult<OrrtSettings> {
    let mut settings = OrrtSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_orrt(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
    Ok(settings)
}
