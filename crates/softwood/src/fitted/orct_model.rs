//! A fitted optimal randomized classification tree.

use super::{SelectionReport, SoftTree};
use crate::data::ClassLabels;
use crate::solver::SolveStatus;
use serde::{Deserialize, Deserializer, Serialize};

/// Splits, leaf labels, class labels and the report of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct OrctModel {
    /// The splits.
    pub tree: SoftTree,
    /// The classes.
    pub classes: ClassLabels,
    /// Position in `classes` of each leaf's label.
    pub leaf_classes: Vec<u32>,
    /// How the fit went.
    pub report: OrctReport,
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrctReport {
    /// Why the best start ended.
    pub status: SolveStatus,
    /// What was minimized, at the model's parameters.
    pub objective: f64,
    /// Mean expected misclassification cost, penalties left out.
    pub loss: f64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Solver iterations over all starts.
    pub iterations: u64,
    /// Joint evaluations of objective and gradient over all starts.
    pub evaluations: u64,
    /// ‖Π(θ − ∇f(θ)) − θ‖∞ at the model's parameters and labels; infinite (null in files) if the fit
    /// ended before it was known.
    #[serde(deserialize_with = "null_as_infinity")]
    pub optimality: f64,
    /// Objective of every start that was run.
    pub start_objectives: Vec<f64>,
    /// The start the model comes from.
    pub best_start: usize,
    /// Training rows.
    pub rows: usize,
    /// How the rows to train on were selected, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionReport>,
}

/// JSON has no infinity and serde_json writes null for it.
fn null_as_infinity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// How a feature's coefficients over all splits are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importance {
    /// SIM_j = Σ_t |a_jt|.
    Sum,
    /// MIM_j = max_t |a_jt|.
    Max,
}

impl OrctModel {
    pub(crate) fn new(
        tree: SoftTree,
        classes: ClassLabels,
        leaf_classes: Vec<u32>,
        report: OrctReport,
    ) -> Self {
        Self {
            tree,
            classes,
            leaf_classes,
            report,
        }
    }

    /// Importance of each feature.
    pub fn importance(&self, kind: Importance) -> Vec<f64> {
        let p = self.tree.features();
        let mut importance = vec![0.0f64; p];
        for node in self.tree.coefficients.chunks_exact(p) {
            for (sum, a) in importance.iter_mut().zip(node) {
                *sum = match kind {
                    Importance::Sum => *sum + a.abs(),
                    Importance::Max => sum.max(a.abs()),
                };
            }
        }
        importance
    }

    /// δ_L: mean over splits of the share of coefficients that are exactly 0, in percent.
    pub fn local_sparsity(&self) -> f64 {
        let zeros = self.tree.coefficients.iter().filter(|a| **a == 0.0).count();
        100.0 * zeros as f64 / self.tree.coefficients.len() as f64
    }

    /// δ_G: share of features that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        let importance = self.importance(Importance::Max);
        100.0 * importance.iter().filter(|a| **a == 0.0).count() as f64 / importance.len() as f64
    }
}
