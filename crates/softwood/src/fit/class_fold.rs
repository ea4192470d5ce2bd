//! A fold of a classification: rows to train on, rows held out.

use super::orct_problem::OrctProblem;
use crate::data::{GatheredRows, Labels, Rows};
use crate::tree::Topology;

/// The rows of a classification that folds are made of.
pub(super) struct ClassData<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    /// K × K.
    pub costs: &'a [f64],
}

/// A fold.
pub(super) struct ClassFold {
    pub train: Part,
    pub held: Part,
    /// Weight of each held-out row.
    pub held_weights: Vec<f64>,
}

/// Some of the rows, with their classes and weights.
pub(super) struct Part {
    rows: GatheredRows,
    pub labels: Labels,
    weights: Option<Vec<f64>>,
}

impl ClassData<'_> {
    /// The same for a shorter time.
    pub fn reborrow(&self) -> ClassData<'_> {
        ClassData {
            rows: self.rows.reborrow(),
            ..*self
        }
    }

    /// The fold with these rows.
    pub fn fold(&self, train: &[usize], held: &[usize]) -> ClassFold {
        let held = self.part(held);
        let ones = || vec![1.0; held.labels.codes.len()];
        ClassFold {
            train: self.part(train),
            held_weights: held.weights.clone().unwrap_or_else(ones),
            held,
        }
    }

    fn part(&self, index: &[usize]) -> Part {
        Part {
            rows: GatheredRows::of(&self.rows, index),
            labels: Labels {
                classes: self.labels.classes.clone(),
                codes: index.iter().map(|i| self.labels.codes[*i]).collect(),
            },
            weights: self.weights.map(|w| index.iter().map(|i| w[*i]).collect()),
        }
    }

    /// The problem of all rows at a depth.
    pub fn problem(&self, depth: usize) -> OrctProblem<'_> {
        OrctProblem {
            rows: self.rows.reborrow(),
            labels: self.labels,
            weights: self.weights,
            costs: self.costs,
            topology: Topology::complete(depth),
        }
    }
}

impl Part {
    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        self.rows.rows()
    }

    /// The part as rows of their own, with the costs of all.
    pub fn data<'a>(&'a self, costs: &'a [f64]) -> ClassData<'a> {
        ClassData {
            rows: self.rows(),
            labels: &self.labels,
            weights: self.weights.as_deref(),
            costs,
        }
    }
}
