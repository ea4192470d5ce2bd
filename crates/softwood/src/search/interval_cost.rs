//! The descent of a classification tree on moving intervals: labels and splits with ends in turn, through
//! softer splits to the wanted ones.

use super::continuation::{Stage, stages};
use super::ending::Ending;
use super::interval_problem::{IntervalPoint, IntervalProblem, random_splits};
use crate::data::Classes;
use crate::functional::MovingData;
use crate::leaves::{assign_labels, assign_parted_labels};
use crate::objective::{
    MovingCost, MovingTree, ORDERED_ENDS, Penalty, PenaltySettings, expected_cost,
};
use crate::progress::Progress;
use crate::solver::{
    LbfgsSettings, Majorized, Objective, Outcome, Stacked, Work, minimize_by_tangents,
};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use std::sync::Arc;

/// Label steps in a stage at most.
const MAX_LABEL_ROUNDS: usize = 10;

/// Iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 30;

/// The problem of a fit, and how to work on it.
pub(crate) struct IntervalCost<'a> {
    pub data: MovingData<Classes<'a>>,
    /// K × K.
    pub costs: &'a [f64],
    pub class_weights: &'a [f64],
    pub cover_classes: bool,
    /// On splits, λ_G by predictor.
    pub penalty: &'a PenaltySettings,
    pub tol: f64,
    pub max_iter: u64,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct IntervalCostOutcome {
    pub splits: Vec<f64>,
    pub ends: Vec<f64>,
    pub ending: Ending,
}

impl AsRef<Ending> for IntervalCostOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

impl AsMut<Ending> for IntervalCostOutcome {
    fn as_mut(&mut self) -> &mut Ending {
        &mut self.ending
    }
}

impl<'a> IntervalCost<'a> {
    fn stages(&self, tree: &MovingTree) -> Vec<Stage> {
        let q = tree.features.len();
        stages(
            tree.kernel_gamma(),
            self.costs,
            self.class_weights,
            q,
            false,
        )
    }

    /// K × L.
    fn masses(
        &self,
        data: &MovingData<Classes<'a>>,
        (tree, gamma): (&MovingTree, f64),
        point: &IntervalPoint,
    ) -> Result<Vec<f64>, Interrupted> {
        let rows = data.at(&tree.features, &point.ends);
        rows.leaf_masses(&tree.topology, &tree.kernel_splits(&point.splits), gamma)
    }

    fn label(&self, masses: &[f64], stage: &Stage) -> Vec<u32> {
        let assign = if stage.soft {
            assign_parted_labels
        } else {
            assign_labels
        };
        assign(
            masses,
            &stage.costs,
            self.class_weights.len(),
            self.cover_classes,
        )
    }

    fn penalty_of(&self, tree: &MovingTree) -> Penalty {
        let settings = PenaltySettings {
            groups: Some(tree.features.iter().map(|f| f.predictor).collect()),
            ..self.penalty.clone()
        };
        let q = tree.features.len();
        Penalty::on_splits(&settings, &tree.topology, q).within(tree.split_bounds())
    }

    /// Over splits and ends, with these labels.
    fn move_all(
        &self,
        tree: &MovingTree,
        stage: &Stage,
        labels: &[u32],
        point: &IntervalPoint,
        iterations: u64,
    ) -> Result<Outcome, Interrupted> {
        let softer = MovingTree {
            gamma: stage.gamma / tree.features_a_series(),
            ..tree.clone()
        };
        let objective = MovingCost {
            data: &self.data,
            tree: &softer,
            costs: &stage.costs,
            labels,
        };
        // A penalty in full would leave nothing of softer splits.
        let h = Stacked {
            first: self.penalty_of(tree).scaled(softer.gamma / tree.gamma),
            split: point.splits.len(),
            second: ORDERED_ENDS,
        };
        let runs = h.first.tangents(stage.soft);
        let x = [&point.splits[..], &point.ends].concat();
        let limits = LbfgsSettings {
            projected_gradient_tol: self.tol,
            stall_tol: 1e-3 * self.tol.min(1e-3),
            max_iterations: iterations.min(self.max_iter),
            ..LbfgsSettings::default()
        };
        minimize_by_tangents(&objective, &h, x, runs, &limits, self.progress)
    }

