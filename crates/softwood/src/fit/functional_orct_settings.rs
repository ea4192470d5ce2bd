//! What `fit_functional_orct` is asked for, with defaults and ranges.

use super::interval_settings::IntervalSettings;
use super::orct_settings::OrctSettings;
use super::run_settings::RunSettings;
use crate::data::{ScalingChoice, ScalingKind};
use crate::error::InputError;
use crate::fitted::OrctCandidate;
use crate::objective::PenaltySettings;

/// What [`fit_functional_orct`](crate::fit_functional_orct) is asked for.
#[derive(Clone, Debug)]
pub struct FunctionalOrctSettings {
    /// D, 1…12.
    pub depth: usize,
    /// Intervals, derivatives, smoothing.
    pub intervals: IntervalSettings,
    /// γ > 0, the steepness of splits on features of which four deviations fill [0, 1].
    pub gamma: f64,
    /// K × K costs, `[y][k]` for predicting k where y is true; 0.5 off the diagonal if None.
    pub costs: Option<Vec<f64>>,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// λ_L and λ_G on the coefficients of splits; a predictor's values and derivatives are one group.
    pub penalty: PenaltySettings,
    /// Starts for each number of intervals, by successive halving, and on the intervals that were found; the
    /// best is kept.
    pub n_starts: usize,
    /// Quasi-Newton iterations at most, per stage and labelling.
    pub max_iter: u64,
    /// A run ends when ‖prox(x − ∇f(x)) − x‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

impl Default for FunctionalOrctSettings {
    fn default() -> Self {
        Self {
            depth: 1,
            intervals: IntervalSettings::default(),
            gamma: 512.0,
            costs: None,
            cover_classes: true,
            penalty: PenaltySettings::none(),
            n_starts: 50,
            max_iter: 300,
            tol: 1e-4,
            run: RunSettings::default(),
        }
    }
}

impl FunctionalOrctSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.intervals.validate()?;
        self.on_means(self.gamma).validate()
    }

    /// What is fixed of them.
    pub(super) fn fixed_on_means(&self, gamma: f64) -> OrctCandidate {
        OrctCandidate {
            depth: self.depth,
            scaling: ScalingKind::MinMax,
            gamma,
            local_penalty: self.penalty.local.unwrap_or(0.0),
            global_penalty: self.penalty.global,
            balanced: false,
        }
    }

    /// The settings of the tree on the means over intervals, of this steepness there.
    pub(super) fn on_means(&self, gamma: f64) -> OrctSettings {
        OrctSettings {
            depth: self.depth,
            gamma: Some(gamma),
            costs: self.costs.clone(),
            scaling: ScalingChoice::Fixed(ScalingKind::MinMax),
            balance: Some(false),
            penalty: self.penalty.clone(),
            cover_classes: self.cover_classes,
            n_starts: self.n_starts,
            max_iter: self.max_iter,
            tol: self.tol,
            run: self.run.clone(),
            ..OrctSettings::default()
        }
    }
}
