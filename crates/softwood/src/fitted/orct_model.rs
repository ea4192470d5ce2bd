//! A fitted optimal randomized classification tree.

use super::{FitReport, Importance, SoftTree};
use crate::data::ClassLabels;

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
    pub report: FitReport,
}

impl OrctModel {
    pub(crate) fn new(
        tree: SoftTree,
        classes: ClassLabels,
        leaf_classes: Vec<u32>,
        report: FitReport,
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
        kind.of(&self.tree.coefficients, self.tree.features())
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
