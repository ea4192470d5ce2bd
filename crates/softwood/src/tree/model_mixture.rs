//! A mixture of linear models over one block of rows: φ_i = Σ_t P_it (β_0t + βₜᵀu_i), and its gradient.

use super::block_pass::{self, BlockScratch};
use super::feature_gradient::add_feature_gradient;
use super::function_gradient::FunctionGradient;
use super::split_gradient::SplitGradient;
use super::splits::Splits;
use crate::data::Tile;
use crate::vectors::AlignedBuffer;

/// The splits of a tree of any shape and a linear model at each of its leaves.
pub(crate) struct ModelMixture {
    splits: Splits,
    models: Splits,
}

/// Working memory for one block.
pub(crate) struct MixtureScratch {
    tree: BlockScratch,
    /// Values of the leaf models, then the derivatives of the loss by them; L × stride.
    models: BlockScratch,
    /// φ of each row.
    predicted: AlignedBuffer,
}

/// The gradient by the splits and by the leaf models, in vector lanes.
pub(crate) struct MixtureGradient {
    splits: SplitGradient,
    models: FunctionGradient,
}

impl ModelMixture {
    /// Leaf models with slopes L × p and intercepts.
    pub fn new(splits: Splits, slopes: &[f64], intercepts: &[f64]) -> Self {
        let features = slopes.len() / intercepts.len();
        let offsets = intercepts.iter().map(|b| -b).collect();
        Self {
            splits,
            models: Splits::linear_functions(features, slopes, offsets),
        }
    }

    pub fn scratch(&self, stride: usize) -> MixtureScratch {
        MixtureScratch {
            tree: BlockScratch::new(&self.splits.topology, stride),
            models: BlockScratch::for_values(self.splits.topology.leaves(), stride),
            predicted: AlignedBuffer::zeros(stride),
        }
    }

    /// Zero, for [`Self::add_gradient`].
    pub fn gradient(&self, features: usize) -> MixtureGradient {
        MixtureGradient {
            splits: SplitGradient::zero(&self.splits.topology, features),
            models: FunctionGradient::zero(self.splits.topology.leaves(), features),
        }
    }

    /// φ of the rows of a block, padding included.
    pub fn predict<'s>(&self, tile: Tile<'_>, scratch: &'s mut MixtureScratch) -> &'s [f64] {
        block_pass::leaf_probabilities(&self.splits, tile, &mut scratch.tree);
        self.mix(tile, scratch);
        &scratch.predicted
    }

    /// The same, and what [`Self::add_gradient`] needs.
    pub fn predict_for_gradient<'s>(
        &self,
        tile: Tile<'_>,
        scratch: &'s mut MixtureScratch,
    ) -> &'s [f64] {
        block_pass::leaf_probabilities_for_gradient(&self.splits, tile, &mut scratch.tree);
        self.mix(tile, scratch);
        &scratch.predicted
    }

    fn mix(&self, tile: Tile<'_>, scratch: &mut MixtureScratch) {
        let MixtureScratch {
            tree,
            models,
            predicted,
        } = scratch;
        block_pass::split_values(&self.models, tile, models);
        predicted.fill(0.0);
        let values = models.split_values().chunks_exact(predicted.len());
        let leaves = tree.leaf_probabilities().chunks_exact(predicted.len());
        for (probabilities, values) in leaves.zip(values) {
            for ((out, p), value) in predicted.iter_mut().zip(probabilities).zip(values) {
                *out += p * value;
            }
        }
    }

    /// Adds the block's part of the gradient of Σ_i loss_i, given ∂loss_i/∂φ_i, 0 for padding:
    /// ∂loss_i/∂P_it is that times the leaf's value, and the derivative by that value is it times P_it.
    pub fn add_gradient(
        &self,
        tile: Tile<'_>,
        slopes: &[f64],
        scratch: &mut MixtureScratch,
        gradient: &mut MixtureGradient,
    ) {
        let MixtureScratch { tree, models, .. } = scratch;
        let stride = slopes.len();
        let (probabilities, costs) = tree.probabilities_and_costs();
        let leaves = probabilities.chunks_exact(stride);
        let columns = costs.chunks_exact_mut(stride);
        let values = models.split_values_mut().chunks_exact_mut(stride);
        for ((p, costs), values) in leaves.zip(columns).zip(values) {
            for (((cost, value), slope), p) in costs.iter_mut().zip(values).zip(slopes).zip(p) {
                *cost = slope * *value;
                *value = slope * p;
            }
        }
        block_pass::add_gradient(&self.splits, tile, tree, &mut gradient.splits);
        let gradient = &mut gradient.models;
        gradient.add(&self.models, tile, models.split_values());
    }
}

impl ModelMixture {
    /// What the block just added to a gradient contributes by its features: out += ∂loss_i/∂u_ij, p × stride.
    pub fn add_feature_gradient(&self, scratch: &MixtureScratch, out: &mut [f64]) {
        add_feature_gradient(&self.splits, scratch.tree.split_values(), out);
        add_feature_gradient(&self.models, scratch.models.split_values(), out);
    }
}

impl MixtureGradient {
    /// The gradient by γz's slopes and offsets in θ's layout (before γ and 1/p), and that by the leaf
    /// models' slopes, L × p, and intercepts.
    pub fn sum_lanes(&self) -> (Vec<f64>, Vec<f64>) {
        (self.splits.sum_lanes().1, self.models.sum_lanes())
    }
}
