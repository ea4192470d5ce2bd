//! Splits and leaves of a tree that was grown, and what became known of them.

use super::calibrate::{Calibration, HeldOut, calibrate};
use super::node_rows::{TreeRows, prevailing};
use std::collections::BTreeMap;

/// A split: rows go left where Σ_j weights_j x_j ≥ threshold.
pub(crate) struct GrownSplit {
    pub columns: Vec<u32>,
    pub weights: Vec<f64>,
    pub threshold: f64,
    /// Held-out errors, by weight, on the left and the right side.
    pub side_errors: [f64; 2],
    /// Errors, by weight, of a leaf in its place.
    pub leaf_errors: f64,
    /// Folds that its features were generated for; 1 if rows of a class were too few.
    pub folds: usize,
    /// Of its objective, by the objective without features.
    pub gap: f64,
    pub objective: f64,
    pub(super) members: Vec<u32>,
    pub(super) goes_left: Vec<bool>,
    pub(super) held_out: Vec<f64>,
}

/// A leaf.
pub(crate) struct GrownLeaf {
    /// Weight of the training rows of each class.
    pub weights: Vec<f64>,
    /// The likeliest class: that of most weight, unless the rows weigh less than what is known before them.
    pub class: usize,
    /// See [`probabilities_at`](crate::fitted).
    pub frequencies: Vec<f64>,
    pub slope: f64,
}

impl GrownLeaf {
    fn of(weights: Vec<f64>, calibration: Calibration) -> Self {
        Self {
            class: prevailing(&calibration.frequencies),
            weights,
            frequencies: calibration.frequencies,
            slope: calibration.slope,
        }
    }
}

/// What is known of the leaves of a tree, by node.
pub(super) fn leaves(
    rows: &TreeRows<'_>,
    splits: &BTreeMap<usize, GrownSplit>,
    all: &[u32],
) -> BTreeMap<usize, GrownLeaf> {
    let mut leaves = BTreeMap::new();
    if splits.is_empty() {
        let weights = rows.class_weights(all);
        let calibration = calibrate(&weights, &weights, &[]);
        leaves.insert(0, GrownLeaf::of(weights, calibration));
    }
    for (node, split) in splits {
        let base = rows.class_weights(&split.members);
        let [left, right] = rows.side_weights(&split.members, &split.goes_left);
        for (child, weights, is_left) in [(2 * node + 1, left, true), (2 * node + 2, right, false)]
        {
            if splits.contains_key(&child) {
                continue;
            }
            let held: Vec<HeldOut> = match split.folds >= 2 {
                true => held_out(rows, split, is_left),
                false => Vec::new(),
            };
            let calibration = calibrate(&weights, &base, &held);
            leaves.insert(child, GrownLeaf::of(weights, calibration));
        }
    }
    leaves
}

/// The rows of a split on one side by the classifiers that have not seen them.
fn held_out(rows: &TreeRows<'_>, split: &GrownSplit, is_left: bool) -> Vec<HeldOut> {
    let both = split.members.iter().zip(&split.held_out);
    both.filter(|(_, margin)| (**margin >= 0.0) == is_left)
        .map(|(row, margin)| HeldOut {
            distance: margin.abs(),
            class: rows.codes[*row as usize],
            weight: rows.weights[*row as usize],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_of_little_weight_has_the_class_its_frequencies_hold_likeliest() {
        let (own, base) = (vec![2e-4, 1e-4], [0.1, 0.9]);
        let leaf = GrownLeaf::of(own.clone(), calibrate(&own, &base, &[]));
        assert!(leaf.frequencies[1] > leaf.frequencies[0]);
        assert_eq!(leaf.class, 1);
    }
}
