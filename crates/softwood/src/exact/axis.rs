//! A tree with one feature a split, grown greedily by Gini's index as CART does.

use super::oblique::{Hyperplane, ObliqueTree, Paths};
use super::points::Points;

/// Grows the complete tree; where no split helps everything goes left.
pub(crate) fn axis_tree(points: &Points, paths: &Paths) -> ObliqueTree {
    let splits = vec![Hyperplane::all_left(points.features()); paths.splits()];
    let labels = vec![0; paths.leaves()];
    let mut tree = ObliqueTree { splits, labels };
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); 2 * paths.splits() + 1];
    members[0] = (0..points.len()).collect();
    for node in 0..paths.splits() {
        if let Some((feature, threshold)) = best_split(points, &members[node]) {
            tree.splits[node].h[feature] = 1.0;
            tree.splits[node].g = threshold;
        }
        let here = std::mem::take(&mut members[node]);
        let split = &tree.splits[node];
        let (left, right) = here
            .into_iter()
            .partition(|i| split.value(points.x(*i)) >= 0.0);
        (members[2 * node + 1], members[2 * node + 2]) = (left, right);
    }
    tree.relabel(points);
    tree
}

/// The feature and threshold after which Σ_k w_k²/w of both sides is largest.
fn best_split(points: &Points, members: &[usize]) -> Option<(usize, f64)> {
    let k = points.classes();
    let mut totals = vec![0.0; k];
    for i in members {
        totals
            .iter_mut()
            .zip(points.weights(*i))
            .for_each(|(t, w)| *t += w);
    }
    let mut best = (purity(&totals) * (1.0 + 1e-9), None);
    for j in 0..points.features() {
        let mut order = members.to_vec();
        order.sort_by(|a, b| points.x(*a)[j].total_cmp(&points.x(*b)[j]).then(a.cmp(b)));
        let (mut left, mut right) = (vec![0.0; k], totals.clone());
        for pair in order.windows(2) {
            for (c, w) in points.weights(pair[0]).iter().enumerate() {
                left[c] += w;
                right[c] = (right[c] - w).max(0.0);
            }
            let (here, next) = (points.x(pair[0])[j], points.x(pair[1])[j]);
            let value = purity(&left) + purity(&right);
            if next > here && value > best.0 {
                best = (value, Some((j, 0.5 * (here + next))));
            }
        }
    }
    best.1
}

fn purity(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    match total > 0.0 {
        true => weights.iter().map(|w| w / total * w).sum(),
        false => 0.0,
    }
}
