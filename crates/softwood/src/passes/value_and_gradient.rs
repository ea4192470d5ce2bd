//! Value and gradient of Σ_i Σ_t P_it cost_it by the splits, whatever the costs are.

use super::moves::{MoveSums, Moves};
use crate::data::{Pass, WeightedBlock, WeightedRows, add_to};
use crate::stop::Interrupted;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::feature_gradient::add_feature_gradient;
use crate::tree::split_gradient::SplitGradient;
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, Topology};

/// ∂loss_i/∂P_it of the rows of a block.
pub(crate) trait LeafCosts: Sync {
    /// Whether losses are no linear functions of the probabilities, and must be told one by one.
    const NONLINEAR: bool = false;

    /// For each leaf which of the columns is its own; column t for leaf t if None.
    fn columns(&self) -> Option<&[usize]> {
        None
    }

    /// Fills the columns, weights included, 0 for padding. Nonlinear losses are put into `losses`, 0
    /// for padding, and have P_it, L × stride, as `probabilities`.
    fn fill(
        &self,
        block: &WeightedBlock<'_>,
        probabilities: &[f64],
        columns: &mut [f64],
        losses: &mut [f64],
    );
}

/// Σ_i loss_i and, into `gradient`, its derivatives by θ = (a, μ), γz = (γ/p) aᵀu − γμ, and then by what moves
/// the features, if they move.
pub(crate) fn value_and_gradient(
    rows: &WeightedRows<'_>,
    topology: &Topology,
    gamma: f64,
    theta: &[f64],
    costs: &impl LeafCosts,
    gradient: &mut [f64],
) -> Result<f64, Interrupted> {
    let p = rows.features();
    let (value, sum, moves) = rows.sum(&ValueAndGradient {
        splits: Splits::new(topology, p, theta, gamma),
        features: p,
        costs,
        moves: Moves::of(rows),
    })?;
    let layout = ParameterLayout::new(topology, p);
    let (sum_a, sum_mu) = layout.split(&sum);
    let (gradient, by_moves) = gradient.split_at_mut(layout.dim());
    by_moves.copy_from_slice(&moves);
    let (gradient_a, gradient_mu) = layout.split_mut(gradient);
    for (g, s) in gradient_a.iter_mut().zip(sum_a) {
        *g = s * (gamma / p as f64);
    }
    for (g, s) in gradient_mu.iter_mut().zip(sum_mu) {
        *g = s * gamma;
    }
    Ok(value)
}

struct ValueAndGradient<'a, C> {
    splits: Splits,
    features: usize,
    costs: &'a C,
    moves: Moves<'a>,
}

struct Scratch {
    block: BlockScratch,
    sum: SplitGradient,
    /// Losses of the rows of a block, and their sum, where they are not Σ_t P_it cost_it.
    losses: Vec<f64>,
    loss: f64,
    moves: MoveSums,
}

impl<C: LeafCosts> Pass for ValueAndGradient<'_, C> {
    type Scratch = Scratch;
    /// The value, a gradient in θ's layout before γ and 1/p, and one by what moves the features.
    type Sum = (f64, Vec<f64>, Vec<f64>);

    fn begin(&self, stride: usize) -> Scratch {
        let topology = &self.splits.topology;
        let mut block = BlockScratch::new(topology, stride);
        if let Some(columns) = self.costs.columns() {
            block.cost_columns.copy_from_slice(columns);
        }
        Scratch {
            block,
            sum: SplitGradient::zero(topology, self.features),
            losses: vec![0.0; if C::NONLINEAR { stride } else { 0 }],
            loss: 0.0,
            moves: self.moves.begin(stride),
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        let (splits, tile) = (&self.splits, block.tile);
        if C::NONLINEAR {
            block_pass::leaf_probabilities_for_gradient(splits, tile, &mut scratch.block);
        } else {
            block_pass::node_probabilities(splits, tile, &mut scratch.block);
        }
        let (probabilities, columns) = scratch.block.probabilities_and_costs();
        self.costs
            .fill(block, probabilities, columns, &mut scratch.losses);
        scratch.loss += scratch.losses.iter().sum::<f64>();
        block_pass::add_gradient(splits, tile, &mut scratch.block, &mut scratch.sum);
        let derivatives = &scratch.block;
        self.moves.see(block, &mut scratch.moves, |out| {
            add_feature_gradient(splits, derivatives.split_values(), out);
        });
    }

    fn finish(&self, scratch: Scratch) -> Self::Sum {
        let (value, gradient) = scratch.sum.sum_lanes();
        let value = if C::NONLINEAR { scratch.loss } else { value };
        (value, gradient, scratch.moves.sums)
    }

    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum) {
        sum.0 += later.0;
        add_to(&mut sum.1, &later.1);
        add_to(&mut sum.2, &later.2);
    }
}
