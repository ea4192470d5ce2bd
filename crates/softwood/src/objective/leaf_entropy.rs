//! The entropy of the classes in the leaves of a soft tree: what grown splits make less.

use crate::data::{ClassificationRows, WeightedBlock};
use crate::passes::{LeafCosts, value_and_gradient};
use crate::solver::Objective;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};

/// A class has at least this frequency in a leaf: its logarithm is finite, and so is the slope.
const LEAST_FREQUENCY: f64 = 1e-6;

/// −(1/W) Σ_t Σ_k m_tk log f_tk as a function of θ = (a, μ): m_tk = q_k Σ_{i: y_i = k} w_i P_it are the
/// masses of the classes in the leaves, q_k their importance, f_tk = m_tk/Σ_k m_tk their frequencies and
/// W the sum of all masses.
pub(crate) struct LeafEntropy<'a, 'd> {
    pub data: &'a ClassificationRows<'d>,
    pub topology: Topology,
    pub gamma: f64,
    /// q.
    pub importance: &'a [f64],
    /// W.
    pub total: f64,
}

impl Objective for LeafEntropy<'_, '_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(&self.topology, self.data.features()).dim()
    }

    /// One pass for the masses, one for the gradient: Σ_k m_tk ∂log f_tk = 0, so that a row's costs are
    /// −log f_tk.
    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let masses = self.data.leaf_masses(&self.topology, theta, self.gamma)?;
        let costs = entropy_costs(&masses, self.importance, self.total);
        let value = masses.iter().zip(&costs).map(|(mass, cost)| mass * cost);
        let value = value.sum();
        let (rows, costs) = (&self.data.rows, ClassCosts { of: self, costs });
        value_and_gradient(rows, &self.topology, self.gamma, theta, &costs, gradient)?;
        Ok(value)
    }
}

/// −q_k log f_tk / W for each class and leaf, from the weights of classes in leaves, both K × L.
pub(crate) fn entropy_costs(masses: &[f64], importance: &[f64], total: f64) -> Vec<f64> {
    let leaves = masses.len() / importance.len();
    let mut of_leaf = vec![0.0; leaves];
    for (masses, q) in masses.chunks_exact(leaves).zip(importance) {
        for (sum, mass) in of_leaf.iter_mut().zip(masses) {
            *sum += q * mass;
        }
    }
    let cost = |q: f64, mass: f64, all: f64| {
        let frequency = if all > 0.0 { q * mass / all } else { 1.0 };
        -q / total * frequency.max(LEAST_FREQUENCY).ln()
    };
    let rows = masses.chunks_exact(leaves).zip(importance);
    rows.flat_map(|(masses, q)| {
        let both = masses.iter().zip(&of_leaf);
        both.map(move |(mass, all)| cost(*q, *mass, *all))
    })
    .collect()
}

/// Costs by class and leaf, K × L.
struct ClassCosts<'o, 'a, 'd> {
    of: &'o LeafEntropy<'a, 'd>,
    costs: Vec<f64>,
}

impl LeafCosts for ClassCosts<'_, '_, '_> {
    fn fill(&self, block: &WeightedBlock<'_>, _: &[f64], columns: &mut [f64], _: &mut [f64]) {
        let codes = self.of.data.target.of_block(block);
        let leaves = self.of.topology.leaves();
        for (t, column) in columns.chunks_exact_mut(block.stride()).enumerate() {
            let rows = codes.iter().zip(block.weights);
            for (cost, (class, weight)) in column.iter_mut().zip(rows) {
                *cost = weight * self.costs[*class as usize * leaves + t];
            }
            column[codes.len()..].fill(0.0);
        }
    }
}
