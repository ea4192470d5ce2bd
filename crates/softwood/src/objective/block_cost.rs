//! The block problem of node decomposition: some splits move, what the rest of the tree makes of it is a cost
//! for each row and end of the block.
//!
//! A node alone chooses between the expected costs below its two children, (21) of paper 1 and the root's step of
//! paper 2; a subtree moves with its own leaves as ends. Whatever happens above is a factor R_it of the costs.

use crate::data::{WeightedBlock, WeightedRows};
use crate::passes::{LeafCosts, value_and_gradient};
use crate::solver::{Objective, Proximal};
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};
use std::iter::repeat_n;

/// constant + scale · Σ_i Σ_t P_it cost_it as a function of θ = (a, μ) of the block, for costs that depend on row
/// and end of the block.
pub(crate) struct BlockCost<'a, 'd> {
    pub rows: &'a WeightedRows<'d>,
    /// Shape of the block.
    pub topology: Topology,
    pub gamma: f64,
    /// Blocks of L × stride, as [`WeightedRows::fill_columns`] lays them out, weights included.
    pub costs: &'a [f64],
    pub scale: f64,
    /// What the block does not change.
    pub constant: f64,
}

impl<'a, 'd> BlockCost<'a, 'd> {
    /// The same plus scale · Σ_j (λ_j/2) Σ_t θ_tj²: `ridge` has a λ for each feature, then one for the intercepts.
    pub fn with_ridge(self, ridge: &[f64], scale: f64) -> Proximal<Self> {
        let (features, branches) = (self.rows.features(), self.topology.branches());
        let slopes = ridge[..features].iter().cycle().take(branches * features);
        let weights = slopes.chain(repeat_n(&ridge[features], branches));
        let weights = weights.map(|ridge| scale * ridge).collect();
        Proximal::ridge(self, weights)
    }
}

impl LeafCosts for BlockCost<'_, '_> {
    fn fill(&self, block: &WeightedBlock<'_>, _: &[f64], columns: &mut [f64], _: &mut [f64]) {
        let first = block.rows.start * self.topology.leaves();
        columns.copy_from_slice(&self.costs[first..][..columns.len()]);
    }
}

impl Objective for BlockCost<'_, '_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(&self.topology, self.rows.features()).dim()
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let (rows, topology) = (self.rows, &self.topology);
        let value = value_and_gradient(rows, topology, self.gamma, theta, self, gradient)?;
        gradient.iter_mut().for_each(|g| *g *= self.scale);
        Ok(self.constant + self.scale * value)
    }
}
