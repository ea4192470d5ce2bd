//! The descent of one point: through the stages, labels and splits in turn, to a local optimum.

use super::continuation::Stage;
use super::ending::Ending;
use super::working_sets::WorkingSets;
use crate::data::ClassificationRows;
use crate::leaves::{assign_labels, assign_parted_labels};
use crate::objective::{CellRows, Penalty, RateBounds, RateReached, expected_cost};
use crate::progress::Progress;
use crate::solver::{AugmentedLagrangian, LbfgsSettings, Majorized, Multipliers, Outcome, Work};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use crate::tree::label_regions::LabelRegions;
use crate::tree::splits::Splits;
use std::sync::Arc;

/// Times the labels are revised within a stage at most.
const MAX_LABEL_ROUNDS: usize = 2;

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 50;

/// A rate this little below its bound is still aimed higher; half of it is aimed at beyond the bound,
/// since the Lagrangian comes from below.
pub(super) const RATE_TOL: f64 = 2e-4;

/// A rate is reached if it is short by no more than this.
pub(super) const RATE_REACHED: f64 = 1e-3;

/// How bounds on rates are pursued. σ begins where a rate short by 0.1 costs as much as a tenth of the
/// rows wrongly classed does by default.
pub(super) const RATE_SEARCH: AugmentedLagrangian = AugmentedLagrangian {
    first_weight: 10.0,
    growth: 4.0,
    max_weight: 1e5,
    rounds: 20,
    patience: 4,
    tol: RATE_TOL,
};

/// The problem of one fit (or of one node of it), and how to work on it.
#[derive(Clone)]
pub(crate) struct Descent<'a, 'd> {
    pub data: ClassificationRows<'d>,
    /// The same rows, and others that bounds are on, by what costs and bounds tell apart.
    pub cells: CellRows<'d>,
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
    /// Bounds on rates of classes and groups of rows, if any.
    pub bounds: RateBounds,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// A run ends when ‖prox(θ − ∇f(θ)) − θ‖∞ ≤ tol, or after so many iterations.
    pub tol: f64,
    pub max_iter: u64,
    /// Which nodes move at a time.
    pub working_sets: WorkingSets,
    /// Iterations of all splits at once, for nodes to begin with.
    pub full_iterations: u64,
    /// ψ of (21): the pull of a step towards where it began.
    pub proximal_weight: f64,
    /// Seed of the order of nodes.
    pub seed: u64,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct StartOutcome {
    pub topology: Topology,
    pub theta: Vec<f64>,
    pub labels: Vec<u32>,
    pub ending: Ending,
    /// Multiplier of each inequality of the bounds.
    pub multipliers: Vec<f64>,
    /// What became of each bound.
    pub reached: Vec<RateReached>,
    /// The worst excess of a bound beyond what counts as kept; 0 if all are.
    pub shortfall: f64,
}

impl StartOutcome {
    /// Reached bounds first, then the lower objective.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.shortfall
            .total_cmp(&other.shortfall)
            .then(self.objective().total_cmp(&other.objective()))
    }

