//! Weighted logistic regression (17) of paper 2: a split that sends rows where they are wanted.

use crate::data::{WeightedBlock, WeightedRows};
use crate::passes::{LeafCosts, value_and_gradient};
use crate::solver::Objective;
use crate::stop::Interrupted;
use crate::tree::Topology;
use crate::vectors::ln;
use pulp::{Arch, Simd, WithSimd};

/// −Σ_i v_i (c_i ln p_i + (1 − c_i) ln(1 − p_i)) + (λ/2)‖a‖² as a function of one split's (a, μ),
/// where c_i says whether row i is to go left.
pub(crate) struct Logistic<'a, 'd> {
    pub rows: &'a WeightedRows<'d>,
    /// c_i.
    pub goes_left: &'a [bool],
    /// v_i for rows that are to go left, and right, per unit of row weight.
    pub side_weights: [f64; 2],
    /// λ; the intercept is free.
    pub ridge: f64,
}

impl LeafCosts for Logistic<'_, '_> {
    const NONLINEAR: bool = true;

    fn fill(
        &self,
        block: &WeightedBlock<'_>,
        probabilities: &[f64],
        columns: &mut [f64],
        losses: &mut [f64],
    ) {
        Arch::new().dispatch(RowLosses {
            goes_left: &self.goes_left[block.rows.clone()],
            weights: block.weights,
            side_weights: self.side_weights,
            probabilities,
            losses,
            leaf_costs: columns,
        });
    }
}

impl Objective for Logistic<'_, '_> {
    fn dim(&self) -> usize {
        self.rows.features() + 1
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let stump = &Topology::complete(1);
        let loss = value_and_gradient(self.rows, stump, 1.0, theta, self, gradient)?;
        let a = &theta[..self.rows.features()];
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
