//! A fitted optimal randomized classification tree.

use super::SoftTree;
use crate::data::{ClassLabels, ScalingKind};
use crate::fit::RATE_REACHED;
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
    /// The bounds on class rates, as asked and as reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ClassRate>,
    /// How cross-validation chose the settings, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Training rows.
    pub rows: usize,
}

/// The table of a cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// All candidates; those that fell behind were scored on fewer folds.
    pub candidates: Vec<CvCandidate>,
    /// The one taken.
    pub chosen: usize,
    /// Folds of one folding.
    pub folds: usize,
    /// Foldings.
    pub repeats: usize,
    /// Whether the time limit ended the race.
    pub cut_short: bool,
}

/// Settings tried, and how they did on held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvCandidate {
    /// D.
    pub depth: usize,
    /// Map of the features.
    pub scaling: ScalingKind,
    /// γ.
    pub gamma: f64,
    /// λ_L.
    pub local_penalty: f64,
    /// λ_G.
    pub global_penalty: f64,
    /// Mean cost of the predicted classes; NaN (null in files) if never scored.
    #[serde(deserialize_with = "null_as_nan")]
    pub cost: f64,
    /// Its standard error.
    #[serde(deserialize_with = "null_as_nan")]
    pub standard_error: f64,
    /// Share of rows predicted right.
    #[serde(deserialize_with = "null_as_nan")]
    pub accuracy: f64,
    /// Mean δ_L over the folds, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub local_sparsity: f64,
    /// Mean δ_G over the folds, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub global_sparsity: f64,
    /// Folds it was scored on, over all foldings.
    pub folds: usize,
}

/// JSON has no NaN and serde_json writes null for it.
fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// A bound on the rate at which a class is recognized, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRate {
    /// Position of the class.
    pub class: usize,
    /// ρ, the rate asked for.
    pub asked: f64,
    /// Expected share of the class's training rows that are predicted as such.
    pub reached: f64,
    /// Fall of the objective for each unit that ρ is lowered by.
    pub multiplier: f64,
    /// Whether the rate is reached, within 0.001.
    pub feasible: bool,
}

impl ClassRate {
    /// Bounds (k, ρ) with (rate, multiplier) of each.
    pub(crate) fn of(asked: &[(usize, f64)], reached: &[(f64, f64)]) -> Vec<Self> {
        asked
            .iter()
            .zip(reached)
            .map(|((class, asked), (rate, multiplier))| Self {
                class: *class,
                asked: *asked,
                reached: *rate,
                multiplier: *multiplier,
                feasible: *rate >= asked - RATE_REACHED,
            })
            .collect()
    }
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
