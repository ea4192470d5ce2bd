//! How a fit went, whatever the kind of model.

use super::{ConstraintReport, CvTable, ProofReport, SelectionReport};
use crate::fitted::Notice;
use crate::status::SolveStatus;
use serde::{Deserialize, Deserializer, Serialize};

/// How a fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Why the best start ended.
    pub status: SolveStatus,
    /// What was minimized, at the model's parameters.
    pub objective: f64,
    /// The objective without its penalties: mean expected misclassification cost, or mean expected
    /// squared error in units of [`Self::loss_unit`].
    pub loss: f64,
    /// Unit of `loss`: 1 for costs; for regressions the mean squared error, in the squared units of y,
    /// of the linear regression of all rows. None in files of version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_unit: Option<f64>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Solver iterations over all starts.
    pub iterations: u64,
    /// Joint evaluations of objective and gradient over all starts.
    pub evaluations: u64,
    /// ‖prox(θ − ∇f(θ)) − θ‖∞ at the model's parameters and labels, f the loss and prox that of penalties
    /// and bounds; ‖∇E‖∞ for regression; infinite (null in files) if the fit ended before it was known.
    #[serde(deserialize_with = "null_as_infinity")]
    pub optimality: f64,
    /// Objective of every start that was run.
    pub start_objectives: Vec<f64>,
    /// The start the model comes from.
    pub best_start: usize,
    /// The constraints, as asked and as reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ConstraintReport>,
    /// How cross-validation chose the settings, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validation: Option<CvTable>,
    /// Share of the training rows, by weight, whose class is another if they are routed to one leaf alone
    /// instead of softly; None where routing is hard, and in files of version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_disagreement: Option<f64>,
    /// What is proven of the tree, if anything was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofReport>,
    /// Training rows.
    pub rows: usize,
    /// How the rows to train on were selected, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionReport>,
    /// What is likely to be unwanted of the tree or the fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

/// JSON has no infinity and serde_json writes null for it.
pub(super) fn null_as_infinity<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}
