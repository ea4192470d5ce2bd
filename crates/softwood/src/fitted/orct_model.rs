//! A fitted optimal randomized classification tree.

use super::frequencies::smoothed_frequencies;
use super::predict::Mixture;
use super::reached::Reached;
use super::{Decision, FitReport, FittedModel, Importance, Routing, SoftTree, file, render};
use crate::InputError;
use crate::data::{ClassLabels, Rows};

/// Splits, leaf labels, class labels and the report of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct OrctModel {
    /// The splits.
    pub tree: SoftTree,
    /// The classes.
    pub classes: ClassLabels,
    /// Position in `classes` of each leaf's label C.
    pub leaf_classes: Vec<u32>,
    /// L × K: weight of the training rows of each class that end in each leaf, one leaf a row, by their
    /// likelier branches; empty in models of version 1.
    pub leaf_weights: Vec<f64>,
    /// f_tk, L × K: frequency of each class in each leaf, which together make the classes of the training
    /// rows, softly routed, most probable; empty in models of version 1.
    pub frequencies: Vec<f64>,
    /// How a class is chosen.
    pub decision: Decision,
    /// How the fit went.
    pub report: FitReport,
}

impl FittedModel for OrctModel {
    const KIND: &'static str = "orct";
    const PARTS: &'static [&'static str] = &["splits"];

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
        let (tree, shares) = (&self.tree, self.reached().split_shares());
        let known = part == "splits";
        known.then(|| kind.of(tree, &tree.coefficients, shares))?
    }

    fn describe(&self, terms: Option<usize>) -> String {
        render::orct_text(self, terms)
    }

    fn to_json(&self) -> String {
        file::orct::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::orct::read(text)
    }
}

impl OrctModel {
    /// How the training rows go through the tree.
    pub(super) fn reached(&self) -> Reached<'_> {
        let leaves = self.leaf_weights.chunks_exact(self.classes.len());
        Reached::new(
            &self.tree.shape,
            leaves.map(|leaf| leaf.iter().sum()).collect(),
        )
    }

    /// Probability of each class for each row, N × K: Σ_t P_xt f_tk with the
    /// [frequencies](Self::leaf_frequencies) of the leaves.
    pub fn predict_proba<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        self.predict_proba_by(rows, Routing::Soft)
    }

    /// The same with rows routed softly or, to one leaf each, hard.
    pub fn predict_proba_by<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        routing: Routing,
    ) -> Result<Vec<f64>, InputError> {
        let rows = rows.into();
        let mut out = vec![0.0; rows.len() * self.classes.len()];
        self.predict_proba_into(rows, routing, &mut out)?;
        Ok(out)
    }

    /// The same into memory of the caller's, which must have N × K places.
    pub fn predict_proba_into<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        routing: Routing,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        let (rows, classes) = (rows.into(), self.classes.len());
        assert_eq!(out.len(), rows.len() * classes, "N × K places");
        match routing {
            Routing::Hard => {
                let (leaves, frequencies) =
                    (self.tree.leaf_indices(rows)?, self.hard_frequencies());
                for (out, leaf) in out.chunks_exact_mut(classes).zip(leaves) {
                    out.copy_from_slice(&frequencies[leaf as usize * classes..][..classes]);
                }
                Ok(())
            }
            Routing::Soft => self.tree.mix(rows, &self.mixture(), out),
        }
    }

    /// Σ_t C_kt P_xt for each row and class, N × K: the share with which the randomized tree of the papers
    /// hands a row to leaves with this label. Bounds on the rates of classes bound its means.
    pub fn label_probabilities<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<f64>, InputError> {
        let rows = rows.into();
        let mut out = vec![0.0; rows.len() * self.classes.len()];
        self.tree.mix(rows, &self.label_mixture(), &mut out)?;
        Ok(out)
    }

    /// Position of the class of each row, as [`Self::decision`] says.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.predict_by(rows, Routing::Soft)
    }

    /// The same with rows routed softly or, to one leaf each, hard.
    pub fn predict_by<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        routing: Routing,
    ) -> Result<Vec<u32>, InputError> {
        let rows = rows.into();
        let mut out = vec![0; rows.len()];
        self.predict_into(rows, routing, |class| class, &mut out)?;
        Ok(out)
    }

    /// The same into memory of the caller's, which must have N places, as what `as_code` makes of them.
    pub fn predict_into<'a, T: Send>(
        &self,
        rows: impl Into<Rows<'a>>,
        routing: Routing,
        as_code: impl Fn(u32) -> T + Sync,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let rows = rows.into();
        assert_eq!(out.len(), rows.len(), "N places");
        if routing == Routing::Hard {
            let classes = self.leaf_decisions();
            let leaves = self.tree.leaf_indices(rows)?;
            for (out, leaf) in out.iter_mut().zip(leaves) {
                *out = as_code(classes[leaf as usize]);
            }
            return Ok(());
        }
        let mixture = match self.decision {
            Decision::LeafLabels => self.label_mixture(),
            _ => self.mixture(),
        };
        self.tree.pass_once(rows, |scaled, parallelism| {
            mixture.decide(scaled, parallelism, &self.decision, &as_code, out)
        })
    }

    /// Frequency f_tk of each class in each leaf, L × K, as soft routing mixes them. Models of version 1
    /// know the labels of leaves alone: there it is 1 or 0.
    pub fn leaf_frequencies(&self) -> Vec<f64> {
        match self.frequencies.is_empty() {
            true => self.label_frequencies(),
            false => self.frequencies.clone(),
        }
    }

    /// Share of each class in the training rows that end in each leaf, L × K, as hard routing finds them:
    /// smoothed by m = min(1, W/200) rows of all rows' classes, W being the sum of the weights.
    pub fn hard_frequencies(&self) -> Vec<f64> {
        match self.leaf_weights.is_empty() {
            true => self.label_frequencies(),
            false => smoothed_frequencies(&self.leaf_weights, self.classes.len()),
        }
    }

    fn label_frequencies(&self) -> Vec<f64> {
        let classes = self.classes.len();
        let mut frequencies = vec![0.0; self.leaf_classes.len() * classes];
        for (leaf, class) in self.leaf_classes.iter().enumerate() {
            frequencies[leaf * classes + *class as usize] = 1.0;
        }
        frequencies
    }

    /// Class of the rows that end in each leaf, as [`Self::decision`] says: what a printed tree says
    /// there.
    pub fn leaf_decisions(&self) -> Vec<u32> {
        if self.decision == Decision::LeafLabels {
            return self.leaf_classes.clone();
        }
        let frequencies = self.hard_frequencies();
        let leaves = frequencies.chunks_exact(self.classes.len());
        leaves.map(|leaf| self.decision.class(leaf)).collect()
    }

    /// Σ_t P_xt f_tk.
    fn mixture(&self) -> Mixture {
        if self.frequencies.is_empty() {
            return self.label_mixture();
        }
        let splits = self.tree.linear_splits();
        splits.mixture_of_leaves(self.frequencies.clone())
    }

    /// Σ_t C_kt P_xt.
    fn label_mixture(&self) -> Mixture {
        let splits = self.tree.linear_splits();
        splits.mixture_of_labels(&self.leaf_classes, self.classes.len())
    }

    /// δ_L: mean over splits of the share of coefficients that are exactly 0, in percent.
    pub fn local_sparsity(&self) -> f64 {
        super::local_sparsity(&self.tree.coefficients)
    }

    /// δ_G: share of the user's columns that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        let (tree, encoding) = (&self.tree, self.tree.encoding.as_ref());
        super::global_sparsity(&tree.coefficients, tree.features(), encoding)
    }
}
