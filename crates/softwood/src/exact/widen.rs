//! The hyperplanes of a tree whose routing is settled: widest margin, few and small coefficients.

use super::nested::Problem;
use super::oblique::{Hyperplane, ObliqueTree};
use crate::stop::Stop;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};

/// Values of points and features beyond which a hyperplane stays as it is.
const MOST_VALUES: usize = 2_000_000;

/// Of the tree with the points held where they are right by the margin, at every split:
///
/// min α₂‖h‖₁ − t  s.t.  ±(g − h·x_i) ≥ t for the points on either side, |g − h·x_i| ≤ 1 for all, t ≥ ε.
pub(crate) fn widen(
    problem: &Problem<'_>,
    tree: &ObliqueTree,
    norm_penalty: f64,
    stop: &Stop,
) -> ObliqueTree {
    let points = problem.points;
    let mut wider = tree.clone();
    if points.len() * (points.features() + 1) > MOST_VALUES {
        return wider;
    }
    // What misses the margin by rounding counts as right here.
    let right = tree.right(points, problem.paths, problem.margin * (1.0 - 1e-6));
    for (t, split) in wider.splits.iter_mut().enumerate() {
        let mut sides = vec![0i8; points.len()];
        for (i, leaf) in right.iter().enumerate() {
            let turns = leaf.iter().flat_map(|leaf| problem.paths.of(*leaf));
            for (_, left) in turns.filter(|(node, _)| *node == t) {
                sides[i] = if *left { 1 } else { -1 };
            }
        }
        if sides.contains(&1) && sides.contains(&-1) {
            if let Some(found) = widest(problem, &sides, norm_penalty, stop) {
                *split = found;
            }
        } else {
            // Nothing right on one side: the other takes all.
            *split = Hyperplane::all_left(points.features());
            if sides.contains(&-1) {
                split.g = -1.0;
            }
        }
    }
    wider
}

/// The optimum, in the variables h⁺, h⁻, g, t.
fn widest(
    problem: &Problem<'_>,
    sides: &[i8],
    norm_penalty: f64,
    stop: &Stop,
) -> Option<Hyperplane> {
    let p = problem.points.features();
    let (g, t, width) = (2 * p, 2 * p + 1, 2 * p + 2);
    let (entries, right) = constraints(problem, sides);
    let mut costs = vec![norm_penalty; width];
    (costs[g], costs[t]) = (0.0, -1.0);
    let (rows, (columns, values)) = (
        entries.iter().map(|e| e.0).collect(),
        (
            entries.iter().map(|e| e.1).collect(),
            entries.iter().map(|e| e.2).collect(),
        ),
    );
    let matrix = CscMatrix::new_from_triplets(right.len(), width, rows, columns, values);
    let settings = DefaultSettings {
        verbose: false,
        ..DefaultSettings::default()
    };
    let cones = [NonnegativeConeT(right.len())];
    let nothing = CscMatrix::zeros((width, width));
    let mut solver =
        DefaultSolver::new(&nothing, &costs, &matrix, &right, &cones, settings).ok()?;
    let polled = stop.clone();
    solver.set_termination_callback(move |_: &DefaultInfo<f64>| polled.check().is_err());
    solver.solve();
    let x = &solver.solution.x;
    let solved = matches!(
        solver.solution.status,
        SolverStatus::Solved | SolverStatus::AlmostSolved
    );
    // Interior points leave crumbs where the optimum is 0.
    let clean = |h: f64| if h.abs() < 1e-7 { 0.0 } else { h };
    solved.then(|| Hyperplane {
        h: (0..p).map(|j| clean(x[j] - x[p + j])).collect(),
        g: x[g],
    })
}

/// Row, column and coefficient of the entries, and the limits of the rows.
fn constraints(problem: &Problem<'_>, sides: &[i8]) -> (Vec<(usize, usize, f64)>, Vec<f64>) {
    let (points, p) = (problem.points, problem.points.features());
    let (g, t) = (2 * p, 2 * p + 1);
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    let mut right: Vec<f64> = Vec::new();
    let mut at_most = |i: usize, sign: f64, margin: f64, limit: f64| {
        let row = right.len();
        for (j, x) in points.x(i).iter().enumerate().filter(|(_, x)| **x != 0.0) {
            entries.extend([(row, j, -sign * x), (row, p + j, sign * x)]);
        }
        entries.push((row, g, sign));
        if margin != 0.0 {
            entries.push((row, t, margin));
        }
        right.push(limit);
    };
    for (i, side) in sides.iter().enumerate() {
        let side = f64::from(*side);
        if side != 0.0 {
            at_most(i, -side, 1.0, 0.0);
            at_most(i, side, 0.0, 1.0);
        } else {
            at_most(i, 1.0, 0.0, 1.0);
            at_most(i, -1.0, 0.0, 1.0);
        }
    }
    for (column, limit) in (0..2 * p).map(|j| (j, 0.0)).chain([(t, -problem.margin)]) {
        entries.push((right.len(), column, -1.0));
        right.push(limit);
    }
    (entries, right)
}
