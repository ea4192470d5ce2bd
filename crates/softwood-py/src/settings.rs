//! The settings of a fit, from the dict that `softwood._settings` makes of a call's arguments.

use crate::exceptions::from_input_error;
use pyo3::prelude::*;
use softwood::data::{ScalingChoice, ScalingKind};
use softwood::objective::{PenaltySettings, PenaltyShape};
use softwood::{CvRule, CvSettings, InputError, OrctSettings, SrtSettings};
use std::time::Duration;

/// One field for each key of the dict.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct OrctOptions {
    depth: usize,
    gamma: f64,
    costs: Option<Vec<f64>>,
    scaling: String,
    local_penalty: f64,
    global_penalty: f64,
    penalty_shape: String,
    penalty_parameters: Vec<(String, f64)>,
    groups: Option<Vec<usize>>,
    min_class_rate: Vec<(usize, f64)>,
    cover_classes: bool,
    n_starts: usize,
    random_state: u64,
    n_threads: Option<usize>,
    max_iter: u64,
    tol: f64,
    time_limit: Option<f64>,
    feature_names: Option<Vec<String>>,
}

impl OrctOptions {
    /// The core's settings; an error if a name or a penalty's parameter is wrong.
    pub fn check(self) -> PyResult<OrctSettings> {
        let shape: PenaltyShape = self.penalty_shape.parse().map_err(from_input_error)?;
        Ok(OrctSettings {
            depth: self.depth,
            gamma: self.gamma,
            costs: self.costs,
            scaling: self.scaling.parse().map_err(from_input_error)?,
            penalty: PenaltySettings {
                local: self.local_penalty,
                global: self.global_penalty,
                shape: shape
                    .with_parameters(&self.penalty_parameters)
                    .map_err(from_input_error)?,
                groups: self.groups,
            },
            min_class_rate: self.min_class_rate,
            cover_classes: self.cover_classes,
            n_starts: self.n_starts,
            random_state: self.random_state,
            n_threads: self.n_threads,
            max_iter: self.max_iter,
            tol: self.tol,
            time_limit: duration(self.time_limit),
            feature_names: self.feature_names,
        })
    }
}

/// What cross-validation chooses from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CvOptions {
    depths: Vec<usize>,
    scalings: Vec<String>,
    gammas: Vec<f64>,
    local_grid: Vec<f64>,
    global_grid: Vec<f64>,
    folds: usize,
    rule: String,
}

impl CvOptions {
    /// The core's settings with `fit` for all that is not chosen; an error if a name is wrong.
    pub fn check(self, fit: OrctSettings) -> PyResult<CvSettings> {
        let refuse = |name, expected, got: &str| {
            from_input_error(InputError::Setting {
                name,
                expected,
                got: format!("{got:?}"),
            })
        };
        let scalings = self.scalings.iter().map(|name| fixed_scaling(name));
        Ok(CvSettings {
            fit,
            depths: self.depths,
            scalings: scalings.collect::<PyResult<_>>()?,
            gammas: self.gammas,
            local_grid: self.local_grid,
            global_grid: self.global_grid,
            folds: self.folds,
            rule: match self.rule.as_str() {
                "best" => CvRule::Best,
                "one_se" => CvRule::OneStandardError,
                name => return Err(refuse("rule", "\"best\" or \"one_se\"", name)),
            },
        })
    }
}

/// Settings of a soft regression tree.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SrtOptions {
    depth: usize,
    ridge_branches: Option<f64>,
    ridge_leaves: Option<f64>,
    curves: bool,
    scaling: String,
    start: String,
    n_starts: usize,
    macro_iterations: u64,
    imbalance: [f64; 3],
    convergent_after: Option<u64>,
    tol: f64,
    random_state: u64,
    n_threads: Option<usize>,
    time_limit: Option<f64>,
    feature_names: Option<Vec<String>>,
}

impl SrtOptions {
    /// The core's settings; an error if a name is wrong.
    pub fn check(self) -> PyResult<SrtSettings> {
        Ok(SrtSettings {
            depth: self.depth,
            ridge_branches: self.ridge_branches,
            ridge_leaves: self.ridge_leaves,
            curves: self.curves,
            scaling: fixed_scaling(&self.scaling)?,
            start: self.start.parse().map_err(from_input_error)?,
            n_starts: self.n_starts,
            macro_iterations: self.macro_iterations,
            imbalance: self.imbalance,
            convergent_after: self.convergent_after,
            tol: self.tol,
            random_state: self.random_state,
            n_threads: self.n_threads,
            time_limit: duration(self.time_limit),
            feature_names: self.feature_names,
        })
    }
}

/// A scaling that is not left to the data.
pub fn fixed_scaling(name: &str) -> PyResult<ScalingKind> {
    match name.parse() {
        Ok(ScalingChoice::Fixed(kind)) => Ok(kind),
        _ => Err(from_input_error(InputError::Setting {
            name: "scaling",
            expected: "\"minmax\" or \"quantile\"",
            got: format!("{name:?}"),
        })),
    }
}

/// More seconds than a Duration holds are no limit.
fn duration(seconds: Option<f64>) -> Option<Duration> {
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}
