//! What is said of the leaves of a classification tree.

use super::row_texts::{RowTexts, percent, rounded};
use crate::data::ClassLabels;

/// Other classes shown at a leaf, at most and from which share on.
const SHOWN_CLASSES: usize = 3;
const SHOWN_SHARE: f64 = 5e-5;

/// What is said of leaves and of the rows on their way there.
pub(super) struct LeafTexts<'a> {
    pub classes: &'a ClassLabels,
    /// Class of each leaf.
    pub decisions: Vec<u32>,
    /// L × K, or empty.
    pub weights: &'a [f64],
    pub rows: RowTexts<'a>,
}

impl LeafTexts<'_> {
    /// "benign: 353 rows, 0.6 % errors (0.6 % malignant)".
    pub fn text(&self, leaf: usize) -> String {
        let classes = self.classes;
        let decided = self.decisions[leaf] as usize;
        let label = classes.text(decided);
        if !self.rows.reached.is_known() {
            return label;
        }
        let (weight, unit) = (self.rows.reached.leaf(leaf), self.rows.unit);
        if weight <= 0.0 {
            return format!("{label}: no {unit}");
        }
        let shares = &self.weights[leaf * classes.len()..][..classes.len()];
        let shares: Vec<f64> = shares.iter().map(|n| n / weight).collect();
        let mut others: Vec<usize> = (0..classes.len()).filter(|k| *k != decided).collect();
        others.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
        let shown = others.iter().filter(|k| shares[**k] >= SHOWN_SHARE);
        let shown = shown.map(|k| format!("{} {}", percent(shares[*k]), classes.text(*k)));
        let shown: Vec<String> = shown.take(SHOWN_CLASSES).collect();
        let mix = match shown.is_empty() {
            true => String::new(),
            false => format!(" ({})", shown.join(", ")),
        };
        let errors = percent(others.iter().map(|k| shares[*k]).sum());
        format!("{label}: {} {unit}, {errors} errors{mix}", rounded(weight))
    }
}
