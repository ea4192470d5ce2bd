//! The descent of one point: through the stages, labels and splits in turn, to a local optimum.

use super::continuation::Stage;
use super::ending::Ending;
use crate::data::ClassificationRows;
use crate::leaves::{assign_labels, assign_parted_labels};
use crate::objective::{ClassRates, ExpectedCost, Penalty, RateConstrainedCost, expected_cost};
use crate::progress::Progress;
use crate::solver::{
    AugmentedLagrangian, LbfgsSettings, Majorized, Multipliers, Outcome, Work,
    minimize_by_tangents, minimize_constrained,
};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use crate::tree::label_regions::LabelRegions;
use std::sync::Arc;

/// Times the labels are revised within a stage at most.
const MAX_LABEL_ROUNDS: usize = 2;

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 50;

/// A rate this little below its bound is still aimed higher; half of it is aimed at beyond the bound,
/// since the Lagrangian comes from below.
const RATE_TOL: f64 = 2e-4;

/// A rate is reached if it is short by no more than this.
const RATE_REACHED: f64 = 1e-3;

/// How bounds on rates are pursued. σ begins where a rate short by 0.1 costs as much as a tenth of the
/// rows wrongly classed does by default.
const RATE_SEARCH: AugmentedLagrangian = AugmentedLagrangian {
    first_weight: 10.0,
    growth: 4.0,
    max_weight: 1e5,
    rounds: 20,
    patience: 4,
    tol: RATE_TOL,
};

/// The same in a soft stage.
const SOFT_RATE_SEARCH: AugmentedLagrangian = AugmentedLagrangian {
    rounds: 3,
    ..RATE_SEARCH
};

