//! Which settings there are: one line each, with its name in Python, its place in the core's settings
//! and its kind. Defaults are the core's.

use crate::exceptions::CoreError;
use crate::names::Name;
use crate::settings::{
    Kind, List, Number, OfTable, OrAuto, Positive, Prepared, Seconds, Threads, Three, Truth, Whole,
};
use crate::values::integer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use softwood::objective::PenaltySettings;
use softwood::selection::SelectionSettings;
use softwood::tree::Topology;
use softwood::{
    OrctCvSettings, OrctSettings, OrrtSettings, RowSelection, SrtCvSettings, SrtSettings,
};

const DEPTH: Whole = Whole(1, Topology::MAX_DEPTH as u64);
const STARTS: Whole = Whole(1, 1_000_000);
const FOLDS: Whole = Whole(2, 1000);
const SEED: Whole = Whole(0, u64::MAX);

/// Makes `$read`, which puts the items of a dict where they belong, and `$show`, which makes a dict.
macro_rules! table {
    ($read:ident, $show:ident, $settings:ty; $($name:literal => $($place:ident).+: $kind:expr;)*) => {
        fn $read(settings: &mut $settings, given: &Bound<'_, PyDict>) -> PyResult<()> {
            for (name, value) in given {
                let name: String = name.extract()?;
                match name.as_str() {
                    $($name => settings.$($place).+ = $kind.take($name, &value)?,)*
                    _ => return Err(unknown(&name, &[$($name),*])),
                }
            }
            Ok(())
        }

        fn $show<'py>(py: Python<'py>, settings: &$settings) -> PyResult<Bound<'py, PyDict>> {
            let shown = PyDict::new(py);
            $(shown.set_item($name, $kind.show(py, &settings.$($place).+)?)?;)*
            Ok(shown)
        }
    };
}

/// A table of one kind of tree: its own settings among those that all of them have.
macro_rules! fit_table {
    ($read:ident, $show:ident, $settings:ty; $($own:tt)*) => {
        table! { $read, $show, $settings;
            "depth" => depth: DEPTH;
            $($own)*
            "n_starts" => n_starts: STARTS;
            "tol" => tol: Number;
            "random_state" => run.random_state: SEED;
            "n_threads" => run.n_threads: Threads;
            "time_limit" => run.time_limit: Seconds;
            "feature_names" => run.feature_names: Prepared;
            "encoding" => run.encoding: OfTable;
        }
    };
}

fn unknown(name: &str, known: &[&str]) -> PyErr {
    let known = known.join(", ");
    PyTypeError::new_err(format!("unknown setting {name}; known are {known}"))
}

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
    "max_features" => max_features: Whole(1, u32::MAX as u64);
    "max_leaves" => max_leaves: Whole(2, u32::MAX as u64);
    "min_class_rate" => min_class_rate: Prepared;
    "min_class_rate_on" => rates_on: Name;
    "cover_classes" => cover_classes: Truth;
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

table! { read_srt_cv, show_srt_cv, SrtCvSettings;
    "depths" => depths: List("integers", "depths", DEPTH);
    "curves" => curves: List("truth values", "curves", Truth);
    "ridges" => ridges: List("numbers or None", "ridges", Number);
    "folds" => folds: FOLDS;
    "scoring" => scoring: Name;
    "rule" => rule: Name;
}

fit_table! { read_srt, show_srt, SrtSettings;
    "ridge_branches" => ridge_branches: Number;
    "ridge_leaves" => ridge_leaves: Number;
    "curves" => curves: Truth;
    "scaling" => scaling: Name;
    "start" => start: Name;
    "macro_iterations" => macro_iterations: Whole(1, 1 << 40);
    "imbalance" => imbalance: Three;
}

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

/// What each function takes for granted, by its name.
#[pyfunction]
pub fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let orct = show_orct(py, &OrctSettings::default())?;
    orct.set_item("penalty_parameters", py.None())?;
    let srt = show_srt(py, &SrtSettings::default())?;
    srt.set_item("convergent", false)?;
    let orrt = show_orrt(py, &OrrtSettings::default())?;
    orrt.set_item("penalty_parameters", py.None())?;
    for fit in [&orct, &orrt, &srt] {
        fit.del_item("encoding")?; // what tables are made into: nobody gives it
    }
    let all = PyDict::new(py);
    all.set_item("fit_orct", orct)?;
    all.set_item("fit_orct_cv", show_orct_cv(py, &OrctCvSettings::default())?)?;
    all.set_item("fit_srt", srt)?;
    all.set_item("fit_orrt", orrt)?;
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

/// Takes an item out of a dict.
fn take_out<'py>(given: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = given.get_item(name)?;
    if value.is_some() {
        given.del_item(name)?;
    }
    Ok(value)
}

/// Settings of an ORCT.
pub fn orct_settings(given: &Bound<'_, PyDict>) -> PyResult<OrctSettings> {
    let mut settings = OrctSettings::default();
    let (given, parameters) = penalty_parameters(given)?;
    read_orct(&mut settings, &given)?;
    set_parameters(&mut settings.penalty, &parameters)?;
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

/// Parameters of a penalty's shape, by name.
type Parameters = Vec<(String, f64)>;

/// Takes the parameters of a penalty's shape out of the settings: they come after the shape.
fn penalty_parameters<'py>(
    given: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyDict>, Parameters)> {
    let given = given.copy()?;
    let parameters = match take_out(&given, "penalty_parameters")? {
        Some(parameters) => Prepared.take("penalty_parameters", &parameters)?,
        None => Vec::new(),
    };
    Ok((given, parameters))
}

fn set_parameters(penalty: &mut PenaltySettings, parameters: &[(String, f64)]) -> PyResult<()> {
    let shape = penalty.shape.with_parameters(parameters);
    penalty.shape = shape.map_err(CoreError::from)?;
    Ok(())
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

/// The same for a soft regression tree.
pub fn srt_cv_settings(fit: SrtSettings, given: &Bound<'_, PyDict>) -> PyResult<SrtCvSettings> {
    let mut settings = SrtCvSettings {
        fit,
        ..SrtCvSettings::default()
    };
    read_srt_cv(&mut settings, given)?;
    Ok(settings)
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
