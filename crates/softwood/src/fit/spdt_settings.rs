//! What `fit_spdt` is asked for, with defaults and ranges.

use super::run_settings::RunSettings;
use super::validate::{check_search, check_setting};
use crate::error::InputError;
use std::str::FromStr;

/// Costs that are tried where none is given.
pub(super) const COSTS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Budgets that are tried where none is given.
pub(super) const BUDGETS: [usize; 4] = [2, 5, 20, 100];

/// What [`fit_spdt`](crate::fit_spdt) is asked for.
#[derive(Clone, Debug)]
pub struct SpdtSettings {
    /// Greatest depth, 1…12.
    pub depth: usize,
    /// C > 0: what a row's squared slack costs against the margin; chosen on folds of the rows if None.
    pub cost: Option<f64>,
    /// B ≥ 1: features generated at a time; chosen on folds of the rows if None.
    pub budget: Option<usize>,
    /// Features of a split at most; if None, their number is chosen on folds of each node's rows.
    pub split_features: Option<usize>,
    /// Features of the whole tree at most.
    pub max_features: Option<usize>,
    /// By what features are multiplied in training.
    pub scaling: SpdtScaling,
    /// Weight of the rows that a node needs to be split.
    pub min_rows: f64,
    /// Folds of each node's rows.
    pub folds: usize,
    /// Whether a split is the mean of the node's fold classifiers, instead of one of all its rows.
    pub vote: bool,
    /// Whether a node that no linear classifier parts looks for two features which do so together.
    pub interactions: bool,
    /// Features are generated until that lowers the objective by less than this share of its first value.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

/// By what features are multiplied in training; models have them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpdtScaling {
    /// One over their standard deviation.
    Deviation,
    /// Nothing.
    Plain,
    /// Sparse rows by nothing, dense ones by their deviation.
    Auto,
}

impl SpdtScaling {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deviation => "deviation",
            Self::Plain => "none",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for SpdtScaling {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, InputError> {
        let all = [Self::Deviation, Self::Plain, Self::Auto];
        let found = all.into_iter().find(|scaling| scaling.name() == name);
        found.ok_or_else(|| InputError::Setting {
            name: "scaling",
            expected: "\"auto\", \"deviation\" or \"none\"",
            got: format!("{name:?}"),
        })
    }
}

impl Default for SpdtSettings {
    fn default() -> Self {
        Self {
            depth: 4,
            cost: None,
            budget: Some(20),
            split_features: None,
            max_features: None,
            scaling: SpdtScaling::Auto,
            min_rows: 10.0,
            folds: 5,
            vote: false,
            interactions: true,
            tol: 1e-3,
            run: RunSettings::default(),
        }
    }
}

impl SpdtSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, 1, self.tol)?;
        let cost = self.cost.unwrap_or(1.0);
        check_setting(
            cost > 0.0 && cost.is_finite(),
            "C",
            "a finite number above 0",
            cost,
        )?;
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let rows = self.min_rows;
        check_setting(
            rows >= 0.0 && rows.is_finite(),
            "min_rows",
            "a number of at least 0",
            rows,
        )?;
        for (name, most) in [
            ("budget", self.budget),
            ("split_features", self.split_features),
            ("max_features", self.max_features),
        ] {
            check_setting(most != Some(0), name, "at least 1", 0)?;
        }
        Ok(())
    }
}
