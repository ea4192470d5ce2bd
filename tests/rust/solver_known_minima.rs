//! Does projected L-BFGS find minima that are known, and say truly why it stopped?

use argmin::core::observers::Observe;
use argmin::core::{Error, IterState, KV, State};
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::solver::Objective;
use softwood::solver::{
    Bounds, Face, Group, LbfgsSettings, Outcome, SimpleTerm, SparsityTerm, minimize,
};
use softwood::status::SolveStatus;
use softwood::stop::{Interrupted, SourceError};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

type LbfgsState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// f(x) and ∇f(x) as a function.
struct Function<F>(usize, F);

impl<F: Fn(&[f64], &mut [f64]) -> f64 + Sync> Objective for Function<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        Ok((self.1)(x, gradient))
    }
}

/// Another objective that is stopped at evaluation `at`.
struct StopsAt<O> {
    objective: O,
    at: u64,
    why: Interrupted,
    evaluations: AtomicU64,
}

impl<O: Objective> Objective for StopsAt<O> {
    fn dim(&self) -> usize {
        self.objective.dim()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        if self.evaluations.fetch_add(1, Ordering::Relaxed) + 1 >= self.at {
            return Err(self.why.clone());
        }
        self.objective.value_and_gradient(x, gradient)
    }
}

/// Keeps every iterate with its value.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<Iterate>>>);

struct Iterate {
    x: Vec<f64>,
    value: f64,
}

impl Observe<LbfgsState> for Record {
    fn observe_iter(&mut self, state: &LbfgsState, _: &KV) -> Result<(), Error> {
        let x = state.get_param().expect("an iterate").clone();
        self.0.lock().unwrap().push(Iterate {
            x,
            value: state.get_cost(),
        });
        Ok(())
    }
}

const TIGHT: LbfgsSettings = LbfgsSettings {
    projected_gradient_tol: 1e-9,
    stall_tol: 0.0,
    memory: 10,
    max_iterations: 5000,
};

/// Minimizes and checks what holds for every run: iterates stay in the set, values never rise.
fn run(
    objective: impl Objective,
    term: impl SimpleTerm + Clone,
    start: &[f64],
    settings: &LbfgsSettings,
) -> Outcome {
    let record = Record::default();
    let outcome = minimize(
        objective,
        term.clone(),
        start.to_vec(),
        settings,
        Some(record.clone()),
    )
    .unwrap();
    let iterates = record.0.lock().unwrap();
    assert_eq!(iterates.len() as u64, outcome.work.iterations);
    for Iterate { x, .. } in iterates.iter() {
        let mut projected = x.clone();
        term.prox(&mut projected, 0.0);
        assert!(
            x.iter()
                .zip(&projected)
                .all(|(x, p)| (x - p).abs() <= 1e-15),
            "{x:?} is not feasible"
        );
    }
    assert!(
        iterates.windows(2).all(|w| w[1].value <= w[0].value),
        "values never rise"
    );
    assert!(outcome.work.evaluations > outcome.work.iterations.min(1));
    outcome
}

fn assert_near(x: &[f64], expected: &[f64], tolerance: f64) {
    let near = x
        .iter()
        .zip(expected)
        .all(|(x, e)| (x - e).abs() <= tolerance);
    assert!(
        near && x.len() == expected.len(),
        "{x:?} against {expected:?}"
    );
}

fn rosenbrock() -> impl Objective {
    Function(2, |x: &[f64], g: &mut [f64]| {
        let valley = x[1] - x[0] * x[0];
        g[0] = -2.0 * (1.0 - x[0]) - 400.0 * x[0] * valley;
        g[1] = 200.0 * valley;
        (1.0 - x[0]).powi(2) + 100.0 * valley * valley
    })
}

