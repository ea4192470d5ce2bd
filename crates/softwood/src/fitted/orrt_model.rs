//! A fitted optimal randomized regression tree.

use super::passing::fill_by_blocks;
use super::reached::Reached;
use super::{FitReport, FittedModel, Importance, SoftTree, file, render};
use crate::InputError;
use crate::data::{Rows, Standardization};
use crate::tree::model_mixture::ModelMixture;

/// Splits, leaf models and the report of the fit. A row is predicted by the mixture of all leaves' linear
/// models.
#[derive(Clone, Debug, PartialEq)]
pub struct OrrtModel {
    /// The splits.
    pub tree: SoftTree,
    /// β (ã in the thesis), L × p, on scaled features and the standardized response.
    pub leaf_slopes: Vec<f64>,
    /// Intercepts of the leaf models (−μ̃ in the thesis), one a leaf, for the standardized response.
    pub leaf_intercepts: Vec<f64>,
    /// From the standardized response back to the user's.
    pub response: Standardization,
    /// λ_β the model was fitted with: of each feature's leaf slopes around their mean, then of the intercepts.
    pub ridge_leaves: Vec<f64>,
    /// κ, of these means.
    pub ridge_mean: Vec<f64>,
    /// Weight of the training rows that end in each leaf by their likelier branches; empty if not known.
    pub leaf_weights: Vec<f64>,
    /// How the fit went.
    pub report: FitReport,
}

impl FittedModel for OrrtModel {
    const KIND: &'static str = "orrt";
    const PARTS: &'static [&'static str] = &["splits", "leaves"];

    type Tree = SoftTree;

    fn tree(&self) -> &SoftTree {
        &self.tree
    }

    fn report(&self) -> &FitReport {
        &self.report
    }

    fn split_intercepts(&self) -> Vec<f64> {
        self.tree.intercepts.clone()
    }

    fn importance_of(&self, part: &str, kind: Importance) -> Option<Vec<f64>> {
        let tree = &self.tree;
        match part {
            "splits" => kind.of(tree, &tree.coefficients, self.reached().split_shares()),
            "leaves" => kind.of(
                tree,
                &self.leaf_coefficients(),
                self.reached().leaf_shares(),
            ),
            _ => None,
        }
    }

    fn describe(&self, terms: Option<usize>) -> String {
        render::orrt_text(self, terms)
    }

    fn to_json(&self) -> String {
        file::orrt::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::orrt::read(text)
    }
}

impl OrrtModel {
    /// How the training rows go through the tree.
    pub(super) fn reached(&self) -> Reached<'_> {
        Reached::new(&self.tree.shape, self.leaf_weights.clone())
    }

    /// The response of each row: Σ_t P_xt (β_0t + βₜᵀu).
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let rows = rows.into();
        let mixture = ModelMixture::new(
            self.tree.linear_splits().all(),
            &self.leaf_slopes,
            &self.leaf_intercepts,
        );
        let mut out = vec![0.0; rows.len()];
        self.tree.pass_once(rows, |scaled, parallelism| {
            fill_by_blocks(
                scaled,
                parallelism,
                1,
                || mixture.scratch(scaled.stride()),
                |scratch, tile, out: &mut [f64]| {
                    let predicted = mixture.predict(tile, scratch);
                    for (out, value) in out.iter_mut().zip(predicted) {
                        *out = self.response.invert(*value);
                    }
                },
                &mut out,
            )
        })?;
        Ok(out)
    }

    /// Coefficients of the leaf models on scaled features, L × p, in units of the response.
    pub fn leaf_coefficients(&self) -> Vec<f64> {
        self.response.scaled(&self.leaf_slopes)
    }

    /// δ_L: share of the coefficients of splits and leaves that are exactly 0, in percent.
    pub fn local_sparsity(&self) -> f64 {
        super::local_sparsity(&self.coefficients_of_nodes())
    }

    /// δ_G: share of features that neither splits nor leaves use, in percent.
    pub fn global_sparsity(&self) -> f64 {
        let tree = &self.tree;
        let coefficients = self.coefficients_of_nodes();
        super::global_sparsity(&coefficients, tree.features(), tree.encoding.as_ref())
    }

    /// Those of splits, then of leaves.
    fn coefficients_of_nodes(&self) -> Vec<f64> {
        [&self.tree.coefficients[..], &self.leaf_slopes].concat()
    }
}
