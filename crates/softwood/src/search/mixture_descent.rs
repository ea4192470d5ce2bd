//! The descent of one point of a mixture of linear models: through softer splits to the wanted ones.

use super::ending::Ending;
use crate::data::RegressionRows;
use crate::objective::{MixtureError, Penalty, ProjectedMixtureError};
use crate::progress::Progress;
use crate::solver::{
    Bounds, CountIterations, LbfgsSettings, Majorized, Objective, Outcome, Work, minimize,
    minimize_by_tangents,
};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::{RegressionParameters, Topology};
use std::sync::Arc;

/// Where coefficients and intercepts of splits lie.
const SPLIT_BOUNDS: Bounds = Bounds::all(-1.0, 1.0);

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 30;

/// The problem of a fit, and how to work on it.
#[derive(Clone)]
pub(crate) struct MixtureDescent<'a, 'd> {
    pub data: RegressionRows<'d>,
    pub topology: Topology,
    /// γ of the stages, the wanted one last.
    pub gammas: Vec<f64>,
    /// Mean row.
    pub centers: &'a [f64],
    /// λ_β.
    pub ridge: f64,
    /// On (a, μ, β, β_0).
    pub penalty: Penalty,
    /// A run ends when ‖prox(x − ∇f(x)) − x‖∞ ≤ tol, or after so many iterations.
    pub tol: f64,
    pub max_iter: u64,
    pub progress: &'a Arc<Progress>,
}

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct MixtureOutcome {
    /// (a, μ, β, β_0), leaf intercepts at the mean row.
    pub x: Vec<f64>,
    pub ending: Ending,
}

impl AsRef<Ending> for MixtureOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

impl MixtureOutcome {
    /// The lower objective first.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.ending.objective.total_cmp(&other.ending.objective)
    }
}

impl<'d> MixtureDescent<'_, 'd> {
    /// Number of the last stage.
    pub fn last(&self) -> usize {
        self.gammas.len() - 1
    }

    fn error<'s>(&'s self, stage: usize) -> MixtureError<'s, 'd> {
        MixtureError {
            data: &self.data,
            topology: self.topology,
            gamma: self.gammas[stage],
            centers: self.centers,
            ridge: self.ridge,
        }
    }

    /// The tree of a point in its own terms.
    pub fn parameters(&self, x: &[f64]) -> RegressionParameters {
        self.error(self.last()).parameters(x)
    }

    /// Follows the stages from number `first` on with leaf models that are best at every point, without
    /// penalties; `iterations` at most in the last. Stopped, it ends where it stands.
    pub fn follow(
        &self,
        first: usize,
        mut theta: Vec<f64>,
        iterations: u64,
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
            let limits = self.limits(most);
            let objective = ProjectedMixtureError(self.error(stage));
            let observer = Some(CountIterations(self.progress.clone()));
            let outcome = minimize(objective, SPLIT_BOUNDS, theta.clone(), &limits, observer);
            let mut outcome = match outcome {
                Ok(outcome) => outcome,
                Err(interrupted) => {
                    end.status = SolveStatus::try_from(interrupted)?;
                    break;
                }
            };
            outcome.work += end.work;
            theta = outcome.x.clone();
            end = outcome;
            if end.status.is_stopped() {
                break;
            }
        }
        let data = self.data.with_stop(&Stop::default());
        let error = MixtureError {
            data: &data,
            ..self.error(last)
        };
        end.x = [&theta[..], &error.best_leaves(&theta)?].concat();
        self.conclude(end)
    }

    /// From the first rung to the end: the last stage, then the penalty.
    pub fn go_on(&self, begun: MixtureOutcome) -> Result<MixtureOutcome, Interrupted> {
        let splits = self.error(self.last()).splits();
        let mut outcome = self.follow(self.last(), begun.x[splits].to_vec(), self.max_iter)?;
        outcome.ending.work += begun.ending.work;
        self.penalize(outcome)
    }

    /// Descends with the penalty over splits and leaves together.
    fn penalize(&self, from: MixtureOutcome) -> Result<MixtureOutcome, Interrupted> {
        if self.penalty.is_zero() || from.ending.status.is_stopped() {
            return Ok(from);
        }
        let (error, limits) = (self.error(self.last()), self.limits(self.max_iter));
        let runs = self.penalty.tangents(false);
        let start = from.x.clone();
        let outcome =
            minimize_by_tangents(&error, &self.penalty, start, runs, &limits, self.progress);
        match outcome {
            Ok(mut outcome) => {
                outcome.work += from.ending.work;
                self.conclude(outcome)
            }
            Err(interrupted) => {
                let mut from = from;
                from.ending.status = SolveStatus::try_from(interrupted)?;
                Ok(from)
            }
        }
    }

    /// Objective and loss where a run ended: computed even when stopped, for without them there is no
    /// answer.
    fn conclude(&self, end: Outcome) -> Result<MixtureOutcome, Interrupted> {
        let data = self.data.with_stop(&Stop::default());
        let error = MixtureError {
            data: &data,
            ..self.error(self.last())
        };
        let mut gradient = vec![0.0; error.dim()];
        let loss = data.mixture_sums(&error.mixture(&end.x))?.squares / data.total_weight();
        let ridge = error.add_ridge(&end.x, &mut gradient);
        Ok(MixtureOutcome {
            ending: Ending {
                objective: loss + ridge + self.penalty.value(&end.x),
                loss,
                optimality: end.optimality,
                work: end.work,
                status: end.status,
            },
            x: end.x,
        })
    }

    fn limits(&self, iterations: u64) -> LbfgsSettings {
        LbfgsSettings {
            projected_gradient_tol: self.tol,
            // Who asks for a small gradient also wants the last digits of the objective.
            stall_tol: 1e-2 * self.tol.min(1e-3),
            max_iterations: iterations.min(self.max_iter),
            ..LbfgsSettings::default()
        }
    }
}
