//! The descent of one point of a mixture of linear models: through softer splits to the wanted ones.

use super::crumbs::without_crumbs;
use super::ending::Ending;
use super::mixture_outcome::{BoundReached, MixtureOutcome};
use crate::data::RegressionRows;
use crate::objective::{
    BoundedMixture, GroupBounds, LeafRidge, LeastLeafRidge, MixtureError, Penalty,
    ProjectedMixtureError,
};
use crate::progress::Progress;
use crate::solver::{
    AugmentedLagrangian, Bounds, CountIterations, Interval, LbfgsSettings, Majorized, Multipliers,
    Outcome, Work, minimize, minimize_by_tangents, minimize_constrained,
};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::second_moments::SecondMoments;
use crate::tree::{RegressionParameters, Topology};
use std::sync::Arc;

/// Where coefficients and intercepts of splits lie.
const SPLIT_BOUNDS: Bounds = Bounds::all(-1.0, 1.0);

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 30;

/// Curvature pairs kept where splits and leaves, of very different curvature, move together.
const JOINT_MEMORY: usize = 50;

/// A run with penalties ends within this share of the least of them: what is to become 0 would stop short of it.
const PENALTY_TOL: f64 = 0.01;

/// Times at most that left-overs of coefficients are cut off.
const MOST_CUTS: usize = 4;

/// What exceeds its bound by so little is still led on; half of it is aimed at within the bound, since the
/// Lagrangian comes from outside. In units of the standardized response, as the next one.
const BOUND_TOL: f64 = 2e-5;

/// A bound is kept if it is exceeded by no more than this.
pub(crate) const BOUND_KEPT: f64 = 1e-4;

/// How bounds are pursued.
const BOUND_SEARCH: AugmentedLagrangian = AugmentedLagrangian {
    first_weight: 10.0,
    growth: 4.0,
    max_weight: 1e6,
    rounds: 25,
    patience: 4,
    tol: BOUND_TOL,
};

/// The problem of a fit, and how to work on it.
#[derive(Clone)]
pub(crate) struct MixtureDescent<'a, 'd> {
    pub data: RegressionRows<'d>,
    pub topology: Topology,
    /// γ of the stages, the wanted one last.
    pub gammas: Vec<f64>,
    /// Mean row, and the variances of its features.
    pub centers: &'a [f64],
    pub variances: &'a [f64],
    /// On the leaf models.
    pub ridge: LeafRidge,
    /// On (a, μ, β, β_0).
    pub penalty: Penalty,
    /// On groups of rows, if any.
    pub bounds: &'a GroupBounds<'d>,
    /// A run ends when ‖prox(x − ∇f(x)) − x‖∞ ≤ tol, or after so many iterations.
    pub tol: f64,
    pub max_iter: u64,
    pub progress: &'a Arc<Progress>,
}

