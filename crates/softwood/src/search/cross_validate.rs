//! Choice by folds, whatever is chosen from: candidates are trained on some rows and judged on others,
//! fold by fold, until racing drops them.

use super::folds::Folds;
use super::race::{Race, Trial};
use crate::InputError;
use crate::progress::Progress;
use crate::stop::Interrupted;
use rayon::prelude::*;
use std::ops::Range;

/// How much goes into a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CvEffort {
    /// Folds of a folding.
    pub folds: usize,
    /// Foldings at most: few rows are folded anew until there are `predictions` of held-out rows for each
    /// candidate.
    pub foldings: usize,
    pub predictions: usize,
    /// Rows the choice is made on at most.
    pub rows: usize,
}

impl CvEffort {
    /// The foldings that `deal` makes of so many rows at most, by the number of the folding.
    pub fn foldings(
        &self,
        deal: impl Fn(u64, usize) -> Result<Folds, InputError>,
    ) -> Result<Vec<Folds>, InputError> {
        let first = deal(0, self.rows)?;
        let repeats = self.predictions.div_ceil(first.rows());
        let others =
            (1..repeats.clamp(1, self.foldings)).map(|number| deal(number as u64, self.rows));
        [Ok(first)].into_iter().chain(others).collect()
    }
}

/// The candidates of one kind of tree.
pub(crate) trait Candidates: Sync {
    /// Rows to train on and rows held out.
    type Fold: Sync;

    /// Number of candidates.
    fn count(&self) -> usize;

    /// Candidates stand in chains of this length, trained one after the other; chains run side by side.
    fn chain(&self) -> usize;

    /// Starts of all candidates on a fold, as long as none has fallen behind.
    fn starts_of_fold(&self) -> usize;

    /// The fold with these rows.
    fn fold(&self, train: &[usize], held: &[usize]) -> Self::Fold;

    /// Weights of its held-out rows.
    fn held_weights(fold: &Self::Fold) -> &[f64];

    /// Trains the candidates of a chain that are still running and tries them on the held-out rows.
    fn try_chain(
        &self,
        chain: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &Self::Fold,
    ) -> Result<Vec<Option<Trial>>, Interrupted>;
}

/// The race over all foldings, and whether the time limit has cut it short.
pub(crate) fn cross_validate<C: Candidates>(
    candidates: &C,
    foldings: &[Folds],
    progress: &Progress,
) -> Result<(Race, bool), Interrupted> {
    let mut race = Race::new(candidates.count());
    let folds = foldings.iter().flat_map(Folds::all);
    for (train, held) in folds {
        let fold = candidates.fold(&train, &held);
        progress.begin_phase(candidates.starts_of_fold());
        match try_fold(candidates, &race, &fold) {
            Ok(trials) => race.add_fold(trials, C::held_weights(&fold)),
            Err(Interrupted::TimeLimit) => return Ok((race, true)),
            Err(stopped) => return Err(stopped),
        }
    }
    Ok((race, false))
}

fn try_fold<C: Candidates>(
    candidates: &C,
    race: &Race,
    fold: &C::Fold,
) -> Result<Vec<Option<Trial>>, Interrupted> {
    let (count, length) = (candidates.count(), candidates.chain());
    let chains: Vec<Range<usize>> = (0..count)
        .step_by(length)
        .map(|first| first..count.min(first + length))
        .collect();
    let tried: Vec<Vec<Option<Trial>>> = chains
        .into_par_iter()
        .map(|chain| {
            if !chain.clone().any(|i| race.is_running(i)) {
                return Ok(chain.map(|_| None).collect());
            }
            candidates.try_chain(chain, &|i| race.is_running(i), fold)
        })
        .collect::<Result<_, Interrupted>>()?;
    Ok(tried.into_iter().flatten().collect())
}
