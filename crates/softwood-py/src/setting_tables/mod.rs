//! Which settings there are: one line each, with its name in Python, its place in the core's settings
//! and its kind. Defaults are the core's.

mod functional;
mod orct;
mod orrt;
mod selection;
mod spdt;
mod srt;
mod svm1_odt;
mod table;

pub use functional::{
    functional_orct_cv_settings, functional_orct_settings, functional_orrt_cv_settings,
    functional_orrt_settings,
};
pub use orct::{fixed_gamma, fixed_scaling, orct_cv_settings, orct_settings};
pub use orrt::{orrt_cv_settings, orrt_settings};
pub use selection::{row_selection, selection_settings};
pub use spdt::spdt_settings;
pub use srt::{srt_cv_settings, srt_settings};
pub use svm1_odt::{mip_settings, svm1_odt_settings};

use functional::{
    show_functional_orct, show_functional_orct_cv, show_functional_orrt, show_functional_orrt_cv,
};
use orct::{show_orct, show_orct_cv};
use orrt::{show_orrt, show_orrt_cv};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use selection::{show_row_selection, show_selection};
use softwood::selection::SelectionSettings;
use softwood::{
    FunctionalOrctCvSettings, FunctionalOrctSettings, FunctionalOrrtCvSettings,
    FunctionalOrrtSettings, OrctCvSettings, OrctSettings, OrrtCvSettings, OrrtSettings,
    RowSelection, SpdtSettings, SrtCvSettings, SrtSettings, Svm1OdtSettings,
};
use spdt::show_spdt;
use srt::{show_srt, show_srt_cv};
use svm1_odt::{show_mip, show_svm1_odt};

/// What each function takes for granted, by its name.
#[pyfunction]
pub fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let orct = show_orct(py, &OrctSettings::default())?;
    orct.set_item("penalty_parameters", py.None())?;
    let srt = show_srt(py, &SrtSettings::default())?;
    srt.set_item("convergent", false)?;
    let orrt = show_orrt(py, &OrrtSettings::default())?;
    orrt.set_item("penalty_parameters", py.None())?;
    let functional_orrt = show_functional_orrt(py, &FunctionalOrrtSettings::default())?;
    functional_orrt.set_item("penalty_parameters", py.None())?;
    let functional_orct = show_functional_orct(py, &FunctionalOrctSettings::default())?;
    functional_orct.set_item("penalty_parameters", py.None())?;
    let spdt = show_spdt(py, &SpdtSettings::default())?;
    let svm1_odt = show_svm1_odt(py, &Svm1OdtSettings::default())?;
    for fit in [
        &functional_orct,
        &functional_orrt,
        &orct,
        &orrt,
        &spdt,
        &srt,
        &svm1_odt,
    ] {
        fit.del_item("encoding")?; // what tables are made into: nobody gives it
    }
    for fit in [&functional_orct, &functional_orrt] {
        fit.del_item("feature_names")?; // means are named after their curves
    }
    let all = PyDict::new(py);
    all.set_item("fit_functional_orct", functional_orct)?;
    all.set_item("fit_functional_orrt", functional_orrt)?;
    let functional_orct_cv = show_functional_orct_cv(py, &FunctionalOrctCvSettings::default())?;
    all.set_item("fit_functional_orct_cv", functional_orct_cv)?;
    let functional_orrt_cv = show_functional_orrt_cv(py, &FunctionalOrrtCvSettings::default())?;
    all.set_item("fit_functional_orrt_cv", functional_orrt_cv)?;
    all.set_item("fit_orct", orct)?;
    all.set_item("fit_orct_cv", show_orct_cv(py, &OrctCvSettings::default())?)?;
    all.set_item("fit_spdt", spdt)?;
    all.set_item("fit_srt", srt)?;
    all.set_item("fit_svm1_odt", svm1_odt)?;
    all.set_item("mip", show_mip(py, &softwood::mip::MipSettings::default())?)?;
    all.set_item("fit_orrt", orrt)?;
    all.set_item("fit_orrt_cv", show_orrt_cv(py, &OrrtCvSettings::default())?)?;
    all.set_item("fit_srt_cv", show_srt_cv(py, &SrtCvSettings::default())?)?;
    all.set_item(
        "RowSelection",
        show_row_selection(py, &RowSelection::default())?,
    )?;
    all.set_item(
        "select_rows",
        show_selection(py, &SelectionSettings::default())?,
    )?;
    Ok(all)
}
