//! How much each of the user's columns matters to a model.

use super::{FittedTree, SoftTree};
use crate::data::{Coding, EncodedColumn, Encoding, Missing};
use std::ops::Range;

/// How what a column matters to all splits, or all leaves, is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importance {
    /// SIM_j = Σ_t |a_jt|; of an encoded column, the sum of its ranges.
    Sum,
    /// MIM_j = max_t |a_jt|; of an encoded column, the largest of its ranges.
    Max,
    /// Σ_t r_t |a_jt|, r_t being the share of the training rows that pass split t, or end in leaf t, on
    /// their likelier branches.
    Weighted,
}

impl Importance {
    /// Importance of each of the tree's columns from rows of p coefficients, one for each of `shares`
    /// (which only [`Self::Weighted`] takes); None if they are needed and not known.
    ///
    /// |a| is the range of a feature's part in a sum: its change from the smallest to the largest value
    /// seen. An encoded column counts by its range likewise: over its levels and, where it has one, the
    /// missing value.
    pub(super) fn of(
        self,
        tree: &SoftTree,
        coefficients: &[f64],
        shares: Option<Vec<f64>>,
    ) -> Option<Vec<f64>> {
        let nodes = coefficients.chunks_exact(tree.features());
        let shares = match self {
            Self::Weighted => shares?,
            _ => vec![1.0; nodes.len()],
        };
        let ranges = tree.column_features();
        let typical = tree.scaling.typical_row();
        let mut importance = vec![0.0f64; ranges.len()];
        for (node, share) in nodes.zip(shares) {
            for (c, (sum, features)) in importance.iter_mut().zip(&ranges).enumerate() {
                let a = &node[features.clone()];
                let range = match &tree.encoding {
                    Some(table) => range(&table.columns[c], a, &typical[features.clone()]),
                    None => a[0].abs(),
                };
                *sum = match self {
                    Self::Sum | Self::Weighted => *sum + share * range,
                    Self::Max => sum.max(range),
                };
            }
        }
        Some(importance)
    }
}

/// The largest less the smallest that a column adds, given its features' coefficients and its scaled
/// typical value.
fn range(column: &EncodedColumn, a: &[f64], typical: &[f64]) -> f64 {
    let (values, marked) = match column.missing {
        Missing::Indicator => a.split_at(a.len() - 1),
        _ => (a, &[][..]),
    };
    let filled: f64 = values.iter().zip(typical).map(|(a, u)| a * u).sum();
    let missing = marked.iter().map(|a| filled + a);
    let at_zero = (!matches!(column.coding, Coding::Levels { .. })).then_some(0.0);
    let parts = || values.iter().copied().chain(missing.clone()).chain(at_zero);
    parts().fold(f64::MIN, f64::max) - parts().fold(f64::MAX, f64::min)
}

/// δ_L: share of coefficients that are exactly 0, in percent; all of them if there are no splits.
pub(crate) fn local_sparsity(coefficients: &[f64]) -> f64 {
    if coefficients.is_empty() {
        return 100.0;
    }
    let zeros = coefficients.iter().filter(|a| **a == 0.0).count();
    100.0 * zeros as f64 / coefficients.len() as f64
}

/// δ_G: share of the user's columns whose coefficients are all exactly 0, in percent; without an encoding
/// they are the p features.
pub(crate) fn global_sparsity(coefficients: &[f64], p: usize, encoding: Option<&Encoding>) -> f64 {
    let mut is_used = vec![false; p];
    for (j, a) in coefficients.iter().enumerate() {
        is_used[j % p] |= *a != 0.0;
    }
    let themselves = || (0..p).map(|j| j..j + 1).collect();
    let columns = encoding.map_or_else(themselves, Encoding::ranges);
    let unused = |features: &&Range<usize>| !is_used[(*features).clone()].contains(&true);
    100.0 * columns.iter().filter(unused).count() as f64 / columns.len() as f64
}
