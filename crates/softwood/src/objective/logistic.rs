//! Weighted logistic regression (17) of paper 2: a split that sends rows where they are wanted.

use super::{Objective, RegressionRows};
use crate::stop::Stopped;
use crate::tree::block_pass::{self, BlockScratch, SplitGradient};
use crate::tree::parallel_pass::{add_to, sum_over_chunks};
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, Topology};

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
            let mut loss = 0.0;
            rows.visit_chunk(c, &self.data.stop, |block| {
                block_pass::leaf_probabilities(&splits, block.tile, &mut scratch);
                scratch.leaf_costs.fill(0.0);
                for (i, row) in block.rows.enumerate() {
                    let side = usize::from(!self.goes_left[row]);
                    let v = self.side_weights[side] * weights[row];
                    let probability = scratch.leaf_probabilities()[side * stride + i];
                    loss -= v * probability.ln();
                    // Costs for which p(1 − p)(left − right) is the derivative of that by z.
                    scratch.leaf_costs[(1 - side) * stride + i] = v / probability;
                }
                block_pass::add_gradient(&splits, block.tile, &mut scratch, &mut sum);
            })?;
            Ok((loss, sum.sum_lanes().1))
        };
        let merge = |a: &mut (f64, Vec<f64>), b: (f64, Vec<f64>)| {
            a.0 += b.0;
            add_to(&mut a.1, &b.1);
        };
        let (loss, sum) = sum_over_chunks(rows, self.data.parallelism, &chunk, &merge)?;
        let layout = ParameterLayout::new(stump, p);
        gradient.copy_from_slice(&sum);
        let (a, _) = layout.split(theta);
        let (gradient_a, _) = layout.split_mut(gradient);
        for (g, a) in gradient_a.iter_mut().zip(a) {
            *g = *g / p as f64 + self.ridge * a;
        }
        Ok(loss + 0.5 * self.ridge * a.iter().map(|a| a * a).sum::<f64>())
    }
}
