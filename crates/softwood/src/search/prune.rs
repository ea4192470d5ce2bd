//! Pruning: takes out splits that cost more than they are worth.
//!
//! A penalty shrinks a split but, on the way to none at all, the loss may rise first: descent alone then
//! ends in a tree that is worse than one with fewer splits.

use super::descent::{Descent, StartOutcome};
use crate::stop::Interrupted;
use crate::tree::ParameterLayout;

/// Nodes tried at most, from the root down; each costs a pass over the rows.
const NODES_TRIED: usize = 15;

/// A split is left out if that lowers the objective by more than this share, which rounding may be.
const PRUNING_GAIN: f64 = 1e-6;

/// The outcome, or if leaving out the splits at and below some nodes is better, where the descent from
/// there ends.
pub(crate) fn pruned(
    descent: &Descent<'_, '_>,
    outcome: StartOutcome,
) -> Result<StartOutcome, Interrupted> {
    // A bound on a class's rate may need every split, and is not to be judged by the objective.
    if !descent.bounds.is_empty() {
        return Ok(outcome);
    }
    let topology = &descent.topology;
    let layout = ParameterLayout::new(topology, descent.data.features());
    let mut best = outcome.clone();
    let mut found = false;
    for t in 0..topology.branches().min(NODES_TRIED) {
        let mut theta = best.theta.clone();
        let mut changed = false;
        for below in topology.branches_below(t) {
            let coefficients = &mut theta[layout.coefficients(below)];
            changed |= coefficients.iter().any(|a| *a != 0.0);
            coefficients.fill(0.0);
            theta[layout.intercept(below)] = -1.0; // everything goes left
        }
        if !changed {
            continue;
        }
        match descent.assess(theta) {
            Ok(next) if next.objective() < (1.0 - PRUNING_GAIN) * best.objective() => {
                best = next;
                found = true;
            }
            Ok(_) => {}
            Err(Interrupted::Source(error)) => return Err(error.into()),
            Err(_) => break, // stopped: what there is stays
        }
    }
    if !found {
        return Ok(outcome);
    }
    let next = descent.follow(descent.stages.len() - 1, best.theta)?;
    Ok(outcome.or_better(next))
}