fn beale() -> impl Objective {
    Function(2, |x: &[f64], g: &mut [f64]| {
        g.fill(0.0);
        let mut value = 0.0;
        for (power, constant) in [(1, 1.5), (2, 2.25), (3, 2.625)] {
            let y = x[1].powi(power);
            let r = constant - x[0] + x[0] * y;
            value += r * r;
            g[0] += 2.0 * r * (y - 1.0);
            g[1] += 2.0 * r * x[0] * f64::from(power) * x[1].powi(power - 1);
        }
        value
    })
}

fn himmelblau() -> impl Objective {
    Function(2, |x: &[f64], g: &mut [f64]| {
        let (a, b) = (x[0] * x[0] + x[1] - 11.0, x[0] + x[1] * x[1] - 7.0);
        g[0] = 4.0 * x[0] * a + 2.0 * b;
        g[1] = 2.0 * a + 4.0 * x[1] * b;
        a * a + b * b
    })
}

#[test]
fn rosenbrock_within_loose_bounds() {
    for start in [[-1.2, 1.0], [2.0, -2.0], [-2.0, -2.0], [0.0, 0.0]] {
        let outcome = run(rosenbrock(), Bounds::all(-2.0, 2.0), &start, &TIGHT);
        assert_eq!(outcome.status, SolveStatus::Converged, "{outcome:?}");
        assert_near(&outcome.x, &[1.0, 1.0], 1e-6);
    }
}

#[test]
fn rosenbrock_with_a_bound_that_holds() {
    for start in [[-1.2, 0.4], [0.5, -2.0], [-2.0, 0.5]] {
        let outcome = run(rosenbrock(), Bounds::all(-2.0, 0.5), &start, &TIGHT);
        assert_eq!(outcome.status, SolveStatus::Converged, "{outcome:?}");
        assert_eq!(outcome.x[0], 0.5, "bounds are hit exactly");
        assert_near(&outcome.x, &[0.5, 0.25], 1e-8);
        assert!((outcome.value - 0.25).abs() < 1e-12);
    }
    // The valley x₁ = x₀² meets the bound x₀ = 1.5 at 2.25.
    let outcome = run(rosenbrock(), Bounds::all(1.5, 3.0), &[3.0, 3.0], &TIGHT);
    assert_near(&outcome.x, &[1.5, 2.25], 1e-7);
    assert_eq!(outcome.x[0], 1.5);
}

#[test]
fn beale_and_himmelblau() {
    for start in [[1.0, 0.8], [4.0, -1.0], [0.0, 0.0]] {
        let outcome = run(beale(), Bounds::all(-4.5, 4.5), &start, &TIGHT);
        assert_near(&outcome.x, &[3.0, 0.5], 1e-6);
    }
    for start in [[0.5, 0.5], [5.0, 5.0], [4.0, 1.0]] {
        let outcome = run(himmelblau(), Bounds::all(0.0, 5.0), &start, &TIGHT);
        assert_near(&outcome.x, &[3.0, 2.0], 1e-6);
    }
    // Another minimum lies on the bound x₀ = 0, where 2x₁³ − 13x₁ − 11 = 0.
    let outcome = run(himmelblau(), Bounds::all(0.0, 5.0), &[0.0, 5.0], &TIGHT);
    let y = outcome.x[1];
    assert_eq!(outcome.x[0], 0.0);
    assert!((2.0 * y.powi(3) - 13.0 * y - 11.0).abs() < 1e-6, "{y}");
    // Below 1 both derivatives are negative all the way: the corner.
    let outcome = run(himmelblau(), Bounds::all(0.0, 1.0), &[0.2, 0.7], &TIGHT);
    assert_eq!(outcome.x, [1.0, 1.0]);
    assert_eq!(
        (outcome.status, outcome.optimality),
        (SolveStatus::Converged, 0.0)
    );
}

/// ½xᵀQx − bᵀx.
fn quadratic(q: Vec<f64>, b: Vec<f64>) -> impl Objective {
    let n = b.len();
    Function(n, move |x: &[f64], g: &mut [f64]| {
        for (g, (row, b)) in g.iter_mut().zip(q.chunks_exact(n).zip(&b)) {
            *g = row.iter().zip(x).map(|(q, x)| q * x).sum::<f64>() - b;
        }
        x.iter()
            .zip(g.iter().zip(&b))
            .map(|(x, (g, b))| 0.5 * x * (g - b))
            .sum()
    })
}

