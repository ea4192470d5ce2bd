//! The descent of one point: through the stages, labels and splits in turn, to a local optimum.

use super::continuation::Stage;
use super::ending::Ending;
use super::orct::OrctSettings;
use crate::data::ClassificationRows;
use crate::leaves::{assign_labels, assign_parted_labels};
use crate::objective::{
    ExpectedCost, Penalty, RateConstrainedCost, RateMultipliers, expected_cost,
};
use crate::progress::{CountIterations, Progress};
use crate::solver::{LbfgsSettings, Outcome, SimpleTerm, SolveStatus, minimize};
use crate::stop::Stopped;
use crate::tree::Topology;
use std::sync::Arc;

/// Times the labels are revised within a stage at most.
const MAX_LABEL_ROUNDS: usize = 2;

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 50;

/// Tangents to a concave penalty at most; each but the last lowers the objective by `WORTHWHILE`.
const MAX_TANGENTS: usize = 10;
const WORTHWHILE: f64 = 1e-3;

/// Rounds of the augmented Lagrangian at most, and in a soft stage.
const MAX_RATE_ROUNDS: usize = 20;
const SOFT_RATE_ROUNDS: usize = 3;

/// Rounds without a better point that reaches the bounds before the best one is taken.
const RATE_PATIENCE: usize = 4;

/// A rate this little below its bound is still aimed higher; half of it is aimed at beyond the bound,
/// since the Lagrangian comes from below.
const RATE_TOL: f64 = 2e-4;

/// A rate is reached if it is short by no more than this.
pub(crate) const RATE_REACHED: f64 = 1e-3;

/// The problem of one fit (or of one node of it), and how to work on it.
#[derive(Clone)]
pub(crate) struct Descent<'a, 'd> {
    pub data: ClassificationRows<'d>,
    pub topology: Topology,
    pub stages: Vec<Stage>,
    pub penalty: Penalty,
    /// A run ends when ‖prox(θ − ∇f(θ)) − θ‖∞ ≤ tol.
    pub tol: f64,
    /// Total weight of each class.
    pub class_weights: Vec<f64>,
    pub settings: &'a OrctSettings,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct StartOutcome {
    pub theta: Vec<f64>,
    pub labels: Vec<u32>,
    pub ending: Ending,
    /// (rate reached, multiplier) of each bound on a class's rate.
    pub rates: Vec<(f64, f64)>,
    /// The worst shortfall of a rate beyond what counts as reached; 0 if all are.
    pub shortfall: f64,
}

impl StartOutcome {
    /// Reached bounds first, then the lower objective.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.shortfall
            .total_cmp(&other.shortfall)
            .then(self.objective().total_cmp(&other.objective()))
    }

    /// Loss plus penalty.
    pub fn objective(&self) -> f64 {
        self.ending.objective
    }
}

impl AsRef<Ending> for StartOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

