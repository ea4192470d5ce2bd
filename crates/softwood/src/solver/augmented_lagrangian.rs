//! Inequalities c_k(x) ≤ 0 beside f + h, by an augmented Lagrangian around projected L-BFGS.
//!
//! With multipliers λ ≥ 0 and a weight σ > 0,
//!
//! L(x) = f(x) + Σ_k (η_k² − λ_k²)/(2σ),  η_k = max(0, λ_k + σ c_k(x)),
//!
//! is minimized together with h, then λ ← η. A two-sided bound is two inequalities.

use super::{LbfgsSettings, Majorized, Objective, Outcome, Work, minimize};
use crate::progress::Progress;
use crate::solver::CountIterations;
use crate::stop::Interrupted;
use std::sync::Arc;

/// A smooth f with inequalities c_k ≤ 0.
pub(crate) trait Constrained: Sync {
    /// Length of x.
    fn dim(&self) -> usize;

    /// f(x) and all c_k(x).
    fn values(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted>;

    /// Overwrites `gradient` with ∇(f + Σ_k slope_k c_k)(x).
    fn gradient(&self, x: &[f64], slopes: &[f64], gradient: &mut [f64]) -> Result<(), Interrupted>;
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AugmentedLagrangian {
    /// σ of the first round.
    pub first_weight: f64,
    /// Growth of σ where a round has not halved the worst violation, and its limit: beyond it the
    /// problem is too stiff to move.
    pub growth: f64,
    pub max_weight: f64,
    /// Rounds at most.
    pub rounds: usize,
    /// Rounds without a better feasible point before the best one is taken.
    pub patience: usize,
    /// A violation up to this counts as none, and so does such a product of multiplier and slack.
    pub tol: f64,
}

/// λ and σ between rounds.
#[derive(Clone, Debug)]
pub(crate) struct Multipliers {
    /// λ_k.
    pub values: Vec<f64>,
    weight: f64,
    worst: f64,
}

impl Multipliers {
    /// Before the first round: 0, or those of a problem like it.
    pub fn at(values: Vec<f64>, settings: &AugmentedLagrangian) -> Self {
        Self {
            values,
            weight: settings.first_weight,
            worst: f64::INFINITY,
        }
    }

    /// Begins anew with the first weight, for another problem; the multipliers stay.
    pub fn relax(&mut self, settings: &AugmentedLagrangian) {
        self.weight = settings.first_weight;
        self.worst = f64::INFINITY;
    }

    /// η_k.
    fn slopes(&self, c: &[f64]) -> Vec<f64> {
        let both = self.values.iter().zip(c);
        both.map(|(multiplier, c)| (multiplier + self.weight * c).max(0.0))
            .collect()
    }

    /// λ ← η for the next round; σ grows where the violation does not fall fast enough.
    fn update(&mut self, c: &[f64], settings: &AugmentedLagrangian) {
        self.values = self.slopes(c);
        let worst = violation(c);
        if worst > 0.5 * self.worst {
            self.weight = (self.weight * settings.growth).min(settings.max_weight);
        }
        self.worst = worst;
    }

    /// max_k λ_k (−c_k)⁺: what constraints with room to spare still ask for.
    fn slackness(&self, c: &[f64]) -> f64 {
        let both = self.values.iter().zip(c);
        both.fold(0.0f64, |worst, (multiplier, c)| worst.max(multiplier * -c))
    }
}

/// max_k c_k⁺.
fn violation(c: &[f64]) -> f64 {
    c.iter().copied().fold(0.0, f64::max)
}

/// L for fixed multipliers and weight.
struct Lagrangian<'a, P> {
    problem: &'a P,
    multipliers: &'a Multipliers,
}

impl<P: Constrained> Objective for Lagrangian<'_, P> {
    fn dim(&self) -> usize {
        self.problem.dim()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let (value, c) = self.problem.values(x)?;
        let slopes = self.multipliers.slopes(&c);
        self.problem.gradient(x, &slopes, gradient)?;
        let squares = slopes.iter().zip(&self.multipliers.values);
        let added: f64 = squares
            .map(|(eta, lambda)| eta * eta - lambda * lambda)
            .sum();
        Ok(value + added / (2.0 * self.multipliers.weight))
    }
}

