//! How a start ended, and the report on all of them, whatever the kind of tree.

use super::multistart::Starts;
use crate::fitted::FitReport;
use crate::solver::Work;
use crate::status::SolveStatus;
use std::time::Instant;

/// The figures of a start.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// Loss plus penalty.
    pub objective: f64,
    /// Expected cost or error alone.
    pub loss: f64,
    /// As in [`FitReport::optimality`].
    pub optimality: f64,
    pub work: Work,
    pub status: SolveStatus,
}

impl<O: AsRef<Ending>> Starts<O> {
    /// What there is to say of the best start and of all together, for a fit to `rows` rows.
    pub fn report(&self, rows: usize, began: Instant) -> FitReport {
        let endings = || self.outcomes.iter().map(AsRef::as_ref);
        let best = self.outcomes[self.best].as_ref();
        FitReport {
            status: self.stopped.map_or(best.status, Into::into),
            objective: best.objective,
            loss: best.loss,
            seconds: began.elapsed().as_secs_f64(),
            iterations: endings().map(|e| e.work.iterations).sum(),
            evaluations: endings().map(|e| e.work.evaluations).sum(),
            optimality: best.optimality,
            start_objectives: endings().map(|e| e.objective).collect(),
            best_start: self.best,
            constraints: Vec::new(),
            cross_validation: None,
            selection: None,
            notices: Vec::new(),
            rows,
        }
    }
}
