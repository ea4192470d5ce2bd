//! Bounds on the recall of classes (2.9) as constraints beside the expected cost.
//!
//! The rate of class k, (1/W_k) Σ_{i: y_i = k} w_i Σ_t P_it C_kt, is to be at least ρ_k: c_k = ρ_k −
//! rate_k ≤ 0. The gradient of the cost with slope η_k on c_k is that of an expected cost whose
//! diagonal is lowered by η_k/W_k, so that one more pass over the rows gives it.

use super::ExpectedCost;
use crate::data::ClassificationRows;
use crate::solver::{Constrained, Objective};
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};

/// Bounds (k, ρ_k).
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassRates {
    pub bounds: Vec<(usize, f64)>,
}

impl ClassRates {
    /// The same bounds moved up by `margin`, to 1 at most.
    pub fn tightened(&self, margin: f64) -> Self {
        let moved = |(class, rate): &(usize, f64)| (*class, (rate + margin).min(1.0));
        Self {
            bounds: self.bounds.iter().map(moved).collect(),
        }
    }

    /// rate_k of each bound, from the masses of classes in leaves.
    pub fn rates(&self, masses: &[f64], labels: &[u32]) -> Vec<f64> {
        let leaves = labels.len();
        let rate = |(class, _): &(usize, f64)| {
            let masses = &masses[class * leaves..][..leaves];
            let right: f64 = masses
                .iter()
                .zip(labels)
                .filter(|(_, label)| **label as usize == *class)
                .map(|(mass, _)| mass)
                .sum();
            right / masses.iter().sum::<f64>()
        };
        self.bounds.iter().map(rate).collect()
    }

    /// c_k = ρ_k − rate_k.
    pub fn shortfalls(&self, rates: &[f64]) -> Vec<f64> {
        let both = self.bounds.iter().zip(rates);
        both.map(|((_, bound), rate)| bound - rate).collect()
    }

    /// Costs with the diagonal of the bounded classes lowered by slope · W/W_k: what the Lagrangian
    /// puts on predictions.
    pub fn lagrangian_costs(
        &self,
        costs: &[f64],
        class_weights: &[f64],
        slopes: &[f64],
    ) -> Vec<f64> {
        let total: f64 = class_weights.iter().sum();
        let k = class_weights.len();
        let mut costs = costs.to_vec();
        for ((class, _), slope) in self.bounds.iter().zip(slopes) {
            costs[class * k + class] -= slope * total / class_weights[*class];
        }
        costs
    }
}

/// The expected cost under bounds on rates, for fixed labels.
pub(crate) struct RateConstrainedCost<'a, 'd> {
    pub data: &'a ClassificationRows<'d>,
    pub topology: Topology,
    pub gamma: f64,
    pub costs: &'a [f64],
    pub labels: &'a [u32],
    pub rates: &'a ClassRates,
    /// Total weight of each class.
    pub class_weights: &'a [f64],
}

impl Constrained for RateConstrainedCost<'_, '_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(&self.topology, self.data.features()).dim()
    }

    fn values(&self, theta: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        let masses = self.data.leaf_masses(&self.topology, theta, self.gamma)?;
        let total: f64 = self.class_weights.iter().sum();
        let cost = expected_cost(&masses, self.costs, self.labels) / total;
        let rates = self.rates.rates(&masses, self.labels);
        Ok((cost, self.rates.shortfalls(&rates)))
    }

    fn gradient(
        &self,
        theta: &[f64],
        slopes: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Interrupted> {
        let costs = self
            .rates
            .lagrangian_costs(self.costs, self.class_weights, slopes);
        let lowered = ExpectedCost::with_total_weight(
            self.data.clone(),
            self.topology.clone(),
            self.gamma,
            &costs,
            self.labels.to_vec(),
            self.class_weights.iter().sum(),
        );
        lowered.value_and_gradient(theta, gradient)?;
        Ok(())
    }
}

/// Σ_y Σ_t masses_yt cost(y, label_t).
pub(crate) fn expected_cost(masses: &[f64], costs: &[f64], labels: &[u32]) -> f64 {
    let leaves = labels.len();
    let k = masses.len() / leaves;
    masses
        .chunks_exact(leaves)
        .enumerate()
        .flat_map(|(y, row)| {
            row.iter()
                .zip(labels)
                .map(move |(mass, label)| mass * costs[y * k + *label as usize])
        })
        .sum()
}
