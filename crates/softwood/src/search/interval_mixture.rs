//! The descent of a regression tree on moving intervals: through softer splits to the wanted ones, then under
//! penalties.

use super::ending::Ending;
use super::interval_problem::{IntervalPoint, IntervalProblem, random_splits};
use crate::data::Response;
use crate::functional::MovingData;
use crate::objective::{
    LeafRidge, MovingMixture, MovingTree, ORDERED_ENDS, Penalty, PenaltySettings,
    ProjectedMovingMixture, VARIANCE,
};
use crate::progress::Progress;
use crate::solver::{
    Bounds, CountIterations, Interval, LbfgsSettings, Majorized, Objective, Outcome, Stacked, Work,
    minimize, minimize_by_tangents,
};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use std::sync::Arc;

/// The softer stage has this share of γ, and so many iterations.
const SOFTER: f64 = 0.25;
const SOFT_ITERATIONS: u64 = 30;

/// Curvature pairs: splits, leaves and ends are of very different curvature.
const MEMORY: usize = 40;

/// The problem of a fit, and how to work on it.
pub(crate) struct IntervalMixture<'a> {
    pub data: MovingData<Response>,
    /// λ_β.
    pub ridge: f64,
    /// On splits and leaves, λ_G by predictor.
    pub penalty: &'a PenaltySettings,
    pub tol: f64,
    pub max_iter: u64,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct IntervalMixtureOutcome {
    pub splits: Vec<f64>,
    /// Slopes L × q, then intercepts.
    pub leaves: Vec<f64>,
    pub ends: Vec<f64>,
    pub ending: Ending,
}

impl AsRef<Ending> for IntervalMixtureOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

impl AsMut<Ending> for IntervalMixtureOutcome {
    fn as_mut(&mut self) -> &mut Ending {
        &mut self.ending
    }
}

/// What is the same for all features.
struct Frame {
    centers: Vec<f64>,
    ridge: LeafRidge,
}

impl Frame {
    fn of(tree: &MovingTree, ridge: f64) -> Self {
        let q = tree.features.len();
        Self {
            centers: vec![0.0; q],
            ridge: ridge_of_means(ridge, tree),
        }
    }
}

/// λ_β on the leaf models of means, all of which are brought to the same variance.
pub(crate) fn ridge_of_means(ridge: f64, tree: &MovingTree) -> LeafRidge {
    LeafRidge::plain(
        ridge,
        &vec![VARIANCE; tree.features.len()],
        tree.topology.leaves(),
    )
}

impl IntervalMixture<'_> {
    fn error<'s>(
        &self,
        data: &'s MovingData<Response>,
        tree: &'s MovingTree,
        frame: &'s Frame,
    ) -> MovingMixture<'s> {
        MovingMixture {
            data,
            tree,
            ridge: &frame.ridge,
            centers: &frame.centers,
        }
    }

    /// One stage: over splits and ends alone where leaf models can be eliminated, else over all.
    fn move_all(
        &self,
        tree: &MovingTree,
        point: &IntervalPoint,
        iterations: u64,
    ) -> Result<(IntervalPoint, Outcome), Interrupted> {
        let frame = Frame::of(tree, self.ridge);
        let error = self.error(&self.data, tree, &frame);
        let limits = self.limits(iterations);
        let observer = Some(CountIterations(self.progress.clone()));
        let IntervalPoint { splits, ends } = point;
        let outcome = if error.eliminates_leaves() {
            let term = Stacked {
                first: tree.split_bounds(),
                split: splits.len(),
                second: ORDERED_ENDS,
            };
            let x = [&splits[..], ends].concat();
            minimize(ProjectedMovingMixture(error), term, x, &limits, observer)?
        } else {
            let leaves = error.best_leaves(splits, ends)?;
            let x = [&splits[..], &leaves, ends].concat();
            let term = Stacked {
                first: joint_bounds(tree, leaves.len()),
                split: splits.len() + leaves.len(),
                second: ORDERED_ENDS,
            };
            minimize(error, term, x, &limits, observer)?
        };
        let last = outcome.x.len() - ends.len();
        let point = IntervalPoint {
            splits: outcome.x[..splits.len()].to_vec(),
            ends: outcome.x[last..].to_vec(),
        };
        Ok((point, outcome))
    }

    /// Descends over splits, leaves and ends together, with the penalty.
    fn restrict(
        &self,
        tree: &MovingTree,
        from: &IntervalMixtureOutcome,
    ) -> Result<Outcome, Interrupted> {
        let frame = Frame::of(tree, self.ridge);
        let error = self.error(&self.data, tree, &frame);
        let h = Stacked {
            first: self.penalty_of(tree),
            split: from.splits.len() + from.leaves.len(),
            second: ORDERED_ENDS,
        };
        let x = [&from.splits[..], &from.leaves, &from.ends].concat();
        let runs = h.first.tangents(false);
        let limits = self.limits(self.max_iter);
        minimize_by_tangents(&error, &h, x, runs, &limits, self.progress)
    }

    /// A predictor's values and derivatives over nodes and intervals are one group.
    fn penalty_of(&self, tree: &MovingTree) -> Penalty {
        let settings = PenaltySettings {
            groups: Some(tree.features.iter().map(|f| f.predictor).collect()),
            ..self.penalty.clone()
        };
        let q = tree.features.len();
        let leaves = tree.topology.leaves() * (q + 1);
        Penalty::on_splits_and_leaves(&settings, &tree.topology, q)
            .within(joint_bounds(tree, leaves))
    }

    /// Objective and loss with the best leaves, or these: computed even when stopped.
    fn conclude(
        &self,
        tree: &MovingTree,
        point: IntervalPoint,
        leaves: Option<Vec<f64>>,
        ending: (SolveStatus, f64, Work),
    ) -> Result<IntervalMixtureOutcome, Interrupted> {
        let data = self.data.with_stop(&Stop::default());
        let frame = Frame::of(tree, self.ridge);
        let error = self.error(&data, tree, &frame);
        let IntervalPoint { splits, ends } = point;
        let leaves = match leaves {
            Some(leaves) => leaves,
            None => error.best_leaves(&splits, &ends)?,
        };
        let rows = error.rows(&ends);
        let at = error.error(&rows);
        let x = [&tree.kernel_splits(&splits)[..], &leaves].concat();
        let loss = rows.mixture_sums(&at.mixture(&x))?.squares / rows.total_weight();
        let own = [&splits[..], &leaves].concat();
        let penalty = self.penalty_of(tree).value(&own);
        let (status, optimality, work) = ending;
        Ok(IntervalMixtureOutcome {
            ending: Ending {
                objective: loss + at.ridge_value(&x) + tree.lengths(&ends) + penalty,
                loss,
                optimality,
                work,
                status,
            },
            splits,
            leaves,
            ends,
        })
    }

    fn limits(&self, iterations: u64) -> LbfgsSettings {
        LbfgsSettings {
            projected_gradient_tol: self.tol,
            stall_tol: 0.1 * self.tol.min(1e-3),
            memory: MEMORY,
            max_iterations: iterations.min(self.max_iter),
        }
    }
}

