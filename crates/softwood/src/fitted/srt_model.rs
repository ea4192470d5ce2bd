//! A fitted soft regression tree.

use super::reached::Reached;
use super::{Curve, FitReport, FittedModel, Importance, SoftTree, file, render};
use crate::InputError;
use crate::data::Standardization;

/// Splits, leaf models and the report of the fit. The tree's steepness is 1 and its intercepts μ
/// are −ω_0 of paper 2.
#[derive(Clone, Debug, PartialEq)]
pub struct SrtModel {
    /// The splits.
    pub tree: SoftTree,
    /// β without the intercepts, L × p, on scaled features and the standardized response.
    pub leaf_slopes: Vec<f64>,
    /// β_0, one a leaf, for the standardized response.
    pub leaf_intercepts: Vec<f64>,
    /// Curves of the scaled features, added to every leaf's model of the standardized response: one
    /// a feature, or none at all.
    pub curves: Vec<Curve>,
    /// From the standardized response back to the user's.
    pub response: Standardization,
    /// λ_ω the model was fitted with: of each feature, then of the intercepts.
    pub ridge_branches: Vec<f64>,
    /// λ_β the model was fitted with: of each feature, then of the intercepts.
    pub ridge_leaves: Vec<f64>,
    /// Weight of the training rows that end in each leaf; empty in models of files without.
    pub leaf_weights: Vec<f64>,
    /// How the fit went.
    pub report: FitReport,
}

impl FittedModel for SrtModel {
    const KIND: &'static str = "srt";
    const PARTS: &'static [&'static str] = &["splits", "leaves"];

    type Tree = SoftTree;

    fn tree(&self) -> &SoftTree {
        &self.tree
    }

    fn report(&self) -> &FitReport {
        &self.report
    }

    /// ω_0, one a split.
    fn split_intercepts(&self) -> Vec<f64> {
        self.tree.intercepts.iter().map(|mu| -mu).collect()
    }

    fn importance_of(&self, part: &str, kind: Importance) -> Option<Vec<f64>> {
        match part {
            "splits" => {
                let shares = self.reached().split_shares();
                kind.of(&self.tree, &self.tree.coefficients, shares)
            }
            "leaves" => {
                let shares = self.reached().leaf_shares();
                kind.of(&self.tree, &self.leaf_coefficients(), shares)
            }
            _ => None,
        }
    }

    fn describe(&self, terms: Option<usize>) -> String {
        render::srt_text(self, terms)
    }

    fn to_json(&self) -> String {
        file::srt::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::srt::read(text)
    }
}

impl SrtModel {
    /// How the training rows go through the tree.
    pub(super) fn reached(&self) -> Reached<'_> {
        Reached::new(&self.tree.shape, self.leaf_weights.clone())
    }

    /// Coefficients of the leaf models on scaled features, L × p, in units of the response.
    pub fn leaf_coefficients(&self) -> Vec<f64> {
        self.response.scaled(&self.leaf_slopes)
    }
}
