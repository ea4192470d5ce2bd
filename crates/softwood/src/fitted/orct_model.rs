//! A fitted optimal randomized classification tree.

use super::importance::{global_sparsity, local_sparsity};
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
        local_sparsity(&self.tree.coefficients)
    }

    /// δ_G: share of features that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        global_sparsity(&self.tree.coefficients, self.tree.features())
    }
}
