//! What `fit_orct_cv` chooses from, with defaults and ranges.

use super::orct_settings::OrctSettings;
use super::tree_grid::{TreeGrid, TreePoint};
use super::validate::check_setting;
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
        let fit = &self.fit;
        (self.grid()).check(&fit.penalty, (fit.n_starts, fit.tol))?;
        self.fit.validate()
    }

    /// All candidates; those of one (depth, scaling) stand together, γ and then penalties increasing.
    pub(super) fn candidates(&self, features: usize, classes: usize) -> Vec<OrctCandidate> {
        let nodes = |depth: usize| Topology::complete(depth).branches();
        let covers = self.fit.cover_classes;
        let allowed = |depth: usize| has_leaves_for(depth, classes, covers);
        let points = self.grid().points(features, allowed, nodes);
        let candidate = |point: TreePoint| OrctCandidate {
            depth: point.depth,
            scaling: point.scaling,
            gamma: point.gamma,
            local_penalty: point.local,
            global_penalty: point.global,
            balanced: self.fit.balance.unwrap_or(false),
        };
        points.into_iter().map(candidate).collect()
    }

    fn grid(&self) -> TreeGrid<'_> {
        TreeGrid {
            depths: &self.depths,
            scalings: &self.scalings,
            gammas: &self.gammas,
            local: &self.local_grid,
            global: &self.global_grid,
        }
    }
}

/// Whether a tree of this depth is a candidate: not if it is too small for classes that it must cover.
pub(super) fn has_leaves_for(depth: usize, classes: usize, cover_classes: bool) -> bool {
    !cover_classes || classes <= 1 << depth
}
