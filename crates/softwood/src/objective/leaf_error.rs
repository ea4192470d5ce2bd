//! The SRT objective (7) of paper 2: every leaf's squared error, weighted by the chance of being there.

use super::BlockCost;
use crate::data::RegressionRows;
use crate::solver::Objective;
use crate::stop::Interrupted;
use crate::tree::{RegressionParameters, Topology};

/// (7) as a function of all parameters, laid out as (θ, leaf slopes L × p, leaf intercepts).
pub struct SoftRegressionError<'a, 'd> {
    /// Rows and response.
    pub data: &'a RegressionRows<'d>,
    /// Shape of the tree.
    pub topology: Topology,
    /// λ_ω of each feature, then of the intercepts.
    pub ridge_branches: &'a [f64],
    /// λ_β of each feature, then of the intercepts.
    pub ridge_leaves: &'a [f64],
}

impl SoftRegressionError<'_, '_> {
    /// Parameters as one vector.
    pub fn flatten(parameters: &RegressionParameters) -> Vec<f64> {
        [
            parameters.theta.as_slice(),
            &parameters.leaf_slopes,
            &parameters.leaf_intercepts,
        ]
        .concat()
    }

    fn parameters(&self, x: &[f64]) -> RegressionParameters {
        let mut parameters =
            RegressionParameters::zero(self.topology.clone(), self.data.features());
        let (theta, leaves) = x.split_at(parameters.theta.len());
        let (slopes, intercepts) = leaves.split_at(parameters.leaf_slopes.len());
        parameters.theta.copy_from_slice(theta);
        parameters.leaf_slopes.copy_from_slice(slopes);
        parameters.leaf_intercepts.copy_from_slice(intercepts);
        parameters
    }
}

impl Objective for SoftRegressionError<'_, '_> {
    fn dim(&self) -> usize {
        let p = self.data.features();
        (p + 1) * (self.topology.branches() + self.topology.leaves())
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let parameters = self.parameters(x);
        let (data, p) = (self.data, self.data.features());
        let costs = data.leaf_costs(&parameters, 0, None)?;
        let branches = BlockCost {
            rows: &data.rows,
            topology: self.topology.clone(),
            gamma: 1.0,
            costs: &costs,
            scale: 1.0 / data.total_weight(),
            constant: 0.0,
        };
        let branches = branches.with_ridge(self.ridge_branches, 1.0);
        let dim = branches.dim();
        let value = branches.value_and_gradient(&parameters.theta, &mut gradient[..dim])?;
        // ∂/∂β_t = (2/W) (G_t β_t − g_t) + λ_β β_t, G_t and g_t being moments.
        let leaves = self.topology.leaves();
        let (slopes, intercepts) = gradient[dim..].split_at_mut(leaves * p);
        for (t, moments) in data.leaf_moments(&parameters, 0, None)?.iter().enumerate() {
            let beta = &parameters.leaf_slopes[t * p..][..p];
            let intercept = parameters.leaf_intercepts[t];
            let products = moments.times(&[beta, &[-1.0, intercept]].concat());
            let residual = |j: usize| 2.0 * products[j] / data.total_weight();
            for (j, g) in slopes[t * p..][..p].iter_mut().enumerate() {
                *g = residual(j) + self.ridge_leaves[j] * beta[j];
            }
            intercepts[t] = residual(p + 1) + self.ridge_leaves[p] * intercept;
        }
        Ok(value + parameters.leaf_penalty(self.ridge_leaves))
    }
}
