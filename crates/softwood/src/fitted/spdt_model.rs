//! A fitted sparse perceptron decision tree.

use super::reached::Reached;
use super::{FitReport, FittedModel, FittedTree, HardTree, Importance, file, render};
use crate::InputError;
use crate::data::{ClassLabels, Rows};

/// Hard sparse splits, the classes of leaves and their probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct SpdtModel {
    /// The splits.
    pub tree: HardTree,
    /// The classes.
    pub classes: ClassLabels,
    /// Position in `classes` of each leaf's class.
    pub leaf_classes: Vec<u32>,
    /// L × K: weight of the training rows of each class that end in each leaf.
    pub leaf_weights: Vec<f64>,
    /// L × K: frequencies of the classes far from the split above each leaf, by held-out rows.
    pub frequencies: Vec<f64>,
    /// By which the probabilities of rows in each leaf depend on their distance from the split above it, not
    /// negative; 0 if they do not. See `probabilities_at`.
    pub leaf_slopes: Vec<f64>,
    /// How the fit went.
    pub report: FitReport,
}

/// u + tanh(slope · distance/2) (f − u), f being the frequencies of a leaf and u the same with the two most
/// frequent classes alike; f itself if the slope is 0.
pub(crate) fn probabilities_at(frequencies: &[f64], slope: f64, distance: f64, out: &mut [f64]) {
    out.copy_from_slice(frequencies);
    if slope == 0.0 {
        return;
    }
    let (mut first, mut second) = (0, usize::MAX);
    for k in 1..frequencies.len() {
        if frequencies[k] > frequencies[first] {
            (first, second) = (k, first);
        } else if second == usize::MAX || frequencies[k] > frequencies[second] {
            second = k;
        }
    }
    // Products that overflow both ways add up to no distance. Half of the least slope would be 0.
    let distance = if distance.is_nan() { 0.0 } else { distance };
    // Not quite alike, so that the class of the leaf stays the most probable one at the split itself.
    let share = (0.5 * (slope * distance)).tanh().clamp(1e-9, 1.0);
    let half = 0.5 * (frequencies[first] - frequencies[second]);
    out[first] -= (1.0 - share) * half;
    out[second] += (1.0 - share) * half;
}

impl FittedModel for SpdtModel {
    const KIND: &'static str = "spdt";
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
        render::spdt_text(self, terms)
    }

    fn to_json(&self) -> String {
        file::spdt::write(Self::KIND, self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        file::spdt::read(text)
    }
}

impl SpdtModel {
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

    /// Probability of each class for each row, N × K.
    pub fn predict_proba<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let k = self.classes.len();
        self.tree.at_leaves(&rows.into(), k, |leaf, margin, out| {
            let (frequencies, slope) = (&self.frequencies[leaf * k..][..k], self.leaf_slopes[leaf]);
            probabilities_at(frequencies, slope, margin.abs(), out);
        })
    }

    /// Of two classes the log odds of the second, N values; of more the logarithm of each probability, N × K.
    /// Its sign, or its largest value, is the class of [`Self::predict`].
    pub fn decision_values<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let k = self.classes.len();
        let probabilities = self.predict_proba(rows)?;
        let log = |p: f64| p.max(f64::MIN_POSITIVE).ln();
        Ok(match k {
            2 => {
                let rows = probabilities.chunks_exact(2);
                rows.map(|p| log(p[1]) - log(p[0])).collect()
            }
            _ => probabilities.into_iter().map(log).collect(),
        })
    }

    /// Share of features that no split uses, in percent.
    pub fn global_sparsity(&self) -> f64 {
        self.tree.global_sparsity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_finite_wherever_a_row_lies() {
        let frequencies = [0.125, 0.75, 0.125];
        for slope in [0.0, 5e-324, 1.0, f64::MAX] {
            for distance in [0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NAN] {
                let mut out = [0.0; 3];
                probabilities_at(&frequencies, slope, distance, &mut out);
                assert!(
                    out[1] > out[0] && out[1] > out[2],
                    "{slope} {distance}: {out:?}"
                );
                assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            }
        }
    }
}
