//! What `fit_functional_orrt_cv` chooses from, with defaults and ranges.

use super::functional_orrt_settings::FunctionalOrrtSettings;
use super::interval_settings::IntervalSettings;
use super::validate::check_setting;
use crate::error::InputError;
use crate::fitted::{FunctionalCandidate, ResponseScoring};
use crate::functional::CurveLayout;
use crate::search::race::CvRule;

/// What [`fit_functional_orrt_cv`](crate::fit_functional_orrt_cv) chooses from.
#[derive(Clone, Debug)]
pub struct FunctionalCvSettings {
    /// All that is not chosen; what is, is not used.
    pub fit: FunctionalOrrtSettings,
    /// Depths.
    pub depths: Vec<usize>,
    /// Numbers of intervals, increasing: each starts from the trees of the one before.
    pub n_intervals: Vec<usize>,
    /// Sets of orders of derivatives.
    pub derivatives: Vec<Vec<usize>>,
    /// Values of γ.
    pub gammas: Vec<f64>,
    /// Values of λ_len.
    pub length_penalties: Vec<f64>,
    /// Values of λ_β.
    pub ridges: Vec<f64>,
    /// Folds, at least 2.
    pub folds: usize,
    /// By what candidates are judged on held-out rows.
    pub scoring: ResponseScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for FunctionalCvSettings {
    fn default() -> Self {
        Self {
            fit: FunctionalOrrtSettings::default(),
            depths: vec![1],
            n_intervals: vec![1, 2, 3, 4, 5],
            derivatives: vec![vec![0], vec![1], vec![2]],
            gammas: vec![32.0, 128.0],
            length_penalties: vec![0.0],
            ridges: vec![2e-5],
            folds: 5,
            scoring: ResponseScoring::R2,
            rule: CvRule::Best,
        }
    }
}

impl FunctionalCvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let given = [
            ("depths", self.depths.is_empty()),
            ("derivatives", self.derivatives.is_empty()),
            ("gammas", self.gammas.is_empty()),
            ("length_penalties", self.length_penalties.is_empty()),
            ("ridges", self.ridges.is_empty()),
        ];
        for (name, empty) in given {
            check_setting(!empty, name, "at least one value", "none")?;
        }
        let counts = &self.n_intervals;
        let increasing = !counts.is_empty() && counts.is_sorted_by(|a, b| a < b);
        let told = format!("{counts:?}");
        check_setting(
            increasing,
            "n_intervals",
            "one or more numbers, increasing",
            told,
        )?;
        let mut candidates = self.candidates().into_iter();
        candidates.try_for_each(|candidate| candidate.settings(&self.fit).validate())
    }

    /// Checks the largest number of intervals against the points of the curves.
    pub(super) fn check_against(&self, layout: &CurveLayout) -> Result<(), InputError> {
        let largest = IntervalSettings {
            n_intervals: self.n_intervals.last().copied().unwrap_or(1),
            ..IntervalSettings::default()
        };
        largest.check_against(layout)
    }

    /// All candidates, in chains of increasing numbers of intervals.
    pub(super) fn candidates(&self) -> Vec<FunctionalCandidate> {
        let mut candidates = Vec::new();
        for depth in &self.depths {
            for derivatives in &self.derivatives {
                for gamma in &self.gammas {
                    for length_penalty in &self.length_penalties {
                        for ridge in &self.ridges {
                            let candidate = |h: &usize| FunctionalCandidate {
                                depth: *depth,
                                n_intervals: *h,
                                derivatives: derivatives.clone(),
                                gamma: *gamma,
                                length_penalty: *length_penalty,
                                local_penalty: self.fit.penalty.local.unwrap_or(0.0),
                                global_penalty: self.fit.penalty.global,
                                ridge_leaves: Some(*ridge),
                            };
                            candidates.extend(self.n_intervals.iter().map(candidate));
                        }
                    }
                }
            }
        }
        candidates
    }
}

impl FunctionalCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn settings(&self, base: &FunctionalOrrtSettings) -> FunctionalOrrtSettings {
        FunctionalOrrtSettings {
            depth: self.depth,
            intervals: IntervalSettings {
                n_intervals: self.n_intervals,
                derivatives: self.derivatives.clone(),
                length_penalty: self.length_penalty,
                ..base.intervals.clone()
            },
            gamma: self.gamma,
            ridge_leaves: self.ridge_leaves.unwrap_or(base.ridge_leaves),
            ..base.clone()
        }
    }
}
