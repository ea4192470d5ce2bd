//! A second chance for the subtrees of the best start: each is grown anew in the rows that reach it.
//!
//! Below a split the two sides are all but separate problems. A start that has found one of them but
//! not the other is so mended by a fraction of the work of more starts.

use super::nodec::Run;
use crate::objective::RegressionRows;
use crate::stop::Stopped;
use crate::tree::{Parallelism, RegressionParameters, Topology};
use rayon::prelude::*;

/// Fresh starts of a subtree, and the macro-iterations of each.
const ATTEMPTS: usize = 4;
const MACRO_ITERATIONS: u64 = 4;

/// Macro-iterations of the whole tree after subtrees have been replaced.
const SETTLING: u64 = 4;

/// A subtree must be better by this share to replace another.
const WORTHWHILE: f64 = 1e-3;

/// Replaces subtrees of `run` from the top down where fresh ones are better, and lets the whole tree
/// settle; `splits(rows, shape, attempt)` gives splits to begin with. Err only if cancelled.
pub(crate) fn replace_subtrees(
    run: &mut Run<'_, '_>,
    splits: impl Fn(&RegressionRows<'_>, Topology, usize) -> Result<RegressionParameters, Stopped>
    + Sync,
) -> Result<(), Stopped> {
    run.return_to_best()?;
    let topology = run.parameters.topology;
    let mut replaced = false;
    for t in 1..topology.branches() {
        if run.is_out_of_time() {
            break;
        }
        let here = run.data.select(&run.members(t));
        if here.total_weight() <= 0.0 {
            continue;
        }
        let here = here.without_deadline();
        let below = Topology::complete(topology.depth() - topology.level(t));
        let ridges = run.ridges_on(&here);
        let begin = |start| Run::new(&here, start, ridges.clone(), run.settings, run.progress);
        let attempt = |k: usize| {
            let mut fresh = begin(splits(&here, below, t * ATTEMPTS + k)?)?;
            fresh.advance(MACRO_ITERATIONS)?;
            Ok(fresh)
        };
        let fresh: Vec<Run<'_, '_>> = match here.parallelism {
            Parallelism::Rows => (0..ATTEMPTS).map(attempt).collect::<Result<_, Stopped>>()?,
            Parallelism::None => (0..ATTEMPTS)
                .into_par_iter()
                .map(attempt)
                .collect::<Result<_, Stopped>>()?,
        };
        let present = begin(run.parameters.subtree(t))?;
        let best = fresh
            .iter()
            .min_by(|a, b| a.objective().total_cmp(&b.objective()))
            .expect("at least one attempt");
        if best.objective() < (1.0 - WORTHWHILE) * present.objective() {
            let grown = best.best().clone();
            run.graft(t, &grown)?;
            replaced = true;
        }
    }
    if replaced {
        run.resume(SETTLING)?;
    }
    Ok(())
}
