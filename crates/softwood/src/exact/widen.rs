//! The hyperplanes of a tree whose routing is settled, chosen for rows to come: as support vector machines,
//! by a soft margin, but no row that is right becomes wrong.

use super::harden::counted;
use super::nested::Problem;
use super::oblique::{Hyperplane, ObliqueTree};
use super::points::Points;
use crate::stop::Stop;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
    ZeroConeT,
};

/// Values of points and features beyond which a hyperplane stays as it is.
const MOST_VALUES: usize = 2_000_000;
/// By this share of it a margin may be missed by rounding.
const ROUNDING: f64 = 1e-6;

/// What the closing of splits goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closing {
    /// α₂, cost of ‖h‖₁.
    pub norm_penalty: f64,
    /// C, cost of the mean slack.
    pub slack_cost: f64,
}

/// A point that is right, at one split of its way.
#[derive(Clone, Copy, Debug)]
struct Held {
    point: usize,
    /// 1 on the left, −1 on the right.
    side: f64,
    /// What it keeps of the largest |g − h·x|.
    level: f64,
}

/// Every split in turn, with the points held that are right, U being the largest |g − h·x| of all points:
///
/// min ½‖h‖² + α₂‖h‖₁ + C Σ w_i ξ_i / Σ w_i  s.t.  ±(g − h·x_i) ≥ 1 − ξ_i, ±(g − h·x_i) ≥ ε U, U ≥ 1,
///
/// the signs being those of the sides. Points that are right within the margin keep their side. A split
/// stays as it is where its successor makes any weight wrong, by the count or by the rule itself.
pub(crate) fn widen(
    problem: &Problem<'_>,
    tree: &ObliqueTree,
    closing: Closing,
    stop: &Stop,
) -> ObliqueTree {
    let points = problem.points;
    if points.len() * (points.features() + 1) > MOST_VALUES {
        return tree.clone();
    }
    let mut wider = tree.clone();
    let mut best = weights_wrong(problem, &wider);
    for (t, held) in held(problem, tree).iter().enumerate() {
        // Programs of many points take their time before they begin to iterate, which is when they poll.
        if stop.check().is_err() {
            break;
        }
        let sides = |side: f64| held.iter().any(|one| one.side == side);
        let next = match (sides(1.0), sides(-1.0)) {
            (true, true) => softest(points, held, closing, stop),
            // Nothing right on one side: the other takes all.
            (left, right) => {
                let mut all = Hyperplane::all_left(points.features());
                all.g = if right && !left { -1.0 } else { 1.0 };
                Some(all)
            }
        };
        let Some(next) = next else { continue };
        let old = std::mem::replace(&mut wider.splits[t], next);
        let now = weights_wrong(problem, &wider);
        if now.0 <= best.0 && now.1 <= best.1 {
            best = now;
        } else {
            wider.splits[t] = old;
        }
    }
    wider
}

/// Weight that is wrong or within the margin, and that the rule itself gets wrong.
fn weights_wrong(problem: &Problem<'_>, tree: &ObliqueTree) -> (f64, f64) {
    let cost = counted(problem, tree.clone()).cost;
    (cost, tree.errors(problem.points))
}

/// For every split the points that are right below it.
fn held(problem: &Problem<'_>, tree: &ObliqueTree) -> Vec<Vec<Held>> {
    let (points, margin) = (problem.points, problem.margin);
    let mut held = vec![Vec::new(); problem.paths.splits()];
    for (point, leaf) in tree.right(points, problem.paths, 0.0).iter().enumerate() {
        for (t, left) in leaf.iter().flat_map(|leaf| problem.paths.of(*leaf)) {
            let value = tree.splits[*t].value(points.x(point)).abs();
            let level = match value >= margin * (1.0 - ROUNDING) {
                true => margin,
                false => 0.5 * value,
            };
            let side = if *left { 1.0 } else { -1.0 };
            held[*t].push(Held { point, side, level });
        }
    }
    held
}

/// The program of one split, in the order of its columns: h⁺, h⁻, g, U, ξ of the points held, v of all.
struct Columns {
    p: usize,
    held: usize,
}

