//! A fold of a classification: rows to train on, rows held out.

use super::class_groups::Grouping;
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
    /// The groups that bounds are on, if there are any.
    pub grouping: Option<Grouping<'a>>,
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
    /// Cell of each row, if there are groups.
    cells: Option<Vec<u32>>,
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
            cells: (self.grouping).map(|g| index.iter().map(|i| g.codes[*i]).collect()),
        }
    }

    /// The problem of all rows at a depth.
    pub fn problem(&self, depth: usize) -> OrctProblem<'_> {
        OrctProblem {
            rows: self.rows.reborrow(),
            labels: self.labels,
            weights: self.weights,
            costs: self.costs,
            grouping: self.grouping,
            topology: Topology::complete(depth),
        }
    }
}

impl Part {
    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        self.rows.rows()
    }

    /// The part as rows of their own, with the costs and groups of all.
    pub fn data<'a>(&'a self, all: &'a ClassData<'_>) -> ClassData<'a> {
        let codes = self.cells.as_deref();
        let grouping = all.grouping.zip(codes);
        ClassData {
            rows: self.rows(),
            labels: &self.labels,
            weights: self.weights.as_deref(),
            costs: all.costs,
            grouping: grouping.map(|(all, codes)| all.with_codes(codes)),
        }
    }
}
