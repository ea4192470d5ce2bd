//! Why a solver stopped, and with what.

use serde::{Deserialize, Serialize};

/// Why a run ended. Limits are not errors: the point reached is returned all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolveStatus {
    /// ‖prox_h(x − ∇f(x)) − x‖∞ is at most the tolerance.
    Converged,
    /// The objective no longer falls measurably.
    Stalled,
    /// Bounds on class rates could not be reached together; the point is the closest found.
    Infeasible,
    /// The iteration limit was reached.
    IterationLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The stop flag was raised.
    Cancelled,
}

impl SolveStatus {
    /// Whether the run ended by itself, not at a limit.
    pub fn is_converged(self) -> bool {
        matches!(self, Self::Converged | Self::Stalled)
    }

    /// Whether the run was stopped from outside, by a flag or the clock.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Cancelled)
    }

    /// The name used in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Stalled => "stalled",
            Self::Infeasible => "infeasible",
            Self::IterationLimit => "iteration_limit",
            Self::TimeLimit => "time_limit",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<crate::stop::Stopped> for SolveStatus {
    fn from(stopped: crate::stop::Stopped) -> Self {
        match stopped {
            crate::stop::Stopped::Cancelled => Self::Cancelled,
            crate::stop::Stopped::TimeLimit => Self::TimeLimit,
        }
    }
}

/// The best point found and how it was found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The point.
    pub x: Vec<f64>,
    /// f + h there.
    pub value: f64,
    /// ‖prox_h(x − ∇f(x)) − x‖∞ there.
    pub optimality: f64,
    /// Iterations done.
    pub iterations: u64,
    /// Joint evaluations of f and ∇f.
    pub evaluations: u64,
    /// Why it ended.
    pub status: SolveStatus,
}

impl Outcome {
    /// The same with other counts of iterations and evaluations, those of all runs that led to it.
    pub(crate) fn with_work(mut self, work: (u64, u64)) -> Self {
        (self.iterations, self.evaluations) = work;
        self
    }
}
