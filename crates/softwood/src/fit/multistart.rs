//! Seeded starts, run side by side or one after the other; the best is kept, all are reported.

use super::continuation::{StartOutcome, stages};
use super::one_start::run_start;
use super::orct::OrctSettings;
use crate::objective::ClassificationRows;
use crate::progress::Progress;
use crate::stop::{Stop, Stopped};
use crate::tree::{Parallelism, Topology};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::sync::Arc;

/// From this many chunks on, rows run in parallel and starts one after the other.
const MANY_CHUNKS: usize = 16;

/// How thoroughly each start searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to compare settings.
    Compare,
    /// Enough for the model.
    Full,
}

impl Effort {
    /// Regrowths of idle splits at most; fewer in deep trees, where each costs more.
    fn regrowths(self, depth: usize) -> usize {
        match self {
            Self::Compare => 0,
            Self::Full => 12 / depth.saturating_sub(3).max(1),
        }
    }
}

/// All starts in their order, and which of them is best.
pub(crate) struct Starts<O> {
    pub outcomes: Vec<O>,
    pub best: usize,
    /// Whether the time limit kept some starts from being run.
    pub cut_short: bool,
}

/// Rows in parallel when there are many or only one start, else the starts.
pub(crate) fn parallelism(chunks: usize, n_starts: usize) -> Parallelism {
    if n_starts == 1 || chunks >= MANY_CHUNKS {
        Parallelism::Rows
    } else {
        Parallelism::None
    }
}

/// Runs the starts of an ORCT; Err only if cancelled.
pub(crate) fn run_starts(
    data: &ClassificationRows<'_>,
    topology: Topology,
    costs: &[f64],
    effort: Effort,
    settings: &OrctSettings,
    progress: &Arc<Progress>,
) -> Result<Starts<StartOutcome>, Stopped> {
    let stages = stages(
        settings.gamma,
        costs,
        &data.class_weights(),
        data.rows.features(),
    );
    let run = |start: usize| {
        let mut rng = Pcg64::new(u128::from(settings.random_state), start as u128);
        let outcome = run_start(
            data,
            topology,
            &stages,
            effort.regrowths(settings.depth),
            settings,
            progress,
            &mut rng,
        )?;
        // Objectives on parts of the rows are not those of the model in the making.
        progress.finish_start((effort == Effort::Full).then_some(outcome.objective));
        Ok((outcome.objective, outcome))
    };
    best_of_starts(settings.n_starts, data.parallelism, &data.stop, run)
}

/// Runs `run(0)`, `run(1)`, …, each giving its objective and what it found; Err only if cancelled.
/// After the time limit no further start begins, but the first one always delivers.
pub(crate) fn best_of_starts<O: Send>(
    n_starts: usize,
    parallelism: Parallelism,
    stop: &Stop,
    run: impl Fn(usize) -> Result<(f64, O), Stopped> + Sync,
) -> Result<Starts<O>, Stopped> {
    let run_in_time = |start: usize| {
        if start > 0 && stop.check() == Err(Stopped::TimeLimit) {
            return Ok(None);
        }
        run(start).map(Some)
    };
    let outcomes: Vec<Option<(f64, O)>> = match parallelism {
        Parallelism::Rows => (0..n_starts).map(run_in_time).collect::<Result<_, _>>()?,
        Parallelism::None => (0..n_starts)
            .into_par_iter()
            .map(run_in_time)
            .collect::<Result<_, _>>()?,
    };
    let outcomes: Vec<(f64, O)> = outcomes.into_iter().flatten().collect();
    let cut_short = outcomes.len() < n_starts;
    let Starts { outcomes, best, .. } = Starts::ranked(outcomes, |o| o.0, cut_short);
    Ok(Starts {
        outcomes: outcomes.into_iter().map(|(_, outcome)| outcome).collect(),
        best,
        cut_short,
    })
}

impl<O> Starts<O> {
    /// Finds the best of at least one.
    pub fn ranked(outcomes: Vec<O>, objective: impl Fn(&O) -> f64, cut_short: bool) -> Self {
        let order =
            |a: &usize, b: &usize| objective(&outcomes[*a]).total_cmp(&objective(&outcomes[*b]));
        let best = (0..outcomes.len())
            .min_by(order)
            .expect("the first start always delivers");
        Self {
            outcomes,
            best,
            cut_short,
        }
    }
}
