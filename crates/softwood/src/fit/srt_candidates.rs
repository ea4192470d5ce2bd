//! Settings of an SRT tried on folds: what `fit_srt_cv` chooses from.

use super::cv_table::candidate_row;
use super::response_fold::{ResponseData, ResponseFold};
use super::srt::fit_checked;
use super::srt_settings::SrtSettings;
use crate::data::hinges::Distributions;
use crate::error::InputError;
use crate::fitted::{CvTable, ResponseScoring, Scoring, SrtCandidate, TriedSettings};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort, cross_validate};
use crate::search::folds::Folds;
use crate::search::losses::response_losses;
use crate::search::race::{CvRule, Trial};
use crate::stop::{Interrupted, Stop};
use std::cmp::Ordering;
use std::ops::Range;

/// Starts of a candidate on a fold at most, and their macro-iterations: enough to compare.
const CV_STARTS: usize = 4;
const CV_MACRO_ITERATIONS: u64 = 10;

/// The data of a choice and what is chosen from.
pub(super) struct SrtCandidates<'a> {
    pub data: ResponseData<'a>,
    /// All that is not chosen.
    pub settings: &'a SrtSettings,
    pub candidates: Vec<SrtCandidate>,
    pub scoring: ResponseScoring,
    /// Deviation of the response.
    pub deviation: f64,
    pub effort: CvEffort,
    pub stop: &'a Stop,
    pub progress: &'a Progress,
}

impl SrtCandidates<'_> {
    /// The foldings, or an error if they cannot be made.
    pub fn foldings(&self) -> Result<Vec<Folds>, InputError> {
        let (rows, weights) = (&self.data.rows, self.data.weights);
        self.effort.foldings(|number, most| {
            let seed = self.settings.run.random_state.wrapping_add(number);
            Folds::of_rows(rows, weights, self.effort.folds, seed, most)
        })
    }

    /// The table of all candidates, and which is taken.
    pub fn table(&self, foldings: &[Folds], rule: CvRule) -> Result<CvTable, Interrupted> {
        let (race, cut_short) = cross_validate(self, foldings, self.progress)?;
        let scoring = Scoring::Response(self.scoring);
        let rows = self.candidates.iter().zip(race.standings());
        let row = |(candidate, standing): (&SrtCandidate, _)| {
            candidate_row(
                scoring,
                TriedSettings::Srt(candidate.clone()),
                standing,
                None,
            )
        };
        Ok(CvTable {
            scoring,
            candidates: rows.map(row).collect(),
            chosen: race.winner(rule, |a, b| {
                simpler(&self.candidates[a], &self.candidates[b])
            }),
            folds: self.effort.folds,
            repeats: foldings.len(),
            cut_short,
        })
    }

    fn starts(&self) -> usize {
        CV_STARTS.min(self.settings.n_starts)
    }
}

/// Shallow first, then without curves, then with the larger penalty.
fn simpler(a: &SrtCandidate, b: &SrtCandidate) -> Ordering {
    let ridge = |c: &SrtCandidate| c.ridge_leaves.unwrap_or(0.0);
    (a.depth.cmp(&b.depth))
        .then(a.curves.cmp(&b.curves))
        .then(ridge(b).total_cmp(&ridge(a)))
}

impl Candidates for SrtCandidates<'_> {
    type Fold = ResponseFold;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn chain(&self) -> usize {
        1
    }

    fn starts_of_fold(&self) -> usize {
        self.count() * self.starts()
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> ResponseFold {
        self.data.fold(train, held)
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
        self.stop.check()?;
        let mut settings = self.candidates[chain.start].settings(self.settings);
        settings.n_starts = self.starts();
        settings.macro_iterations = settings.macro_iterations.min(CV_MACRO_ITERATIONS);
        // Objectives on parts of the rows are not those of the model in the making.
        let apart = Default::default();
        let train = fold.train.data();
        let learn = || Distributions::learn(train.rows.reborrow(), train.weights, self.stop);
        let bends = settings.curves.then(learn).transpose()?;
        let model = fit_checked(&train, &settings, bends.as_ref(), self.stop, &apart)?;
        self.stop.check()?;
        (0..settings.n_starts).for_each(|_| self.progress.finish_start(None));
        let predicted = model.predict(fold.held.rows()).expect("checked rows");
        let losses = response_losses(self.scoring, &fold.held.y, &predicted, self.deviation);
        Ok(vec![Some(Trial {
            losses,
            figures: Vec::new(),
        })])
    }
}
