//! The split of a node: features generated for all folds at once, a classifier refitted on them, errors on
//! held-out rows.

use super::columns::NodeColumns;
use super::held_out::Checks;
use super::node_folds::NodeFolds;
use super::node_problem::{Problem, SplitSettings};
use super::node_rows::TreeRows;
use super::vote::vote;
use crate::stop::Stopped;

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
    /// See [`Generated::gap`](super::generate::Generated::gap).
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

impl Split {
    /// The split of the same node on one feature; what is known of the problem it was to solve stays.
    pub fn replaced_by(
        self,
        rows: &TreeRows<'_>,
        members: &[u32],
        column: u32,
        threshold: f64,
    ) -> Self {
        let columns = NodeColumns::of(&rows.rows, members);
        let mut margins = vec![-threshold; members.len()];
        columns.visit(column as usize, |i, x| margins[i] = x - threshold);
        Self {
            goes_left: sides(&columns, &[column], &[1.0], threshold),
            columns: vec![column],
            weights: vec![1.0],
            threshold,
            held_out: margins,
            ..self
        }
    }
}

/// Splits the rows `members` of sign 1 from those of sign −1.
pub(super) fn split(
    rows: &TreeRows<'_>,
    members: &[u32],
    signs: &[f64],
    settings: &SplitSettings<'_>,
) -> Split {
    let columns = NodeColumns::of(&rows.rows, members);
    let costs = rows.costs(members, settings.cost);
    let folds = NodeFolds::deal(signs, settings.folds, settings.seed);
    let problem = Problem {
        columns: &columns,
        signs,
        settings,
    };
    let of_folds = folds.costs(&costs);
    let universal = problem.generate(&of_folds, folds.count);
    let checks = Checks::of(&problem, &costs, &folds);
    let rounds = match settings.choose && folds.count >= 2 {
        true => checks.best_round(rows, members, universal.groups.len()),
        false => universal.groups.len(),
    };
    let fitted = match settings.vote && folds.count >= 2 {
        true => vote(&problem, &universal, rounds, &costs, &folds),
        false => {
            let start = universal.point.w.chunks_exact(folds.count);
            let start = start.map(|w| w.iter().sum::<f64>() / folds.count as f64);
            problem.refit(&universal, rounds, start.collect(), &costs)
        }
    };
    let held_out = match folds.count >= 2 {
        true => checks.held_out(&problem, &costs, rounds),
        false => fitted.margins.clone(),
    };
    let chosen = universal.chosen.iter().zip(&fitted.w);
    let mut terms: Vec<(u32, f64)> = chosen
        .map(|(j, w)| (*j, w * settings.factors[*j as usize]))
        .filter(|(_, w)| *w != 0.0)
        .collect();
    terms.sort_unstable_by_key(|(j, _)| *j);
    let (chosen, weights): (Vec<u32>, Vec<f64>) = terms.into_iter().unzip();
    let threshold = -fitted.biases[0];
    Split {
        goes_left: sides(&columns, &chosen, &weights, threshold),
        columns: chosen,
        weights,
        threshold,
        held_out,
        folds: folds.count,
        gap: universal.gap,
        objective: fitted.objective,
        iterations: universal.iterations + fitted.work.iterations,
        evaluations: universal.iterations + fitted.work.evaluations,
        stopped: universal.stopped.or(settings.stop.check().err()),
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
