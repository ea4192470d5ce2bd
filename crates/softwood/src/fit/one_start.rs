//! One start: a descent from random splits, then regrowths of what has gone idle.

use super::continuation::{Stage, StartOutcome, follow};
use super::orct::OrctSettings;
use super::regrow::{grow, without_idle_splits};
use crate::objective::ClassificationRows;
use crate::progress::Progress;
use crate::start::splits_through_the_data;
use crate::stop::Stopped;
use crate::tree::{ParameterLayout, Topology};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// How many regrowths in a row may fail to lower the objective by 1 %.
const PATIENCE: usize = 2;
const WORTHWHILE: f64 = 0.99;

/// Draws splits through the data, descends, and regrows idle splits (or, if all are busy, a random
/// one), `regrowths` times at most, as long as that lowers the objective. Err only if cancelled.
pub(crate) fn run_start(
    data: &ClassificationRows<'_>,
    topology: Topology,
    stages: &[Stage],
    regrowths: usize,
    settings: &OrctSettings,
    progress: &Arc<Progress>,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Stopped> {
    let p = data.rows.features();
    // The softest stage, 2p, forgets the start; the next one, 8p, keeps more of it. Both are used.
    let soft_stages = stages.len() - 1;
    let from = |try_: usize| if soft_stages > 1 { (try_ + 1) % 2 } else { 0 };
    let mut theta = vec![0.0; ParameterLayout::new(topology, p).dim()];
    let all = vec![true; topology.branches()];
    // Without a first point there is no answer, so the time limit waits for it.
    splits_through_the_data(
        &data.without_deadline(),
        topology,
        settings.gamma,
        &mut theta,
        &all,
        rng,
    )?;
    let mut best = follow(
        data,
        topology,
        &stages[from(0)..],
        theta,
        settings,
        progress,
    )?;
    let mut fruitless = 0;
    for try_ in 1..=regrowths {
        let next = regrow(
            data,
            topology,
            &stages[from(try_)..],
            &best,
            settings,
            progress,
            rng,
        );
        let next = match next {
            Ok(next) => next,
            Err(Stopped::TimeLimit) => break,
            Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
        };
        let work = (
            best.iterations + next.iterations,
            best.evaluations + next.evaluations,
        );
        fruitless = if next.objective < WORTHWHILE * best.objective {
            0
        } else {
            fruitless + 1
        };
        if next.objective < best.objective {
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
    data: &ClassificationRows<'_>,
    topology: Topology,
    stages: &[Stage],
    best: &StartOutcome,
    settings: &OrctSettings,
    progress: &Arc<Progress>,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Stopped> {
    data.stop.check()?;
    let leaves = topology.leaves();
    let masses = data.leaf_masses(topology, &best.theta, settings.gamma)?;
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
    let costs = &stages[stages.len() - 1].costs;
    let work = grow(
        data, topology, &mut theta, &free, costs, settings, progress, rng,
    )?;
    let mut next = follow(data, topology, stages, theta, settings, progress)?;
    next.iterations += work.0;
    next.evaluations += work.1;
    Ok(next)
}
