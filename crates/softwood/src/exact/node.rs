//! One split settled exactly: the hyperplane that costs least by the margin with all else held, where the
//! points that depend on its side are few.

use super::nested::{Nested, Problem};
use super::oblique::{Hyperplane, ObliqueTree, Paths};
use crate::stop::Stop;

/// Points that depend on the side, beyond which no search is begun.
const MOST_DEPENDENT: usize = 120;
/// Numbers that the search may look at for each of them: nodes, points and features multiplied.
const WORK: usize = 20_000_000;
/// Fewest and most nodes that these are.
const NODES: (u64, u64) = (50, 5000);

/// The tree with the hyperplane at `split` that costs less than the present one; none if there is none, or
/// if the search does not get that far.
pub(crate) fn settle_split(
    problem: &Problem<'_>,
    tree: &ObliqueTree,
    split: usize,
    stop: &Stop,
) -> Option<ObliqueTree> {
    let points = problem.points;
    let sides: Vec<[f64; 2]> = (0..points.len())
        .map(|i| right_weights(problem, tree, split, i))
        .collect();
    let old = &tree.splits[split];
    let mut dependent: Vec<usize> = (0..points.len())
        .filter(|i| sides[*i][0] != sides[*i][1])
        .collect();
    if dependent.is_empty() || dependent.len() > MOST_DEPENDENT {
        return None;
    }
    // Those nearest to the present split get into each other's way first.
    let distance = |i: &usize| old.value(points.x(*i)).abs();
    dependent.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
    // A tree of one split, whose classes are the sides.
    let of_sides = points.with_weights(2, &sides.concat());
    let paths = Paths::new(1);
    let one_split = Problem {
        points: &of_sides,
        paths: &paths,
        margin: problem.margin,
    };
    let present = ObliqueTree {
        splits: vec![old.clone()],
        labels: vec![0, 1],
    };
    let right = present.right(&of_sides, &paths, problem.margin);
    let cost = |i: &usize| match right[*i] {
        Some(side) => of_sides.cost(*i, side),
        None => of_sides.total(*i),
    };
    let goal: f64 = dependent.iter().map(cost).sum();
    let all: Vec<usize> = (0..points.len()).collect();
    let mut nested = Nested::new(dependent);
    let nodes = (WORK / (points.len() * (points.features() + 1))) as u64;
    let budget = (nodes.clamp(NODES.0, NODES.1), goal);
    let ended = nested.settle(&one_split, &all, &[present], budget, stop);
    if ended.is_err() || !nested.is_done() || nested.bound() >= goal {
        return None;
    }
    let mut better = tree.clone();
    better.splits[split] = hyperplane(&one_split, &nested, &all)?;
    Some(better)
}

/// What hyperplane the search has found, its left side the one of class 0.
fn hyperplane(problem: &Problem<'_>, nested: &Nested, frame: &[usize]) -> Option<Hyperplane> {
    let found = nested.tree(problem, frame);
    let mut split = found.splits.into_iter().next()?;
    if found.labels[0] == 1 {
        split.h.iter_mut().for_each(|h| *h = -*h);
        split.g = -split.g;
    }
    Some(split)
}

/// The weight of a point that is right if it goes left at `split`, and if it goes right, all splits on the
/// way being kept by the margin; none if it does not depend on the split.
fn right_weights(problem: &Problem<'_>, tree: &ObliqueTree, split: usize, i: usize) -> [f64; 2] {
    let (points, x) = (problem.points, problem.points.x(i));
    let first_leaf = tree.splits.len();
    let below = |mut node: usize| {
        while node < first_leaf {
            let value = tree.splits[node].value(x);
            if value.abs() < problem.margin {
                return 0.0;
            }
            node = 2 * node + 2 - usize::from(value >= 0.0);
        }
        points.weights(i)[tree.labels[node - first_leaf]]
    };
    let mut node = 0;
    while node < split {
        let value = tree.splits[node].value(x);
        if value.abs() < problem.margin {
            return [0.0; 2];
        }
        node = 2 * node + 2 - usize::from(value >= 0.0);
    }
    match node == split {
        true => [below(2 * split + 1), below(2 * split + 2)],
        false => [0.0; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::super::harden::counted;
    use super::super::improve::random_tree;
    use super::super::points::Points;
    use super::super::solve::{Ended, SolveSettings, solve};
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    fn random_points(n: usize, seed: u64) -> Points {
        let mut rng = Pcg64::new(u128::from(seed), 4);
        let x: Vec<f64> = (0..2 * n)
            .map(|_| f64::from(rng.random_range(0..9u8)) / 8.0)
            .collect();
        let codes: Vec<u32> = (0..n).map(|_| rng.random_range(0..2)).collect();
        let weights: Vec<f64> = (0..n)
            .map(|_| f64::from(rng.random_range(1..4u8)))
            .collect();
        Points::merge(&x, 2, &codes, &weights, 2)
    }

    fn searched() -> SolveSettings {
        SolveSettings {
            seed: 0,
            restarts: 1,
            random_starts: 1,
            max_nodes: None,
            improve_limit: None,
        }
    }

    #[test]
    fn the_split_of_a_tree_of_one_split_is_the_best_there_is() {
        let mut better = 0;
        for seed in 0..40 {
            let (points, paths) = (random_points(16, seed), Paths::new(1));
            let problem = Problem {
                points: &points,
                paths: &paths,
                margin: 0.02,
            };
            let best = solve(&problem, vec![], &searched(), &Stop::default(), &|_| {});
            assert_eq!(best.ended, Ended::Proven);
            let mut tree = random_tree(&problem, &mut Pcg64::new(u128::from(seed), 5));
            tree.splits[0].scale(&points);
            let found = settle_split(&problem, &tree, 0, &Stop::default());
            better += usize::from(found.is_some());
            let tree = found.unwrap_or(tree);
            assert_eq!(counted(&problem, tree).cost, best.bound, "seed {seed}");
        }
        assert!(better > 20, "{better}");
    }

    #[test]
    fn a_split_of_a_deeper_tree_leaves_less_weight_wrong() {
        let mut better = 0;
        for seed in 0..20 {
            let (points, paths) = (random_points(40, seed), Paths::new(2));
            let problem = Problem {
                points: &points,
                paths: &paths,
                margin: 0.001,
            };
            let mut tree = random_tree(&problem, &mut Pcg64::new(u128::from(seed), 6));
            tree.splits.iter_mut().for_each(|s| s.scale(&points));
            let before = counted(&problem, tree.clone()).cost;
            for split in 0..3 {
                if let Some(found) = settle_split(&problem, &tree, split, &Stop::default()) {
                    assert!(counted(&problem, found).cost < before, "seed {seed}");
                    better += 1;
                }
            }
        }
        assert!(better > 30, "{better}");
    }
}
