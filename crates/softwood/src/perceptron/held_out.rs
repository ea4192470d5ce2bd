//! What a node's split does on rows that neither its features nor its classifier have seen.
//!
//! Features that serve all folds (paper 5, (7)) have seen every row through one fold or another: where
//! features are many, their errors on "held-out" rows are far too few, and no subtree would ever be pruned. So
//! each fold is held out of a generation of its own.

use super::generate::Generated;
use super::node_folds::NodeFolds;
use super::node_problem::Problem;
use super::node_rows::{TreeRows, errors};
use rayon::prelude::*;

/// Weight of the rows that are not of their side's prevailing class.
pub(super) fn wrong(
    rows: &TreeRows<'_>,
    members: &[u32],
    margins: impl Iterator<Item = f64>,
) -> f64 {
    let goes_left: Vec<bool> = margins.map(|margin| margin >= 0.0).collect();
    let [left, right] = rows.side_weights(members, &goes_left);
    errors(&left) + errors(&right)
}

/// A generation without each of the folds; none if there are no folds.
pub(super) struct Checks<'a> {
    folds: &'a NodeFolds,
    generated: Vec<Generated>,
}

impl<'a> Checks<'a> {
    pub fn of(problem: &Problem<'_, '_>, costs: &[f64], folds: &'a NodeFolds) -> Self {
        let count = if folds.count < 2 { 0 } else { folds.count };
        let without = |fold: usize| problem.generate(&folds.costs_without(costs, fold), 1);
        Self {
            folds,
            generated: (0..count).into_par_iter().map(without).collect(),
        }
    }

    /// Rounds of the longest generation.
    pub fn rounds(&self) -> usize {
        let rounds = self.generated.iter().map(|one| one.groups.len());
        rounds.max().unwrap_or(0)
    }

    /// The number of rounds, up to `most`, after which held-out rows are told wrong least; the least of such.
    pub fn best_round(&self, rows: &TreeRows<'_>, members: &[u32], most: usize) -> usize {
        let mut best = (most, f64::INFINITY);
        for round in 1..=most {
            let margin = |(i, fold): (usize, &u32)| {
                let paths = &self.generated[*fold as usize].paths;
                let path = paths.get(round - 1).or(paths.last());
                path.map_or(0.0, |margins| margins[i])
            };
            let margins = self.folds.of_row.iter().enumerate().map(margin);
            let wrong = wrong(rows, members, margins);
            if wrong < best.1 {
                best = (round, wrong);
            }
        }
        best.0
    }

    /// Features after so many rounds, the mean over the folds.
    pub fn features(&self, rounds: usize) -> usize {
        let features = |one: &Generated| one.groups.iter().take(rounds).sum::<usize>();
        let all: usize = self.generated.iter().map(features).sum();
        all.div_ceil(self.generated.len().max(1))
    }

    /// Margins of the rows by classifiers refitted without them.
    pub fn held_out(&self, problem: &Problem<'_, '_>, costs: &[f64], rounds: usize) -> Vec<f64> {
        let of_fold = |(fold, generated): (usize, &Generated)| {
            let costs = self.folds.costs_without(costs, fold);
            let start = generated.point.w.clone();
            problem.refit(generated, rounds, start, &costs).margins
        };
        let margins: Vec<Vec<f64>> = self.generated.par_iter().enumerate().map(of_fold).collect();
        let rows = self.folds.of_row.iter().enumerate();
        rows.map(|(i, fold)| margins[*fold as usize][i]).collect()
    }
}
