//! How many rows end in each leaf of a fitted regression tree.

use crate::data::Rows;
use crate::fitted::SoftTree;

/// Weight of the rows that end in each leaf by their likelier branches.
pub(super) fn leaf_weights(tree: &SoftTree, rows: &Rows<'_>, weights: Option<&[f64]>) -> Vec<f64> {
    let leaves = tree.leaf_indices(rows.reborrow()).expect("checked rows");
    let mut sums = vec![0.0; tree.shape.leaves().len()];
    for (i, leaf) in leaves.into_iter().enumerate() {
        sums[leaf as usize] += weights.map_or(1.0, |weights| weights[i]);
    }
    sums
}
