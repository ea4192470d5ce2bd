//! The starts of an ORCT: fresh ones, and warm starts from other penalties and softer splits.

use super::descent::{Descent, StartOutcome};
use super::one_start::{Origin, descend_grown, grown_start, improve, run_start};
use super::prune::pruned;
use super::starts::{Starts, best_of_starts, side_by_side, why_stopped};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use rand_pcg::Pcg64;

/// How thoroughly each start searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to rank settings.
    Compare,
    /// Enough for the model.
    Full,
}

impl Effort {
    /// Regrowths of idle splits at most; fewer in deep trees, where each costs more.
    fn regrowths(self, depth: usize) -> usize {
        match self {
            Self::Compare => 2,
            Self::Full => 12 / depth.saturating_sub(3).max(1),
        }
    }
}

/// Regrowths of a warm start at a sharper γ, which has been regrown before.
const REGROWTHS_SHARPENED: usize = 1;

/// The greedy start with all features to choose from.
const ALL_FEATURES: Origin = Origin::Greedy { share: 1.0 };

/// From this depth on trees are grown from the root: most nodes of a complete one would be idle.
pub(crate) const GROWN_FROM: usize = 5;

/// One of so many grown trees descends.
const DESCENDING: usize = 4;

/// Every other start is greedy, the first of them with all features; a single greedy
/// split is no match for an oblique one.
fn origin(start: usize, depth: usize) -> Origin {
    match start {
        _ if depth == 1 || start.is_multiple_of(2) => Origin::Random,
        1 => ALL_FEATURES,
        _ => Origin::Greedy { share: 0.5 },
    }
}

/// Runs `n` seeded starts of an ORCT.
pub(crate) fn run_starts(
    descent: &Descent<'_, '_>,
    n: usize,
    seed: u64,
    effort: Effort,
) -> Result<Starts<StartOutcome>, Interrupted> {
    let depth = descent.topology.depth();
    if depth >= GROWN_FROM {
        return run_grown_starts(descent, n, seed, effort);
    }
    gather(descent, n, |start| {
        let mut rng = Pcg64::new(u128::from(seed), start as u128);
        let regrowths = effort.regrowths(depth);
        let outcome = run_start(descent, origin(start, depth), regrowths, &mut rng)?;
        finish_start(descent, effort, &outcome);
        Ok(outcome)
    })
}

/// Grows `n` trees, which is quick, and lets those of the least loss descend.
fn run_grown_starts(
    descent: &Descent<'_, '_>,
    n: usize,
    seed: u64,
    effort: Effort,
) -> Result<Starts<StartOutcome>, Interrupted> {
    let grown = gather(descent, n, |start| {
        let outcome = grown_start(descent, &mut Pcg64::new(u128::from(seed), start as u128))?;
        if start >= n.div_ceil(DESCENDING) {
            finish_start(descent, effort, &outcome);
        }
        Ok(outcome)
    })?;
    let mut ranked: Vec<usize> = (0..grown.outcomes.len()).collect();
    let by_loss = |start: &usize| grown.outcomes[*start].ending.loss;
    ranked.sort_by(|a, b| by_loss(a).total_cmp(&by_loss(b)));
    ranked.truncate(n.div_ceil(DESCENDING));
    let (parallelism, stop) = (descent.data.rows.parallelism, &descent.data.rows.stop);
    let descended = side_by_side(ranked, parallelism, |start| {
        let mut before = grown.outcomes[start].clone();
        let outcome = match descend_grown(
            descent,
            before.clone(),
            &mut Pcg64::new(u128::from(seed), (1 << 64) | start as u128),
        ) {
            Ok(outcome) => outcome,
            Err(interrupted) => {
                before.ending.status = SolveStatus::try_from(interrupted)?;
                before // what was grown stays
            }
        };
        finish_start(descent, effort, &outcome);
        Ok((start, outcome))
    })?;
    let mut outcomes = grown.outcomes;
    let mut best = descended[0].0;
    for (start, outcome) in descended {
        outcomes[start] = outcome;
        let order = outcomes[start].order(&outcomes[best]);
        if order.is_lt() || (order.is_eq() && start < best) {
            best = start;
        }
    }
    let stopped = why_stopped(stop, outcomes.len() < n);
    Ok(Starts {
        outcomes,
        best,
        stopped,
    })
}

