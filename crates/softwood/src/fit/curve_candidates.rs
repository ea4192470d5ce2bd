//! Settings of trees on curves tried on folds, whatever is predicted: numbers of intervals in one chain each.

use super::cv_table::{Candidate, table};
use crate::error::FitError;
use crate::fitted::{CvTable, FunctionalCandidate, Scoring, TriedSettings};
use crate::functional::PackedCurves;
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::folds::Folds;
use crate::search::race::{CvRule, Trial};
use crate::stop::{Interrupted, Stop, Stopped};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Starts for a number of intervals on a fold at most: enough to compare.
const CV_STARTS: usize = 12;

/// How much goes into a choice by so many folds.
pub(super) fn effort(folds: usize) -> CvEffort {
    CvEffort {
        folds,
        foldings: 1,
        predictions: 1,
        rows: 6_000,
    }
}

/// A kind of tree on curves, on folds of its rows.
pub(super) trait CurveTrees: Sync {
    /// Rows to train on and rows held out.
    type Fold: Sync;

    /// The fold with these rows.
    fn fold(&self, train: &[usize], held: &[usize]) -> Self::Fold;

    /// Weights of its held-out rows.
    fn held_weights(fold: &Self::Fold) -> &[f64];

    /// The curves to train on.
    fn curves(&self, fold: &Self::Fold, stop: &Stop) -> Result<PackedCurves, Stopped>;

    /// Trains the tree of the largest candidate, and with it those on fewer intervals, from so many starts each; tries
    /// those on `intervals`, increasing, on the held-out rows.
    fn trials(
        &self,
        largest: (&FunctionalCandidate, usize),
        intervals: &[usize],
        fold: (&Self::Fold, Arc<PackedCurves>),
        stop: &Stop,
    ) -> Result<Vec<Trial>, Interrupted>;
}

/// A fold with its curves, which all candidates share: those of the first that comes.
pub(super) struct CurveFold<F> {
    fold: F,
    curves: OnceLock<Result<Arc<PackedCurves>, Stopped>>,
}

/// What is chosen from.
pub(super) struct CurveCandidates<'a, T> {
    pub trees: T,
    /// In chains of increasing numbers of intervals.
    pub candidates: Vec<FunctionalCandidate>,
    /// Length of a chain.
    pub chain: usize,
    /// Starts of a fit for each number of intervals.
    pub n_starts: usize,
    pub stop: &'a Stop,
    pub progress: &'a Progress,
}

impl<T: CurveTrees> CurveCandidates<'_, T> {
    /// The table of all candidates on the foldings, and which is taken; announces the starts of the choice and of
    /// the fit after it.
    pub fn table(
        &self,
        foldings: &[Folds],
        starts_of_fit: usize,
        how: (Scoring, CvRule),
    ) -> Result<CvTable, FitError> {
        let folds: usize = foldings.iter().map(Folds::count).sum();
        self.progress
            .announce(folds * self.starts_of_fold() + starts_of_fit);
        Ok(table(&self.candidates, self, foldings, how, self.progress)?)
    }

    fn starts(&self) -> usize {
        CV_STARTS.min(self.n_starts)
    }
}

impl Candidate for FunctionalCandidate {
    /// Shallow first, then few intervals, then few derivatives, then large penalties, then soft splits.
    fn simpler(&self, other: &Self) -> Ordering {
        let ridge = |c: &Self| c.ridge_leaves.unwrap_or(0.0);
        (self.depth.cmp(&other.depth))
            .then(self.n_intervals.cmp(&other.n_intervals))
            .then(self.derivatives.len().cmp(&other.derivatives.len()))
            .then(other.global_penalty.total_cmp(&self.global_penalty))
            .then(other.local_penalty.total_cmp(&self.local_penalty))
            .then(other.length_penalty.total_cmp(&self.length_penalty))
            .then(ridge(other).total_cmp(&ridge(self)))
            .then(self.gamma.total_cmp(&other.gamma))
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Functional(self.clone())
    }
}

impl<T: CurveTrees> Candidates for CurveCandidates<'_, T> {
    type Fold = CurveFold<T::Fold>;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn chain(&self) -> usize {
        self.chain
    }

    fn starts_of_fold(&self) -> usize {
        let chains = self.candidates.chunks(self.chain);
        let most = chains.filter_map(|chain| chain.last().map(|last| last.n_intervals));
        self.starts() * most.sum::<usize>()
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> CurveFold<T::Fold> {
        CurveFold {
            fold: self.trees.fold(train, held),
            curves: OnceLock::new(),
        }
    }

    fn held_weights(fold: &CurveFold<T::Fold>) -> &[f64] {
        T::held_weights(&fold.fold)
    }

    fn try_chain(
        &self,
        chain: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &CurveFold<T::Fold>,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        self.stop.check()?;
        let wanted = self.candidates[chain.clone()].iter().zip(chain.clone());
        let wanted: Vec<&FunctionalCandidate> = wanted
            .filter(|(_, i)| running(*i))
            .map(|(candidate, _)| candidate)
            .collect();
        let largest = *wanted.last().expect("one of them runs");
        let intervals: Vec<usize> = wanted.iter().map(|c| c.n_intervals).collect();
        let starts = self.starts();
        let pack = || self.trees.curves(&fold.fold, self.stop).map(Arc::new);
        let fold = (&fold.fold, fold.curves.get_or_init(pack).clone()?);
        let trials = (self.trees).trials((largest, starts), &intervals, fold, self.stop)?;
        (0..starts * largest.n_intervals).for_each(|_| self.progress.finish_start(None));
        let mut trials = trials.into_iter();
        Ok(chain
            .map(|i| if running(i) { trials.next() } else { None })
            .collect())
    }
}

/// Why training on a fold has ended; settings and rows were checked before.
pub(super) fn why_unfinished(error: FitError, stop: &Stop) -> Interrupted {
    match error {
        FitError::Source(error) => Interrupted::Source(error),
        _ => stop
            .check()
            .err()
            .map_or(Interrupted::Cancelled, Interrupted::from),
    }
}