    /// One stage: labels and points in turn until the labels stay; Err leaves `point` where it was.
    fn follow(
        &self,
        tree: &MovingTree,
        stage: &Stage,
        point: &mut IntervalPoint,
        iterations: u64,
    ) -> Result<(SolveStatus, f64, Work), Interrupted> {
        let mut labels: Option<Vec<u32>> = None;
        let mut end = (SolveStatus::IterationLimit, f64::INFINITY, Work::default());
        for _ in 0..MAX_LABEL_ROUNDS {
            let masses = self.masses(&self.data, (tree, stage.gamma), point)?;
            let revised = self.label(&masses, stage);
            if labels.as_ref() == Some(&revised) {
                break;
            }
            let outcome = self.move_all(tree, stage, &revised, point, iterations)?;
            let splits = point.splits.len();
            *point = IntervalPoint {
                splits: outcome.x[..splits].to_vec(),
                ends: outcome.x[splits..].to_vec(),
            };
            end.2 += outcome.work;
            (end.0, end.1) = (outcome.status, outcome.optimality);
            if outcome.status.is_stopped() {
                break;
            }
            labels = Some(revised);
        }
        Ok(end)
    }

    /// Objective and loss with the best labels: computed even when stopped.
    fn conclude(
        &self,
        tree: &MovingTree,
        point: IntervalPoint,
        (status, optimality, work): (SolveStatus, f64, Work),
    ) -> Result<IntervalCostOutcome, Interrupted> {
        let data = self.data.with_stop(&Stop::default());
        let masses = self.masses(&data, (tree, tree.kernel_gamma()), &point)?;
        let k = self.class_weights.len();
        let labels = assign_labels(&masses, self.costs, k, self.cover_classes);
        let total: f64 = self.class_weights.iter().sum();
        let loss = expected_cost(&masses, self.costs, &labels) / total;
        let penalty = self.penalty_of(tree).value(&point.splits);
        Ok(IntervalCostOutcome {
            ending: Ending {
                objective: loss + penalty + tree.lengths(&point.ends),
                loss,
                optimality,
                work,
                status,
            },
            splits: point.splits,
            ends: point.ends,
        })
    }
}

impl IntervalProblem for IntervalCost<'_> {
    type Outcome = IntervalCostOutcome;

    fn point(&self, outcome: &IntervalCostOutcome) -> IntervalPoint {
        IntervalPoint {
            splits: outcome.splits.clone(),
            ends: outcome.ends.clone(),
        }
    }

    fn random_splits(
        &self,
        tree: &MovingTree,
        ends: &[f64],
        rng: &mut rand_pcg::Pcg64,
    ) -> Result<Vec<f64>, Interrupted> {
        random_splits(&self.data, tree, ends, rng)
    }

    /// How flat the cost is by splits and ends.
    fn outlook(&self, tree: &MovingTree, point: &IntervalPoint) -> Result<f64, Interrupted> {
        let masses = self.masses(&self.data, (tree, tree.kernel_gamma()), point)?;
        let k = self.class_weights.len();
        let labels = assign_labels(&masses, self.costs, k, self.cover_classes);
        let cost = MovingCost {
            data: &self.data,
            tree,
            costs: self.costs,
            labels: &labels,
        };
        let x = [&point.splits[..], &point.ends].concat();
        let mut gradient = vec![0.0; x.len()];
        cost.value_and_gradient(&x, &mut gradient)?;
        Ok(-gradient[..point.splits.len()]
            .iter()
            .map(|g| g * g)
            .sum::<f64>())
    }

    fn begin(
        &self,
        tree: &MovingTree,
        mut point: IntervalPoint,
        sharp: bool,
        iterations: u64,
    ) -> Result<IntervalCostOutcome, Interrupted> {
        let stages = self.stages(tree);
        let mut end = (SolveStatus::TimeLimit, f64::INFINITY, Work::default());
        let first = if sharp { stages.len() - 1 } else { 0 };
        for stage in &stages[first..] {
            let most = if stage.soft {
                SOFT_ITERATIONS
            } else {
                iterations
            };
            match self.follow(tree, stage, &mut point, most) {
                Ok((status, optimality, work)) => {
                    (end.0, end.1) = (status, optimality);
                    end.2 += work;
                }
                Err(interrupted) => end.0 = SolveStatus::try_from(interrupted)?,
            }
            if end.0.is_stopped() {
                break;
            }
        }
        self.conclude(tree, point, end)
    }

    fn finish(
        &self,
        tree: &MovingTree,
        begun: IntervalCostOutcome,
    ) -> Result<IntervalCostOutcome, Interrupted> {
        self.climb(tree, begun, self.max_iter)
    }
}
