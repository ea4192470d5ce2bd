//! What `fit_srt_cv` chooses from, with defaults and ranges.

use super::srt_settings::SrtSettings;
use super::validate::{check_search, check_setting};
use crate::error::InputError;
use crate::fitted::{ResponseScoring, SrtCandidate};
use crate::search::race::CvRule;

/// What [`fit_srt_cv`](crate::fit_srt_cv) chooses from.
#[derive(Clone, Debug)]
pub struct SrtCvSettings {
    /// All that is not chosen; its depth, curves and λ_β are not used.
    pub fit: SrtSettings,
    /// Depths.
    pub depths: Vec<usize>,
    /// With curves, without, or both.
    pub curves: Vec<bool>,
    /// Values of λ_β for all coefficients; None is one for each feature, by evidence maximization.
    pub ridges: Vec<Option<f64>>,
    /// Folds, at least 2.
    pub folds: usize,
    /// By what candidates are judged on held-out rows.
    pub scoring: ResponseScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for SrtCvSettings {
    fn default() -> Self {
        Self {
            fit: SrtSettings::default(),
            depths: vec![1, 2, 3],
            curves: vec![false, true],
            ridges: vec![None],
            folds: 5,
            scoring: ResponseScoring::R2,
            rule: CvRule::Best,
        }
    }
}

impl SrtCvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let empty = |name, empty: bool| check_setting(!empty, name, "at least one value", "none");
        empty("depths", self.depths.is_empty())?;
        empty("curves", self.curves.is_empty())?;
        empty("ridges", self.ridges.is_empty())?;
        for depth in &self.depths {
            check_search(*depth, self.fit.n_starts, self.fit.tol)?;
        }
        for ridge in self.ridges.iter().flatten() {
            let allowed = ridge.is_finite() && *ridge >= 0.0;
            check_setting(allowed, "ridges", "numbers of at least 0, or None", ridge)?;
        }
        self.fit.validate()
    }

    /// All candidates.
    pub(super) fn candidates(&self) -> Vec<SrtCandidate> {
        let mut candidates = Vec::new();
        for depth in &self.depths {
            for curves in &self.curves {
                candidates.extend(self.ridges.iter().map(|ridge| SrtCandidate {
                    depth: *depth,
                    curves: *curves,
                    ridge_leaves: *ridge,
                }));
            }
        }
        candidates
    }
}

impl SrtCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn settings(&self, base: &SrtSettings) -> SrtSettings {
        SrtSettings {
            depth: self.depth,
            curves: self.curves,
            ridge_leaves: self.ridge_leaves,
            ..base.clone()
        }
    }
}
