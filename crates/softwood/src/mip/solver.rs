//! What solves a program: anything that can.

use super::Program;
use crate::stop::StopFlag;
use std::time::Duration;

/// A solver of mixed-integer programs.
pub trait MipSolver: Sync {
    /// Solves `program`, beginning with the solution `start`, within `limit`; looks at `stop` now and then.
    /// The reason, if it cannot.
    fn solve(
        &self,
        program: &Program,
        start: &[f64],
        limit: Option<Duration>,
        stop: &StopFlag,
    ) -> Result<MipSolution, String>;
}

/// What a solver has found.
#[derive(Clone, Debug, PartialEq)]
pub struct MipSolution {
    /// The best solution, if there is any.
    pub values: Option<Vec<f64>>,
    /// No solution costs less.
    pub bound: f64,
    /// Nodes of the search.
    pub nodes: u64,
    /// Whether the solution is proven to be best.
    pub optimal: bool,
    /// Seconds, cost of the best solution and bound, over time.
    pub course: Vec<(f64, f64, f64)>,
}