impl Columns {
    fn g(&self) -> usize {
        2 * self.p
    }

    fn largest(&self) -> usize {
        2 * self.p + 1
    }

    fn slack(&self, k: usize) -> usize {
        2 * self.p + 2 + k
    }

    fn value(&self, i: usize) -> usize {
        2 * self.p + 2 + self.held + i
    }
}

/// Rows of a program, each at most its limit.
#[derive(Default)]
struct Rows {
    entries: Vec<(usize, usize, f64)>,
    limits: Vec<f64>,
}

impl Rows {
    fn at_most(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, limit: f64) {
        let row = self.limits.len();
        let entries = entries.into_iter().map(|(column, x)| (row, column, x));
        self.entries.extend(entries);
        self.limits.push(limit);
    }
}

/// The optimum, scaled such that the largest |g − h·x| is 1; none if the solver ends without one.
fn softest(points: &Points, held: &[Held], closing: Closing, stop: &Stop) -> Option<Hyperplane> {
    let (n, p) = (points.len(), points.features());
    let columns = Columns {
        p,
        held: held.len(),
    };
    let width = columns.value(n);
    let rows = constraints(points, held, &columns);
    let mut costs = vec![0.0; width];
    costs[..2 * p].fill(closing.norm_penalty);
    let all: f64 = held.iter().map(|one| points.total(one.point)).sum();
    for (k, one) in held.iter().enumerate() {
        costs[columns.slack(k)] = closing.slack_cost * points.total(one.point) / all;
    }
    let squares = CscMatrix::new_from_triplets(
        width,
        width,
        (0..2 * p).collect(),
        (0..2 * p).collect(),
        vec![1.0; 2 * p],
    );
    let (row, (column, value)) = (
        rows.entries.iter().map(|e| e.0).collect(),
        rows.entries.iter().map(|e| (e.1, e.2)).unzip(),
    );
    let matrix = CscMatrix::new_from_triplets(rows.limits.len(), width, row, column, value);
    let cones = [ZeroConeT(n), NonnegativeConeT(rows.limits.len() - n)];
    let settings = DefaultSettings {
        verbose: false,
        ..DefaultSettings::default()
    };
    let mut solver =
        DefaultSolver::new(&squares, &costs, &matrix, &rows.limits, &cones, settings).ok()?;
    let polled = stop.clone();
    solver.set_termination_callback(move |_: &DefaultInfo<f64>| polled.check().is_err());
    solver.solve();
    let x = &solver.solution.x;
    let solved = matches!(
        solver.solution.status,
        SolverStatus::Solved | SolverStatus::AlmostSolved
    );
    if !solved {
        return None;
    }
    // Interior points leave crumbs where the optimum is 0.
    let clean = |h: f64| if h.abs() < 1e-6 { 0.0 } else { h };
    let mut found = Hyperplane {
        h: (0..p).map(|j| clean(x[j] - x[p + j])).collect(),
        g: x[columns.g()],
    };
    found.scale(points);
    Some(found)
}

/// The values of all points first, which are equalities.
fn constraints(points: &Points, held: &[Held], columns: &Columns) -> Rows {
    let (mut rows, p) = (Rows::default(), columns.p);
    let (g, largest) = (columns.g(), columns.largest());
    for i in 0..points.len() {
        let used = points.x(i).iter().enumerate().filter(|(_, x)| **x != 0.0);
        let of_h = used.flat_map(|(j, x)| [(j, *x), (p + j, -x)]);
        rows.at_most(of_h.chain([(g, -1.0), (columns.value(i), 1.0)]), 0.0);
    }
    for i in 0..points.len() {
        rows.at_most([(columns.value(i), 1.0), (largest, -1.0)], 0.0);
        rows.at_most([(columns.value(i), -1.0), (largest, -1.0)], 0.0);
    }
    for (k, one) in held.iter().enumerate() {
        let value = (columns.value(one.point), -one.side);
        rows.at_most([value, (largest, one.level)], 0.0);
        rows.at_most([value, (columns.slack(k), -1.0)], -1.0);
        rows.at_most([(columns.slack(k), -1.0)], 0.0);
    }
    (0..2 * p).for_each(|j| rows.at_most([(j, -1.0)], 0.0));
    rows.at_most([(largest, -1.0)], -1.0);
    rows
}

