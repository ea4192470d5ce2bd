//! Are proximal maps, faces and minima exact when every coordinate has bounds of its own?

use argmin::core::IterState;
use argmin::core::observers::Observe;
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::solver::{
    Bounds, Face, Group, Interval, LbfgsSettings, Objective, Outcome, SimpleTerm, SparsityTerm,
    minimize,
};
use softwood::stop::Interrupted;

/// Intervals around 0: symmetric, lopsided, one-sided, a point, the whole line. None ends at ±1, the
/// length of a solver's first step, from where that would reach 0 up to rounding.
fn interval(rng: &mut Pcg64) -> Interval {
    let ends = [0.0, 0.3, 0.5, 0.9, 2.0, f64::INFINITY];
    let mut end = || ends[rng.random_range(0..ends.len())];
    Interval::new(-end(), end())
}

/// Penalties on `n` coordinates: groups of up to three, some coordinates in none.
fn term(rng: &mut Pcg64, n: usize, bounds: Bounds) -> SparsityTerm {
    let mut groups = Vec::new();
    let mut next = rng.random_range(0..2);
    while next < n {
        let end = (next + rng.random_range(1..4)).min(n);
        groups.push(Group {
            weight: [1e-3, 0.2, 0.5, 1.0, 3.0][rng.random_range(0..5)],
            members: (next..end).collect(),
            floor: 0.0,
        });
        next = end + rng.random_range(0..2);
    }
    let local = (0..n).map(|_| [0.0, 0.0, 0.25, 1.0][rng.random_range(0..4)]);
    SparsityTerm {
        bounds,
        local: local.collect(),
        groups,
    }
}

fn random_term(rng: &mut Pcg64, n: usize) -> SparsityTerm {
    let bounds = (0..n).map(|_| interval(rng)).collect();
    term(rng, n, bounds)
}

/// h(z) + ‖z − v‖²/(2·step).
fn proximal_objective(term: &SparsityTerm, v: &[f64], step: f64, z: &[f64]) -> f64 {
    let distance: f64 = z.iter().zip(v).map(|(z, v)| (z - v).powi(2)).sum();
    term.value(z) + distance / (2.0 * step)
}

/// The best point of grids that close in on it, none of which uses anything but values.
fn closest_by_grids(term: &SparsityTerm, v: &[f64], step: f64) -> Vec<f64> {
    let n = v.len();
    let steps = 11usize;
    let mut center = vec![0.0; n];
    let mut half = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    while half > 1e-9 {
        let mut best = (f64::INFINITY, center.clone());
        for k in 0..steps.pow(n as u32) {
            let z: Vec<f64> = (0..n)
                .map(|i| {
                    let place = (k / steps.pow(i as u32) % steps) as f64 / (steps - 1) as f64;
                    let z = center[i] + half * (2.0 * place - 1.0);
                    term.bounds.of(i).nearest(z)
                })
                .collect();
            let value = proximal_objective(term, v, step, &z);
            if value < best.0 {
                best = (value, z);
            }
        }
        center = best.1;
        half *= 0.7;
    }
    center
}

