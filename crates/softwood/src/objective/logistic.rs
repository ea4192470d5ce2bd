//! Weighted logistic regression (17) of paper 2: a split that sends rows where they are wanted.

use super::{Objective, RegressionRows};
use crate::data::aligned::AlignedBuffer;
use crate::stop::Stopped;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch, SplitGradient};
use crate::tree::logarithm::ln;
use crate::tree::parallel_pass::sum_values_and_gradients;
use crate::tree::splits::Splits;
use pulp::{Arch, Simd, WithSimd};

/// −Σ_i v_i (c_i ln p_i + (1 − c_i) ln(1 − p_i)) + (λ/2)‖a‖² as a function of one split's (a, μ),
/// where c_i says whether row i is to go left.
pub(crate) struct Logistic<'a, 'd> {
    pub data: &'a RegressionRows<'d>,
    /// c_i.
    pub goes_left: &'a [bool],
    /// v_i for rows that are to go left, and right, per unit of row weight.
    pub side_weights: [f64; 2],
    /// λ; the intercept is free.
    pub ridge: f64,
}

impl Objective for Logistic<'_, '_> {
    fn dim(&self) -> usize {
        self.data.features() + 1
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped> {
        let (rows, p) = (&self.data.rows, self.data.features());
        let stump = Topology::complete(1);
        let splits = Splits::new(stump, p, theta, 1.0);
        let (stride, weights) = (rows.stride(), self.data.weights());
        let chunk = |c| {
            let mut scratch = BlockScratch::new(stump, stride);
            let mut sum = SplitGradient::zero(stump, p);
            let mut losses = AlignedBuffer::zeros(stride);
            let mut loss = 0.0;
            rows.visit_chunk(c, &self.data.stop, |block| {
                block_pass::leaf_probabilities_for_gradient(&splits, block.tile, &mut scratch);
                let (probabilities, leaf_costs) = scratch.probabilities_and_costs();
                Arch::new().dispatch(RowLosses {
                    goes_left: &self.goes_left[block.rows.clone()],
                    weights: &weights[block.rows],
                    side_weights: self.side_weights,
                    probabilities,
                    losses: &mut losses,
                    leaf_costs,
                });
                loss += losses.iter().sum::<f64>();
                block_pass::add_gradient(&splits, block.tile, &mut scratch, &mut sum);
            })?;
            Ok((loss, sum.sum_lanes().1))
        };
        let parallelism = self.data.parallelism;
        let loss = sum_values_and_gradients(rows, parallelism, stump, 1.0, &chunk, gradient)?;
        let a = &theta[..p];
        for (g, a) in gradient.iter_mut().zip(a) {
            *g += self.ridge * a;
        }
        Ok(loss + 0.5 * self.ridge * a.iter().map(|a| a * a).sum::<f64>())
    }
}

/// −v_i ln P_i of the rows of a block, P_i the probability of the side that is wanted.
struct RowLosses<'a> {
    goes_left: &'a [bool],
    weights: &'a [f64],
    side_weights: [f64; 2],
    /// Of going left and of going right, 2 × stride.
    probabilities: &'a [f64],
    /// Filled up to the stride, with 0 beyond the rows, as the costs.
    losses: &'a mut [f64],
    /// Costs for which p(1 − p)(left − right) is the derivative of the losses by z; 2 × stride.
    leaf_costs: &'a mut [f64],
}

impl WithSimd for RowLosses<'_> {
    type Output = ();

    /// A plain loop that the compiler turns into vectors.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (n, stride) = (self.goes_left.len(), self.losses.len());
        let (to_left, to_right) = self.probabilities.split_at(stride);
        let (cost_left, cost_right) = self.leaf_costs.split_at_mut(stride);
        let (to_left, to_right, weights) = (&to_left[..n], &to_right[..n], &self.weights[..n]);
        let [of_left, of_right] = self.side_weights;
        for i in 0..n {
            let left = self.goes_left[i];
            let side_weight = if left { of_left } else { of_right };
            let probability = if left { to_left[i] } else { to_right[i] };
            let v = side_weight * weights[i];
            self.losses[i] = -v * ln(probability);
            let cost = v / probability;
            cost_left[i] = if left { 0.0 } else { cost };
            cost_right[i] = if left { cost } else { 0.0 };
        }
        for column in [self.losses, cost_left, cost_right] {
            column[n..].fill(0.0);
        }
    }
}
