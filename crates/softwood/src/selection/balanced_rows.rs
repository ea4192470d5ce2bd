//! Balanced selection, all of algorithm 2: what the relaxation leaves open is settled by branch and bound.

use super::balanced::{
    BalancedChoice, BalancedCluster, BalancedRelaxation, Fixed, INTEGRAL_WITHIN, on_checked,
};
use crate::FitError;
use crate::data::Rows;
use crate::status::SolveStatus;
use crate::stop::{Stop, Stopped};

/// Rows that stand for a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct BalancedRows {
    /// The rows selected, a = 1, increasing.
    pub indices: Vec<usize>,
    /// b: whether each row is covered by those selected, and left out for that.
    pub covered: Vec<bool>,
    /// Σ (b_i − a_i).
    pub objective: i64,
    /// No selection that agrees with the relaxation where that is 0 or 1 has more.
    pub bound: i64,
    /// Relaxations solved.
    pub nodes: usize,
    /// [`Optimal`](SolveStatus::Optimal) where nothing is left, or the limit that was reached: of iterations,
    /// that is relaxations, or of time.
    pub status: SolveStatus,
}

/// Selects few rows that cover many (algorithm 2): solves relaxation (9), keeps b where it is 0 or 1, and
/// solves the 0–1 program
///
/// ```text
/// max  Σ_i (b_i − a_i)
/// s.t. b_j x_j = Σ_{i≠j} λ_ji x_i,  Σ_{i≠j} λ_ji = b_j,
///      0 ≤ λ_ji ≤ a_i,  a_j + b_j ≤ 1,  a, b ∈ {0, 1}                              (6)
/// ```
///
/// for the others by branch and bound over a: with a whole, b is, too. After `max_nodes` relaxations the best
/// selection so far is returned, and so it is at the time limit of `stop`; `bound` tells what may be left. 100
/// rows are taken at most.
pub fn select_balanced_rows<'a>(
    rows: impl Into<Rows<'a>>,
    max_nodes: usize,
    stop: &Stop,
) -> Result<BalancedRows, FitError> {
    let rows = rows.into();
    let nothing = BalancedRows {
        indices: Vec::new(),
        covered: vec![false; rows.len()],
        objective: 0,
        bound: rows.len() as i64,
        nodes: 0,
        status: SolveStatus::TimeLimit,
    };
    on_checked(rows, stop, nothing, |cluster, stop| {
        select(cluster, max_nodes.max(1), stop)
    })
}

/// A relaxation that may still hold a better selection, and what was decided for it.
struct Open {
    fixed: Fixed,
    relaxed: BalancedRelaxation,
}

impl Open {
    /// What no selection under it exceeds: objectives are whole numbers.
    fn bound(&self) -> i64 {
        (self.relaxed.objective + INTEGRAL_WITHIN * self.relaxed.selected.len() as f64).floor()
            as i64
    }

    /// The row whose a is furthest from 0 and 1, if any is not whole.
    fn branching(&self) -> Option<usize> {
        let from_whole = |i: &usize| self.relaxed.selected[*i].min(1.0 - self.relaxed.selected[*i]);
        (0..self.relaxed.selected.len())
            .filter(|i| from_whole(i) > INTEGRAL_WITHIN)
            .max_by(|i, j| from_whole(i).total_cmp(&from_whole(j)).then(j.cmp(i)))
    }
}

fn select(
    cluster: &BalancedCluster,
    max_nodes: usize,
    stop: &Stop,
) -> Result<BalancedRows, Stopped> {
    let root = root(cluster, stop)?;
    let mut best = rounded_up(&root.relaxed);
    let mut open = vec![root];
    let mut nodes = 1;
    let mut status = SolveStatus::Optimal;
    // The one that promises most first; of equals the latest, which is the deepest.
    while let Some(next) = (0..open.len()).max_by_key(|k| open[*k].bound()) {
        let node = open.swap_remove(next);
        if node.bound() <= best.objective {
            open.clear();
            break;
        }
        if nodes >= max_nodes {
            status = SolveStatus::IterationLimit;
            open.push(node);
            break;
        }
        // With a whole, rounding has changed nothing, and there is no more to be had.
        let Some(row) = node.branching() else {
            continue;
        };
        nodes += 2;
        match [true, false].map(|selected| below(cluster, &node, row, selected, stop)) {
            [Ok(with), Ok(without)] => {
                for child in with.into_iter().chain(without) {
                    let found = rounded_up(&child.relaxed);
                    if found.objective > best.objective {
                        best = found;
                    }
                    open.push(child);
                }
            }
            [Err(Stopped::Cancelled), _] | [_, Err(Stopped::Cancelled)] => {
                return Err(Stopped::Cancelled);
            }
            _ => {
                status = SolveStatus::TimeLimit;
                open.push(node);
                break;
            }
        }
    }
    let left = open.iter().map(Open::bound).max();
    best.bound = left.map_or(best.objective, |left| left.max(best.objective));
    Ok(BalancedRows {
        nodes,
        status,
        ..best
    })
}

/// The relaxation, with b kept where it is 0 or 1.
fn root(cluster: &BalancedCluster, stop: &Stop) -> Result<Open, Stopped> {
    let mut fixed = Fixed::none(cluster.n);
    let relaxed = cluster.relax(&fixed, stop)?;
    let relaxed = relaxed.expect("selecting nothing is feasible");
    for (covered, choice) in fixed.covered.iter_mut().zip(relaxed.choices()) {
        *covered = match choice {
            BalancedChoice::NotCovered => Some(false),
            BalancedChoice::Covered => Some(true),
            BalancedChoice::Ambiguous => None,
        };
    }
    Ok(Open { fixed, relaxed })
}

/// What is left of a node where a row is selected, or is not; None if nothing is.
fn below(
    cluster: &BalancedCluster,
    node: &Open,
    row: usize,
    selected: bool,
    stop: &Stop,
) -> Result<Option<Open>, Stopped> {
    let mut fixed = node.fixed.clone();
    fixed.selected[row] = Some(selected);
    let relaxed = cluster.relax(&fixed, stop)?;
    Ok(relaxed.map(|relaxed| Open { fixed, relaxed }))
}

/// Every row selected that has any share in it: what was covered in full still is.
fn rounded_up(relaxed: &BalancedRelaxation) -> BalancedRows {
    let selected: Vec<bool> = (relaxed.selected.iter())
        .map(|a| *a > INTEGRAL_WITHIN)
        .collect();
    let full = |(b, selected): (&f64, &bool)| *b > 1.0 - INTEGRAL_WITHIN && !selected;
    let covered: Vec<bool> = relaxed.covered.iter().zip(&selected).map(full).collect();
    let indices: Vec<usize> = (0..selected.len()).filter(|i| selected[*i]).collect();
    let count = covered.iter().filter(|covered| **covered).count();
    BalancedRows {
        objective: count as i64 - indices.len() as i64,
        indices,
        covered,
        bound: 0,
        nodes: 0,
        status: SolveStatus::Optimal,
    }
}
