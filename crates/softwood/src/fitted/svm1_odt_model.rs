//! A fitted hard oblique tree with a proven bound on its errors.

use super::reached::Reached;
use super::{FitReport, FittedModel, FittedTree, HardTree, Importance, file, render};
use crate::InputError;
use crate::data::{ClassLabels, Rows};

/// Hard oblique splits and the classes of leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm1OdtModel {
    /// The splits.
    pub tree: HardTree,
    /// The classes.
    pub classes: ClassLabels,
    /// Position in `classes` of each leaf's class.
    pub leaf_classes: Vec<u32>,
    /// L × K: weight of the training rows of each class that end in each leaf.
    pub leaf_weights: Vec<f64>,
    /// How the fit went; [`FitReport::proof`] says what is proven.
    pub report: FitReport,
}

impl FittedModel for Svm1OdtModel {
    const KIND: &'static str = "svm1_odt";
    const PARTS: &'static [&'static str] = &["splits"];

    type Tree = HardTree;

    fn tree(&self) -> &HardTree {
        &self.tree
    }

    fn report(&self) -> &FitReport {
        &self.report
    }

    fn split_intercepts(&self) -> Vec<f64> {
        self.tree.thresholds()
    }

    fn importance_of(&self, part: &str, kind: Importance) -> Option<Vec<f64>> {
        let shares = self.reached().split_shares();
        (part == "splits").then(|| self.tree.importance(kind, shares))?
    }

    fn describe(&self, terms: Option<usize>) -> String {
        render::svm1_odt_text(self, terms)
    }

    fn to_json(&self) -> String {
        file::svm1_odt::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::svm1_odt::read(text)
    }
}

impl Svm1OdtModel {
    /// How the training rows go through the tree.
    pub(super) fn reached(&self) -> Reached<'_> {
        Reached::by_class(&self.tree.shape, &self.leaf_weights, self.classes.len())
    }

    /// Position of the class of each row.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        let leaves = self.tree.leaf_indices(rows)?.into_iter();
        Ok(leaves
            .map(|leaf| self.leaf_classes[leaf as usize])
            .collect())
    }

    /// Frequency of each class in the leaf of each row, N × K.
    pub fn predict_proba<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let (k, frequencies) = (self.classes.len(), self.leaf_frequencies());
        self.tree.at_leaves(&rows.into(), k, |leaf, _, out| {
            out.copy_from_slice(&frequencies[leaf * k..][..k]);
        })
    }

    /// L × K: frequencies of the classes among the training rows of each leaf; of the leaf's class alone
    /// where no row ends.
    pub fn leaf_frequencies(&self) -> Vec<f64> {
        let k = self.classes.len();
        let of_leaf = |(leaf, class): (&[f64], &u32)| -> Vec<f64> {
            // Sums of the largest doubles stay finite after division.
            let most = leaf.iter().copied().fold(0.0, f64::max);
            if most == 0.0 {
                return (0..k).map(|c| f64::from(c == *class as usize)).collect();
            }
            let total: f64 = leaf.iter().map(|w| w / most).sum();
            leaf.iter().map(|w| w / most / total).collect()
        };
        let leaves = self.leaf_weights.chunks_exact(k).zip(&self.leaf_classes);
        leaves.flat_map(of_leaf).collect()
    }

    /// Share of features that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        self.tree.global_sparsity()
    }
}
