//! The ORCT objective (2.6): expected misclassification cost of a tree with fixed leaf labels.

use super::Objective;
use crate::data::ScaledRows;
use crate::data::aligned::AlignedBuffer;
use crate::stop::{Stop, Stopped};
use crate::tree::block_pass::{self, BlockScratch, SplitGradient};
use crate::tree::leaf_sums::add_leaf_masses;
use crate::tree::parallel_pass::{
    Parallelism, add_to, fill_by_chunks, sum_over_chunks, sum_values_and_gradients,
};
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, Topology};
use std::ops::Range;
use std::sync::Arc;

/// A row with less than this chance of reaching a node does not count there.
pub(crate) const TRACE: f64 = 1e-3;

/// Rows with their classes and weights, and how to pass over them.
#[derive(Clone)]
pub struct ClassificationRows<'a> {
    /// Scaled features.
    pub rows: &'a ScaledRows<'a>,
    /// Class of each row, 0…K−1.
    pub classes: &'a [u32],
    /// Row weights; 1 if absent.
    pub weights: Option<Arc<Vec<f64>>>,
    /// K.
    pub n_classes: usize,
    /// Rows in parallel or not.
    pub parallelism: Parallelism,
    /// Polled at every block.
    pub stop: Stop,
}

impl ClassificationRows<'_> {
    /// The same rows, to be passed over whatever the time limit says.
    pub(crate) fn without_deadline(&self) -> Self {
        Self {
            stop: self.stop.without_deadline(),
            ..self.clone()
        }
    }

    /// w_i.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row])
    }

    /// Total weight of each class.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_classes];
        for (row, class) in self.classes.iter().enumerate() {
            totals[*class as usize] += self.weight(row);
        }
        totals
    }

    /// w_i R_it for every row, 0 where R_it is a trace: what `node` sees of the data.
    pub(crate) fn weights_at(
        &self,
        topology: Topology,
        theta: &[f64],
        gamma: f64,
        node: usize,
    ) -> Result<Vec<f64>, Stopped> {
        let splits = Splits::new(topology, self.rows.features(), theta, gamma);
        let mut weights = vec![0.0; self.rows.len()];
        let fill = |c: usize, out: &mut [f64]| {
            let mut scratch = BlockScratch::new(topology, self.rows.stride());
            let first = self.rows.chunk_rows(c).start;
            self.rows.visit_chunk(c, &self.stop, |block| {
                block_pass::leaf_probabilities(&splits, block.tile, &mut scratch);
                for (row, reach) in block.rows.zip(scratch.reach(node)) {
                    out[row - first] = if *reach > TRACE {
                        self.weight(row) * reach
                    } else {
                        0.0
                    };
                }
            })
        };
        fill_by_chunks(self.rows, self.parallelism, &mut weights, 1, &fill)?;
        Ok(weights)
    }

    /// Probability mass of class k in leaf t, Σ_{i: y_i = k} w_i P_it, as K × L.
    pub fn leaf_masses(
        &self,
        topology: Topology,
        theta: &[f64],
        gamma: f64,
    ) -> Result<Vec<f64>, Stopped> {
        let splits = Splits::new(topology, self.rows.features(), theta, gamma);
        let (stride, leaves) = (self.rows.stride(), topology.leaves());
        let chunk = |c| {
            let mut masses = vec![0.0; self.n_classes * leaves];
            let mut column = AlignedBuffer::zeros(stride);
            let mut scratch = BlockScratch::new(topology, stride);
            self.rows.visit_chunk(c, &self.stop, |block| {
                block_pass::leaf_probabilities(&splits, block.tile, &mut scratch);
                // One sum of vectors a class: adding row by row would wait for each sum in turn.
                for (class, masses) in masses.chunks_exact_mut(leaves).enumerate() {
                    column.fill(0.0);
                    for (weight, row) in column.iter_mut().zip(block.rows.clone()) {
                        if self.classes[row] as usize == class {
                            *weight = self.weight(row);
                        }
                    }
                    add_leaf_masses(&column, &scratch, masses);
                }
            })?;
            Ok(masses)
        };
        sum_over_chunks(self.rows, self.parallelism, &chunk, &|a, b| add_to(a, &b))
    }
}

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
    /// `costs[y * K + k]` is the cost of predicting k for y, per unit of row weight; `labels` gives
    /// each leaf its class.
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
        let k = data.n_classes;
        let mut used = labels.clone();
        used.sort_unstable();
        used.dedup();
        let column = |label: &u32| used.binary_search(label).expect("a label in use");
        let of_label = |label: &u32| {
            let label = *label as usize;
            (0..k).map(move |class| costs[class * k + label] / total)
        };
        Self {
            data,
            topology,
            gamma,
            columns: labels.iter().map(column).collect(),
            costs: used.iter().flat_map(of_label).collect(),
        }
    }

    /// ∂loss_i/∂P_it = w_i cost(y_i, label_t) for one block, a column for each label in use; 0 for
    /// its padding.
    fn fill_leaf_costs(&self, rows: Range<usize>, stride: usize, leaf_costs: &mut [f64]) {
        let classes = &self.data.classes[rows.clone()];
        let columns = leaf_costs.chunks_exact_mut(stride);
        for (column, costs) in columns.zip(self.costs.chunks_exact(self.data.n_classes)) {
            for (cost, class) in column.iter_mut().zip(classes) {
                *cost = costs[*class as usize];
            }
            if let Some(weights) = &self.data.weights {
                for (cost, weight) in column.iter_mut().zip(&weights[rows.clone()]) {
                    *cost *= weight;
                }
            }
            column[rows.len()..].fill(0.0);
        }
    }
}

impl Objective for ExpectedCost<'_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(self.topology, self.data.rows.features()).dim()
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped> {
        let (rows, p) = (self.data.rows, self.data.rows.features());
        let splits = Splits::new(self.topology, p, theta, self.gamma);
        let chunk = |c| {
            let mut scratch = BlockScratch::new(self.topology, rows.stride());
            let mut sum = SplitGradient::zero(self.topology, p);
            scratch.cost_columns.clone_from(&self.columns);
            rows.visit_chunk(c, &self.data.stop, |block| {
                block_pass::node_probabilities(&splits, block.tile, &mut scratch);
                self.fill_leaf_costs(block.rows, rows.stride(), &mut scratch.leaf_costs);
                block_pass::add_gradient(&splits, block.tile, &mut scratch, &mut sum);
            })?;
            Ok(sum.sum_lanes())
        };
        let (parallelism, topology) = (self.data.parallelism, self.topology);
        sum_values_and_gradients(rows, parallelism, topology, self.gamma, &chunk, gradient)
    }
}