/// The problem of one fit (or of one node of it), and how to work on it.
#[derive(Clone)]
pub(crate) struct Descent<'a, 'd> {
    pub data: ClassificationRows<'d>,
    pub topology: Topology,
    /// Total weight of each class.
    pub class_weights: Vec<f64>,
    /// γ that is wanted; that of the last stage.
    pub gamma: f64,
    pub stages: Vec<Stage>,
    pub penalty: Penalty,
    /// The penalty on a tree of one split.
    pub node_penalty: Penalty,
    /// Cost of each split that parts leaves of different labels.
    pub split_penalty: f64,
    /// Bounds on class rates, if any.
    pub rates: ClassRates,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// A run ends when ‖prox(θ − ∇f(θ)) − θ‖∞ ≤ tol, or after so many iterations.
    pub tol: f64,
    pub max_iter: u64,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct StartOutcome {
    pub topology: Topology,
    pub theta: Vec<f64>,
    pub labels: Vec<u32>,
    pub ending: Ending,
    /// Multiplier of each bound on a class's rate.
    pub multipliers: Vec<f64>,
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

    /// The better of both, this one if they are equal, with the work of both.
    pub fn or_better(mut self, mut other: Self) -> Self {
        if other.order(&self).is_lt() {
            std::mem::swap(&mut self, &mut other);
        }
        self.ending.work += other.ending.work;
        self
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
    /// The same problem with the coefficients of all features but those kept held at 0.
    pub fn keeping(self, kept: &[bool]) -> Self {
        Self {
            penalty: self.penalty.keeping(kept),
            node_penalty: self.node_penalty.keeping(kept),
            ..self
        }
    }

    /// The same problem for a tree of another shape.
    pub fn at(&self, topology: &Topology) -> Self {
        Self {
            penalty: self.node_penalty.on_tree(topology, self.data.features()),
            topology: topology.clone(),
            ..self.clone()
        }
    }

    /// What mistakes on each class cost, all together.
    pub fn importance(&self) -> Vec<f64> {
        let costs = &self.stages[self.stages.len() - 1].costs;
        let of_class = costs.chunks_exact(self.data.target.count());
        of_class.map(|row| row.iter().sum()).collect()
    }

    /// Follows the stages from number `first` on, alternating the exact label step with the
    /// quasi-Newton run until labels stop changing. Stopped, it returns the best it can label.
    pub fn follow(&self, first: usize, mut theta: Vec<f64>) -> Result<StartOutcome, Interrupted> {
        let last = self.stages.len() - 1;
        self.penalty.put_within_bounds(&mut theta); // should there be no time for a step
        let mut multipliers = self.no_multipliers();
        let mut end = End {
            status: SolveStatus::TimeLimit,
            optimality: f64::INFINITY,
            work: Work::default(),
        };
        'stages: for s in first..=last {
            let stage = &self.stages[s];
            multipliers.relax(&RATE_SEARCH);
            let mut labels: Option<Vec<u32>> = None;
            for _ in 0..MAX_LABEL_ROUNDS {
                let round = self.label_round(stage, &theta, &mut labels, &mut multipliers);
                let outcome = match round {
                    Ok(Some(outcome)) => outcome,
                    Ok(None) => break,
                    Err(interrupted) => {
                        end.status = SolveStatus::try_from(interrupted)?;
                        break 'stages;
                    }
                };
                end.work += outcome.work;
                theta = outcome.x;
                if s == last {
                    (end.status, end.optimality) = (outcome.status, outcome.optimality);
                }
                if outcome.status.is_stopped() {
                    end.status = outcome.status;
                    break 'stages;
                }
            }
        }
        self.conclude(theta, &multipliers, end)
    }

    /// Revises the labels and moves the splits; None if the labels stay the same.
    fn label_round(
        &self,
        stage: &Stage,
        theta: &[f64],
        labels: &mut Option<Vec<u32>>,
        multipliers: &mut Multipliers,
    ) -> Result<Option<Outcome>, Interrupted> {
        let masses = self.data.leaf_masses(&self.topology, theta, stage.gamma)?;
        let revised = self.label(&masses, stage, multipliers);
        if labels.as_ref() == Some(&revised) {
            return Ok(None);
        }
        let outcome = self.move_splits(stage, &revised, theta.to_vec(), multipliers);
        *labels = Some(revised);
        outcome.map(Some)
    }

    /// θ as it stands, with the labels that suit it.
    pub fn assess(&self, theta: Vec<f64>) -> Result<StartOutcome, Interrupted> {
        self.data.rows.stop.without_deadline().check()?;
        let end = End {
            status: SolveStatus::TimeLimit,
            optimality: f64::INFINITY,
            work: Work::default(),
        };
        self.conclude(theta, &self.no_multipliers(), end)
    }

    /// Labels, objective and rates at θ: computed even when stopped, for without them there is no
    /// answer.
    fn conclude(
        &self,
        theta: Vec<f64>,
        multipliers: &Multipliers,
        end: End,
    ) -> Result<StartOutcome, Interrupted> {
        let stage = &self.stages[self.stages.len() - 1];
        let data = self.data.with_stop(&Stop::default());
        let masses = data.leaf_masses(&self.topology, &theta, stage.gamma)?;
        let labels = self.label(&masses, stage, multipliers);
        let loss = expected_cost(&masses, &stage.costs, &labels) / self.total_weight();
        let rates = self.rates.rates(&masses, &labels);
        let shortfalls = self.rates.shortfalls(&rates);
        let short = shortfalls.iter().copied().fold(0.0, f64::max);
        let shortfall = if short > RATE_REACHED && !stage.soft {
            short
        } else {
            0.0
        };
        Ok(StartOutcome {
            ending: Ending {
                objective: loss + self.penalty.value(&theta) + self.split_cost(&labels),
                loss,
                optimality: end.optimality,
                work: end.work,
                status: if shortfall > 0.0 && !end.status.is_stopped() {
                    SolveStatus::Infeasible
                } else {
                    end.status
                },
            },
            multipliers: multipliers.values.clone(),
            shortfall,
            topology: self.topology.clone(),
            theta,
            labels,
        })
    }

    /// What the splits cost that part leaves of different labels.
    fn split_cost(&self, labels: &[u32]) -> f64 {
        if self.split_penalty == 0.0 {
            return 0.0;
        }
        let regions = LabelRegions::of(self.topology.shape(), labels);
        self.split_penalty * regions.splits.len() as f64
    }

    /// Minimizes over θ with the labels held.
    fn move_splits(
        &self,
        stage: &Stage,
        labels: &[u32],
        theta: Vec<f64>,
        multipliers: &mut Multipliers,
    ) -> Result<Outcome, Interrupted> {
        // A split as sharp as at γ takes coefficients γ/γ_s times as large at a softer γ_s: a penalty
        // in full would leave nothing of it.
        let penalty = self.penalty.clone().scaled(stage.gamma / self.gamma);
        if self.rates.bounds.is_empty() {
            let objective = ExpectedCost::with_total_weight(
                self.data.clone(),
                self.topology.clone(),
                stage.gamma,
                &stage.costs,
                labels.to_vec(),
                self.total_weight(),
            );
            let (runs, limits) = (penalty.tangents(stage.soft), self.limits(stage));
            let progress = self.progress;
            return minimize_by_tangents(&objective, &penalty, theta, runs, &limits, progress);
        }
        let problem = RateConstrainedCost {
            data: &self.data,
            topology: self.topology.clone(),
            gamma: stage.gamma,
            costs: &stage.costs,
            labels,
            rates: &self.aimed_rates(),
            class_weights: &self.class_weights,
        };
        let search = if stage.soft {
            SOFT_RATE_SEARCH
        } else {
            RATE_SEARCH
        };
        minimize_constrained(
            &problem,
            &penalty,
            theta,
            multipliers,
            &search,
            &self.limits(stage),
            self.progress,
        )
    }

    /// Rate of each bounded class in a tree with these masses in leaves, and whether it is reached.
    pub fn rates_reached(&self, masses: &[f64], labels: &[u32]) -> Vec<(f64, bool)> {
        let rates = self.rates.rates(masses, labels);
        let shortfalls = self.rates.shortfalls(&rates);
        let reached = shortfalls.into_iter().map(|short| short <= RATE_REACHED);
        rates.into_iter().zip(reached).collect()
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
                self.max_iter.min(SOFT_ITERATIONS)
            } else {
                self.max_iter
            },
            ..LbfgsSettings::default()
        }
    }

    /// The stage's labels, from the masses of classes in leaves.
    fn label(&self, masses: &[f64], stage: &Stage, multipliers: &Multipliers) -> Vec<u32> {
        let costs =
            self.rates
                .lagrangian_costs(&stage.costs, &self.class_weights, &multipliers.values);
        let assign = if stage.soft {
            assign_parted_labels
        } else {
            assign_labels
        };
        assign(masses, &costs, self.data.target.count(), self.cover_classes)
    }

    fn no_multipliers(&self) -> Multipliers {
        Multipliers::zero(self.rates.bounds.len(), &RATE_SEARCH)
    }

    /// The bounds on rates, moved up a little.
    fn aimed_rates(&self) -> ClassRates {
        self.rates.tightened(0.5 * RATE_TOL)
    }
}

/// How the last run ended, and the work of all.
struct End {
    status: SolveStatus,
    optimality: f64,
    work: Work,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(objective: f64, shortfall: f64, iterations: u64) -> StartOutcome {
        StartOutcome {
            topology: Topology::complete(1),
            theta: vec![objective],
            labels: Vec::new(),
            ending: Ending {
                objective,
                loss: objective,
                optimality: 0.0,
                work: Work {
                    iterations,
                    evaluations: 10 * iterations,
                },
                status: SolveStatus::Converged,
            },
            multipliers: Vec::new(),
            shortfall,
        }
    }

    #[test]
    fn the_work_of_the_one_refused_counts() {
        for (first, second, kept) in [
            (outcome(1.0, 0.0, 3), outcome(2.0, 0.0, 4), 1.0),
            (outcome(2.0, 0.0, 3), outcome(1.0, 0.0, 4), 1.0),
            (outcome(1.0, 0.5, 3), outcome(2.0, 0.0, 4), 2.0),
        ] {
            let better = first.or_better(second);
            assert_eq!(better.theta, [kept]);
            let Work {
                iterations,
                evaluations,
            } = better.ending.work;
            assert_eq!((iterations, evaluations), (7, 70));
        }
    }
}
