//! Balanced selection, the linear relaxation of algorithm 2: few rows that cover many.

use super::extreme_points::{check_shape, extreme_points};
use crate::data::finite::check_finite;
use crate::data::{Rows, Scaling, ScalingKind};
use crate::status::SolveStatus;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::{FitError, InputError};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
    ZeroConeT,
};

/// Rows at most: (9) has a variable for every pair of them.
const MAX_BALANCED_ROWS: usize = 100;

/// Shares closer to 0 or 1 than this are 0 or 1; the solver is exact to about 1e-8.
pub(super) const INTEGRAL_WITHIN: f64 = 1e-6;

/// The optimum of relaxation (9).
#[derive(Clone, Debug, PartialEq)]
pub struct BalancedRelaxation {
    /// a: how far each row is selected, 0…1.
    pub selected: Vec<f64>,
    /// b: how far each row is covered by selected rows, 0…1.
    pub covered: Vec<f64>,
    /// Σ (b_i − a_i).
    pub objective: f64,
    /// Whether the solver ended at the optimum, not at a limit of its own or at the time limit.
    pub solved: bool,
    /// [`Completed`](SolveStatus::Completed), or [`TimeLimit`](SolveStatus::TimeLimit).
    pub status: SolveStatus,
}

/// What algorithm 2 does with a row after the relaxation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalancedChoice {
    /// b = 0: it cannot be covered.
    NotCovered,
    /// b = 1: it is covered and left out.
    Covered,
    /// In between: left to the 0–1 program (6).
    Ambiguous,
}

impl BalancedRelaxation {
    /// What the relaxation decides of each row.
    pub fn choices(&self) -> Vec<BalancedChoice> {
        let choice = |b: &f64| match *b {
            b if b < INTEGRAL_WITHIN => BalancedChoice::NotCovered,
            b if b > 1.0 - INTEGRAL_WITHIN => BalancedChoice::Covered,
            _ => BalancedChoice::Ambiguous,
        };
        self.covered.iter().map(choice).collect()
    }
}

/// Solves the linear relaxation of balanced selection,
///
/// ```text
/// max  Σ_i (b_i − a_i)
/// s.t. b_j x_j = Σ_{i≠j} λ_ji x_i,  Σ_{i≠j} λ_ji = b_j,
///      0 ≤ λ_ji ≤ a_i,  a_j + b_j ≤ 1,                                            (9)
/// ```
///
/// by Clarabel's interior-point method. It has N² variables: 100 rows are taken at most. Where the time limit of
/// `stop` is reached the answer is that nothing is selected and nothing covered, which obeys the constraints.
pub fn balanced_relaxation<'a>(
    rows: impl Into<Rows<'a>>,
    stop: &Stop,
) -> Result<BalancedRelaxation, FitError> {
    let rows = rows.into();
    let nothing = BalancedRelaxation {
        selected: vec![0.0; rows.len()],
        covered: vec![0.0; rows.len()],
        objective: 0.0,
        solved: false,
        status: SolveStatus::TimeLimit,
    };
    on_checked(rows, stop, nothing, |cluster, stop| {
        let found = cluster.relax(&Fixed::none(cluster.n), stop)?;
        Ok(found.expect("selecting nothing is feasible"))
    })
}

/// Answers a question about rows that a program can be made of, in one thread; `late` where the time limit is
/// reached first.
pub(super) fn on_checked<T: Send>(
    rows: Rows<'_>,
    stop: &Stop,
    late: T,
    answer: impl FnOnce(&BalancedCluster, &Stop) -> Result<T, Stopped> + Send,
) -> Result<T, FitError> {
    check_shape(&rows)?;
    if rows.len() > MAX_BALANCED_ROWS {
        return Err(FitError::Input(InputError::Setting {
            name: "X",
            expected: "at most 100 rows, since the program has a variable for each pair",
            got: format!("{} rows", rows.len()),
        }));
    }
    in_pool(Some(1), || {
        check_finite(&rows)?;
        let answered = BalancedCluster::new(&rows, stop).and_then(|made| answer(&made, stop));
        match answered {
            Err(Stopped::Cancelled) => Err(FitError::Cancelled),
            Err(Stopped::TimeLimit) => Ok(late),
            Ok(answer) => Ok(answer),
        }
    })?
}

/// What branching has decided of each row: a, and b.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    pub selected: Vec<Option<bool>>,
    pub covered: Vec<Option<bool>>,
}

impl Fixed {
    /// Nothing.
    pub fn none(n: usize) -> Self {
        Self {
            selected: vec![None; n],
            covered: vec![None; n],
        }
    }
}

/// The rows of one cluster, features scaled to \[0, 1\].
pub(super) struct BalancedCluster {
    pub n: usize,
    /// d columns of n.
    columns: Vec<Vec<f64>>,
    /// Rows in the hull of the others.
    coverable: Vec<usize>,
}

impl BalancedCluster {
    fn new(rows: &Rows<'_>, stop: &Stop) -> Result<Self, Stopped> {
        let n = rows.len();
        let scaling = Scaling::learn_unless_stopped(ScalingKind::MinMax, *rows, None, stop)?;
        let columns: Vec<Vec<f64>> = (0..rows.features())
            .map(|k| {
                let mut column = rows.column(k);
                scaling.features[k].apply_to(&mut column);
                column
            })
            .collect();
        // Only rows in the hull of the others can be covered; rows of one value cover each other.
        let covering = extreme_points(rows, 0.0, stop)?;
        stop.check()?;
        let repeated = |j: usize| (0..n).any(|i| i != j && columns.iter().all(|c| c[i] == c[j]));
        let coverable: Vec<usize> = (0..n)
            .filter(|j| covering.covered[*j] || repeated(*j))
            .collect();
        Ok(Self {
            n,
            columns,
            coverable,
        })
    }

