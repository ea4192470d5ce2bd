//! A fitted optimal randomized classification tree.

use super::predict::most_probable;
use super::{FitReport, FittedModel, Importance, SoftTree, file};
use crate::InputError;
use crate::data::{ClassLabels, Rows};

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

impl FittedModel for OrctModel {
    const KIND: &'static str = "orct";
    const PARTS: &'static [&'static str] = &["splits"];

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
        (part == "splits").then(|| kind.of(&self.tree.coefficients, self.tree.features()))
    }

    fn to_json(&self) -> String {
        file::orct::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::orct::read(text)
    }
}

impl OrctModel {
    /// Probability of each class for each row, N × K.
    pub fn predict_proba<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let rows = rows.into();
        let mut out = vec![0.0; rows.len() * self.classes.len()];
        self.predict_proba_into(rows, &mut out)?;
        Ok(out)
    }

    /// The same into memory of the caller's, which must have N × K places.
    pub fn predict_proba_into<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        let (rows, classes) = (rows.into(), self.classes.len());
        assert_eq!(out.len(), rows.len() * classes, "N × K places");
        let splits = self.tree.linear_splits();
        let mixture = splits.mixture_of_labels(&self.leaf_classes, classes);
        self.tree.mix(rows, &mixture, out)
    }

    /// Position of the most probable class for each row; the first one on a tie.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        let probabilities = self.predict_proba(rows)?;
        Ok(probabilities
            .chunks_exact(self.classes.len())
            .map(most_probable)
            .collect())
    }

    /// Share of each class among the training rows of each leaf, L × K.
    pub fn leaf_frequencies(&self) -> Vec<f64> {
        let classes = self.classes.len();
        let mut frequencies = vec![0.0; self.leaf_classes.len() * classes];
        for (leaf, class) in self.leaf_classes.iter().enumerate() {
            frequencies[leaf * classes + *class as usize] = 1.0;
        }
        frequencies
    }

    /// δ_L: mean over splits of the share of coefficients that are exactly 0, in percent.
    pub fn local_sparsity(&self) -> f64 {
        super::local_sparsity(&self.tree.coefficients)
    }

    /// δ_G: share of features that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        super::global_sparsity(&self.tree.coefficients, self.tree.features())
    }
}
