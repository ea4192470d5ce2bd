//! What `fit_orrt_cv` chooses from, with defaults and ranges.

use super::orrt_settings::OrrtSettings;
use super::tree_grid::{TreeGrid, TreePoint};
use super::validate::{check_ridge, check_setting};
use crate::data::ScalingKind;
use crate::error::InputError;
use crate::fitted::{OrrtCandidate, ResponseScoring};
use crate::objective::PenaltySettings;
use crate::search::race::CvRule;

/// What [`fit_orrt_cv`](crate::fit_orrt_cv) chooses from.
#[derive(Clone, Debug)]
pub struct OrrtCvSettings {
    /// All that is not chosen; its depth, γ, scaling, λ_β and penalty weights are not used.
    pub fit: OrrtSettings,
    /// Depths.
    pub depths: Vec<usize>,
    /// Scalings.
    pub scalings: Vec<ScalingKind>,
    /// Values of γ.
    pub gammas: Vec<f64>,
    /// Values of λ_β for all coefficients; None is one for each feature, by evidence.
    pub ridges: Vec<Option<f64>>,
    /// Values of λ_L · p(B + L), increasing.
    pub local_grid: Vec<f64>,
    /// Values of λ_G · p, increasing.
    pub global_grid: Vec<f64>,
    /// Folds, at least 2.
    pub folds: usize,
    /// By what candidates are judged on held-out rows.
    pub scoring: ResponseScoring,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for OrrtCvSettings {
    fn default() -> Self {
        Self {
            fit: OrrtSettings::default(),
            depths: vec![1, 2, 3],
            scalings: vec![ScalingKind::MinMax],
            gammas: vec![32.0, 128.0, 512.0],
            ridges: vec![None],
            local_grid: vec![0.0],
            global_grid: vec![0.0],
            folds: 5,
            scoring: ResponseScoring::R2,
            rule: CvRule::Best,
        }
    }
}

impl OrrtCvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let ridges = self.ridges.len();
        check_setting(ridges > 0, "ridges", "at least one value", "none")?;
        (self.ridges.iter()).try_for_each(|ridge| check_ridge("ridges", *ridge))?;
        let fit = &self.fit;
        (self.grid()).check(&fit.penalty, (fit.n_starts, fit.tol))?;
        self.fit.validate()
    }

    /// All candidates; those of one (ridge, depth, scaling) stand together, γ and then penalties increasing.
    pub(super) fn candidates(&self, features: usize) -> Vec<OrrtCandidate> {
        let nodes = |depth: usize| (2 << depth) - 1;
        let points = self.grid().points(features, |_| true, nodes);
        let candidate = |point: &TreePoint, ridge: Option<f64>| OrrtCandidate {
            depth: point.depth,
            scaling: point.scaling,
            gamma: point.gamma,
            local_penalty: point.local,
            global_penalty: point.global,
            ridge_leaves: ridge,
        };
        let with = |ridge: &Option<f64>| -> Vec<OrrtCandidate> {
            points
                .iter()
                .map(|point| candidate(point, *ridge))
                .collect()
        };
        self.ridges.iter().flat_map(with).collect()
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

impl OrrtCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn settings(&self, base: &OrrtSettings) -> OrrtSettings {
        OrrtSettings {
            depth: self.depth,
            scaling: self.scaling,
            gamma: Some(self.gamma),
            ridge_leaves: self.ridge_leaves,
            penalty: PenaltySettings {
                local: Some(self.local_penalty),
                global: self.global_penalty,
                ..base.penalty.clone()
            },
            ..base.clone()
        }
    }
}
