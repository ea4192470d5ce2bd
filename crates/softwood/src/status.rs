//! Why a fit, or a run of a solver, ended.

use crate::stop::{Interrupted, Stopped};
use serde::{Deserialize, Serialize};

/// Why a run ended. Limits are not errors: the point reached is returned all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolveStatus {
    /// ‖prox_h(x − ∇f(x)) − x‖∞ is at most the tolerance; node decomposition: three macro-iterations in
    /// a row did not lower the objective by a thousandth.
    Converged,
    /// Nothing can be better: the objective has met a proven bound.
    Optimal,
    /// The objective no longer falls measurably, although the gradient is not that small.
    Stalled,
    /// Node decomposition: all planned macro-iterations were made, each worth its while. Not a limit
    /// that something ran into, no more than a number of starts is.
    Completed,
    /// Constraints could not be met together; the point is the closest found.
    Infeasible,
    /// The iteration limit was reached.
    IterationLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The stop flag was raised.
    Cancelled,
}

impl SolveStatus {
    /// Whether the run ended because there was nothing more to gain.
    pub fn is_converged(self) -> bool {
        matches!(self, Self::Converged | Self::Optimal | Self::Stalled)
    }

    /// Whether the run was stopped from outside, by a flag or the clock.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Cancelled)
    }

    /// The name used in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Optimal => "optimal",
            Self::Stalled => "stalled",
            Self::Completed => "completed",
            Self::Infeasible => "infeasible",
            Self::IterationLimit => "iteration_limit",
            Self::TimeLimit => "time_limit",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<Stopped> for SolveStatus {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::TimeLimit => Self::TimeLimit,
        }
    }
}

impl TryFrom<Interrupted> for SolveStatus {
    type Error = Interrupted;

    /// The status of a run that was stopped; a source that failed leaves none.
    fn try_from(interrupted: Interrupted) -> Result<Self, Interrupted> {
        match interrupted {
            Interrupted::Cancelled => Ok(Self::Cancelled),
            Interrupted::TimeLimit => Ok(Self::TimeLimit),
            Interrupted::Source(_) => Err(interrupted),
        }
    }
}
