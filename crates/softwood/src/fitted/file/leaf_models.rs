//! The fields of trees with a linear model in every leaf.

use super::checks::{FINITE, NOT_NEGATIVE, check, check_total};
use super::tree_fields::{leaf_count, rows};
use crate::InputError;
use crate::data::Standardization;
use crate::fitted::SoftTree;
use serde::{Deserialize, Serialize};

/// Leaf models of the standardized response on scaled features.
#[derive(Serialize, Deserialize)]
pub(super) struct LeafModels {
    pub leaf_coefficients: Vec<Vec<f64>>,
    pub leaf_intercepts: Vec<f64>,
    pub response: Standardization,
    /// Missing in early files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaf_weights: Vec<f64>,
}

impl LeafModels {
    pub fn of(
        slopes: &[f64],
        intercepts: &[f64],
        response: Standardization,
        p: usize,
        weights: &[f64],
    ) -> Self {
        Self {
            leaf_weights: weights.to_vec(),
            leaf_coefficients: rows(slopes, p),
            leaf_intercepts: intercepts.to_vec(),
            response,
        }
    }

    /// A model for every leaf of the tree, and a response that can be put back.
    pub fn check(&self, tree: &SoftTree) -> Result<(), InputError> {
        let (leaves, p) = (leaf_count(&tree.shape), tree.features());
        leaves.check_matrix(
            "leaf_coefficients",
            &self.leaf_coefficients,
            (p, "features"),
        )?;
        FINITE.check_matrix("leaf_coefficients", &self.leaf_coefficients)?;
        leaves.check("leaf_intercepts", self.leaf_intercepts.len())?;
        FINITE.check("leaf_intercepts", &self.leaf_intercepts)?;
        if !self.leaf_weights.is_empty() {
            leaves.check("leaf_weights", self.leaf_weights.len())?;
            NOT_NEGATIVE.check("leaf_weights", &self.leaf_weights)?;
            check_total(self.leaf_weights.iter().copied())?;
        }
        let Standardization { mean, scale } = self.response;
        check(mean.is_finite() && scale.is_finite() && scale > 0.0, || {
            format!("response has mean {mean} and scale {scale}, the scale must be positive")
        })
    }
}