impl<'d> MixtureDescent<'_, 'd> {
    /// Number of the last stage.
    pub fn last(&self) -> usize {
        self.gammas.len() - 1
    }

    fn error<'s>(&'s self, stage: usize) -> MixtureError<'s, 'd> {
        MixtureError {
            data: &self.data,
            topology: self.topology.clone(),
            gamma: self.gammas[stage],
            centers: self.centers,
            ridge: &self.ridge,
        }
    }

    /// The tree of a point in its own terms.
    pub fn parameters(&self, x: &[f64]) -> RegressionParameters {
        self.error(self.last()).parameters(x)
    }

    /// Follows the stages from number `first` on with leaf models that are best at every point, without
    /// penalties and bounds; `iterations` at most in the last. Stopped, it ends where it stands, with leaf models
    /// found before if there is no time for others.
    pub fn follow(
        &self,
        first: usize,
        mut theta: Vec<f64>,
        iterations: u64,
        before: Option<&[f64]>,
    ) -> Result<MixtureOutcome, Interrupted> {
        let last = self.last();
        let mut end = Outcome {
            x: Vec::new(),
            value: f64::INFINITY,
            optimality: f64::INFINITY,
            work: Work::default(),
            status: SolveStatus::TimeLimit,
        };
        for stage in first..=last {
            let most = if stage < last {
                SOFT_ITERATIONS
            } else {
                iterations
            };
            let mut outcome = match self.move_splits(stage, &theta, most) {
                Ok(outcome) => outcome,
                Err(interrupted) => {
                    end.status = SolveStatus::try_from(interrupted)?;
                    break;
                }
            };
            outcome.work += end.work;
            theta = outcome.x[..theta.len()].to_vec();
            end = outcome;
            if end.status.is_stopped() {
                break;
            }
        }
        if end.x.len() == theta.len() || end.x.is_empty() {
            let leaves = match self.error(last).good_leaves(&theta) {
                Err(Interrupted::Source(failed)) => return Err(failed.into()),
                Err(stopped) => {
                    end.status = SolveStatus::try_from(stopped)?;
                    self.leaves_in_haste(&theta, before)?
                }
                Ok(leaves) => leaves,
            };
            end.x = [&theta[..], &leaves].concat();
        }
        self.conclude(end, &[])
    }

    /// Leaf models where the search has been stopped: the best ones if they are found quickly, else those of before,
    /// or none that add to the mean response, 0.
    fn leaves_in_haste(
        &self,
        theta: &[f64],
        before: Option<&[f64]>,
    ) -> Result<Vec<f64>, Interrupted> {
        let models = self.topology.leaves() * (self.centers.len() + 1);
        if !SecondMoments::make_quick_work(models, self.data.len()) {
            return Ok(before.map_or_else(|| vec![0.0; models], <[f64]>::to_vec));
        }
        let data = self.data.with_stop(&Stop::default());
        let error = MixtureError {
            data: &data,
            ..self.error(self.last())
        };
        error.good_leaves(theta)
    }

    /// One stage: over the splits alone where leaf models can be eliminated, else over both.
    fn move_splits(
        &self,
        stage: usize,
        theta: &[f64],
        iterations: u64,
    ) -> Result<Outcome, Interrupted> {
        let (error, limits) = (
            self.error(stage),
            limits(self.tol, iterations.min(self.max_iter)),
        );
        let observer = Some(CountIterations(self.progress.clone()));
        if error.eliminates_leaves() {
            let objective = ProjectedMixtureError(error);
            return minimize(objective, SPLIT_BOUNDS, theta.to_vec(), &limits, observer);
        }
        let x = [theta, &error.good_leaves(theta)?].concat();
        let held = std::iter::repeat_n(Interval::new(-1.0, 1.0), theta.len());
        let free = std::iter::repeat_n(Interval::FREE, x.len() - theta.len());
        let bounds: Bounds = held.chain(free).collect();
        minimize(&error, bounds, x, &limits, observer)
    }

    /// The same with the ridge, `least` or more, under which the rows are likeliest at the splits of a point.
    pub fn with_likeliest_ridge(
        mut self,
        at: &MixtureOutcome,
        least: LeastLeafRidge,
    ) -> Result<Self, Interrupted> {
        let error = self.error(self.last());
        if !error.eliminates_leaves() {
            return Ok(self);
        }
        let theta = &at.x[error.splits()];
        match error.likeliest_ridge(theta, self.variances, least) {
            // There is no time to make use of another.
            Err(Interrupted::TimeLimit) => Ok(self),
            found => {
                self.ridge = found?;
                Ok(self)
            }
        }
    }

    /// From the first rung to the end: the last stage, then penalties and bounds.
    pub fn go_on(&self, begun: MixtureOutcome) -> Result<MixtureOutcome, Interrupted> {
        let (theta, leaves) = begun.x.split_at(self.error(self.last()).splits().end);
        let theta = theta.to_vec();
        let mut outcome = self.follow(self.last(), theta, self.max_iter, Some(leaves))?;
        outcome.ending.work += begun.ending.work;
        let plain = self.penalty.is_zero() && self.bounds.bounds.is_empty();
        if plain || outcome.ending.status.is_stopped() {
            return Ok(outcome);
        }
        self.restricted(outcome)
    }

    /// From where a descent has ended without penalties and bounds, or with weaker ones, to these.
    pub fn restricted(&self, mut begun: MixtureOutcome) -> Result<MixtureOutcome, Interrupted> {
        match self.restrict(begun.x.clone()) {
            Ok((mut end, multipliers)) => {
                end.work += begun.ending.work;
                self.conclude(end, &multipliers)
            }
            Err(interrupted) => {
                begun.ending.status = SolveStatus::try_from(interrupted)?;
                Ok(begun)
            }
        }
    }

    /// Descends over splits and leaves together, with the penalty and within the bounds; returns the prices
    /// of bounds as well.
    fn restrict(&self, x: Vec<f64>) -> Result<(Outcome, Vec<f64>), Interrupted> {
        let error = self.error(self.last());
        let tol = self.tol.min(PENALTY_TOL * self.penalty.least_weight());
        let limits = LbfgsSettings {
            memory: JOINT_MEMORY,
            ..limits(tol, self.max_iter)
        };
        if self.bounds.bounds.is_empty() {
            return Ok((self.penalize(&error, x, &limits)?, Vec::new()));
        }
        let bounds = self.bounds.tightened(0.5 * BOUND_TOL);
        let mut multipliers = Multipliers::at(vec![0.0; bounds.inequalities()], &BOUND_SEARCH);
        // Leaves first: a split given up to keep a bound at once would not come back.
        let held = x[..error.splits().end]
            .iter()
            .map(|a| Interval::new(*a, *a));
        let free = std::iter::repeat_n(Interval::FREE, x.len() - error.splits().end);
        let leaves_alone: Bounds = held.chain(free).collect();
        let problem = BoundedMixture {
            error,
            bounds: &bounds,
        };
        let first = self.keep_bounds(&problem, &leaves_alone, x, &mut multipliers, &limits)?;
        multipliers.relax(&BOUND_SEARCH);
        let mut end =
            self.keep_bounds(&problem, &self.penalty, first.x, &mut multipliers, &limits)?;
        end.work += first.work;
        Ok((end, bounds.prices(&multipliers.values)))
    }

    /// Descends with the penalty alone; what is left over of coefficients is cut off, and the descent goes on.
    fn penalize(
        &self,
        error: &MixtureError<'_, '_>,
        x: Vec<f64>,
        limits: &LbfgsSettings,
    ) -> Result<Outcome, Interrupted> {
        let runs = self.penalty.tangents(false);
        let (penalty, progress) = (&self.penalty, self.progress);
        let mut end = minimize_by_tangents(error, penalty, x, runs, limits, progress)?;
        for cut in 1..=MOST_CUTS {
            if end.status.is_stopped() {
                break;
            }
            let without = match without_crumbs(error, penalty, &end.x) {
                Err(Interrupted::Source(failed)) => return Err(failed.into()),
                // Stopped meanwhile, the last point is the answer.
                without => without.ok().flatten(),
            };
            let Some(x) = without else { break };
            if cut == MOST_CUTS {
                end.x = x;
                break;
            }
            let work = end.work;
            end = minimize_by_tangents(error, penalty, x, runs, limits, progress)?;
            end.work += work;
        }
        self.settle_intercepts(&mut end.x);
        Ok(end)
    }

    /// Corollary 4.1: without coefficients the mean of the standardized response, 0, is the best prediction, to
    /// which intercepts come only within the tolerance.
    fn settle_intercepts(&self, x: &mut [f64]) {
        let (p, branches) = (self.centers.len(), self.topology.branches());
        let (theta, models) = x.split_at_mut(branches * (p + 1));
        let (slopes, intercepts) = models.split_at_mut(self.topology.leaves() * p);
        let coefficients = theta[..branches * p].iter().chain(&*slopes);
        if coefficients.copied().all(|c| c == 0.0) {
            intercepts.fill(0.0);
        }
    }

    fn keep_bounds(
        &self,
        problem: &BoundedMixture<'_, '_>,
        h: &impl Majorized,
        x: Vec<f64>,
        multipliers: &mut Multipliers,
        limits: &LbfgsSettings,
    ) -> Result<Outcome, Interrupted> {
        let progress = self.progress;
        minimize_constrained(problem, h, x, multipliers, &BOUND_SEARCH, limits, progress)
    }

    /// Objective, loss and bounds where a run ended: computed even when stopped, for without them there is
    /// no answer.
    fn conclude(&self, end: Outcome, prices: &[f64]) -> Result<MixtureOutcome, Interrupted> {
        let data = self.data.with_stop(&Stop::default());
        let bounds = self.bounds.with_stop(&Stop::default());
        let problem = BoundedMixture {
            error: MixtureError {
                data: &data,
                ..self.error(self.last())
            },
            bounds: &bounds,
        };
        let (loss, values) = problem.bounded(&end.x)?;
        let prices = prices.iter().copied().chain(std::iter::repeat(0.0));
        let (mut reached, mut worst) = (Vec::new(), 0.0f64);
        for ((bound, value), multiplier) in self.bounds.bounds.iter().zip(values).zip(prices) {
            let excess = value.abs() - bound.bound;
            worst = worst.max(excess);
            reached.push(BoundReached {
                value: value.abs(),
                multiplier,
                kept: excess <= BOUND_KEPT,
            });
        }
        let excess = if worst > BOUND_KEPT { worst } else { 0.0 };
        let missed = excess > 0.0 && !end.status.is_stopped();
        Ok(MixtureOutcome {
            ending: Ending {
                objective: loss + problem.error.ridge_value(&end.x) + self.penalty.value(&end.x),
                loss,
                optimality: end.optimality,
                work: end.work,
                status: if missed {
                    SolveStatus::Infeasible
                } else {
                    end.status
                },
            },
            reached,
            excess,
            x: end.x,
        })
    }
}

fn limits(tol: f64, iterations: u64) -> LbfgsSettings {
    LbfgsSettings {
        projected_gradient_tol: tol,
        // Who asks for a small gradient also wants the last digits of the objective.
        stall_tol: 0.1 * tol.min(1e-3),
        max_iterations: iterations,
        ..LbfgsSettings::default()
    }
}
