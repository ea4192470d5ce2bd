//! Growing the tree, level by level, and pruning it.

use super::dichotomy::dichotomies;
use super::grown::{GrownLeaf, GrownSplit, leaves};
use super::interactions::interaction;
use super::node_problem::SplitSettings;
use super::node_rows::{TreeRows, errors};
use super::prune::prune;
use super::split::{Split, split};
use crate::progress::Progress;
use crate::stop::{Stop, Stopped};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How a tree is grown.
#[derive(Clone)]
pub(crate) struct GrowSettings<'a> {
    /// C.
    pub cost: f64,
    /// B.
    pub budget: usize,
    /// Features of a split at most; if None, their number is chosen on folds, up to some rounds of B.
    pub split_features: Option<usize>,
    /// Features of the tree at most.
    pub max_features: Option<usize>,
    pub depth: usize,
    /// Weight of the rows that a node needs to be split.
    pub min_rows: f64,
    pub folds: usize,
    /// Whether a split is the mean of the fold classifiers.
    pub vote: bool,
    /// Whether two features that part the rows only together are looked for.
    pub interactions: bool,
    pub tol: f64,
    pub seed: u64,
    pub factors: &'a [f64],
}

/// Features of a split at most where folds choose their number, in units of the budget.
const ROUNDS: usize = 10;

impl<'a> GrowSettings<'a> {
    /// Features of a split at most.
    pub fn most(&self) -> usize {
        let most = self
            .split_features
            .unwrap_or(ROUNDS.saturating_mul(self.budget));
        most.min(self.max_features.unwrap_or(usize::MAX))
    }

    /// What a node is told, of features that it may have.
    pub(super) fn of_split(
        &self,
        node: usize,
        most: usize,
        may: &'a (dyn Fn(usize) -> bool + Sync),
        stop: &'a Stop,
    ) -> SplitSettings<'a> {
        SplitSettings {
            cost: self.cost,
            budget: self.budget,
            most,
            choose: self.split_features.is_none(),
            folds: self.folds,
            vote: self.vote,
            tol: self.tol,
            factors: self.factors,
            may,
            seed: (self.seed, node as u64),
            stop,
        }
    }
}

/// The tree, its leaves from left to right, and how it went.
pub(crate) struct Grown {
    /// By node.
    pub splits: BTreeMap<usize, GrownSplit>,
    /// By node.
    pub leaves: BTreeMap<usize, GrownLeaf>,
    pub iterations: u64,
    pub evaluations: u64,
    pub stopped: Option<Stopped>,
}

/// Grows and prunes.
pub(crate) fn grow(
    rows: &TreeRows<'_>,
    settings: &GrowSettings<'_>,
    stop: &Stop,
    progress: &Progress,
) -> Grown {
    let mut grown = Grown {
        splits: BTreeMap::new(),
        leaves: BTreeMap::new(),
        iterations: 0,
        evaluations: 0,
        stopped: None,
    };
    let mut used: BTreeSet<u32> = BTreeSet::new();
    let weighs = |row: &u32| rows.weights[*row as usize] > 0.0;
    let all: Vec<u32> = (0..rows.codes.len() as u32).filter(weighs).collect();
    let mut waiting = VecDeque::from([(0usize, all.clone())]);
    while let Some((node, members)) = waiting.pop_front() {
        let deep = (node + 1).ilog2() as usize >= settings.depth;
        let weights = rows.class_weights(&members);
        let total: f64 = weights.iter().sum();
        if deep || errors(&weights) <= 0.0 || total < settings.min_rows || members.len() < 2 {
            continue;
        }
        if grown.stopped.is_some() && node > 0 {
            continue;
        }
        let found = best_split(rows, &members, &weights, node, &used, settings, stop);
        progress.count_iteration();
        grown.iterations += found.iterations;
        grown.evaluations += found.evaluations;
        grown.stopped = grown.stopped.or(found.stopped);
        let side = |left: bool| -> Vec<u32> {
            let both = members.iter().zip(&found.goes_left);
            both.filter(|(_, l)| **l == left)
                .map(|(row, _)| *row)
                .collect()
        };
        let (left, right) = (side(true), side(false));
        // Below the root a class of one row is no reason to split: nothing tells whether that pays.
        if left.is_empty() || right.is_empty() || (node > 0 && found.folds < 2) {
            continue;
        }
        used.extend(&found.columns);
        waiting.push_back((2 * node + 1, left));
        waiting.push_back((2 * node + 2, right));
        let split = grown_split(rows, members, errors(&weights), found);
        grown.splits.insert(node, split);
    }
    prune(&mut grown.splits);
    grown.leaves = leaves(rows, &grown.splits, &all);
    grown
}

