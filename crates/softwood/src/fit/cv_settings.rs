//! What `fit_orct_cv` chooses from, with defaults and ranges, and the settings of a candidate.

use super::orct_settings::OrctSettings;
use super::validate::{check_grid, check_setting};
use crate::data::{ScalingChoice, ScalingKind};
use crate::error::InputError;
use crate::fitted::CvCandidate;
use crate::objective::PenaltySettings;

/// What [`fit_orct_cv`](crate::fit_orct_cv) chooses from.
#[derive(Clone, Debug)]
pub struct CvSettings {
    /// All that is not chosen; its depth, γ, scaling and penalty weights are not used.
    pub fit: OrctSettings,
    /// Depths.
    pub depths: Vec<usize>,
    /// Scalings.
    pub scalings: Vec<ScalingKind>,
    /// Values of γ.
    pub gammas: Vec<f64>,
    /// Values of λ_L · pB, increasing.
    pub local_grid: Vec<f64>,
    /// Values of λ_G · p, increasing.
    pub global_grid: Vec<f64>,
    /// Folds, at least 2.
    pub folds: usize,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for CvSettings {
    fn default() -> Self {
        Self {
            fit: OrctSettings::default(),
            depths: vec![1, 2, 3],
            scalings: vec![ScalingKind::MinMax, ScalingKind::Quantile],
            gammas: vec![128.0, 512.0, 2048.0, 8192.0],
            local_grid: vec![0.0, 1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0],
            global_grid: vec![0.0],
            folds: 5,
            rule: CvRule::Best,
        }
    }
}

/// Which candidate is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CvRule {
    /// The one of least cost on held-out rows.
    Best,
    /// The sparsest of those within one standard error of it.
    OneStandardError,
}

impl CvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let empty = |name, empty: bool| check_setting(!empty, name, "at least one value", "none");
        empty("depths", self.depths.is_empty())?;
        empty("scalings", self.scalings.is_empty())?;
        empty("gammas", self.gammas.is_empty())?;
        check_setting(
            self.fit.penalty.share.is_none(),
            "penalty",
            "left open, for penalties are chosen",
            self.fit.penalty.share.unwrap_or(0.0),
        )?;
        check_grid("local_grid", &self.local_grid)?;
        check_grid("global_grid", &self.global_grid)?;
        for depth in &self.depths {
            for gamma in &self.gammas {
                OrctSettings {
                    depth: *depth,
                    gamma: *gamma,
                    ..self.fit.clone()
                }
                .validate()?;
            }
        }
        Ok(())
    }
}

impl CvCandidate {
    /// `base` with what this candidate fixes.
    pub(crate) fn settings(&self, base: &OrctSettings) -> OrctSettings {
        OrctSettings {
            depth: self.depth,
            gamma: self.gamma,
            scaling: ScalingChoice::Fixed(self.scaling),
            penalty: PenaltySettings {
                local: Some(self.local_penalty),
                global: self.global_penalty,
                ..base.penalty.clone()
            },
            ..base.clone()
        }
    }
}
