//! Effects: how much of a prediction is owed to a feature's not having its typical value.

use super::explain::all_but;
use super::set_back::{LinearFunctions, Outcome, effects};
use super::{OrctModel, SoftTree, SrtModel};
use crate::InputError;
use crate::data::Rows;
use crate::tree::Child;
use crate::vectors::saturation;

impl OrctModel {
    /// For each row, class and feature, N × K × p: by how much the log odds ln(P/(1 − P)) of the class
    /// are higher than if that feature alone had its typical value ([`Scaling`](crate::data::Scaling)).
    ///
    /// P is what [`Self::predict_proba`] gives; a probability less than 2^−1022 counts as 2^−1022, so
    /// that the log odds of a class that no leaf holds are finite. Unlike derivatives, effects do not
    /// vanish far from the splits: they are those of the whole step. Effects of several features need
    /// not add up to that of setting back all of them.
    pub fn effects<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let (tree, classes) = (&self.tree, self.classes.len());
        let log_odds = LogOdds {
            tree,
            frequencies: self.leaf_frequencies(),
            limit: saturation(tree.shape.topology().depth()),
        };
        effects(tree, &log_odds, &rows.into(), classes, &each_feature(tree))
    }
}

impl SrtModel {
    /// For each row and feature, N × p: by how much the prediction is higher than if that feature alone
    /// had its typical value ([`Scaling`](crate::data::Scaling)), a change of leaf included.
    pub fn effects<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let tree = &self.tree;
        effects(tree, self, &rows.into(), 1, &each_feature(tree))
    }
}

/// Every column by itself.
fn each_feature(tree: &SoftTree) -> Vec<Vec<usize>> {
    (0..tree.features()).map(|j| vec![j]).collect()
}

impl SoftTree {
    /// γ z_t of every split.
    fn margins(&self) -> LinearFunctions {
        let per_feature = self.gamma / self.features() as f64;
        LinearFunctions {
            coefficients: self.coefficients.iter().map(|a| per_feature * a).collect(),
            offsets: self.intercepts.iter().map(|mu| self.gamma * mu).collect(),
        }
    }
}

/// The log odds of each class of a mixture of leaves.
struct LogOdds<'a> {
    tree: &'a SoftTree,
    /// L × K.
    frequencies: Vec<f64>,
    /// Largest |γ z| that counts, as in the kernel.
    limit: f64,
}

impl Outcome for LogOdds<'_> {
    fn functions(&self) -> LinearFunctions {
        self.tree.margins()
    }

    fn outcomes(&self, margins: &[f64], reach: &mut Vec<f64>, out: &mut [f64]) {
        let classes = out.len();
        reach.clear();
        reach.resize(margins.len() + classes, 0.0);
        let (reach, probabilities) = reach.split_at_mut(margins.len());
        let mut arrive = |leaf: usize, reached: f64| {
            let frequencies = &self.frequencies[leaf * classes..][..classes];
            for (p, frequency) in probabilities.iter_mut().zip(frequencies) {
                *p += reached * frequency;
            }
        };
        match reach.first_mut() {
            Some(root) => *root = 1.0,
            None => arrive(0, 1.0),
        }
        let children = self.tree.shape.children();
        for (t, (margin, children)) in margins.iter().zip(children).enumerate() {
            let e = (-margin.abs().min(self.limit)).exp();
            let (likelier, other) = (1.0 / (1.0 + e), e / (1.0 + e));
            let sides = if *margin >= 0.0 {
                [likelier, other]
            } else {
                [other, likelier]
            };
            for (child, side) in children.iter().zip(sides) {
                match child {
                    Child::Split(child) => reach[*child] = reach[t] * side,
                    Child::Leaf(leaf) => arrive(*leaf, reach[t] * side),
                }
            }
        }
        let ln = |p: f64| p.max(f64::MIN_POSITIVE).ln();
        for (k, out) in out.iter_mut().enumerate() {
            *out = ln(probabilities[k]) - ln(all_but(probabilities, k));
        }
    }
}

/// The model of the leaf at the end of the likelier branches, in units of the response and without
/// its mean.
impl Outcome for SrtModel {
    fn functions(&self) -> LinearFunctions {
        let mut functions = self.tree.margins();
        functions.coefficients.extend(self.leaf_coefficients());
        let intercepts = self.leaf_intercepts.iter();
        let offsets = intercepts.map(|b| -b * self.response.scale);
        functions.offsets.extend(offsets);
        functions
    }

    fn outcomes(&self, values: &[f64], _: &mut Vec<f64>, out: &mut [f64]) {
        let children = self.tree.shape.children();
        let (margins, models) = values.split_at(children.len());
        let step = |split: usize| children[split][usize::from(margins[split] < 0.0)];
        let mut place = if margins.is_empty() {
            Child::Leaf(0)
        } else {
            step(0)
        };
        while let Child::Split(split) = place {
            place = step(split);
        }
        if let Child::Leaf(leaf) = place {
            out[0] = models[leaf];
        }
    }

    fn added(&self, feature: usize, u: f64) -> f64 {
        let curve = self.curves.get(feature);
        curve.map_or(0.0, |curve| self.response.scale * curve.value(u))
    }
}
