//! The split of a node: features generated for all folds at once, classifiers refitted on them, errors on
//! held-out rows.

use super::columns::NodeColumns;
use super::generate::{Generated, Generation};
use super::node_folds::NodeFolds;
use super::node_rows::{TreeRows, errors};
use super::refit::refit;
use super::squared_hinge::SquaredHinge;
use crate::stop::{Stop, Stopped};

/// How a node is split.
#[derive(Clone)]
pub(super) struct SplitSettings<'a> {
    /// C.
    pub cost: f64,
    /// B.
    pub budget: usize,
    /// Features at most.
    pub most: usize,
    /// Whether the number of features, up to `most`, is chosen by errors on held-out rows.
    pub choose: bool,
    pub folds: usize,
    pub tol: f64,
    pub factors: &'a [f64],
    pub may: &'a (dyn Fn(usize) -> bool + Sync),
    pub seed: (u64, u64),
    pub stop: &'a Stop,
}

/// Rows go left where Σ_j weights_j x_j ≥ threshold.
pub(super) struct Split {
    pub columns: Vec<u32>,
    pub weights: Vec<f64>,
    pub threshold: f64,
    /// For each row of the node.
    pub goes_left: Vec<bool>,
    /// Margins of the rows by classifiers that have not seen them.
    pub held_out: Vec<f64>,
    pub folds: usize,
    /// See [`Generated::gap`].
    pub gap: f64,
    pub objective: f64,
    pub iterations: u64,
    pub evaluations: u64,
    pub stopped: Option<Stopped>,
}

impl Split {
    /// Weight of each class on either side by the classifiers that have not seen the rows.
    pub fn held_out_sides(&self, rows: &TreeRows<'_>, members: &[u32]) -> [Vec<f64>; 2] {
        let goes_left: Vec<bool> = self.held_out.iter().map(|margin| *margin >= 0.0).collect();
        rows.side_weights(members, &goes_left)
    }
}

/// Splits the rows `members` of sign 1 from those of sign −1.
pub(super) fn split(
    rows: &TreeRows<'_>,
    members: &[u32],
    signs: &[f64],
    settings: &SplitSettings<'_>,
) -> Split {
    let columns = NodeColumns::of(rows.rows, members);
    let cost = |row: &u32| settings.cost * rows.weights[*row as usize];
    let costs: Vec<f64> = members.iter().map(cost).collect();
    let folds = NodeFolds::deal(signs, settings.folds, settings.seed);
    let (of_folds, blocks) = folds.costs(&costs, false);
    let hinge = SquaredHinge {
        signs,
        costs: &of_folds,
        blocks,
    };
    let generated = Generation {
        columns: &columns,
        factors: settings.factors,
        hinge: &hinge,
        budget: settings.budget,
        most: settings.most,
        may: settings.may,
        tol: settings.tol,
        stop: settings.stop,
    }
    .run();
    let rounds = match settings.choose && folds.count >= 2 {
        true => best_round(rows, members, &generated, &folds),
        false => generated.groups.len(),
    };
    let count: usize = generated.groups[..rounds].iter().sum();
    let mut start = Vec::with_capacity(count * (blocks + 1));
    let (of_all, with_all) = folds.costs(&costs, true);
    for w in generated.point.w.chunks_exact(blocks).take(count) {
        start.extend(w);
        if with_all > blocks {
            start.push(w.iter().sum::<f64>() / blocks as f64);
        }
    }
    let hinge = SquaredHinge {
        costs: &of_all,
        blocks: with_all,
        ..hinge
    };
    let packed = match rounds == generated.groups.len() {
        true => generated.rows,
        false => columns.pack(&generated.chosen[..count], settings.factors),
    };
    let fitted = refit(&packed, &hinge, start, settings.stop);
    let last = with_all - 1;
    let of_last = fitted.w.chunks_exact(with_all).map(|w| w[last]);
    let scaled = generated.chosen[..count].iter().zip(of_last);
    let mut terms: Vec<(u32, f64)> = scaled
        .map(|(j, w)| (*j, w * settings.factors[*j as usize]))
        .filter(|(_, w)| *w != 0.0)
        .collect();
    terms.sort_unstable_by_key(|(j, _)| *j);
    let (chosen, weights): (Vec<u32>, Vec<f64>) = terms.into_iter().unzip();
    let threshold = -fitted.biases[last];
    Split {
        goes_left: sides(&columns, &chosen, &weights, threshold),
        columns: chosen,
        weights,
        threshold,
        held_out: folds.held_out(&fitted.margins, with_all),
        folds: folds.count,
        gap: generated.gap,
        objective: fitted.objective,
        iterations: generated.iterations + fitted.work.iterations,
        evaluations: generated.iterations + fitted.work.evaluations,
        stopped: generated.stopped.or(settings.stop.check().err()),
    }
}

/// Where the rows go: by the same sum, in the same order, as a fitted tree forms it.
fn sides(columns: &NodeColumns<'_>, chosen: &[u32], weights: &[f64], threshold: f64) -> Vec<bool> {
    let mut sums = vec![0.0; columns.len()];
    for (j, weight) in chosen.iter().zip(weights) {
        columns.visit(*j as usize, |i, x| sums[i] += weight * x);
    }
    sums.into_iter().map(|sum| sum >= threshold).collect()
}

/// The number of rounds after which fold classifiers err least on the rows they have not seen; the least of
/// such.
fn best_round(
    rows: &TreeRows<'_>,
    members: &[u32],
    generated: &Generated,
    folds: &NodeFolds,
) -> usize {
    let mut best = (generated.groups.len(), f64::INFINITY);
    for (round, margins) in (1..).zip(&generated.paths) {
        let held_out = folds.held_out(margins, folds.count);
        let goes_left: Vec<bool> = held_out.iter().map(|margin| *margin >= 0.0).collect();
        let [left, right] = rows.side_weights(members, &goes_left);
        let wrong = errors(&left) + errors(&right);
        if wrong < best.1 {
            best = (round, wrong);
        }
    }
    best.0
}
