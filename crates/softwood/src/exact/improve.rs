//! One split at a time: the hyperplane that costs least with all others held, by descents and, where these
//! gain nothing any more, exactly.

use super::harden::{Hardened, harden};
use super::nested::Problem;
use super::node::settle_split;
use super::oblique::ObliqueTree;
use super::partial::Partial;
use super::zero_one::{Demand, cost_of, descend, shaken};
use crate::stop::Stop;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// How the search for better splits goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImproveSettings {
    /// Descents for each split and round.
    pub restarts: usize,
    /// Rounds over all splits that may gain nothing.
    pub patience: usize,
    pub seed: u64,
}

/// Improves split after split until rounds gain nothing any more; never worse than the start.
pub(crate) fn improve(
    problem: &Problem<'_>,
    blank: &Partial<'_>,
    mut best: Hardened,
    settings: &ImproveSettings,
    stop: &Stop,
) -> Hardened {
    let (mut idle, mut round) = (0, 0u64);
    while idle < settings.patience && best.cost > problem.points.unavoidable() {
        idle += 1;
        for split in (0..problem.paths.splits()).rev() {
            if stop.check().is_err() {
                return best;
            }
            let tried = (0..settings.restarts)
                .into_par_iter()
                .filter_map(|restart| {
                    let stream = (round << 32) | ((split as u64) << 16) | restart as u64;
                    let mut rng = Pcg64::new(u128::from(settings.seed), u128::from(stream));
                    let tree = resplit(problem, &best.tree, split, restart, &mut rng)?;
                    stop.check().ok()?;
                    Some((restart, harden(problem, blank, tree, stop)))
                });
            let better = tried
                .filter(|(_, next)| next.cost <= best.cost)
                .min_by(|(i, a), (j, b)| a.cost.total_cmp(&b.cost).then(i.cmp(j)));
            if let Some((_, next)) = better {
                if next.cost < best.cost {
                    idle = 0;
                }
                best = next;
            }
            if idle == settings.patience {
                let settled = settle_split(problem, &best.tree, split, stop)
                    .map(|tree| harden(problem, blank, tree, stop));
                if let Some(next) = settled.filter(|next| next.cost < best.cost) {
                    (best, idle) = (next, 0);
                }
            }
        }
        round += 1;
    }
    best
}

/// The tree with another hyperplane at `split` that costs no more, the margin aside.
fn resplit(
    problem: &Problem<'_>,
    tree: &ObliqueTree,
    split: usize,
    restart: usize,
    rng: &mut Pcg64,
) -> Option<ObliqueTree> {
    let points = problem.points;
    let demands = demands(problem, tree, split);
    if demands.is_empty() {
        return None;
    }
    let old = &tree.splits[split];
    let values: Vec<f64> = demands
        .iter()
        .map(|d| old.value(points.x(d.point)))
        .collect();
    let before = cost_of(&demands, &values);
    let by = [0.0, 0.05, 0.3, 2.0][restart % 4];
    let start = shaken(old, by, rng);
    let (found, cost) = descend(points, &demands, start, rng);
    if cost > before || found == *old {
        return None;
    }
    let mut new = tree.clone();
    new.splits[split] = found;
    Some(new)
}

/// What points ask of a split, given all others and the labels.
fn demands(problem: &Problem<'_>, tree: &ObliqueTree, split: usize) -> Vec<Demand> {
    let points = problem.points;
    let first_leaf = tree.splits.len();
    let down = |mut node: usize, x: &[f64]| {
        while node < first_leaf {
            node = 2 * node + 2 - usize::from(tree.splits[node].value(x) >= 0.0);
        }
        node - first_leaf
    };
    let reaches = |x: &[f64]| {
        let mut node = 0;
        while node < split {
            node = 2 * node + 2 - usize::from(tree.splits[node].value(x) >= 0.0);
        }
        node == split
    };
    let of_point = |point: usize| {
        let x = points.x(point);
        let cost = |child: usize| points.cost(point, tree.labels[down(child, x)]);
        let difference = cost(2 * split + 2) - cost(2 * split + 1);
        let demand = Demand {
            point,
            left: difference > 0.0,
            weight: difference.abs(),
        };
        (difference != 0.0 && reaches(x)).then_some(demand)
    };
    (0..points.len()).filter_map(of_point).collect()
}

/// A tree to begin with where there is none: random hyperplanes through pairs of points.
pub(crate) fn random_tree(problem: &Problem<'_>, rng: &mut Pcg64) -> ObliqueTree {
    let points = problem.points;
    let mut draw = || points.x(rng.random_range(0..points.len())).to_vec();
    let splits = (0..problem.paths.splits()).map(|_| {
        let (a, b) = (draw(), draw());
        let h: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        let g = h
            .iter()
            .zip(a.iter().zip(&b))
            .map(|(h, (a, b))| 0.5 * h * (a + b))
            .sum();
        super::oblique::Hyperplane { h, g }
    });
    ObliqueTree {
        splits: splits.collect(),
        labels: (0..problem.paths.leaves())
            .map(|l| l % points.classes())
            .collect(),
    }
}