    /// The better of both, this one if they are equal, with the work of both. Where the other was stopped, the
    /// search that both belong to was.
    pub fn or_better(mut self, mut other: Self) -> Self {
        if other.order(&self).is_lt() {
            std::mem::swap(&mut self, &mut other);
        }
        self.ending.work += other.ending.work;
        if other.ending.status.is_stopped() {
            self.ending.status = other.ending.status;
        }
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

    /// The same problem, polling another stop.
    pub fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            data: self.data.with_stop(stop),
            cells: self.cells.with_stop(stop),
            ..self.clone()
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

    pub(super) fn descend(
        &self,
        first: usize,
        mut theta: Vec<f64>,
        mut multipliers: Multipliers,
    ) -> Result<StartOutcome, Interrupted> {
        let last = self.stages.len() - 1;
        self.penalty.put_within_bounds(&mut theta); // should there be no time for a step
        let mut end = End {
            status: SolveStatus::TimeLimit,
            optimality: f64::INFINITY,
            work: Work::default(),
        };
        'stages: for s in first..=last {
            let stage = &self.stages[s];
            multipliers.relax(&RATE_SEARCH);
            if self.working_sets != WorkingSets::Full {
                let stage_end =
                    match self.decompose(stage, s == first, theta.clone(), &mut multipliers) {
                        Ok(stage_end) => stage_end,
                        Err(interrupted) => {
                            end.status = SolveStatus::try_from(interrupted)?;
                            break;
                        }
                    };
                end.work += stage_end.work;
                theta = stage_end.theta;
                (end.status, end.optimality) = (stage_end.status, stage_end.optimality);
                if stage_end.status.is_stopped() {
                    break;
                }
                continue;
            }
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
        let masses = self.cells.masses(&self.splits(theta, stage))?;
        let revised = self.label(&masses, stage, multipliers);
        if labels.as_ref() == Some(&revised) {
            return Ok(None);
        }
        let limits = self.limits(self.iterations(stage));
        let all = theta.to_vec();
        let outcome = self.move_splits(stage, &revised, all, None, &limits, multipliers);
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
        let cells = self.cells.with_stop(&Stop::default());
        let splits = self.splits(&theta, stage);
        let masses = cells.masses(&splits)?;
        let labels = self.label(&masses, stage, multipliers);
        let costs = cells.costs(&stage.costs);
        let loss = expected_cost(&masses, &costs, &labels) / self.total_weight();
        let reached = (self.bounds).reached(&cells, &splits, &masses, &labels)?;
        let shortfall = match stage.soft {
            true => 0.0,
            false => shortfall(&reached),
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
            reached,
            shortfall,
            topology: self.topology.clone(),
            theta,
            labels,
        })
    }

    /// What the splits cost that part leaves of different labels.
    pub(super) fn split_cost(&self, labels: &[u32]) -> f64 {
        if self.split_penalty == 0.0 {
            return 0.0;
        }
        let regions = LabelRegions::of(self.topology.shape(), labels);
        self.split_penalty * regions.splits.len() as f64
    }

    /// The penalty in a stage. A split as sharp as at γ takes coefficients γ/γ_s times as large at a softer γ_s: a
    /// penalty in full would leave nothing of it.
    pub(super) fn penalty_of(&self, stage: &Stage) -> Penalty {
        self.penalty.clone().scaled(stage.gamma / self.gamma)
    }

    pub(super) fn splits(&self, theta: &[f64], stage: &Stage) -> Splits {
        Splits::new(&self.topology, self.data.features(), theta, stage.gamma)
    }

    /// W.
    pub fn total_weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    /// Iterations of a run in a stage at most.
    pub(super) fn iterations(&self, stage: &Stage) -> u64 {
        match stage.soft {
            true => self.max_iter.min(SOFT_ITERATIONS),
            false => self.max_iter,
        }
    }

    pub(super) fn limits(&self, max_iterations: u64) -> LbfgsSettings {
        LbfgsSettings {
            projected_gradient_tol: self.tol,
            // Who asks for a small gradient also wants the last digits of the objective.
            stall_tol: 1e-6 * self.tol.min(1e-3),
            max_iterations,
            ..LbfgsSettings::default()
        }
    }

    /// The stage's labels, from the masses of classes in leaves.
    pub(super) fn label(
        &self,
        masses: &[f64],
        stage: &Stage,
        multipliers: &Multipliers,
    ) -> Vec<u32> {
        let costs = self.lagrangian_costs(&stage.costs, &multipliers.values);
        let assign = if stage.soft {
            assign_parted_labels
        } else {
            assign_labels
        };
        assign(masses, &costs, self.data.target.count(), self.cover_classes)
    }

    /// What the Lagrangian puts on predicting k for a row of each cell, C × K.
    pub fn lagrangian_costs(&self, costs: &[f64], multipliers: &[f64]) -> Vec<f64> {
        let (rows, total) = (&self.cells, self.total_weight());
        self.bounds
            .lagrangian_costs(costs, rows, total, multipliers)
    }

    pub(super) fn no_multipliers(&self) -> Multipliers {
        Multipliers::at(vec![0.0; self.bounds.inequalities()], &RATE_SEARCH)
    }
}

/// Whether a bound counts as kept.
pub(crate) fn is_kept(reached: &RateReached) -> bool {
    reached.excess <= RATE_REACHED
}

/// The worst excess of a bound that is not kept; 0 if all are.
pub(crate) fn shortfall(reached: &[RateReached]) -> f64 {
    let missed = reached.iter().filter(|reached| !is_kept(reached));
    missed.map(|reached| reached.excess).fold(0.0, f64::max)
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
            reached: Vec::new(),
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