/// A split as the tree keeps it, with what a leaf in its place and its sides get wrong.
fn grown_split(
    rows: &TreeRows<'_>,
    members: Vec<u32>,
    leaf_errors: f64,
    found: Split,
) -> GrownSplit {
    let sides = found.held_out_sides(rows, &members);
    GrownSplit {
        side_errors: [errors(&sides[0]), errors(&sides[1])],
        leaf_errors,
        columns: found.columns,
        weights: found.weights,
        threshold: found.threshold,
        folds: found.folds,
        gap: found.gap,
        objective: found.objective,
        goes_left: found.goes_left,
        held_out: found.held_out,
        members,
    }
}

/// The signs of the root's rows; None if there is nothing to part.
pub(super) fn first_signs(
    rows: &TreeRows<'_>,
    members: &[u32],
    settings: &GrowSettings<'_>,
    stop: &Stop,
) -> Option<Vec<f64>> {
    let weights = rows.class_weights(members);
    let of_root = settings.of_split(0, settings.most(), &|_| true, stop);
    (errors(&weights) > 0.0).then(|| best_signs(rows, members, &weights, &of_root))
}

/// Which rows are to go left: for more than two classes, the way to part them that a first look at held-out
/// rows speaks for.
fn best_signs(
    rows: &TreeRows<'_>,
    members: &[u32],
    class_weights: &[f64],
    of_node: &SplitSettings<'_>,
) -> Vec<f64> {
    let signs = |left: &[bool]| -> Vec<f64> {
        let is_left = |row: &u32| left[rows.codes[*row as usize] as usize];
        let sign = |row: &u32| if is_left(row) { 1.0 } else { -1.0 };
        members.iter().map(sign).collect()
    };
    let ways = dichotomies(rows, members, class_weights, of_node.factors);
    if let [only] = &ways[..] {
        return signs(only);
    }
    let first_look = SplitSettings {
        most: of_node.budget.min(of_node.most),
        vote: false,
        ..of_node.clone()
    };
    let tried = ways.iter().map(|left| {
        let signs = signs(left);
        let tried = split(rows, members, &signs, &first_look);
        (gain(&tried.held_out_sides(rows, members)), signs)
    });
    let best = tried.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.expect("there is a way").1
}

/// The split of a node.
fn best_split(
    rows: &TreeRows<'_>,
    members: &[u32],
    class_weights: &[f64],
    node: usize,
    used: &BTreeSet<u32>,
    settings: &GrowSettings<'_>,
    stop: &Stop,
) -> Split {
    let room = settings
        .max_features
        .map(|most| most.saturating_sub(used.len()));
    let may = |j: usize| room != Some(0) || used.contains(&(j as u32));
    let most = match room {
        Some(0) | None => settings.most(),
        Some(room) => settings.most().min(room),
    };
    let of_node = settings.of_split(node, most, &may, stop);
    let signs = best_signs(rows, members, class_weights, &of_node);
    let linear = split(rows, members, &signs, &of_node);
    let deepest = (node + 1).ilog2() as usize + 2 > settings.depth;
    if deepest || !settings.interactions || room == Some(0) || stop.check().is_err() {
        return linear;
    }
    match interaction(rows, members, &signs, &linear, of_node.seed) {
        Some((column, threshold)) => linear.replaced_by(rows, members, column, threshold),
        None => linear,
    }
}

/// By how much two sides lower the entropy of the classes, times the weight.
fn gain(sides: &[Vec<f64>; 2]) -> f64 {
    let entropy = |weights: &[f64]| -> f64 {
        let total: f64 = weights.iter().sum();
        let term = |w: &f64| if *w > 0.0 { -w * (w / total).ln() } else { 0.0 };
        weights.iter().map(term).sum()
    };
    let all: Vec<f64> = sides[0].iter().zip(&sides[1]).map(|(a, b)| a + b).collect();
    entropy(&all) - entropy(&sides[0]) - entropy(&sides[1])
}
