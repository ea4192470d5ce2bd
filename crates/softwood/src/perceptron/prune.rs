//! Children that do not pay: pruned by errors on held-out rows.

use super::grown::GrownSplit;
use std::collections::BTreeMap;

type Splits = BTreeMap<usize, GrownSplit>;

/// Takes away, from the bottom up, every split whose errors on held-out rows (those of its subtree) are not
/// less than the held-out errors of its parent on that side (paper 5, pruning), or than those of a leaf in its
/// place: its rows are not any rows, they were sorted by its parent, which has seen them. The parent keeps its
/// classifier and gets a leaf there.
pub(super) fn prune(splits: &mut Splits) {
    let nodes: Vec<usize> = splits.keys().rev().copied().filter(|t| *t > 0).collect();
    for node in nodes {
        let (parent, side) = ((node - 1) / 2, (node + 1) % 2);
        let allowed = splits[&parent].side_errors[side].min(splits[&node].leaf_errors);
        if subtree_errors(splits, node) >= allowed {
            let below: Vec<usize> = splits
                .keys()
                .copied()
                .filter(|t| is_below(*t, node))
                .collect();
            for gone in below {
                splits.remove(&gone);
            }
        }
    }
}

/// Held-out errors of the leaves' sides below a split.
fn subtree_errors(splits: &Splits, node: usize) -> f64 {
    let split = &splits[&node];
    let side = |side: usize| {
        let child = 2 * node + 1 + side;
        match splits.contains_key(&child) {
            true => subtree_errors(splits, child),
            false => split.side_errors[side],
        }
    };
    side(0) + side(1)
}

fn is_below(mut node: usize, above: usize) -> bool {
    while node > above {
        node = (node - 1) / 2;
    }
    node == above
}
