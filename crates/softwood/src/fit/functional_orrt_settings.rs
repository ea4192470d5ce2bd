//! What `fit_functional_orrt` is asked for, with defaults and ranges.

use super::interval_settings::IntervalSettings;
use super::run_settings::RunSettings;
use super::validate::{check_gamma, check_ridge, check_search, check_setting};
use crate::error::InputError;
use crate::objective::PenaltySettings;

/// What [`fit_functional_orrt`](crate::fit_functional_orrt) is asked for.
#[derive(Clone, Debug)]
pub struct FunctionalOrrtSettings {
    /// D, 1…12.
    pub depth: usize,
    /// Intervals, derivatives, smoothing.
    pub intervals: IntervalSettings,
    /// γ > 0, the steepness of splits on features of which four deviations fill [0, 1].
    pub gamma: f64,
    /// λ_β ≥ 0 of the leaf models.
    pub ridge_leaves: f64,
    /// λ_L and λ_G on the coefficients of splits and leaves together; a predictor's values and derivatives are
    /// one group.
    pub penalty: PenaltySettings,
    /// Starts for each number of intervals, by successive halving; the best is kept.
    pub n_starts: usize,
    /// Quasi-Newton iterations at most, per stage of a start.
    pub max_iter: u64,
    /// A run ends when ‖prox(x − ∇f(x)) − x‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

impl Default for FunctionalOrrtSettings {
    fn default() -> Self {
        Self {
            depth: 1,
            intervals: IntervalSettings::default(),
            gamma: 128.0,
            ridge_leaves: 2e-5,
            penalty: PenaltySettings::none(),
            n_starts: 30,
            max_iter: 200,
            tol: 1e-5,
            run: RunSettings::default(),
        }
    }
}

impl FunctionalOrrtSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, self.n_starts, self.tol)?;
        self.intervals.validate()?;
        check_gamma(self.gamma)?;
        check_ridge("ridge_leaves", Some(self.ridge_leaves))?;
        check_setting(self.max_iter >= 1, "max_iter", "at least 1", self.max_iter)?;
        self.penalty.validate()
    }
}
