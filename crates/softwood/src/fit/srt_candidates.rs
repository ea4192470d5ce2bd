//! Settings of an SRT tried on folds: what `fit_srt_cv` chooses from.

use super::cv_table::Candidate;
use super::response_choice::ResponseChoice;
use super::response_fold::ResponseFold;
use super::srt::fit_checked;
use super::srt_settings::SrtSettings;
use crate::data::hinges::Distributions;
use crate::fitted::{SrtCandidate, TriedSettings};
use crate::search::cross_validate::Candidates;
use crate::search::race::Trial;
use crate::stop::Interrupted;
use std::cmp::Ordering;
use std::ops::Range;

/// Starts of a candidate on a fold at most, and their macro-iterations: enough to compare.
const CV_STARTS: usize = 4;
const CV_MACRO_ITERATIONS: u64 = 10;

/// What is chosen from.
pub(super) struct SrtCandidates<'a> {
    pub choice: &'a ResponseChoice<'a, SrtCandidate>,
    /// All that is not chosen.
    pub settings: &'a SrtSettings,
}

impl SrtCandidates<'_> {
    fn starts(&self) -> usize {
        CV_STARTS.min(self.settings.n_starts)
    }
}

impl Candidate for SrtCandidate {
    /// Shallow first, then without curves, then with the larger penalty.
    fn simpler(&self, other: &Self) -> Ordering {
        let ridge = |c: &SrtCandidate| c.ridge_leaves.unwrap_or(0.0);
        (self.depth.cmp(&other.depth))
            .then(self.curves.cmp(&other.curves))
            .then(ridge(other).total_cmp(&ridge(self)))
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Srt(self.clone())
    }
}

impl Candidates for SrtCandidates<'_> {
    type Fold = ResponseFold;

    fn count(&self) -> usize {
        self.choice.candidates.len()
    }

    fn chain(&self) -> usize {
        1
    }

    fn starts_of_fold(&self) -> usize {
        self.count() * self.starts()
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> ResponseFold {
        self.choice.data.fold(train, held)
    }

    fn held_weights(fold: &ResponseFold) -> &[f64] {
        &fold.held_weights
    }

    fn try_chain(
        &self,
        chain: Range<usize>,
        _: &(dyn Fn(usize) -> bool + Sync),
        fold: &ResponseFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        let (choice, stop) = (self.choice, self.choice.stop);
        stop.check()?;
        let mut settings = choice.candidates[chain.start].settings(self.settings);
        settings.n_starts = self.starts();
        settings.macro_iterations = settings.macro_iterations.min(CV_MACRO_ITERATIONS);
        // Objectives on parts of the rows are not those of the model in the making.
        let apart = Default::default();
        let train = fold.train.data();
        let learn = || Distributions::learn(train.rows.reborrow(), train.weights, stop);
        let bends = settings.curves.then(learn).transpose()?;
        let model = fit_checked(&train, &settings, bends.as_ref(), stop, &apart)?;
        stop.check()?;
        (0..settings.n_starts).for_each(|_| choice.progress.finish_start(None));
        let predicted = model.predict(fold.held.rows()).expect("checked rows");
        Ok(vec![Some(choice.trial(fold, &predicted))])
    }
}
