//! UPDATEBRANCHNODE (paper 2, section 5.3): a candidate for the splits at or below a node.
//!
//! As long as a split sends enough rows both ways, its subtree's part of (7) is minimized. A split
//! that does not is led back: by logistic regression towards its present routing with both sides
//! weighing the same or, if it has all but given up one side, with the rows it explains worst
//! wanted there.

use super::nodec_run::{Balance, Run};
use crate::data::RegressionRows;
use crate::solver::{Bounds, CountIterations, LbfgsSettings, Objective, Outcome, minimize};
use crate::start::split_towards;
use crate::status::SolveStatus;
use crate::stop::Interrupted;

/// Quasi-Newton iterations at most.
const MAX_ITERATIONS: u64 = 30;

/// Errors that differ by less than this share are the same.
const SAME_ERROR: f64 = 1e-9;

/// θ of `t`'s subtree, or of `t` alone if it moves alone or is led back. `here` are the rows that
/// count; with `reach` they are all rows, each as likely as it reaches `t`.
pub(crate) fn update_branch_node(
    run: &mut Run<'_, '_>,
    here: &RegressionRows<'_>,
    t: usize,
    root_alone: bool,
    balance: &Balance,
    reach: Option<&[f64]>,
) -> Result<Vec<f64>, Interrupted> {
    let [moderate, bad, flipped] = balance.thresholds;
    let split = run.parameters.node_theta(t);
    let values = here.rows.linear_values(&split)?;
    let mut goes_left: Vec<bool> = values.iter().map(|z| *z >= 0.0).collect();
    let weight = |i: usize| here.rows.weight(i) * reach.map_or(1.0, |reach| reach[i]);
    let (mut left, mut total) = (0.0, 0.0);
    for (i, goes_left) in goes_left.iter().enumerate() {
        total += weight(i);
        left += if *goes_left { weight(i) } else { 0.0 };
    }
    let small = (left / total).min(1.0 - left / total);
    if small > moderate || moderate * run.data.total_weight() < 1.0 {
        return minimize_block(run, here, t, root_alone, reach);
    }
    if small <= bad {
        let errors = here.expected_errors(&run.parameters, t)?;
        let wanted = flipped * left.max(total - left);
        send_across(&mut goes_left, left > 0.5 * total, &errors, weight, wanted);
    }
    let (rows, from) = (&here.rows, Some(split.clone()));
    match split_towards(rows, &goes_left, true, from, run.progress)? {
        Some(outcome) => take(run, outcome),
        None => Ok(split),
    }
}

/// Sends the rows of the crowded side that are explained worst, `wanted` of their weight, to the other.
fn send_across(
    goes_left: &mut [bool],
    crowded_left: bool,
    errors: &[f64],
    weight: impl Fn(usize) -> f64,
    mut wanted: f64,
) {
    let mut crowd: Vec<usize> = (0..goes_left.len())
        .filter(|i| goes_left[*i] == crowded_left && weight(*i) > 0.0)
        .collect();
    crowd.sort_by(|a, b| errors[*b].total_cmp(&errors[*a]));
    let mut last = f64::INFINITY;
    for i in crowd {
        // Copies of a row go together, though rounding tells their errors apart.
        if wanted <= 0.0 && errors[i] < (1.0 - SAME_ERROR) * last {
            break;
        }
        last = errors[i];
        goes_left[i] = !goes_left[i];
        wanted -= weight(i);
    }
}

/// Minimizes the part of (7) that depends on `t` and, unless it moves alone, the splits below it.
fn minimize_block(
    run: &mut Run<'_, '_>,
    here: &RegressionRows<'_>,
    t: usize,
    root_alone: bool,
    reach: Option<&[f64]>,
) -> Result<Vec<f64>, Interrupted> {
    let at = &run.parameters;
    let (costs, start) = if root_alone {
        (here.child_costs(at, t, reach)?, at.node_theta(t))
    } else {
        (here.leaf_costs(at, t, reach)?, at.subtree_theta(t))
    };
    let scale = 1.0 / run.objective_scale();
    let problem = run.block_problem(here, t, root_alone, &costs, scale);
    debug_assert_eq!(problem.dim(), start.len());
    let (projected_gradient_tol, stall_tol) = match reach {
        // Looser tolerances gain time but lose data whose first steps gain little.
        None => (1e-5, 1e-5),
        // Steps of a convergent run must not end before it does.
        Some(_) => (0.1 * scale * run.rules.tol, 1e-14),
    };
    let limits = LbfgsSettings {
        projected_gradient_tol,
        stall_tol,
        max_iterations: MAX_ITERATIONS,
        ..LbfgsSettings::default()
    };
    let observer = CountIterations(run.progress.clone());
    let outcome = minimize(problem, Bounds::NONE, start, &limits, Some(observer))?;
    take(run, outcome)
}

/// Counts the work; a run that was stopped stops the fit.
fn take(run: &mut Run<'_, '_>, outcome: Outcome) -> Result<Vec<f64>, Interrupted> {
    run.work += outcome.work;
    match outcome.status {
        SolveStatus::TimeLimit => Err(Interrupted::TimeLimit),
        SolveStatus::Cancelled => Err(Interrupted::Cancelled),
        _ => Ok(outcome.x),
    }
}
