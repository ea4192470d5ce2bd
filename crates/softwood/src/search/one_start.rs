//! One start: a descent from random or greedy splits, then regrowths of what has gone idle.

use super::alternate::alternate;
use super::descent::{Descent, StartOutcome};
use super::grow_tree::{Grown, grow_tree};
use super::prune::pruned;
use super::regrow::{grow, without_idle_splits};
use crate::solver::Work;
use crate::start::{greedy_splits, splits_through_the_data};
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::ParameterLayout;
use rand::{Rng, RngExt};

/// How many regrowths in a row may fail to lower the objective by 1 %.
const REGROWTH_PATIENCE: usize = 2;
const REGROWTH_GAIN: f64 = 0.01;

/// Where a start begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// Random directions, hyperplanes through the data.
    Random,
    /// Greedy splits on single features, each the best of a random share of them.
    Greedy { share: f64 },
}

/// Draws the first splits, descends, and improves the outcome by `regrowths`.
pub(crate) fn run_start(
    descent: &Descent<'_, '_>,
    origin: Origin,
    regrowths: usize,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Interrupted> {
    let topology = &descent.topology;
    let mut theta = vec![0.0; ParameterLayout::new(topology, descent.data.features()).dim()];
    // Without a first point there is no answer, so the time limit waits for it.
    let data = descent.data.without_deadline();
    let last = descent.stages.len() - 1;
    let (fresh, first) = match origin {
        Origin::Random => (vec![true; topology.branches()], first_stage(descent, 0)),
        // Soft stages would forget thresholds.
        Origin::Greedy { share } => {
            let importance = descent.importance();
            let fresh = greedy_splits(&data, topology, &importance, share, &mut theta, rng)?;
            (fresh, last)
        }
    };
    let gamma = descent.gamma;
    splits_through_the_data(&data.rows, topology, gamma, &mut theta, &fresh, rng)?;
    let outcome = pruned(descent, descent.follow(first, theta)?)?;
    improve(descent, regrowths, outcome, rng)
}

/// The stage at which a try begins. The softest, 2p, forgets the start; the next one, 8p, keeps more of
/// it. Both are used in turn.
fn first_stage(descent: &Descent<'_, '_>, try_: usize) -> usize {
    let soft_stages = descent.stages.len() - 1;
    if soft_stages > 1 { (try_ + 1) % 2 } else { 0 }
}

/// Regrows idle splits (or, if all are busy, a random one), `regrowths` times at most, as long as that
/// lowers the objective.
pub(crate) fn improve(
    descent: &Descent<'_, '_>,
    regrowths: usize,
    mut best: StartOutcome,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Interrupted> {
    let mut fruitless = 0;
    for try_ in 1..=regrowths {
        let next = match regrow(descent, first_stage(descent, try_), &best, rng) {
            Ok(next) => next,
            Err(interrupted) => {
                best.ending.status = SolveStatus::try_from(interrupted)?;
                break; // what there is stays
            }
        };
        let better = next.order(&best).is_lt();
        let worthwhile = next.shortfall < best.shortfall
            || next.objective() < (1.0 - REGROWTH_GAIN) * best.objective();
        fruitless = if better && worthwhile {
            0
        } else {
            fruitless + 1
        };
        best = best.or_better(next);
        if fruitless == REGROWTH_PATIENCE {
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
) -> Result<StartOutcome, Interrupted> {
    let (data, topology) = (&descent.data, &descent.topology);
    data.rows.stop.check()?;
    let leaves = topology.leaves();
    let masses = data.leaf_masses(topology, &best.theta, descent.gamma)?;
    let leaf_masses: Vec<f64> = (0..leaves)
        .map(|t| masses.iter().skip(t).step_by(leaves).sum())
        .collect();
    let (mut theta, mut free) = without_idle_splits(
        topology,
        data.features(),
        &best.theta,
        &leaf_masses,
        &best.labels,
    );
    if !free.contains(&true) {
        free[rng.random_range(0..topology.branches())] = true;
    }
    let work = grow(descent, &mut theta, &free, rng)?;
    let mut next = pruned(descent, descent.follow(first, theta)?)?;
    next.ending.work += work;
    Ok(next)
}

/// A tree grown from the root and improved split by split, as it stands.
pub(crate) fn grown_start(
    descent: &Descent<'_, '_>,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Interrupted> {
    let mut grown = grow_tree(descent, rng)?;
    alternate(descent, &mut grown, rng)?;
    let unstopped = descent.with_stop(&Stop::default());
    let mut outcome = unstopped.at(&grown.topology).assess(grown.theta)?;
    outcome.ending.work += grown.work;
    let stopped = descent.data.rows.stop.check();
    outcome.ending.status = stopped.map_or_else(SolveStatus::from, |()| SolveStatus::Stalled);
    Ok(outcome)
}

/// Returns from a descent to alternation at most, and the share of the objective that the last one must have saved.
const RETURNS: usize = 8;
const RETURN_GAIN: f64 = 0.002;

/// Where a tree that was grown descends to. Its splits are alternated again from there and descend again, as long as no
/// limit is reached and that lowers the objective: alternation makes jumps that no descent makes, a descent moves all
/// splits at once.
pub(crate) fn descend_grown(
    descent: &Descent<'_, '_>,
    grown: StartOutcome,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Interrupted> {
    let whole = descent.at(&grown.topology);
    let last = whole.stages.len() - 1;
    let mut best = whole.follow(last, grown.theta)?;
    best.ending.work += grown.ending.work;
    for _ in 0..RETURNS {
        if !best.ending.status.is_converged() {
            break;
        }
        let next = match alternate_and_descend(&whole, &best, rng) {
            Ok(next) => next,
            Err(interrupted) => {
                best.ending.status = SolveStatus::try_from(interrupted)?;
                break; // what there is stays
            }
        };
        let worthwhile = next.objective() < (1.0 - RETURN_GAIN) * best.objective();
        best = best.or_better(next);
        if !worthwhile {
            break;
        }
    }
    Ok(best)
}

/// One return.
fn alternate_and_descend(
    whole: &Descent<'_, '_>,
    from: &StartOutcome,
    rng: &mut impl Rng,
) -> Result<StartOutcome, Interrupted> {
    let mut moved = Grown {
        topology: from.topology.clone(),
        theta: from.theta.clone(),
        work: Work::default(),
    };
    alternate(whole, &mut moved, rng)?;
    let mut next = whole.follow(whole.stages.len() - 1, moved.theta)?;
    next.ending.work += moved.work;
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::super::small_problem::Data;
    use super::super::working_sets::WorkingSets;
    use super::*;
    use crate::objective::PenaltySettings;
    use crate::tree::Topology;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    #[test]
    fn returns_to_alternation_never_raise_the_objective_and_may_lower_it() {
        let mut lower = 0;
        for seed in 0..8 {
            let mut rng = Pcg64::seed_from_u64(seed);
            let data = Data::new(500, &mut rng);
            let settings = PenaltySettings {
                local: Some(1e-4),
                ..PenaltySettings::default()
            };
            let descent = Descent {
                max_iter: 20_000,
                tol: 1e-4,
                ..data.descent(Topology::complete(5), &settings, WorkingSets::Full)
            };
            let grown = grown_start(&descent, &mut rng).unwrap();
            let once = descent.at(&grown.topology);
            let once = once.follow(once.stages.len() - 1, grown.theta.clone());
            let once = once.unwrap().objective();
            let returned = descend_grown(&descent, grown, &mut rng).unwrap();
            assert!(returned.objective() <= once);
            lower += usize::from(returned.objective() < once);
        }
        assert!(lower > 0);
    }
}