#[cfg(test)]
mod tests {
    use super::super::oblique::Paths;
    use super::*;
    use crate::stop::StopFlag;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    fn problem<'a>(points: &'a Points, paths: &'a Paths, margin: f64) -> Problem<'a> {
        Problem {
            points,
            paths,
            margin,
        }
    }

    fn closing(norm_penalty: f64, slack_cost: f64) -> Closing {
        Closing {
            norm_penalty,
            slack_cost,
        }
    }

    #[test]
    fn no_weight_becomes_wrong_whatever_slack_costs() {
        let mut moved = 0;
        for seed in 0..30 {
            let mut rng = Pcg64::new(seed, 8);
            let (n, p) = (40, 3);
            let x: Vec<f64> = (0..n * p).map(|_| rng.random_range(0.0..1.0)).collect();
            let codes: Vec<u32> = (0..n).map(|_| rng.random_range(0..3)).collect();
            let points = Points::merge(&x, p, &codes, &vec![1.0; n], 3);
            let paths = Paths::new(2);
            let problem = problem(&points, &paths, 0.02);
            let mut tree = super::super::improve::random_tree(&problem, &mut rng);
            tree.splits
                .iter_mut()
                .for_each(|split| split.scale(&points));
            tree.relabel(&points);
            let before = weights_wrong(&problem, &tree);
            for slack_cost in [0.1, 10.0, 1000.0] {
                let how = closing([0.0, 3.0][seed as usize % 2], slack_cost);
                let closed = widen(&problem, &tree, how, &Stop::default());
                let after = weights_wrong(&problem, &closed);
                assert!(after.0 <= before.0 && after.1 <= before.1);
                moved += usize::from(closed != tree);
            }
        }
        assert!(moved > 60, "{moved}");
    }

    /// Where a split of points on a line turns over.
    fn threshold(slack_cost: f64) -> f64 {
        let x = [0.0, 0.05, 0.1, 0.2, 0.9, 0.95, 1.0];
        let points = Points::merge(&x, 1, &[0, 0, 0, 1, 1, 1, 1], &[1.0; 7], 2);
        let paths = Paths::new(1);
        let tree = ObliqueTree {
            splits: vec![Hyperplane {
                h: vec![1.2],
                g: 0.2,
            }],
            labels: vec![0, 1],
        };
        let how = closing(0.0, slack_cost);
        let closed = widen(
            &problem(&points, &paths, 0.01),
            &tree,
            how,
            &Stop::default(),
        );
        assert_eq!(closed.errors(&points), 0.0);
        closed.splits[0].g / closed.splits[0].h[0]
    }

    #[test]
    fn once_stopped_every_split_stays() {
        let points = Points::merge(&[0.0, 0.5, 1.0], 1, &[0, 0, 0], &[1.0; 3], 2);
        let paths = Paths::new(1);
        let problem = problem(&points, &paths, 0.01);
        let splits = vec![Hyperplane {
            h: vec![0.1],
            g: 1.0,
        }];
        let labels = vec![0, 1];
        let tree = ObliqueTree { splits, labels };
        let flag = StopFlag::default();
        let stop = Stop::new(&flag, None);
        // All points are left of it, so that it would be a split without features.
        assert_ne!(widen(&problem, &tree, closing(0.0, 10.0), &stop), tree);
        flag.raise();
        assert_eq!(widen(&problem, &tree, closing(0.0, 10.0), &stop), tree);
    }

    #[test]
    fn dear_slack_leaves_a_split_half_way_between_the_nearest_and_cheap_slack_between_all() {
        let (dear, cheap) = (threshold(1e6), threshold(10.0));
        assert!((dear - 0.15).abs() < 1e-4, "{dear}");
        assert!(dear + 0.02 < cheap && cheap < 0.2, "{cheap}");
    }
}
