//! The notices on a fit: looked for at its end, on the training rows, as far as it takes.

use super::class_fold::ClassData;
use crate::data::Rows;
use crate::fitted::{FitReport, Notice, OrctCandidate, OrctModel, OrrtModel, SoftTree, SrtModel};
use crate::objective::PenaltySettings;
use crate::status::SolveStatus;

/// Rows looked at at a time: those of most trees answer all questions.
const ROWS_AT_A_TIME: usize = 4096;

/// A row whose probability of ending in a leaf is at least this reaches the leaf.
const REACHES: f64 = 0.01;

/// Those on a classification tree fitted at `at` to this data. A fit that was cancelled is not looked at.
pub(super) fn notices_of_classification(
    model: &OrctModel,
    data: &ClassData<'_>,
    at: &OrctCandidate,
) -> Vec<Notice> {
    let (rows, weights) = (&data.rows, data.weights);
    let mut notices = notices_of_report(&model.report);
    if model.report.status == SolveStatus::Cancelled {
        return notices;
    }
    let penalized = at.local_penalty > 0.0 || at.global_penalty > 0.0;
    if penalized && model.tree.coefficients.iter().all(|a| *a == 0.0) {
        // Its leaves are reached by chance or not at all, and one class is all it can predict.
        notices.push(Notice::NoFeatures);
        return notices;
    }
    if let Some(class) = only_class(model, rows, weights) {
        notices.push(Notice::OneClass { class });
        return notices; // leaves without rows come with it
    }
    notices.extend(leaves_hardly_reached(&model.tree, rows, weights));
    notices
}

/// Those on a mixture of linear models with these penalties.
pub(super) fn notices_of_mixture(
    model: &OrrtModel,
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    penalty: &PenaltySettings,
) -> Vec<Notice> {
    let mut notices = notices_of_report(&model.report);
    if model.report.status == SolveStatus::Cancelled {
        return notices;
    }
    let penalized = penalty.local > Some(0.0) || penalty.global > 0.0;
    if penalized && model.global_sparsity() == 100.0 {
        notices.push(Notice::NoFeatures);
        return notices;
    }
    notices.extend(leaves_hardly_reached(&model.tree, rows, weights));
    notices
}

/// The leaves that no row of positive weight reaches with any probability to speak of.
fn leaves_hardly_reached(
    tree: &SoftTree,
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
) -> Option<Notice> {
    let width = tree.shape.leaves().len();
    let arrivals = |part: Rows<'_>| {
        let probabilities = tree.leaf_probabilities(part);
        let probabilities = probabilities.expect("checked before the fit");
        let all = probabilities.iter().enumerate();
        let reached = all.filter(|(_, probability)| **probability >= REACHES);
        reached.map(|(i, _)| (i / width, i % width)).collect()
    };
    empty_leaves(tree, rows, weights, arrivals)
}

/// Those on a regression tree.
pub(super) fn notices_of_regression(
    model: &SrtModel,
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
) -> Vec<Notice> {
    let mut notices = notices_of_report(&model.report);
    if model.report.status != SolveStatus::Cancelled {
        let arrivals = |part: Rows<'_>| {
            let leaves = model
                .tree
                .leaf_indices(part)
                .expect("checked before the fit");
            let leaves = leaves.into_iter().map(|leaf| leaf as usize);
            leaves.enumerate().collect()
        };
        notices.extend(empty_leaves(&model.tree, rows, weights, arrivals));
    }
    notices
}

/// Those that the report alone tells, constraints first.
pub(super) fn notices_of_report(report: &FitReport) -> Vec<Notice> {
    let missed = report.constraints.iter().filter(|bound| !bound.feasible);
    let missed = missed.map(|bound| match (&bound.group, bound.class) {
        (None, Some(class)) => Notice::RateMissed {
            class,
            asked: bound.asked,
            reached: bound.reached,
        },
        (group, class) => Notice::BoundMissed {
            kind: bound.kind,
            group: group.clone().unwrap_or_default(),
            class,
            asked: bound.asked,
            reached: bound.reached,
        },
    });
    let all = report.selection.as_ref().filter(|s| s.rows == report.rows);
    let all = all.map(|selection| Notice::AllRowsSelected {
        rows: selection.rows,
    });
    let status = report.status;
    let limits = [SolveStatus::TimeLimit, SolveStatus::IterationLimit];
    let limit = limits.contains(&status);
    let limit = limit.then_some(Notice::LimitReached { status });
    missed.chain(all).chain(limit).collect()
}

/// The class that is predicted for every row of positive weight, if there is but one.
fn only_class(model: &OrctModel, rows: &Rows<'_>, weights: Option<&[f64]>) -> Option<usize> {
    let mut only = None;
    for (part, positions) in parts(rows) {
        let predicted = model.predict(part).expect("checked before the fit");
        for (class, row) in predicted.into_iter().zip(positions) {
            if !weighs(weights, row) {
                continue;
            }
            if *only.get_or_insert(class) != class {
                return None;
            }
        }
    }
    only.map(|class| class as usize)
}

/// The leaves that no row of positive weight reaches, if there are any; `arrivals` lists the rows of a
/// part with the leaves they reach.
fn empty_leaves(
    tree: &SoftTree,
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    arrivals: impl Fn(Rows<'_>) -> Vec<(usize, usize)>,
) -> Option<Notice> {
    let mut empty = vec![true; tree.shape.leaves().len()];
    for (part, positions) in parts(rows) {
        for (row, leaf) in arrivals(part) {
            empty[leaf] &= !weighs(weights, positions.start + row);
        }
        if !empty.contains(&true) {
            return None;
        }
    }
    let of = empty.len();
    let leaves = (0..of).filter(|leaf| empty[*leaf]).collect();
    Some(Notice::EmptyLeaves { leaves, of })
}

fn weighs(weights: Option<&[f64]>, row: usize) -> bool {
    weights.is_none_or(|weights| weights[row] > 0.0)
}

/// The rows in handy parts, with their positions.
fn parts<'a>(rows: &'a Rows<'_>) -> impl Iterator<Item = (Rows<'a>, std::ops::Range<usize>)> {
    let n = rows.len();
    (0..n).step_by(ROWS_AT_A_TIME).map(move |first| {
        let positions = first..n.min(first + ROWS_AT_A_TIME);
        (rows.slice(positions.clone()), positions)
    })
}
