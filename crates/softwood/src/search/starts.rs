//! Starts of any kind of tree, run side by side or one after the other; the best is kept, all are reported.

use super::ending::Ending;
use crate::data::Parallelism;
use crate::fitted::FitReport;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop, Stopped};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::time::Instant;

/// From this many chunks on, rows run in parallel and starts one after the other.
const MANY_CHUNKS: usize = 16;

/// All starts in their order, and which of them is best.
#[derive(Clone)]
pub(crate) struct Starts<O> {
    pub outcomes: Vec<O>,
    pub best: usize,
    /// What kept some starts from being run, or from being run to their end.
    pub stopped: Option<Stopped>,
}

/// Rows in parallel when there are many or only one start, else the starts.
pub(crate) fn parallelism(chunks: usize, n_starts: usize) -> Parallelism {
    if n_starts == 1 || chunks >= MANY_CHUNKS {
        Parallelism::Rows
    } else {
        Parallelism::None
    }
}

/// Does the same to all, side by side unless their rows are.
pub(crate) fn side_by_side<A: Send, B: Send>(
    all: Vec<A>,
    parallelism: Parallelism,
    step: impl Fn(A) -> Result<B, Interrupted> + Send + Sync,
) -> Result<Vec<B>, Interrupted> {
    match parallelism {
        Parallelism::Rows => all.into_iter().map(step).collect(),
        Parallelism::None => all.into_par_iter().map(step).collect(),
    }
}

/// Runs `run(0)`, `run(1)`, …, side by side or one after the other. Once stopped no further start
/// begins. The first one delivers whatever the time limit says; Err if none did because of the flag.
pub(crate) fn best_of_starts<O: Send>(
    n_starts: usize,
    parallelism: Parallelism,
    stop: &Stop,
    run: impl Fn(usize) -> Result<O, Interrupted> + Sync,
    order: impl Fn(&O, &O) -> Ordering,
) -> Result<Starts<O>, Interrupted> {
    let run_in_time = |start: usize| {
        if start > 0 {
            stop.check()?;
        }
        run(start)
    };
    // A start that was stopped before it had a point does not take those with it that have one.
    let keep = |start: usize| match run_in_time(start) {
        Err(Interrupted::Source(error)) => Err(error.into()),
        ended => Ok(ended.ok()),
    };
    let ended = side_by_side((0..n_starts).collect(), parallelism, keep)?;
    let outcomes: Vec<O> = ended.into_iter().flatten().collect();
    if outcomes.is_empty() {
        stop.without_deadline().check()?;
    }
    let missing = outcomes.len() < n_starts;
    Ok(Starts::ranked(outcomes, order, why_stopped(stop, missing)))
}

/// What ended the starts, if anything did: the flag, or the time limit if starts are missing for it.
pub(crate) fn why_stopped(stop: &Stop, missing: bool) -> Option<Stopped> {
    let stopped = stop.check().err();
    stopped.filter(|stopped| missing || *stopped == Stopped::Cancelled)
}

impl<O> Starts<O> {
    /// Finds the best of at least one, the first by `order`.
    pub fn ranked(
        outcomes: Vec<O>,
        order: impl Fn(&O, &O) -> Ordering,
        stopped: Option<Stopped>,
    ) -> Self {
        let best = (0..outcomes.len())
            .min_by(|a, b| order(&outcomes[*a], &outcomes[*b]))
            .expect("the first start always delivers");
        Self {
            outcomes,
            best,
            stopped,
        }
    }
}

impl<O: AsRef<Ending>> Starts<O> {
    /// What there is to say of the best start and of all together, for a fit to `rows` rows.
    pub fn report(&self, rows: usize, began: Instant) -> FitReport {
        let endings = || self.outcomes.iter().map(AsRef::as_ref);
        let best = self.outcomes[self.best].as_ref();
        // A limit that has cut off any start might have cost the tree that start would have found.
        let cut_off = endings()
            .map(|e| e.status)
            .find(|status| status.is_stopped());
        let stopped = self.stopped.map(SolveStatus::from).or(cut_off);
        FitReport {
            status: stopped.unwrap_or(best.status),
            objective: best.objective,
            loss: best.loss,
            loss_unit: None,
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
            hard_disagreement: None,
            proof: None,
            rows,
        }
    }
}
