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

#[cfg(test)]
mod tests {
    use super::*;

    fn split(side_errors: [f64; 2], leaf_errors: f64) -> GrownSplit {
        GrownSplit {
            side_errors,
            leaf_errors,
            columns: vec![0],
            weights: vec![1.0],
            threshold: 0.0,
            folds: 5,
            gap: 0.0,
            objective: 0.0,
            members: Vec::new(),
            goes_left: Vec::new(),
            held_out: Vec::new(),
        }
    }

    #[test]
    fn a_subtree_stays_if_all_of_it_errs_less_than_its_parent_there() {
        // Node 1 alone errs as much as the root on its left side; with node 3 below it errs less.
        let root = || split([10.0, 4.0], 50.0);
        let mut splits = Splits::from([
            (0, root()),
            (1, split([8.0, 2.0], 20.0)),
            (2, split([3.0, 1.0], 20.0)),
            (3, split([1.0, 2.0], 20.0)),
        ]);
        prune(&mut splits);
        assert_eq!(splits.keys().copied().collect::<Vec<_>>(), [0, 1, 3]);
        let mut without = Splits::from([(0, root()), (1, split([8.0, 2.0], 20.0))]);
        prune(&mut without);
        assert_eq!(without.keys().copied().collect::<Vec<_>>(), [0]);
        // Nor does a split stay that errs as much as a leaf in its place.
        let mut idle = Splits::from([(0, root()), (1, split([1.0, 2.0], 3.0))]);
        prune(&mut idle);
        assert_eq!(idle.len(), 1);
    }
}
