//! One start: a descent from random splits, then regrowths of what has gone idle.

use super::descent::{Descent, StartOutcome};
use super::regrow::{grow, without_idle_splits};
use crate::start::splits_through_the_data;
use crate::stop::Stopped;
use crate::tree::ParameterLayout;
use rand::{Rng, RngExt};

/// How many regrowths in a row may fail to lower the objective by 1 %.
const PATIENCE: usize = 2;
const WORTHWHILE: f64 = 0.99;

/// Draws splits through the data, descends, and regrows idle splits (or, if all are busy, a random
/// one), `regrowths` times at most, as long as that lowers the objective. Err only if cancelled.
pub(crate) fn run_start(
    descent: &Descent<'_, '_>,
    regrowths: usize,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Stopped> {
    let topology = descent.topology;
    // The softest stage, 2p, forgets the start; the next one, 8p, keeps more of it. Both are used.
    let soft_stages = descent.stages.len() - 1;
    let first = |try_: usize| if soft_stages > 1 { (try_ + 1) % 2 } else { 0 };
    let mut theta = vec![0.0; ParameterLayout::new(topology, descent.data.rows.features()).dim()];
    // Without a first point there is no answer, so the time limit waits for it.
    splits_through_the_data(
        &descent.data.without_deadline(),
        topology,
        descent.settings.gamma,
        &mut theta,
        &vec![true; topology.branches()],
        rng,
    )?;
    let mut best = descent.follow(first(0), theta)?;
    let mut fruitless = 0;
    for try_ in 1..=regrowths {
        let next = match regrow(descent, first(try_), &best, rng) {
            Ok(next) => next,
            Err(Stopped::TimeLimit) => break,
            Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        };
        let work = (
            best.iterations + next.iterations,
            best.evaluations + next.evaluations,
        );
        let better = next.order(&best).is_lt();
        let worthwhile =
            next.shortfall < best.shortfall || next.objective < WORTHWHILE * best.objective;
        fruitless = if better && worthwhile {
            0
        } else {
            fruitless + 1
        };
        if better {
            best = next;
        }
        (best.iterations, best.evaluations) = work;
        if fruitless == PATIENCE {
            break;
        }
    }
    Ok(best)
}

/// A descent from `best` with its idle splits, or else one at random, grown anew.
fn regrow(
    descent: &Descent<'_, '_>,
    first: usize,
    best: &StartOutcome,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Stopped> {
    let (data, topology) = (&descent.data, descent.topology);
    data.stop.check()?;
    let leaves = topology.leaves();
    let masses = data.leaf_masses(topology, &best.theta, descent.settings.gamma)?;
    let leaf_masses: Vec<f64> = (0..leaves)
        .map(|t| masses.iter().skip(t).step_by(leaves).sum())
        .collect();
    let (mut theta, mut free) = without_idle_splits(
        topology,
        data.rows.features(),
        &best.theta,
        &leaf_masses,
        &best.labels,
    );
    if !free.contains(&true) {
        free[rng.random_range(0..topology.branches())] = true;
    }
    let work = grow(descent, &mut theta, &free, rng)?;
    let mut next = descent.follow(first, theta)?;
    next.iterations += work.0;
    next.evaluations += work.1;
    Ok(next)
}
