//! Seeded starts, run side by side or one after the other; the best is kept, all are reported.

use super::descent::{Descent, StartOutcome};
use super::one_start::run_start;
use crate::stop::Stopped;
use crate::tree::Parallelism;
use rand_pcg::Pcg64;
use rayon::prelude::*;

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
#[derive(Clone)]
pub(crate) struct Starts {
    pub outcomes: Vec<StartOutcome>,
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

/// Runs the starts; Err only if cancelled. After the time limit no further start begins, but the
/// first one always delivers.
pub(crate) fn run_starts(descent: &Descent<'_, '_>, effort: Effort) -> Result<Starts, Stopped> {
    let settings = descent.settings;
    gather(descent, settings.n_starts, |start| {
        let mut rng = Pcg64::new(u128::from(settings.random_state), start as u128);
        let outcome = run_start(descent, effort.regrowths(settings.depth), &mut rng)?;
        // Objectives on parts of the rows are not those of the model in the making.
        descent
            .progress
            .finish_start((effort == Effort::Full).then_some(outcome.objective));
        Ok(outcome)
    })
}

/// Takes every start of `before`, a neighbouring problem, down the last stage of this one.
pub(crate) fn carry_starts(
    descent: &Descent<'_, '_>,
    before: &[StartOutcome],
) -> Result<Starts, Stopped> {
    gather(descent, before.len(), |start| {
        let last = descent.stages.len() - 1;
        let outcome = descent.follow(last, before[start].theta.clone())?;
        descent.progress.finish_start(None);
        Ok(outcome)
    })
}

/// The outcomes of `run` for starts 0…n−1, side by side or one after the other.
fn gather(
    descent: &Descent<'_, '_>,
    n: usize,
    run: impl Fn(usize) -> Result<StartOutcome, Stopped> + Sync,
) -> Result<Starts, Stopped> {
    let run = |start: usize| {
        if start > 0 && descent.data.stop.check() == Err(Stopped::TimeLimit) {
            return Ok(None);
        }
        run(start).map(Some)
    };
    let outcomes: Vec<Option<StartOutcome>> = match descent.data.parallelism {
        Parallelism::Rows => (0..n).map(run).collect::<Result<_, _>>()?,
        Parallelism::None => (0..n).into_par_iter().map(run).collect::<Result<_, _>>()?,
    };
    let outcomes: Vec<StartOutcome> = outcomes.into_iter().flatten().collect();
    let cut_short = outcomes.len() < n;
    let best = (0..outcomes.len())
        .min_by(|a, b| outcomes[*a].order(&outcomes[*b]))
        .expect("the first start always delivers");
    Ok(Starts {
        outcomes,
        best,
        cut_short,
    })
}
