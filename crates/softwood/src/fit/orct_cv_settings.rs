//! What `fit_orct_cv` chooses from, with defaults and ranges.

use super::orct_settings::OrctSettings;
use super::validate::{check_gamma, check_grid, check_search, check_setting};
use crate::data::ScalingKind;
use crate::error::InputError;
use crate::fitted::{ClassScoring, OrctCandidate};
use crate::search::race::CvRule;
use crate::tree::Topology;

/// What [`fit_orct_cv`](crate::fit_orct_cv) chooses from.
#[derive(Clone, Debug)]
pub struct OrctCvSettings {
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
    /// By what candidates are judged on held-out rows.
    pub scoring: ClassScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for OrctCvSettings {
    fn default() -> Self {
        Self {
            fit: OrctSettings::default(),
            depths: vec![1, 2, 3],
            scalings: vec![ScalingKind::MinMax, ScalingKind::Quantile],
            gammas: vec![128.0, 512.0, 2048.0, 8192.0],
            local_grid: vec![0.0, 1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0],
            global_grid: vec![0.0],
            folds: 5,
            scoring: ClassScoring::Cost,
            rule: CvRule::Best,
        }
    }
}

impl OrctCvSettings {
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
        self.gammas
            .iter()
            .try_for_each(|gamma| check_gamma(*gamma))?;
        for depth in &self.depths {
            check_search(*depth, self.fit.n_starts, self.fit.tol)?;
        }
        self.fit.validate()
    }

    /// All candidates; those of one (depth, scaling) stand together, γ and then penalties increasing.
    pub(super) fn candidates(&self, features: usize, classes: usize) -> Vec<OrctCandidate> {
        let p = features as f64;
        let mut gammas = self.gammas.clone();
        gammas.sort_by(f64::total_cmp);
        let mut candidates = Vec::new();
        let depths = self.depths.iter();
        for depth in depths.filter(|depth| self.has_leaves_for(**depth, classes)) {
            let b = Topology::complete(*depth).branches() as f64;
            for scaling in &self.scalings {
                for gamma in &gammas {
                    for global in &self.global_grid {
                        candidates.extend(self.local_grid.iter().map(|local| OrctCandidate {
                            depth: *depth,
                            scaling: *scaling,
                            gamma: *gamma,
                            local_penalty: local / (p * b),
                            global_penalty: global / p,
                            balanced: self.fit.balance.unwrap_or(false),
                        }));
                    }
                }
            }
        }
        candidates
    }

    /// Whether a tree of this depth is a candidate: not if it is too small for the classes.
    fn has_leaves_for(&self, depth: usize, classes: usize) -> bool {
        !self.fit.cover_classes || classes <= 1 << depth
    }
}