/// A random positive definite Q: diagonal from 1 to `condition` plus a few outer products.
fn positive_definite(rng: &mut Pcg64, n: usize, condition: f64) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    for i in 0..n {
        q[i * n + i] = condition.powf(rng.random_range(0.0..1.0));
    }
    for _ in 0..3 {
        let v: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        for (i, q) in q.iter_mut().enumerate() {
            *q += v[i / n] * v[i % n];
        }
    }
    q
}

fn product(q: &[f64], x: &[f64]) -> Vec<f64> {
    q.chunks_exact(x.len())
        .map(|row| row.iter().zip(x).map(|(q, x)| q * x).sum())
        .collect()
}

#[derive(Clone, Copy)]
struct UnitBall;

impl SimpleTerm for UnitBall {
    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn prox(&self, x: &mut [f64], _: f64) {
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 1.0 {
            x.iter_mut().for_each(|x| *x /= norm);
        }
    }

    fn face(&self, _: &[f64], gradient: &[f64]) -> Face {
        Face {
            slope: gradient.to_vec(),
            free: vec![true; gradient.len()],
            ties: Vec::new(),
        }
    }

    fn retract(&self, _: &[f64], _: &Face, x: &mut [f64]) {
        self.prox(x, 1.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// b = Qx* − λ with multipliers λ ≥ 0 at lower and ≤ 0 at upper bounds makes x* the solution.
    #[test]
    fn convex_quadratics_in_a_box(seed in any::<u64>(), n in 1usize..30) {
        let mut rng = Pcg64::new(u128::from(seed), 0);
        let q = positive_definite(&mut rng, n, 100.0);
        let (mut solution, mut b) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            (solution[i], b[i]) = match rng.random_range(0..3) {
                0 => (-1.0, -rng.random_range(0.1..5.0)),
                1 => (1.0, rng.random_range(0.1..5.0)),
                _ => (rng.random_range(-0.9..0.9), 0.0),
            };
        }
        product(&q, &solution).iter().zip(&mut b).for_each(|(q, b)| *b += q);
        let start: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let outcome = run(quadratic(q, b), Bounds::all(-1.0, 1.0), &start, &TIGHT);
        for (x, expected) in outcome.x.iter().zip(&solution) {
            prop_assert!((x - expected).abs() < 1e-6, "{:?} against {:?}", outcome, solution);
            prop_assert!(expected.abs() < 1.0 || x == expected, "bounds are hit exactly");
        }
    }

    /// A set whose constraint couples all coordinates: b = (Q + λ)x* with ‖x*‖ = 1, λ ≥ 0.
    #[test]
    fn convex_quadratics_in_a_ball(seed in any::<u64>(), n in 2usize..10) {
        let mut rng = Pcg64::new(u128::from(seed), 0);
        let q = positive_definite(&mut rng, n, 10.0);
        let mut solution: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let norm = solution.iter().map(|x| x * x).sum::<f64>().sqrt();
        solution.iter_mut().for_each(|x| *x /= norm);
        let multiplier = rng.random_range(0.5..5.0);
        let b: Vec<f64> = product(&q, &solution).iter().zip(&solution).map(|(q, x)| q + multiplier * x).collect();
        let outcome = run(quadratic(q, b), UnitBall, &vec![0.0; n], &TIGHT);
        prop_assert!(outcome.optimality < 1e-6, "{:?} against {:?}", outcome, solution);
        for (x, expected) in outcome.x.iter().zip(&solution) {
            prop_assert!((x - expected).abs() < 1e-5, "{:?} against {:?}", outcome, solution);
        }
    }
}

#[test]
fn a_start_outside_the_bounds_is_brought_in() {
    let outcome = run(rosenbrock(), Bounds::all(-2.0, 2.0), &[50.0, -50.0], &TIGHT);
    assert_near(&outcome.x, &[1.0, 1.0], 1e-6);
}

#[test]
fn a_stationary_start_is_the_answer() {
    let outcome = run(rosenbrock(), Bounds::all(-2.0, 2.0), &[1.0, 1.0], &TIGHT);
    assert_eq!(
        (
            outcome.status,
            outcome.work.iterations,
            outcome.work.evaluations
        ),
        (SolveStatus::Converged, 0, 1)
    );
    assert_eq!((outcome.x, outcome.value), (vec![1.0, 1.0], 0.0));
}

#[test]
fn the_iteration_limit_is_kept_and_told() {
    let settings = LbfgsSettings {
        max_iterations: 3,
        ..TIGHT
    };
    let outcome = run(
        rosenbrock(),
        Bounds::all(-2.0, 2.0),
        &[-1.2, 1.0],
        &settings,
    );
    assert_eq!(
        (outcome.status, outcome.work.iterations),
        (SolveStatus::IterationLimit, 3)
    );
    let mut gradient = [0.0; 2];
    let value = rosenbrock()
        .value_and_gradient(&outcome.x, &mut gradient)
        .unwrap();
    assert_eq!(value, outcome.value);
    assert!(value < 24.2, "better than the start");
}

#[test]
fn stopped_in_the_middle_the_best_point_is_kept() {
    let cases = [
        (Interrupted::Cancelled, SolveStatus::Cancelled),
        (Interrupted::TimeLimit, SolveStatus::TimeLimit),
    ];
    for (why, status) in cases {
        let mut last = f64::INFINITY;
        for at in [2, 5, 10, 20] {
            let objective = StopsAt {
                objective: rosenbrock(),
                at,
                why: why.clone(),
                evaluations: AtomicU64::new(0),
            };
            let outcome = run(objective, Bounds::all(-2.0, 2.0), &[-1.2, 1.0], &TIGHT);
            assert_eq!(outcome.status, status);
            let mut gradient = [0.0; 2];
            let value = rosenbrock()
                .value_and_gradient(&outcome.x, &mut gradient)
                .unwrap();
            assert_eq!(value, outcome.value);
            let residual = outcome
                .x
                .iter()
                .zip(gradient)
                .map(|(x, g)| ((x - g).clamp(-2.0, 2.0) - x).abs());
            assert_eq!(residual.fold(0.0, f64::max), outcome.optimality);
            assert!(value <= last, "more evaluations, no worse");
            last = value;
        }
    }
}

#[test]
fn stopped_before_the_first_evaluation_there_is_no_answer() {
    for why in [Interrupted::Cancelled, Interrupted::TimeLimit] {
        let objective = StopsAt {
            objective: rosenbrock(),
            at: 1,
            why: why.clone(),
            evaluations: AtomicU64::new(0),
        };
        let bounds = Bounds::all(-2.0, 2.0);
        let outcome = minimize(objective, bounds, vec![0.0, 0.0], &TIGHT, None::<Record>);
        assert_eq!(outcome.unwrap_err(), why);
    }
}

#[test]
fn rows_that_cannot_be_had_leave_no_answer_at_any_time() {
    for at in [1, 2, 5, 20] {
        let why = Interrupted::Source(SourceError::new("the file ended early"));
        let objective = StopsAt {
            objective: rosenbrock(),
            at,
            why: why.clone(),
            evaluations: AtomicU64::new(0),
        };
        let bounds = Bounds::all(-2.0, 2.0);
        let outcome = minimize(objective, bounds, vec![-1.2, 1.0], &TIGHT, None::<Record>);
        assert_eq!(outcome.unwrap_err(), why);
    }
}

#[test]
fn a_flat_function_ends_at_once() {
    let flat = Function(3, |_: &[f64], g: &mut [f64]| {
        g.fill(0.0);
        7.0
    });
    let outcome = run(flat, Bounds::all(-1.0, 1.0), &[0.5, -0.5, 1.0], &TIGHT);
    assert_eq!(
        (outcome.status, outcome.work.iterations),
        (SolveStatus::Converged, 0)
    );
    assert_eq!(outcome.x, [0.5, -0.5, 1.0]);
}

#[test]
fn a_gradient_that_lies_ends_as_stalled() {
    // The gradient points uphill: no step can lower the value.
    let lying = Function(1, |x: &[f64], g: &mut [f64]| {
        g[0] = -1.0;
        x[0]
    });
    let outcome = run(lying, Bounds::all(-1.0, 1.0), &[0.0], &TIGHT);
    assert_eq!((outcome.status, outcome.x[0]), (SolveStatus::Stalled, 0.0));
}

/// A random h, a point x* and an element of ∂h(x*): zeros, ties at the top, values below it, bounds.
fn penalized_solution(rng: &mut Pcg64, groups: usize) -> (SparsityTerm, Vec<f64>, Vec<f64>) {
    let size = 4;
    let n = groups * size + 2; // the last two coordinates have bounds alone
    let mut term = SparsityTerm {
        bounds: Bounds::all(-1.0, 1.0),
        local: vec![0.0; n],
        groups: Vec::new(),
    };
    let (mut x, mut subgradient) = (vec![0.0; n], vec![0.0; n]);
    for g in 0..groups {
        let members: Vec<usize> = (g * size..(g + 1) * size).collect();
        let weight = rng.random_range(0.1..2.0);
        for i in &members {
            term.local[*i] = [0.0, 0.5, 1.0][rng.random_range(0..3)];
        }
        let signs: Vec<f64> = members
            .iter()
            .map(|_| if rng.random() { 1.0 } else { -1.0 })
            .collect();
        match rng.random_range(0..4) {
            // All 0: the ℓ1 part takes up to its weight, the ℓ∞ part shares out less than its own.
            0 => {
                for (i, sign) in members.iter().zip(&signs) {
                    let inside = rng.random_range(0.0..0.9);
                    subgradient[*i] = sign * (inside * term.local[*i] + 0.2 * weight);
                }
            }
            // Two tied at the top (at the bound in one case), one below, one 0.
            case => {
                let top = if case == 1 {
                    1.0
                } else {
                    rng.random_range(0.2..0.9)
                };
                let push = if case == 1 {
                    rng.random_range(0.0..3.0)
                } else {
                    0.0
                };
                let values = [top, top, 0.5 * top, 0.0];
                let shares = [0.3, 0.7, 0.0, 0.0];
                for (k, i) in members.iter().enumerate() {
                    x[*i] = signs[k] * values[k];
                    let local = if values[k] > 0.0 {
                        1.0
                    } else {
                        rng.random_range(-0.9..0.9)
                    };
                    let outwards = if k == 0 { push } else { 0.0 };
                    subgradient[*i] =
                        signs[k] * (local * term.local[*i] + shares[k] * weight + outwards);
                }
            }
        }
        term.groups.push(Group {
            weight,
            members,
            floor: 0.0,
        });
    }
    (x[n - 2], subgradient[n - 2]) = (rng.random_range(-0.9..0.9), 0.0);
    (x[n - 1], subgradient[n - 1]) = (-1.0, -rng.random_range(0.1..3.0));
    (term, x, subgradient)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// b = Qx* + s with s ∈ ∂h(x*) makes x* the minimizer of ½xᵀQx − bᵀx + h(x): it is found with
    /// exactly its zeros and ties.
    #[test]
    fn convex_quadratics_with_penalties(seed in any::<u64>(), groups in 1usize..6) {
        let mut rng = Pcg64::new(u128::from(seed), 1);
        let (term, solution, subgradient) = penalized_solution(&mut rng, groups);
        let n = solution.len();
        let q = positive_definite(&mut rng, n, 100.0);
        let mut b = subgradient;
        product(&q, &solution).iter().zip(&mut b).for_each(|(q, b)| *b += q);
        let start: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let outcome = run(quadratic(q, b), term.clone(), &start, &TIGHT);
        assert_near(&outcome.x, &solution, 1e-6);
        for group in &term.groups {
            let unused = group.members.iter().all(|i| solution[*i] == 0.0);
            for i in &group.members {
                // Below a group's top only the ℓ1 part has a kink at 0.
                if unused || term.local[*i] > 0.0 {
                    prop_assert_eq!(outcome.x[*i] == 0.0, solution[*i] == 0.0, "zeros are exact");
                }
            }
            let (first, second) = (group.members[0], group.members[1]);
            prop_assert_eq!(outcome.x[first].abs(), outcome.x[second].abs(), "ties are exact");
        }
    }

    /// prox(x) minimizes h(z) + ‖z − x‖²/(2·step): no nearby feasible point does better.
    #[test]
    fn the_proximal_map_minimizes(seed in any::<u64>(), step in 0.01..2.0f64) {
        let mut rng = Pcg64::new(u128::from(seed), 2);
        let (term, _, _) = penalized_solution(&mut rng, 3);
        let x: Vec<f64> = term.local.iter().map(|_| rng.random_range(-2.0..2.0)).collect();
        let total = |z: &[f64]| {
            let distance: f64 = z.iter().zip(&x).map(|(z, x)| (z - x).powi(2)).sum();
            term.value(z) + distance / (2.0 * step)
        };
        let mut best = x.clone();
        term.prox(&mut best, step);
        prop_assert!(best.iter().all(|z| z.abs() <= 1.0));
        let least = total(&best);
        for _ in 0..200 {
            let size = 10f64.powi(-rng.random_range(0..5));
            let other: Vec<f64> = best
                .iter()
                .map(|z| (z + size * rng.random_range(-1.0..1.0)).clamp(-1.0, 1.0))
                .collect();
            prop_assert!(total(&other) >= least - 1e-12);
        }
    }
}

#[test]
fn without_curvature_or_slope_a_penalized_run_ends() {
    // A tolerance of 0 is never met by rounding: the run must see for itself that nothing moves.
    let settings = LbfgsSettings {
        projected_gradient_tol: -1.0,
        ..TIGHT
    };
    let term = SparsityTerm {
        bounds: Bounds::all(-1.0, 1.0),
        local: vec![0.5, 0.0],
        groups: Vec::new(),
    };
    let tilted = Function(2, |x: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&[0.3, 1e-310]);
        0.3 * x[0]
    });
    let outcome = run(tilted, term, &[0.4, 0.2], &settings);
    assert_eq!(outcome.status, SolveStatus::Stalled);
    assert_eq!(outcome.x, [0.0, 0.2]);
}