impl Descent<'_, '_> {
    /// Follows the stages from number `first` on, alternating the exact label step with the
    /// quasi-Newton run until labels stop changing. Out of time it returns the best it can label;
    /// Err only if cancelled.
    pub fn follow(&self, first: usize, mut theta: Vec<f64>) -> Result<StartOutcome, Stopped> {
        let last = self.stages.len() - 1;
        let mut bounds = RateMultipliers::new(&self.aimed_rates());
        let mut work = (0, 0);
        let mut end = (SolveStatus::TimeLimit, f64::INFINITY);
        'stages: for s in first..=last {
            let stage = &self.stages[s];
            bounds.relax();
            let mut labels: Option<Vec<u32>> = None;
            for _ in 0..MAX_LABEL_ROUNDS {
                let step = self
                    .data
                    .leaf_masses(self.topology, &theta, stage.gamma)
                    .and_then(|masses| {
                        let revised = self.label(&masses, stage, &bounds);
                        if labels.as_ref() == Some(&revised) {
                            return Ok(None);
                        }
                        let outcome = self.move_splits(stage, &revised, theta.clone(), &mut bounds);
                        labels = Some(revised);
                        outcome.map(Some)
                    });
                let outcome: Outcome = match step {
                    Ok(Some(outcome)) => outcome,
                    Ok(None) => break,
                    Err(Stopped::TimeLimit) => {
                        end.0 = SolveStatus::TimeLimit;
                        break 'stages;
                    }
                    Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
                };
                work = (work.0 + outcome.iterations, work.1 + outcome.evaluations);
                theta = outcome.x;
                if s == last {
                    end = (outcome.status, outcome.optimality);
                }
                match outcome.status {
                    SolveStatus::Cancelled => return Err(Stopped::Cancelled),
                    SolveStatus::TimeLimit => {
                        end.0 = SolveStatus::TimeLimit;
                        break 'stages;
                    }
                    _ => {}
                }
            }
        }
        self.conclude(theta, &bounds, work, end)
    }

    /// θ as it stands, with the labels that suit it.
    pub fn assess(&self, theta: Vec<f64>) -> Result<StartOutcome, Stopped> {
        let bounds = RateMultipliers::new(&self.aimed_rates());
        let end = (SolveStatus::TimeLimit, f64::INFINITY);
        self.conclude(theta, &bounds, (0, 0), end)
    }

    /// Labels, objective and rates at θ: computed even when time is up, for without them there is no
    /// answer.
    fn conclude(
        &self,
        theta: Vec<f64>,
        bounds: &RateMultipliers,
        work: (u64, u64),
        end: (SolveStatus, f64),
    ) -> Result<StartOutcome, Stopped> {
        let stage = &self.stages[self.stages.len() - 1];
        let data = self.data.without_deadline();
        let masses = data.leaf_masses(self.topology, &theta, stage.gamma)?;
        let labels = self.label(&masses, stage, bounds);
        let loss = expected_cost(&masses, &stage.costs, &labels) / self.total_weight();
        let rates = bounds.rates(&masses, &labels);
        let short = self
            .settings
            .min_class_rate
            .iter()
            .zip(&rates)
            .fold(0.0f64, |worst, ((_, asked), rate)| worst.max(asked - rate));
        let shortfall = if short > RATE_REACHED && !stage.soft {
            short
        } else {
            0.0
        };
        Ok(StartOutcome {
            ending: Ending {
                objective: loss + self.penalty.value(&theta),
                loss,
                optimality: end.1,
                iterations: work.0,
                evaluations: work.1,
                status: if shortfall > 0.0 && end.0 != SolveStatus::TimeLimit {
                    SolveStatus::Infeasible
                } else {
                    end.0
                },
            },
            rates: rates
                .into_iter()
                .zip(bounds.multipliers.iter().copied())
                .collect(),
            shortfall,
            theta,
            labels,
        })
    }

    /// Minimizes over θ with the labels held.
    fn move_splits(
        &self,
        stage: &Stage,
        labels: &[u32],
        theta: Vec<f64>,
        bounds: &mut RateMultipliers,
    ) -> Result<Outcome, Stopped> {
        // A split as sharp as at γ takes coefficients γ/γ_s times as large at a softer γ_s: a penalty
        // in full would leave nothing of it.
        let penalty = self
            .penalty
            .clone()
            .scaled(stage.gamma / self.settings.gamma);
        if bounds.bounds.is_empty() {
            self.by_tangents(stage, &penalty, labels, theta)
        } else {
            self.by_multipliers(stage, &penalty, labels, theta, bounds)
        }
    }

    /// One run of the solver for norms; for a concave penalty one for every tangent, as long as that
    /// lowers the objective.
    fn by_tangents(
        &self,
        stage: &Stage,
        penalty: &Penalty,
        labels: &[u32],
        mut theta: Vec<f64>,
    ) -> Result<Outcome, Stopped> {
        let rounds = if penalty.is_concave() && !stage.soft {
            MAX_TANGENTS
        } else {
            1
        };
        let mut work = (0, 0);
        let mut value = f64::INFINITY;
        for round in 1.. {
            let term = penalty.tangent(&theta);
            let objective = ExpectedCost::with_total_weight(
                self.data.clone(),
                self.topology,
                stage.gamma,
                &stage.costs,
                labels.to_vec(),
                self.total_weight(),
            );
            let observer = Some(CountIterations(self.progress.clone()));
            let limits = self.limits(stage);
            let outcome = minimize(objective, term.clone(), theta, &limits, observer)?;
            work = (work.0 + outcome.iterations, work.1 + outcome.evaluations);
            let lower = outcome.value - term.value(&outcome.x) + penalty.value(&outcome.x);
            if round == rounds
                || outcome.status.is_stopped()
                || value - lower <= WORTHWHILE * lower.abs()
            {
                return Ok(outcome.with_work(work));
            }
            (theta, value) = (outcome.x, lower);
        }
        unreachable!("the last round returns")
    }

    /// One run of the solver for every update of the multipliers (and tangent to the penalty); the
    /// best point that reaches the bounds, or else the last one.
    fn by_multipliers(
        &self,
        stage: &Stage,
        penalty: &Penalty,
        labels: &[u32],
        mut theta: Vec<f64>,
        bounds: &mut RateMultipliers,
    ) -> Result<Outcome, Stopped> {
        let rounds = if stage.soft {
            SOFT_RATE_ROUNDS
        } else {
            MAX_RATE_ROUNDS
        };
        let mut work = (0, 0);
        let mut best: Option<(f64, Outcome, RateMultipliers)> = None;
        let mut fruitless = 0;
        for round in 1.. {
            let objective = RateConstrainedCost {
                data: self.data.clone(),
                topology: self.topology,
                gamma: stage.gamma,
                costs: &stage.costs,
                labels,
                multipliers: bounds,
                class_weights: &self.class_weights,
            };
            let observer = Some(CountIterations(self.progress.clone()));
            let (term, limits) = (penalty.tangent(&theta), self.limits(stage));
            let outcome = minimize(objective, term, theta, &limits, observer)?;
            work = (work.0 + outcome.iterations, work.1 + outcome.evaluations);
            if outcome.status.is_stopped() {
                return Ok(outcome.with_work(work));
            }
            let masses = self
                .data
                .leaf_masses(self.topology, &outcome.x, stage.gamma)?;
            let rates = bounds.rates(&masses, labels);
            bounds.update(&rates);
            theta = outcome.x.clone();
            let reached = bounds.shortfall(&rates) <= RATE_TOL;
            fruitless += 1;
            if reached {
                let loss = expected_cost(&masses, &stage.costs, labels) / self.total_weight();
                let value = loss + penalty.value(&outcome.x);
                if best.as_ref().is_none_or(|(least, _, _)| value < *least) {
                    best = Some((value, outcome.clone(), bounds.clone()));
                    fruitless = 0;
                }
            }
            let settled = reached && bounds.slackness(&rates) <= RATE_TOL;
            if settled || round == rounds || (best.is_some() && fruitless == RATE_PATIENCE) {
                let outcome = match best {
                    Some((_, outcome, multipliers)) => {
                        *bounds = multipliers;
                        outcome
                    }
                    None => outcome,
                };
                return Ok(outcome.with_work(work));
            }
        }
        unreachable!("the last round returns")
    }

    /// W.
    fn total_weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    fn limits(&self, stage: &Stage) -> LbfgsSettings {
        LbfgsSettings {
            projected_gradient_tol: self.tol,
            // Who asks for a small gradient also wants the last digits of the objective.
            stall_tol: 1e-6 * self.tol.min(1e-3),
            max_iterations: if stage.soft {
                self.settings.max_iter.min(SOFT_ITERATIONS)
            } else {
                self.settings.max_iter
            },
            ..LbfgsSettings::default()
        }
    }

    /// The stage's labels, from the masses of classes in leaves.
    fn label(&self, masses: &[f64], stage: &Stage, bounds: &RateMultipliers) -> Vec<u32> {
        let (k, cover) = (self.data.target.count(), self.settings.cover_classes);
        let costs = bounds.lagrangian_costs(&stage.costs, &self.class_weights);
        let assign = if stage.soft {
            assign_parted_labels
        } else {
            assign_labels
        };
        assign(masses, &costs, k, cover)
    }

    /// The bounds on rates, moved up a little.
    fn aimed_rates(&self) -> Vec<(usize, f64)> {
        let rates = self.settings.min_class_rate.iter();
        rates
            .map(|(class, rate)| (*class, (rate + 0.5 * RATE_TOL).min(1.0)))
            .collect()
    }
}
