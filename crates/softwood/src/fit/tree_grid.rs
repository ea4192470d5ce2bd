//! The settings of trees with penalties that folds choose from: checks of the lists, and all their combinations.

use super::validate::{check_gamma, check_grid, check_search, check_setting};
use crate::data::ScalingKind;
use crate::error::InputError;
use crate::objective::PenaltySettings;

/// Lists of settings, as `fit_orct_cv` and `fit_orrt_cv` take them.
pub(super) struct TreeGrid<'a> {
    pub depths: &'a [usize],
    pub scalings: &'a [ScalingKind],
    pub gammas: &'a [f64],
    /// λ_L by the number of coefficients, increasing.
    pub local: &'a [f64],
    /// λ_G by p, increasing.
    pub global: &'a [f64],
}

/// One combination.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreePoint {
    pub depth: usize,
    pub scaling: ScalingKind,
    pub gamma: f64,
    /// λ_L and λ_G.
    pub local: f64,
    pub global: f64,
}

impl TreeGrid<'_> {
    /// Checks the lists, and what is not chosen of a fit with them.
    pub fn check(
        &self,
        penalty: &PenaltySettings,
        (n_starts, tol): (usize, f64),
    ) -> Result<(), InputError> {
        for (name, empty) in [
            ("depths", self.depths.is_empty()),
            ("scalings", self.scalings.is_empty()),
            ("gammas", self.gammas.is_empty()),
        ] {
            check_setting(!empty, name, "at least one value", "none")?;
        }
        check_setting(
            penalty.share.is_none(),
            "penalty",
            "left open, for penalties are chosen",
            penalty.share.unwrap_or(0.0),
        )?;
        check_grid("local_grid", self.local)?;
        check_grid("global_grid", self.global)?;
        self.gammas.iter().try_for_each(|g| check_gamma(*g))?;
        let mut depths = self.depths.iter();
        depths.try_for_each(|depth| check_search(*depth, n_starts, tol))
    }

    /// All combinations of these depths; those of one (depth, scaling) stand together, γ and then penalties
    /// increasing. `nodes` tells how many nodes of a tree of some depth have coefficients.
    pub fn points(
        &self,
        features: usize,
        allowed: impl Fn(usize) -> bool,
        nodes: impl Fn(usize) -> usize,
    ) -> Vec<TreePoint> {
        let p = features as f64;
        let mut gammas = self.gammas.to_vec();
        gammas.sort_by(f64::total_cmp);
        let mut points = Vec::new();
        for depth in self.depths.iter().filter(|depth| allowed(**depth)) {
            let coefficients = p * nodes(*depth) as f64;
            for scaling in self.scalings {
                for gamma in &gammas {
                    for global in self.global {
                        points.extend(self.local.iter().map(|local| TreePoint {
                            depth: *depth,
                            scaling: *scaling,
                            gamma: *gamma,
                            local: local / coefficients,
                            global: global / p,
                        }));
                    }
                }
            }
        }
        points
    }
}