/// Splits within theirs, leaves free.
fn joint_bounds(tree: &MovingTree, leaves: usize) -> Bounds {
    let own = tree.split_bounds();
    let splits = (0..tree.splits()).map(|i| own.of(i));
    splits
        .chain(std::iter::repeat_n(Interval::FREE, leaves))
        .collect()
}

impl IntervalProblem for IntervalMixture<'_> {
    type Outcome = IntervalMixtureOutcome;

    fn point(&self, outcome: &IntervalMixtureOutcome) -> IntervalPoint {
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

    /// The objective, leaves being best.
    fn outlook(&self, tree: &MovingTree, point: &IntervalPoint) -> Result<f64, Interrupted> {
        let frame = Frame::of(tree, self.ridge);
        let error = self.error(&self.data, tree, &frame);
        if !error.eliminates_leaves() {
            return Ok(0.0);
        }
        let x = [&point.splits[..], &point.ends].concat();
        ProjectedMovingMixture(error).value_and_gradient(&x, &mut vec![0.0; x.len()])
    }

    fn begin(
        &self,
        tree: &MovingTree,
        mut point: IntervalPoint,
        sharp: bool,
        iterations: u64,
    ) -> Result<IntervalMixtureOutcome, Interrupted> {
        let softer = MovingTree {
            gamma: SOFTER * tree.gamma,
            ..tree.clone()
        };
        let stages = [(&softer, SOFT_ITERATIONS), (tree, iterations)];
        let (mut status, mut optimality) = (SolveStatus::TimeLimit, f64::INFINITY);
        let mut work = Work::default();
        for (stage, iterations) in &stages[usize::from(sharp)..] {
            match self.move_all(stage, &point, *iterations) {
                Ok((moved, outcome)) => {
                    work += outcome.work;
                    (point, status, optimality) = (moved, outcome.status, outcome.optimality);
                }
                Err(interrupted) => status = SolveStatus::try_from(interrupted)?,
            }
            if status.is_stopped() {
                break;
            }
        }
        self.conclude(tree, point, None, (status, optimality, work))
    }

    fn finish(
        &self,
        tree: &MovingTree,
        begun: IntervalMixtureOutcome,
    ) -> Result<IntervalMixtureOutcome, Interrupted> {
        let mut outcome = self.climb(tree, begun, self.max_iter)?;
        if self.penalty_of(tree).is_zero() || outcome.ending.status.is_stopped() {
            return Ok(outcome);
        }
        match self.restrict(tree, &outcome) {
            Ok(mut end) => {
                end.work += outcome.ending.work;
                let (splits, leaves) = (outcome.splits.len(), outcome.leaves.len());
                let point = IntervalPoint {
                    splits: end.x[..splits].to_vec(),
                    ends: end.x[splits + leaves..].to_vec(),
                };
                let leaves = end.x[splits..splits + leaves].to_vec();
                let ending = (end.status, end.optimality, end.work);
                self.conclude(tree, point, Some(leaves), ending)
            }
            Err(interrupted) => {
                outcome.ending.status = SolveStatus::try_from(interrupted)?;
                Ok(outcome)
            }
        }
    }
}
