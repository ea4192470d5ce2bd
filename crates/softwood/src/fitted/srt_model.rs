//! A fitted soft regression tree.

use super::{Curve, FitReport, Importance, SoftTree};
use crate::data::Standardization;

/// Splits, leaf models and the report of the fit. The tree's steepness is 1 and its intercepts μ
/// are −ω_0 of paper 2.
#[derive(Clone, Debug, PartialEq)]
pub struct SrtModel {
    /// The splits.
    pub tree: SoftTree,
    /// β without the intercepts, L × p, on scaled features and the standardized response.
    pub leaf_slopes: Vec<f64>,
    /// β_0, one a leaf, for the standardized response.
    pub leaf_intercepts: Vec<f64>,
    /// Curves of the scaled features, added to every leaf's model of the standardized response: one
    /// a feature, or none at all.
    pub curves: Vec<Curve>,
    /// From the standardized response back to the user's.
    pub response: Standardization,
    /// λ_ω the model was fitted with: of each feature, then of the intercepts.
    pub ridge_branches: Vec<f64>,
    /// λ_β the model was fitted with: of each feature, then of the intercepts.
    pub ridge_leaves: Vec<f64>,
    /// How the fit went.
    pub report: FitReport,
}

impl SrtModel {
    /// Importance of each feature to the splits.
    pub fn split_importance(&self, kind: Importance) -> Vec<f64> {
        kind.of(&self.tree.coefficients, self.tree.features())
    }

    /// Importance of each feature to the leaf models, in units of the response.
    pub fn leaf_importance(&self, kind: Importance) -> Vec<f64> {
        let coefficients: Vec<f64> = self.leaf_coefficients().collect();
        kind.of(&coefficients, self.tree.features())
    }

    /// Coefficients of the leaf models on scaled features, L × p, in units of the response.
    pub fn leaf_coefficients(&self) -> impl Iterator<Item = f64> {
        let scale = self.response.scale;
        self.leaf_slopes.iter().map(move |b| b * scale)
    }

    /// ω_0, one a split.
    pub fn split_intercepts(&self) -> impl Iterator<Item = f64> {
        self.tree.intercepts.iter().map(|mu| -mu)
    }
}
