//! The ORCT objective (2.6): expected misclassification cost of a tree with fixed leaf labels.

use crate::data::{ClassificationRows, WeightedBlock};
use crate::passes::{LeafCosts, value_and_gradient};
use crate::solver::Objective;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};

/// (1/W) Σ_i w_i Σ_t P_it cost(y_i, label_t) as a function of θ = (a, μ), W = Σ_i w_i.
pub struct ExpectedCost<'a> {
    data: ClassificationRows<'a>,
    topology: Topology,
    gamma: f64,
    /// Position of each leaf's label among the labels in use.
    columns: Vec<usize>,
    /// For each label in use, the cost of giving it to a row of each class, divided by W.
    costs: Vec<f64>,
}

impl<'a> ExpectedCost<'a> {
    /// `costs[y * K + k]` is the cost of predicting k for y, per unit of row weight, the targets y of `data`
    /// being the classes or more than they; `labels` gives each leaf its class.
    pub fn new(
        data: ClassificationRows<'a>,
        topology: Topology,
        gamma: f64,
        costs: &[f64],
        labels: Vec<u32>,
    ) -> Self {
        let total = data.class_weights().iter().sum();
        Self::with_total_weight(data, topology, gamma, costs, labels, total)
    }

    /// As [`Self::new`] for a caller who knows W already.
    pub fn with_total_weight(
        data: ClassificationRows<'a>,
        topology: Topology,
        gamma: f64,
        costs: &[f64],
        labels: Vec<u32>,
        total: f64,
    ) -> Self {
        let targets = data.target.count();
        let k = costs.len() / targets;
        let mut used = labels.clone();
        used.sort_unstable();
        used.dedup();
        let column = |label: &u32| used.binary_search(label).expect("a label in use");
        let of_label = |label: &u32| {
            let label = *label as usize;
            (0..targets).map(move |target| costs[target * k + label] / total)
        };
        Self {
            data,
            topology,
            gamma,
            columns: labels.iter().map(column).collect(),
            costs: used.iter().flat_map(of_label).collect(),
        }
    }
}

impl LeafCosts for ExpectedCost<'_> {
    fn columns(&self) -> Option<&[usize]> {
        Some(&self.columns)
    }

    /// w_i cost(y_i, label_t), a column for each label in use.
    fn fill(&self, block: &WeightedBlock<'_>, _: &[f64], columns: &mut [f64], _: &mut [f64]) {
        let classes = self.data.target.of_block(block);
        let costs = self.costs.chunks_exact(self.data.target.count());
        for (column, costs) in columns.chunks_exact_mut(block.stride()).zip(costs) {
            for (cost, class) in column.iter_mut().zip(classes) {
                *cost = costs[*class as usize];
            }
            if self.data.rows.are_weighted() {
                for (cost, weight) in column.iter_mut().zip(block.weights) {
                    *cost *= weight;
                }
            }
            column[classes.len()..].fill(0.0);
        }
    }
}

impl Objective for ExpectedCost<'_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(&self.topology, self.data.features()).dim()
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let (rows, topology) = (&self.data.rows, &self.topology);
        value_and_gradient(rows, topology, self.gamma, theta, self, gradient)
    }
}