/// Minimizes f + h under c ≤ 0 from `x`: one run of L-BFGS for every update of the multipliers (and
/// tangent to h). Returns the best feasible point, or else the last one, with the multipliers that led
/// to it in `multipliers`.
pub(crate) fn minimize_constrained(
    problem: &impl Constrained,
    h: &impl Majorized,
    mut x: Vec<f64>,
    multipliers: &mut Multipliers,
    settings: &AugmentedLagrangian,
    limits: &LbfgsSettings,
    progress: &Arc<Progress>,
) -> Result<Outcome, Interrupted> {
    let mut work = Work::default();
    let mut best: Option<(f64, Outcome, Multipliers)> = None;
    let mut fruitless = 0;
    let mut round = 0;
    loop {
        round += 1;
        let lagrangian = Lagrangian {
            problem,
            multipliers,
        };
        let observer = Some(CountIterations(progress.clone()));
        let outcome = minimize(lagrangian, h.tangent(&x), x, limits, observer)?;
        work += outcome.work;
        if outcome.status.is_stopped() {
            return Ok(outcome.with_work(work));
        }
        let (f, c) = problem.values(&outcome.x)?;
        multipliers.update(&c, settings);
        x = outcome.x.clone();
        let feasible = violation(&c) <= settings.tol;
        fruitless += 1;
        if feasible {
            let here = f + h.value(&outcome.x);
            if best.as_ref().is_none_or(|(least, _, _)| here < *least) {
                best = Some((here, outcome.clone(), multipliers.clone()));
                fruitless = 0;
            }
        }
        let settled = feasible && multipliers.slackness(&c) <= settings.tol;
        let given_up = best.is_some() && fruitless == settings.patience;
        if settled || given_up || round == settings.rounds {
            let outcome = match best {
                Some((_, outcome, at_best)) => {
                    *multipliers = at_best;
                    outcome
                }
                None => outcome,
            };
            return Ok(outcome.with_work(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Bounds, Group, SparsityTerm};

    const SETTINGS: AugmentedLagrangian = AugmentedLagrangian {
        first_weight: 10.0,
        growth: 4.0,
        max_weight: 1e6,
        rounds: 40,
        patience: 10,
        tol: 1e-9,
    };

    /// ‖x − center‖² under linear inequalities aᵀx ≤ b.
    struct Quadratic {
        center: Vec<f64>,
        rows: Vec<(Vec<f64>, f64)>,
    }

    impl Constrained for Quadratic {
        fn dim(&self) -> usize {
            self.center.len()
        }

        fn values(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
            let f = x.iter().zip(&self.center).map(|(x, c)| (x - c).powi(2));
            let c = |(a, b): &(Vec<f64>, f64)| crate::vectors::dot(a, x) - b;
            Ok((f.sum(), self.rows.iter().map(c).collect()))
        }

        fn gradient(&self, x: &[f64], slopes: &[f64], g: &mut [f64]) -> Result<(), Interrupted> {
            for (i, g) in g.iter_mut().enumerate() {
                let pull = self.rows.iter().zip(slopes).map(|((a, _), s)| s * a[i]);
                *g = 2.0 * (x[i] - self.center[i]) + pull.sum::<f64>();
            }
            Ok(())
        }
    }

    fn solve(problem: &Quadratic, h: &impl Majorized, start: Vec<f64>) -> (Outcome, Vec<f64>) {
        let mut multipliers = Multipliers::at(vec![0.0; problem.rows.len()], &SETTINGS);
        let limits = LbfgsSettings {
            projected_gradient_tol: 1e-10,
            stall_tol: 0.0,
            ..LbfgsSettings::default()
        };
        let progress = Arc::new(Progress::default());
        let outcome = minimize_constrained(
            problem,
            h,
            start,
            &mut multipliers,
            &SETTINGS,
            &limits,
            &progress,
        );
        (outcome.unwrap(), multipliers.values)
    }

    fn assert_close(x: &[f64], expected: &[f64]) {
        for (x, expected) in x.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-6, "{x} instead of {expected}");
        }
    }

    #[test]
    fn the_nearest_point_of_a_half_plane_and_its_price() {
        // min ‖x‖² with x₁ + x₂ ≥ 1: at (½, ½), and one more unit asked costs 1.
        let problem = Quadratic {
            center: vec![0.0, 0.0],
            rows: vec![(vec![-1.0, -1.0], -1.0)],
        };
        let (outcome, multipliers) = solve(&problem, &Bounds::NONE, vec![3.0, -2.0]);
        assert_close(&outcome.x, &[0.5, 0.5]);
        assert_close(&multipliers, &[1.0]);
    }

    #[test]
    fn a_two_sided_bound_binds_on_one_side() {
        // |x₁ − x₂| ≤ 1 as two inequalities, the point (3, 0) outside: (2, 1).
        let problem = Quadratic {
            center: vec![3.0, 0.0],
            rows: vec![(vec![1.0, -1.0], 1.0), (vec![-1.0, 1.0], 1.0)],
        };
        let (outcome, multipliers) = solve(&problem, &Bounds::NONE, vec![0.0, 0.0]);
        assert_close(&outcome.x, &[2.0, 1.0]);
        assert_close(&multipliers, &[2.0, 0.0]);
    }

    #[test]
    fn constraints_that_hold_anyway_cost_nothing() {
        let problem = Quadratic {
            center: vec![0.25, -0.5],
            rows: vec![(vec![1.0, 1.0], 7.0)],
        };
        let (outcome, multipliers) = solve(&problem, &Bounds::NONE, vec![5.0, 5.0]);
        assert_close(&outcome.x, &[0.25, -0.5]);
        assert_eq!(multipliers, [0.0]);
    }

    #[test]
    fn bounds_and_penalties_hold_beside_constraints() {
        // min ‖x − (2, 0.1)‖² + 0.4‖x‖₁ in |x| ≤ 1 with x₁ ≤ 0.6: x₂ is exactly 0.
        let problem = Quadratic {
            center: vec![2.0, 0.1],
            rows: vec![(vec![1.0, 0.0], 0.6)],
        };
        let term = SparsityTerm {
            bounds: Bounds::all(-1.0, 1.0),
            local: vec![0.4; 2],
            groups: Vec::<Group>::new(),
        };
        let (outcome, multipliers) = solve(&problem, &term, vec![0.0, 0.5]);
        assert_close(&outcome.x, &[0.6, 0.0]);
        assert_eq!(outcome.x[1], 0.0);
        assert_close(&multipliers, &[2.4]);
    }

    #[test]
    fn constraints_that_exclude_each_other_end_between_them() {
        // x ≥ 1 and x ≤ −1: no point satisfies both, the least violation is at 0.
        let problem = Quadratic {
            center: vec![0.3],
            rows: vec![(vec![-1.0], -1.0), (vec![1.0], -1.0)],
        };
        let (outcome, _) = solve(&problem, &Bounds::NONE, vec![0.3]);
        assert!(outcome.x[0].abs() < 1e-3, "{:?}", outcome.x);
        let (_, c) = problem.values(&outcome.x).unwrap();
        assert!(violation(&c) > 0.99);
    }
}
