//! A fold of a classification: rows to train on, rows held out.

use super::class_groups::Grouping;
use super::orct_problem::OrctProblem;
use crate::data::{GatheredRows, Labels, Rows};
use crate::error::InputError;
use crate::fitted::{ClassScoring, OrctModel, Routing};
use crate::search::cross_validate::CvEffort;
use crate::search::folds::Folds;
use crate::search::losses::HeldOutClasses;
use crate::search::race::Trial;
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

    /// The foldings of a choice by stratified folds, or an error if they cannot be made.
    pub fn foldings(&self, effort: &CvEffort, seed: u64) -> Result<Vec<Folds>, InputError> {
        effort.foldings(|number, most| {
            let (rows, weights) = (&self.rows, self.weights);
            let seed = seed.wrapping_add(number);
            Folds::new(rows, self.labels, weights, effort.folds, seed, most)
        })
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

impl ClassFold {
    /// What a tree does on the held-out rows, as it is given them. Its figures: weight of the rows predicted right
    /// and of all, then sparsities.
    pub fn trial<'r>(
        &self,
        model: &OrctModel,
        rows: &dyn Fn() -> Rows<'r>,
        costs: &[f64],
        scoring: ClassScoring,
    ) -> Trial {
        let probabilities = model.predict_proba(rows()).expect("checked rows");
        let [predicted, hard] = [Routing::Soft, Routing::Hard]
            .map(|routing| model.predict_by(rows(), routing).expect("checked rows"));
        let (codes, weights) = (&self.held.labels.codes, self.held_weights.as_slice());
        let right = predicted.iter().zip(codes).zip(weights);
        let right = right.filter(|((predicted, y), _)| predicted == y);
        let right: f64 = right.map(|(_, weight)| weight).sum();
        let held_out = HeldOutClasses {
            codes,
            weights,
            probabilities: &probabilities,
            predicted: &predicted,
            hard: &hard,
            costs,
        };
        Trial {
            losses: held_out.losses(scoring),
            figures: vec![
                right,
                weights.iter().sum(),
                model.local_sparsity(),
                model.global_sparsity(),
            ],
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
