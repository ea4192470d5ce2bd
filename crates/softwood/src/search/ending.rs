//! How a start ended, whatever the kind of tree.

use crate::solver::Work;
use crate::status::SolveStatus;

/// The figures of a start.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// Loss plus penalty.
    pub objective: f64,
    /// Expected cost or error alone.
    pub loss: f64,
    /// As in [`FitReport::optimality`](crate::fitted::FitReport::optimality).
    pub optimality: f64,
    pub work: Work,
    pub status: SolveStatus,
}
