//! What `fit_functional_orrt_cv` chooses from, with defaults and ranges.

use super::curve_grid::CurveGrid;
use super::functional_orrt_settings::FunctionalOrrtSettings;
use super::validate::check_setting;
use crate::error::InputError;
use crate::fitted::{FunctionalCandidate, ResponseScoring};
use crate::search::race::CvRule;

/// What [`fit_functional_orrt_cv`](crate::fit_functional_orrt_cv) chooses from.
#[derive(Clone, Debug)]
pub struct FunctionalOrrtCvSettings {
    /// All that is not chosen; what is, is not used.
    pub fit: FunctionalOrrtSettings,
    /// What is chosen of any tree on curves.
    pub grid: CurveGrid,
    /// Values of λ_β.
    pub ridges: Vec<f64>,
    /// Folds, at least 2.
    pub folds: usize,
    /// By what candidates are judged on held-out rows.
    pub scoring: ResponseScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for FunctionalOrrtCvSettings {
    fn default() -> Self {
        Self {
            fit: FunctionalOrrtSettings::default(),
            grid: CurveGrid::default(),
            ridges: vec![2e-5],
            folds: 5,
            scoring: ResponseScoring::R2,
            rule: CvRule::Best,
        }
    }
}

impl FunctionalOrrtCvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let none = self.ridges.is_empty();
        check_setting(!none, "ridges", "at least one value", "none")?;
        self.grid.check()?;
        let mut candidates = self.candidates().into_iter();
        candidates.try_for_each(|candidate| candidate.regression(&self.fit).validate())
    }

    /// All candidates, in chains of increasing numbers of intervals.
    pub(super) fn candidates(&self) -> Vec<FunctionalCandidate> {
        let ridges: Vec<Option<f64>> = self.ridges.iter().copied().map(Some).collect();
        self.grid.candidates(|_| true, &ridges)
    }
}

impl FunctionalCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn regression(&self, base: &FunctionalOrrtSettings) -> FunctionalOrrtSettings {
        FunctionalOrrtSettings {
            depth: self.depth,
            intervals: self.intervals(&base.intervals),
            gamma: self.gamma,
            ridge_leaves: self.ridge_leaves.unwrap_or(base.ridge_leaves),
            penalty: self.penalty(&base.penalty),
            ..base.clone()
        }
    }
}