#[test]
fn a_member_stopped_by_its_own_bound_spares_its_group_nothing() {
    let term = SparsityTerm {
        bounds: [Interval::new(-0.5, 0.5), Interval::new(-1.0, 1.0)]
            .into_iter()
            .collect(),
        local: vec![0.0; 2],
        groups: vec![Group {
            weight: 1.0,
            members: vec![0, 1],
            floor: 0.0,
        }],
    };
    for (v, expected) in [
        // Cut at the level that ignores the bounds, 9, both would end at theirs: (½, 1).
        ([10.0, 1.0], [0.5, 0.5]),
        ([-10.0, 1.0], [-0.5, 0.5]),
        ([10.0, 1.7], [0.5, 0.7]),
        ([10.0, 0.2], [0.5, 0.2]),
        ([0.9, 0.9], [0.4, 0.4]),
        ([0.1, 3.0], [0.1, 1.0]),
        ([0.1, 0.9], [0.0, 0.0]),
    ] {
        let mut z = v;
        term.prox(&mut z, 1.0);
        for (z, expected) in z.iter().zip(expected) {
            assert!(
                (z - expected).abs() < 1e-15,
                "{v:?} goes to {z}, not {expected}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// The proximal objective is strongly convex: its minimizer z* lies below every feasible z by at
    /// least ‖z − z*‖²/(2·step), and no other point does. Grids find a z next to the true minimizer.
    #[test]
    fn proximal_maps_are_exact(seed in any::<u64>(), n in 1usize..4, step in 0.05..3.0f64) {
        let mut rng = Pcg64::new(u128::from(seed), 3);
        let term = random_term(&mut rng, n);
        let v: Vec<f64> = (0..n).map(|_| rng.random_range(-4.0..4.0)).collect();
        let mut found = v.clone();
        term.prox(&mut found, step);
        let least = proximal_objective(&term, &v, step, &found);
        let lies_below = |z: &[f64]| {
            let apart: f64 = z.iter().zip(&found).map(|(a, b)| (a - b).powi(2)).sum();
            proximal_objective(&term, &v, step, z) - least >= apart / (2.0 * step) - 1e-11
        };
        for (i, z) in found.iter().enumerate() {
            prop_assert_eq!(term.bounds.of(i).nearest(*z), *z, "inside its bounds");
        }
        let by_grids = closest_by_grids(&term, &v, step);
        prop_assert!(lies_below(&by_grids), "{found:?} against {by_grids:?} for {v:?}, {term:?}");
        for _ in 0..300 {
            let size = 10f64.powi(-rng.random_range(0..6));
            let other: Vec<f64> = (0..n)
                .map(|i| term.bounds.of(i).nearest(found[i] + size * rng.random_range(-1.0..1.0)))
                .collect();
            prop_assert!(lies_below(&other), "{found:?} against {other:?} for {v:?}, {term:?}");
        }
    }

    /// prox_{εh}(x − ε∇f) leaves x against the slope of its face, for small ε: ties, zeros and bounds
    /// of x included.
    #[test]
    fn faces_slope_where_small_proximal_steps_go(seed in any::<u64>(), n in 1usize..8) {
        let mut rng = Pcg64::new(u128::from(seed), 4);
        let term = random_term(&mut rng, n);
        let size = [0.3, 0.5, 0.9][rng.random_range(0..3)];
        let at = |_| [0.0, size, -size, 0.2, 5.0][rng.random_range(0..5)];
        let mut x: Vec<f64> = (0..n).map(at).collect();
        term.prox(&mut x, 0.0);
        let gradient: Vec<f64> = (0..n)
            .map(|_| [0.0, 0.5, -0.5, 2.0, rng.random_range(-3.0..3.0)][rng.random_range(0..5)])
            .collect();
        let face = term.face(&x, &gradient);
        let epsilon = 1.0 / f64::powi(2.0, 20);
        let mut moved: Vec<f64> = x.iter().zip(&gradient).map(|(x, g)| x - epsilon * g).collect();
        term.prox(&mut moved, epsilon);
        for i in 0..n {
            let slope = (x[i] - moved[i]) / epsilon;
            prop_assert!(
                (face.slope[i] - slope).abs() < 1e-8,
                "coordinate {i} of {x:?} moves by {slope}, not {:?}: {gradient:?} {term:?}", face
            );
            prop_assert!(face.free[i] || face.slope[i] == 0.0, "held but sloping");
        }
        // A small step along the face is its own retraction, up to rounding.
        let mut along: Vec<f64> =
            x.iter().zip(&face.slope).map(|(x, s)| x - epsilon * s).collect();
        let wanted = along.clone();
        term.retract(&x, &face, &mut along);
        for (along, wanted) in along.iter().zip(&wanted) {
            prop_assert!((along - wanted).abs() < 1e-12, "{along} {wanted}");
        }
        // A long one stays inside, and what is tied stays tied.
        let mut far: Vec<f64> = x.iter().zip(&face.slope).map(|(x, s)| x - 3.0 * s).collect();
        term.retract(&x, &face, &mut far);
        for (i, far) in far.iter().enumerate() {
            prop_assert_eq!(term.bounds.of(i).nearest(*far), *far);
        }
        for tie in &face.ties {
            let Some((first, sign)) = tie.members.first() else {
                continue;
            };
            for (i, other) in &tie.members {
                prop_assert_eq!(sign * far[*first], other * far[*i]);
            }
        }
    }

    /// One interval for all and a list of equal ones give the same bits.
    #[test]
    fn equal_intervals_are_one_interval(seed in any::<u64>(), n in 1usize..8, step in 0.01..3.0f64) {
        let mut rng = Pcg64::new(u128::from(seed), 5);
        let one = interval(&mut rng);
        let same = term(&mut rng, n, Bounds::Same(one));
        let each = SparsityTerm { bounds: vec![one; n].into_iter().collect(), ..same.clone() };
        let v: Vec<f64> = (0..n).map(|_| rng.random_range(-3.0..3.0)).collect();
        let gradient: Vec<f64> = (0..n).map(|_| rng.random_range(-3.0..3.0)).collect();
        let trace = |term: &dyn SimpleTerm| {
            let mut x = v.clone();
            term.prox(&mut x, step);
            let Face { slope, free, ties } = term.face(&x, &gradient);
            let mut far: Vec<f64> = x.iter().zip(&slope).map(|(x, s)| x - 0.7 * s).collect();
            term.retract(&x, &Face { slope: slope.clone(), free, ties }, &mut far);
            [x, slope, far].concat().into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        prop_assert_eq!(trace(&same), trace(&each));
        prop_assert_eq!(trace(&same.bounds), trace(&each.bounds));
    }
}

/// ½xᵀQx − bᵀx.
struct Quadratic {
    q: Vec<f64>,
    b: Vec<f64>,
}

impl Objective for Quadratic {
    fn dim(&self) -> usize {
        self.b.len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let rows = self.q.chunks_exact(x.len());
        for ((g, row), b) in gradient.iter_mut().zip(rows).zip(&self.b) {
            *g = row.iter().zip(x).map(|(q, x)| q * x).sum::<f64>() - b;
        }
        let terms = x.iter().zip(gradient.iter().zip(&self.b));
        Ok(terms.map(|(x, (g, b))| 0.5 * x * (g - b)).sum())
    }
}

struct Silent;

impl Observe<IterState<Vec<f64>, Vec<f64>, (), (), (), f64>> for Silent {}

fn solve(objective: &Quadratic, term: &SparsityTerm, start: Vec<f64>) -> Outcome {
    let settings = LbfgsSettings {
        projected_gradient_tol: 1e-10,
        stall_tol: 0.0,
        memory: 10,
        max_iterations: 5000,
    };
    let objective = Quadratic {
        q: objective.q.clone(),
        b: objective.b.clone(),
    };
    minimize(objective, term.clone(), start, &settings, None::<Silent>).unwrap()
}

/// Proximal gradient steps of length 1/`steepest`, which contract towards the minimizer.
fn by_proximal_gradients(objective: &Quadratic, term: &SparsityTerm, steepest: f64) -> Vec<f64> {
    let mut x = vec![0.0; objective.dim()];
    let mut gradient = x.clone();
    for _ in 0..3000 {
        objective.value_and_gradient(&x, &mut gradient).unwrap();
        for (x, g) in x.iter_mut().zip(&gradient) {
            *x -= g / steepest;
        }
        term.prox(&mut x, 1.0 / steepest);
    }
    x
}

/// Q = diagonal from 1 to 20 plus an outer product.
fn random_quadratic(rng: &mut Pcg64, n: usize) -> (Quadratic, f64) {
    let v: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut q: Vec<f64> = (0..n * n).map(|k| v[k / n] * v[k % n]).collect();
    for i in 0..n {
        q[i * n + i] += rng.random_range(1.0..20.0);
    }
    let b = (0..n).map(|_| rng.random_range(-20.0..20.0)).collect();
    (Quadratic { q, b }, 20.0 + n as f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn minima_within_bounds_of_all_kinds(seed in any::<u64>(), n in 1usize..16) {
        let mut rng = Pcg64::new(u128::from(seed), 6);
        let term = random_term(&mut rng, n);
        let (objective, steepest) = random_quadratic(&mut rng, n);
        let expected = by_proximal_gradients(&objective, &term, steepest);
        let start = (0..n).map(|_| rng.random_range(-2.0..2.0)).collect();
        let outcome = solve(&objective, &term, start);
        // Values near 100 are known to 1e-14, the point where they are least to the root of that.
        for (i, (x, expected)) in outcome.x.iter().zip(&expected).enumerate() {
            prop_assert!((x - expected).abs() < 1e-6, "{:?} against {expected}", outcome);
            let interval = term.bounds.of(i);
            let at_end = *expected == interval.lower() || *expected == interval.upper();
            let exact = at_end || (*expected == 0.0 && term.local[i] > 0.0);
            prop_assert!(!exact || x == expected, "bounds and zeros are hit exactly");
        }
    }
}

/// A regression tree's parameters: coefficients of splits in [−1, 1], those of leaves free, one
/// feature's of both kinds under one norm.
#[test]
fn free_leaves_beside_bounded_splits() {
    let split = Interval::new(-1.0, 1.0);
    let term = SparsityTerm {
        bounds: [split, Interval::FREE, split, Interval::FREE]
            .into_iter()
            .collect(),
        local: vec![0.0; 4],
        groups: vec![
            Group {
                weight: 2.0,
                members: vec![0, 1],
                floor: 0.0,
            },
            Group {
                weight: 2.0,
                members: vec![2, 3],
                floor: 0.0,
            },
        ],
    };
    // ½‖x − b‖² + h: the first leaf carries all of the norm, the second feature goes.
    let b = vec![-7.0, 6.0, 1.2, -0.7];
    let q = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
    let outcome = solve(&Quadratic { q, b }, &term, vec![0.5, 0.5, -0.5, 0.5]);
    assert_eq!(outcome.x[0], -1.0);
    assert!((outcome.x[1] - 4.0).abs() < 1e-9, "{:?}", outcome.x);
    assert_eq!(outcome.x[2..], [0.0, 0.0]);
}

#[test]
fn coordinates_without_a_penalty_may_keep_away_from_zero() {
    let term = SparsityTerm {
        bounds: [Interval::new(1.5, 3.0), Interval::new(-4.0, -2.0)]
            .into_iter()
            .collect(),
        local: vec![0.0; 2],
        groups: Vec::new(),
    };
    let q = vec![1.0, 0.0, 0.0, 1.0];
    let b = vec![0.0, -2.5];
    let outcome = solve(&Quadratic { q, b }, &term, vec![0.0, 0.0]);
    assert_eq!(outcome.x[0], 1.5);
    assert!((outcome.x[1] + 2.5).abs() < 1e-9, "{:?}", outcome.x);
}

#[test]
#[should_panic(expected = "an interval holds at least one number")]
fn an_interval_without_numbers_is_refused() {
    Interval::new(1.0, -1.0);
}
