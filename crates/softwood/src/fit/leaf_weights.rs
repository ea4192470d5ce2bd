//! How many rows end in each leaf of a fitted tree.

use crate::data::Rows;
use crate::fitted::SoftTree;

/// Puts weights that were added in a unit of their own back into the user's.
pub(super) fn in_users_unit(weights: &mut [f64], unit: f64) {
    weights.iter_mut().for_each(|weight| *weight *= unit);
}

/// Weight of the rows that end in each leaf by their likelier branches.
pub(super) fn leaf_weights(tree: &SoftTree, rows: &Rows<'_>, weights: Option<&[f64]>) -> Vec<f64> {
    let leaves = tree.leaf_indices(rows.reborrow()).expect("checked rows");
    let mut sums = vec![0.0; tree.shape.leaves().len()];
    for (i, leaf) in leaves.into_iter().enumerate() {
        sums[leaf as usize] += weights.map_or(1.0, |weights| weights[i]);
    }
    sums
}
