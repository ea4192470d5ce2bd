//! What `fit_functional_orct_cv` chooses from, with defaults and ranges.

use super::curve_grid::CurveGrid;
use super::functional_orct_settings::FunctionalOrctSettings;
use super::orct_cv_settings::has_leaves_for;
use super::validate::check_setting;
use crate::error::InputError;
use crate::fitted::{ClassScoring, FunctionalCandidate};
use crate::search::race::CvRule;

/// What [`fit_functional_orct_cv`](crate::fit_functional_orct_cv) chooses from.
#[derive(Clone, Debug)]
pub struct FunctionalOrctCvSettings {
    /// All that is not chosen; what is, is not used.
    pub fit: FunctionalOrctSettings,
    /// What is chosen of any tree on curves.
    pub grid: CurveGrid,
    /// Folds, at least 2.
    pub folds: usize,
    /// By what candidates are judged on held-out rows.
    pub scoring: ClassScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for FunctionalOrctCvSettings {
    fn default() -> Self {
        Self {
            fit: FunctionalOrctSettings::default(),
            grid: CurveGrid {
                depths: vec![1, 2],
                gammas: vec![128.0, 512.0],
                ..CurveGrid::default()
            },
            folds: 5,
            scoring: ClassScoring::Cost,
            rule: CvRule::Best,
        }
    }
}

impl FunctionalOrctCvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        self.grid.check()?;
        let mut candidates = self.grid.candidates(|_| true, &[None]).into_iter();
        candidates.try_for_each(|candidate| candidate.classification(&self.fit).validate())
    }

    /// All candidates with leaves enough for the classes, in chains of increasing numbers of intervals.
    pub(super) fn candidates(&self, classes: usize) -> Vec<FunctionalCandidate> {
        let covers = self.fit.cover_classes;
        let allowed = |depth: usize| has_leaves_for(depth, classes, covers);
        self.grid.candidates(allowed, &[None])
    }

    /// The settings of the deepest candidates.
    pub(super) fn deepest(&self) -> FunctionalOrctSettings {
        FunctionalOrctSettings {
            depth: self.grid.deepest(),
            ..self.fit.clone()
        }
    }
}

impl FunctionalCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn classification(&self, base: &FunctionalOrctSettings) -> FunctionalOrctSettings {
        FunctionalOrctSettings {
            depth: self.depth,
            intervals: self.intervals(&base.intervals),
            gamma: self.gamma,
            penalty: self.penalty(&base.penalty),
            ..base.clone()
        }
    }
}