#[test]
fn pairs_of_a_hardly_sloping_stretch_do_no_harm() {
    // Curvature of 1e-170: products of such pairs underflow.
    let settings = LbfgsSettings {
        projected_gradient_tol: -1.0,
        ..TIGHT
    };
    for exponent in [-120, -150, -165, -170, -190, -300] {
        let scale = f64::powi(10.0, exponent);
        let faint = Function(4, move |x: &[f64], g: &mut [f64]| {
            let mut value = 0.0;
            for (i, (x, g)) in x.iter().zip(g).enumerate() {
                let weight = scale * (1 + 3 * i) as f64;
                *g = weight * (x - 0.3);
                value += 0.5 * weight * (x - 0.3).powi(2);
            }
            value
        });
        let term = SparsityTerm {
            bounds: Bounds::all(-1.0, 1.0),
            local: vec![0.0; 4],
            groups: vec![Group {
                weight: 0.1 * scale,
                members: vec![0, 1, 2, 3],
                floor: 0.0,
            }],
        };
        let start = vec![0.9, -0.2, 0.5, 0.7];
        let outcome = minimize(faint, term, start, &settings, None::<Record>).unwrap();
        assert!(outcome.x.iter().all(|x| x.abs() <= 1.0), "{:?}", outcome.x);
    }
}