/// Tells that a start has ended; objectives on parts of the rows are not those of the model in the making.
fn finish_start(descent: &Descent<'_, '_>, effort: Effort, outcome: &StartOutcome) {
    let counts = effort == Effort::Full;
    descent
        .progress
        .finish_start(counts.then_some(outcome.objective()));
}

/// A warm start at other penalties stops moving within this share of the least of them: it may begin
/// within the tolerance of an ordinary fit, and would then stay as dense as it was.
const WARM_START_TOL: f64 = 0.01;

/// The same where settings are only compared.
const ROUGH_WARM_START_TOL: f64 = 0.1;

/// Takes every start of `before`, at smaller penalties, down the last stage of this problem. Each
/// follows its own local minimum: leaving out whole splits would jump to far sparser trees.
pub(crate) fn warm_start(
    descent: &Descent<'_, '_>,
    before: &[StartOutcome],
) -> Result<Starts<StartOutcome>, Interrupted> {
    warm_start_within(descent, before, WARM_START_TOL, |_, outcome| Ok(outcome))
}

/// As [`warm_start`], but roughly, and splits that are not worth their penalty are left out.
pub(crate) fn warm_start_and_prune(
    descent: &Descent<'_, '_>,
    before: &[StartOutcome],
) -> Result<Starts<StartOutcome>, Interrupted> {
    warm_start_within(descent, before, ROUGH_WARM_START_TOL, pruned)
}

fn warm_start_within(
    descent: &Descent<'_, '_>,
    before: &[StartOutcome],
    share_of_penalty: f64,
    finish: impl Fn(&Descent<'_, '_>, StartOutcome) -> Result<StartOutcome, Interrupted> + Sync,
) -> Result<Starts<StartOutcome>, Interrupted> {
    let tol = share_of_penalty * descent.penalty.least_weight();
    let close = Descent {
        tol: descent.tol.min(tol),
        ..descent.clone()
    };
    gather(descent, before.len(), |start| {
        let last = close.stages.len() - 1;
        let (before, close) = (&before[start], close.at(&before[start].topology));
        let outcome = finish(&close, close.follow(last, before.theta.clone())?)?;
        descent.progress.finish_start(None);
        Ok(outcome)
    })
}

/// Number of starts in [`sharpen_starts`] from so many `before`.
pub(crate) fn sharpened(depth: usize, before: usize) -> usize {
    before + usize::from(depth > 1 && depth < GROWN_FROM)
}

/// Takes every start of `before`, a softer problem, down the last stage of this one, and adds a greedy
/// one, whose thresholds the softer problem may have blurred.
pub(crate) fn sharpen_starts(
    descent: &Descent<'_, '_>,
    before: &[StartOutcome],
    seed: u64,
) -> Result<Starts<StartOutcome>, Interrupted> {
    gather(
        descent,
        sharpened(descent.topology.depth(), before.len()),
        |start| {
            let mut rng = Pcg64::new(u128::from(seed), start as u128);
            let outcome = match before.get(start) {
                Some(softer) => {
                    let last = descent.stages.len() - 1;
                    let descent = &descent.at(&softer.topology);
                    let outcome = descent.follow(last, softer.theta.clone())?;
                    if descent.topology.depth() < GROWN_FROM {
                        let outcome = pruned(descent, outcome)?;
                        improve(descent, REGROWTHS_SHARPENED, outcome, &mut rng)?
                    } else {
                        outcome
                    }
                }
                None => run_start(descent, ALL_FEATURES, REGROWTHS_SHARPENED, &mut rng)?,
            };
            descent.progress.finish_start(None);
            Ok(outcome)
        },
    )
}

fn gather(
    descent: &Descent<'_, '_>,
    n: usize,
    run: impl Fn(usize) -> Result<StartOutcome, Interrupted> + Sync,
) -> Result<Starts<StartOutcome>, Interrupted> {
    let (parallelism, stop) = (descent.data.rows.parallelism, &descent.data.rows.stop);
    best_of_starts(n, parallelism, stop, run, StartOutcome::order)
}
