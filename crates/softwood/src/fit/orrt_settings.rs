//! What `fit_orrt` is asked for, with defaults and ranges.

use super::run_settings::RunSettings;
use super::validate::{check_gamma, check_ridge, check_search, check_setting};
use crate::data::ScalingKind;
use crate::error::InputError;
use crate::objective::PenaltySettings;

/// Sets of a few hundred rows take harm from steeper splits, others from softer ones.
const USUAL_GAMMA: f64 = 128.0;

/// What [`fit_orrt`](crate::fit_orrt) is asked for.
#[derive(Clone, Debug)]
pub struct OrrtSettings {
    /// D, 1…12.
    pub depth: usize,
    /// γ > 0, the steepness of splits; chosen on folds among those of [`OrrtCvSettings`](crate::OrrtCvSettings) if None.
    pub gamma: Option<f64>,
    /// λ_β of a plain ridge (λ_β/2) Σ_t (Σ_j v_j β_tj² + β_0t²) on the leaf models, not negative, v_j being the
    /// variance of feature j; if None, penalties of each feature's coefficients around their mean and of the mean,
    /// those of most evidence at the best start after a few iterations.
    pub ridge_leaves: Option<f64>,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingKind,
    /// Sparsity penalties on the coefficients of splits and leaves together; none by default.
    pub penalty: PenaltySettings,
    /// Starts, by successive halving; the best is kept.
    pub n_starts: usize,
    /// Quasi-Newton iterations at most, per stage of a start.
    pub max_iter: u64,
    /// A run ends when ‖prox(x − ∇f(x)) − x‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

impl Default for OrrtSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            gamma: None,
            ridge_leaves: None,
            scaling: ScalingKind::MinMax,
            penalty: PenaltySettings::none(),
            n_starts: 8,
            max_iter: 500,
            tol: 3e-4,
            run: RunSettings::default(),
        }
    }
}

impl OrrtSettings {
    /// γ, or what it is where nothing tells which.
    pub(super) fn steepness(&self) -> f64 {
        self.gamma.unwrap_or(USUAL_GAMMA)
    }

    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, self.n_starts, self.tol)?;
        self.gamma.map_or(Ok(()), check_gamma)?;
        check_ridge("ridge_leaves", self.ridge_leaves)?;
        check_setting(self.max_iter >= 1, "max_iter", "at least 1", self.max_iter)?;
        self.penalty.validate()
    }
}
