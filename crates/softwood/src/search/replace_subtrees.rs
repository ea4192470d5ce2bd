//! A second chance for the subtrees of the best start: each is grown anew in the rows that reach it.
//!
//! Below a split the two sides are all but separate problems. A start that has found one of them but
//! not the other is so mended by a fraction of the work of more starts.

use super::nodec_run::Run;
use super::starts::side_by_side;
use crate::data::RegressionRows;
use crate::stop::Interrupted;
use crate::tree::{RegressionParameters, Topology};

/// Fresh starts of a subtree at most.
const ATTEMPTS: usize = 4;

/// Macro-iterations of each, and of the whole tree after subtrees have been replaced, at most.
const MACRO_ITERATIONS: u64 = 4;

/// A subtree must be better by this share to replace another.
const REPLACEMENT_GAIN: f64 = 1e-3;

/// Splits to begin with, for rows, a shape and the number of an attempt.
type FirstSplits<'f> = dyn Fn(&RegressionRows<'_>, Topology, usize) -> Result<RegressionParameters, Interrupted>
    + Sync
    + 'f;

/// Replaces subtrees of `run` from the top down where fresh ones are better, and lets the whole tree
/// settle. `attempts` and macro-iterations are those asked for at most.
pub(crate) fn replace_subtrees(
    run: &mut Run<'_, '_>,
    attempts: usize,
    macro_iterations: u64,
    splits: &FirstSplits<'_>,
) -> Result<(), Interrupted> {
    let attempts = ATTEMPTS.min(attempts);
    if attempts == 0 {
        return Ok(());
    }
    run.return_to_best()?;
    let branches = run.parameters.topology.branches();
    let macro_iterations = macro_iterations.min(MACRO_ITERATIONS);
    let mut replaced = false;
    for t in 1..branches {
        match better_subtree(run, t, attempts, macro_iterations, splits) {
            Ok(Some(subtree)) => {
                run.graft(t, &subtree)?;
                replaced = true;
            }
            Ok(None) => {}
            Err(interrupted) => return run.end(interrupted),
        }
    }
    if replaced {
        run.resume(macro_iterations)?;
    }
    Ok(())
}

/// The best of fresh subtrees at `t`, if it is better than the present one.
fn better_subtree(
    run: &mut Run<'_, '_>,
    t: usize,
    attempts: usize,
    macro_iterations: u64,
    splits: &FirstSplits<'_>,
) -> Result<Option<RegressionParameters>, Interrupted> {
    run.data.rows.stop.check()?;
    let here = run.data.select(&run.members(t));
    if here.total_weight() <= 0.0 {
        return Ok(None);
    }
    let present = run.parameters.subtree(t);
    let shape = &present.topology;
    let ridges = run.ridges_on(&here);
    let (rules, progress) = (run.rules, run.progress);
    let begin = |start| Run::new(&here, &here, start, ridges.clone(), rules, progress);
    let attempt = |k: usize| {
        let mut fresh = begin(splits(&here, shape.clone(), t * ATTEMPTS + k)?)?;
        fresh.advance(macro_iterations)?;
        Ok(fresh)
    };
    let fresh = side_by_side((0..attempts).collect(), here.rows.parallelism, attempt)?;
    for attempt in &fresh {
        run.work += attempt.work;
    }
    let enough = (1.0 - REPLACEMENT_GAIN) * begin(present)?.objective();
    let best = fresh
        .iter()
        .min_by(|a, b| a.objective().total_cmp(&b.objective()))
        .filter(|best| best.objective() < enough);
    Ok(best.map(|best| best.best().clone()))
}
