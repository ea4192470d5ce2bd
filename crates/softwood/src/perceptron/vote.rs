//! The fold classifiers of a node as one.

use super::generate::Generated;
use super::node_folds::NodeFolds;
use super::node_problem::Problem;
use super::refit::Refitted;
use crate::solver::Work;
use rayon::prelude::*;

/// The mean of the classifiers that are fitted without each of the folds, on the features that serve all of
/// them: they vote by their margins, so that the split stays one linear form (paper 5 counts votes instead).
pub(super) fn vote(
    problem: &Problem<'_, '_>,
    universal: &Generated,
    rounds: usize,
    costs: &[f64],
    folds: &NodeFolds,
) -> Refitted {
    let of_fold = |fold: usize| {
        let start = universal.point.w.chunks_exact(folds.count);
        let start = start.map(|w| w[fold]).collect();
        let costs = folds.costs_without(costs, fold);
        problem.refit(universal, rounds, start, &costs)
    };
    let each: Vec<Refitted> = (0..folds.count).into_par_iter().map(of_fold).collect();
    let share = 1.0 / folds.count as f64;
    let mean = |values: fn(&Refitted) -> &[f64]| -> Vec<f64> {
        let mut mean = vec![0.0; values(&each[0]).len()];
        for one in &each {
            let both = mean.iter_mut().zip(values(one));
            both.for_each(|(mean, value)| *mean += share * value);
        }
        mean
    };
    Refitted {
        w: mean(|one| &one.w),
        biases: mean(|one| &one.biases),
        margins: mean(|one| &one.margins),
        objective: each.iter().map(|one| share * one.objective).sum(),
        work: each.iter().map(|one| one.work).sum::<Work>(),
    }
}
