//! Sums over rows of a mixture of linear models: errors and predictions, their gradient, and the moments
//! from which all leaf models follow at once.

use super::moves::{MoveSums, Moves};
use crate::data::{Pass, RegressionRows, Response, WeightedBlock, add_to};
use crate::stop::Interrupted;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::model_mixture::{MixtureGradient, MixtureScratch, ModelMixture};
use crate::tree::moments::MomentColumns;
use crate::tree::splits::Splits;
use serde::{Deserialize, Serialize};

/// Σ_i w_i (φ_i − y_i)² and Σ_i w_i φ_i.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MixtureSums {
    pub squares: f64,
    pub predictions: f64,
}

impl MixtureSums {
    fn add(&mut self, block: &WeightedBlock<'_>, predicted: &[f64], response: &[f64]) {
        let rows = block.weights.iter().zip(predicted).zip(response);
        for ((weight, phi), y) in rows {
            self.squares += weight * (phi - y) * (phi - y);
            self.predictions += weight * phi;
        }
    }

    fn merge(&mut self, later: Self) {
        self.squares += later.squares;
        self.predictions += later.predictions;
    }
}

/// α and δ of Σ_i w_i (α (φ_i − y_i)² + δ φ_i).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumWeights {
    pub squares: f64,
    pub predictions: f64,
}

/// The gradient of such a sum: in the layout of θ before γ and 1/p, and by slopes, L × p, and intercepts
/// of the leaf models.
#[derive(Serialize, Deserialize)]
pub(crate) struct MixtureDerivatives {
    pub sums: MixtureSums,
    pub splits: Vec<f64>,
    pub models: Vec<f64>,
    /// By what moves the features, if they move.
    pub moves: Vec<f64>,
}

impl RegressionRows<'_> {
    /// Errors and predictions of a mixture.
    pub(crate) fn mixture_sums(&self, tree: &ModelMixture) -> Result<MixtureSums, Interrupted> {
        self.rows.sum(&Sums {
            tree,
            response: &self.target,
        })
    }

    /// The same with the gradient of their sum by these weights.
    pub(crate) fn mixture_gradient(
        &self,
        tree: &ModelMixture,
        weights: SumWeights,
    ) -> Result<MixtureDerivatives, Interrupted> {
        self.rows.sum(&Gradient {
            tree,
            weights,
            features: self.features(),
            response: &self.target,
            moves: Moves::of(&self.rows),
        })
    }

    /// Σ_i w_i c_i c_iᵀ, c_i = (P_it (u_i − ū) for all t, P_it for all t, y_i, 1), of a complete tree.
    pub(crate) fn mixture_moments(
        &self,
        splits: Splits,
        centers: &[f64],
    ) -> Result<Vec<f64>, Interrupted> {
        self.rows.sum(&Moments {
            splits,
            centers,
            response: &self.target,
        })
    }
}

struct Sums<'a> {
    tree: &'a ModelMixture,
    response: &'a Response,
}

impl Pass for Sums<'_> {
    type Scratch = (MixtureScratch, MixtureSums);
    type Sum = MixtureSums;

    fn begin(&self, stride: usize) -> Self::Scratch {
        (self.tree.scratch(stride), MixtureSums::default())
    }

    fn see(&self, block: &WeightedBlock<'_>, (scratch, sums): &mut Self::Scratch) {
        let predicted = self.tree.predict(block.tile, scratch);
        sums.add(block, predicted, self.response.of_block(block));
    }

    fn finish(&self, (_, sums): Self::Scratch) -> MixtureSums {
        sums
    }

    fn merge(&self, sum: &mut MixtureSums, later: MixtureSums) {
        sum.merge(later);
    }
}

struct Gradient<'a> {
    tree: &'a ModelMixture,
    weights: SumWeights,
    features: usize,
    response: &'a Response,
    moves: Moves<'a>,
}

struct GradientScratch {
    tree: MixtureScratch,
    /// ∂/∂φ_i.
    slopes: Vec<f64>,
    sums: MixtureSums,
    gradient: MixtureGradient,
    moves: MoveSums,
}

impl Pass for Gradient<'_> {
    type Scratch = GradientScratch;
    type Sum = MixtureDerivatives;

    fn begin(&self, stride: usize) -> GradientScratch {
        GradientScratch {
            tree: self.tree.scratch(stride),
            slopes: vec![0.0; stride],
            sums: MixtureSums::default(),
            gradient: self.tree.gradient(self.features),
            moves: self.moves.begin(stride),
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut GradientScratch) {
        let GradientScratch {
            tree,
            slopes,
            sums,
            gradient,
            moves,
        } = scratch;
        let response = self.response.of_block(block);
        let predicted = self.tree.predict_for_gradient(block.tile, tree);
        sums.add(block, predicted, response);
        let (twice, linear) = (2.0 * self.weights.squares, self.weights.predictions);
        let rows = predicted.iter().zip(response).zip(block.weights);
        for (slope, ((phi, y), weight)) in slopes.iter_mut().zip(rows) {
            *slope = weight * (twice * (phi - y) + linear);
        }
        self.tree.add_gradient(block.tile, slopes, tree, gradient);
        let by_feature = |out: &mut [f64]| self.tree.add_feature_gradient(tree, out);
        self.moves.see(block, moves, by_feature);
    }

    fn finish(&self, scratch: GradientScratch) -> MixtureDerivatives {
        let (splits, models) = scratch.gradient.sum_lanes();
        MixtureDerivatives {
            sums: scratch.sums,
            splits,
            models,
            moves: scratch.moves.sums,
        }
    }

    fn merge(&self, sum: &mut MixtureDerivatives, later: MixtureDerivatives) {
        sum.sums.merge(later.sums);
        add_to(&mut sum.splits, &later.splits);
        add_to(&mut sum.models, &later.models);
        add_to(&mut sum.moves, &later.moves);
    }
}

struct Moments<'a> {
    splits: Splits,
    centers: &'a [f64],
    response: &'a Response,
}

struct MomentScratch {
    tree: BlockScratch,
    columns: MomentColumns,
    moments: Vec<f64>,
}

impl Moments<'_> {
    fn leaves(&self) -> usize {
        self.splits.topology.leaves()
    }
}

impl Pass for Moments<'_> {
    type Scratch = MomentScratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> MomentScratch {
        let count = self.leaves() * (self.centers.len() + 1);
        MomentScratch {
            tree: BlockScratch::new(&self.splits.topology, stride),
            columns: MomentColumns::new(count, stride),
            moments: vec![0.0; (count + 2) * (count + 2)],
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut MomentScratch) {
        let MomentScratch {
            tree,
            columns,
            moments,
        } = scratch;
        block_pass::leaf_probabilities(&self.splits, block.tile, tree);
        let (stride, p) = (block.stride(), self.centers.len());
        let probabilities = tree.leaf_probabilities();
        columns.fill_block(self.response.of_block(block), |out| {
            let (slopes, intercepts) = out.split_at_mut(self.leaves() * p * stride);
            intercepts.copy_from_slice(probabilities);
            let leaves = slopes.chunks_exact_mut(p * stride);
            for (leaf, chances) in leaves.zip(probabilities.chunks_exact(stride)) {
                let features = block.columns().zip(self.centers);
                for (out, (column, center)) in leaf.chunks_exact_mut(stride).zip(features) {
                    for ((out, u), chance) in out.iter_mut().zip(column).zip(chances) {
                        *out = chance * (u - center);
                    }
                }
            }
        });
        columns.add_moments(block.weights, moments);
    }

    fn finish(&self, scratch: MomentScratch) -> Vec<f64> {
        scratch.moments
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