    /// The optimum of (9) under what is decided; none if nothing obeys that.
    pub fn relax(&self, fixed: &Fixed, stop: &Stop) -> Result<Option<BalancedRelaxation>, Stopped> {
        let n = self.n;
        let program = Program::new(self, fixed);
        let settings = DefaultSettings {
            verbose: false,
            ..DefaultSettings::default()
        };
        let nothing = CscMatrix::zeros((program.variables(), program.variables()));
        let mut solver = DefaultSolver::new(
            &nothing,
            &program.costs,
            &program.matrix,
            &program.right,
            &program.cones,
            settings,
        )
        .expect("a program of matching sizes");
        let polled = stop.clone();
        solver.set_termination_callback(move |_: &DefaultInfo<f64>| polled.check().is_err());
        solver.solve();
        stop.check()?;
        let solution = &solver.solution;
        let infeasible = [
            SolverStatus::PrimalInfeasible,
            SolverStatus::AlmostPrimalInfeasible,
        ];
        if infeasible.contains(&solution.status) {
            return Ok(None);
        }
        let unit = |x: f64| x.clamp(0.0, 1.0);
        let mut covered = vec![0.0; n];
        for (weights, j) in solution.x[n..]
            .chunks_exact((n - 1).max(1))
            .zip(&self.coverable)
        {
            covered[*j] = unit(weights.iter().sum());
        }
        Ok(Some(BalancedRelaxation {
            selected: solution.x[..n].iter().map(|a| unit(*a)).collect(),
            covered,
            objective: -solution.obj_val,
            solved: solution.status == SolverStatus::Solved,
            status: SolveStatus::Completed,
        }))
    }
}

/// Of some rows what is decided: their places among them, and 0 or 1.
fn decided(of: &[Option<bool>], rows: &[usize]) -> Vec<(usize, f64)> {
    let known = rows.iter().enumerate();
    known
        .filter_map(|(place, i)| Some((place, f64::from(of[*i]?))))
        .collect()
}

/// (9) in the variables a, then λ_j of each coverable row j, b_j being Σ_i λ_ji:
/// min costs·x with right − matrix·x zero in the first rows and not negative in the others.
struct Program {
    costs: Vec<f64>,
    matrix: CscMatrix<f64>,
    right: Vec<f64>,
    cones: [clarabel::solver::SupportedConeT<f64>; 2],
}

impl Program {
    fn new(cluster: &BalancedCluster, fixed: &Fixed) -> Self {
        let (n, columns, coverable) = (cluster.n, &cluster.columns, &cluster.coverable);
        let (d, m) = (columns.len(), coverable.len());
        let pairs = m * (n - 1);
        let all: Vec<usize> = (0..n).collect();
        let of_a = decided(&fixed.selected, &all);
        let of_b = decided(&fixed.covered, coverable);
        let (first_a, first_b) = (m * d, m * d + of_a.len());
        let equations = first_b + of_b.len();
        // Rows: m·d equations, what is decided of a and b, a ≥ 0, λ ≥ 0, λ_ji ≤ a_i, a_j + Σ_i λ_ji ≤ 1.
        let (positive, weights) = (equations, equations + n);
        let (below, total) = (weights + pairs, weights + 2 * pairs);
        let others = |j: usize| (0..n).filter(move |i| *i != j);
        let mut of_selected: Vec<Vec<(usize, f64)>> =
            (0..n).map(|i| vec![(positive + i, -1.0)]).collect();
        for (k, (i, _)) in of_a.iter().enumerate() {
            of_selected[*i].push((first_a + k, 1.0));
        }
        let mut of_weights: Vec<Vec<(usize, f64)>> = Vec::with_capacity(pairs);
        for (c, j) in coverable.iter().enumerate() {
            let place = of_b.iter().position(|(place, _)| *place == c);
            for i in others(*j) {
                let pair = of_weights.len();
                let mut entries: Vec<(usize, f64)> = (0..d)
                    .map(|k| (c * d + k, columns[k][i] - columns[k][*j]))
                    .filter(|(_, x)| *x != 0.0)
                    .collect();
                entries.extend([
                    (weights + pair, -1.0),
                    (below + pair, 1.0),
                    (total + c, 1.0),
                ]);
                entries.extend(place.map(|k| (first_b + k, 1.0)));
                of_weights.push(entries);
                of_selected[i].push((below + pair, -1.0));
            }
            of_selected[*j].push((total + c, 1.0));
        }
        let mut right = vec![0.0; total + m];
        right[total..].fill(1.0);
        for (row, (_, value)) in (first_a..).zip(of_a.iter().chain(&of_b)) {
            right[row] = *value;
        }
        let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for mut entries in of_selected.into_iter().chain(of_weights) {
            entries.sort_unstable_by_key(|(row, _)| *row);
            places.extend(entries.iter().map(|(row, _)| *row));
            values.extend(entries.iter().map(|(_, value)| *value));
            starts.push(places.len());
        }
        Self {
            costs: [vec![1.0; n], vec![-1.0; pairs]].concat(),
            matrix: CscMatrix::new(total + m, n + pairs, starts, places, values),
            right,
            cones: [
                ZeroConeT(equations),
                NonnegativeConeT(total + m - equations),
            ],
        }
    }

    fn variables(&self) -> usize {
        self.costs.len()
    }
}
