//! Intervals, derivatives and steepness of a regression tree on curves chosen by cross-validation.

use super::cv_table::candidate_row;
use super::functional_cv_settings::FunctionalCvSettings;
use super::functional_orrt::{check_input, fit_chain};
use super::response_fold::{ResponseData, ResponseFold};
use crate::control::Control;
use crate::data::{CanonicalRows, Rows, Standardization};
use crate::error::{FitError, InputError};
use crate::fitted::{CvTable, FunctionalCandidate, FunctionalOrrtModel, Scoring, TriedSettings};
use crate::functional::CurveLayout;
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort, cross_validate};
use crate::search::folds::Folds;
use crate::search::losses::response_losses;
use crate::search::race::Trial;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use std::cmp::Ordering;
use std::ops::Range;
use std::time::Instant;

/// Share of a time limit that the choice may take.
const CV_TIME_SHARE: f64 = 0.7;

/// Starts for a number of intervals on a fold at most: enough to compare.
const CV_STARTS: usize = 12;

/// Chooses depth, number of intervals, derivatives, γ, λ_len and λ_β by cross-validation on the rows, and fits
/// with them.
///
/// Racing over folds as for [`fit_srt_cv`](crate::fit_srt_cv); numbers of intervals are tried in one chain each.
/// The model's report keeps the table.
pub fn fit_functional_orrt_cv<'a>(
    rows: impl Into<Rows<'a>>,
    layout: &CurveLayout,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &FunctionalCvSettings,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let first = settings.candidates()[0].settings(&settings.fit);
    check_input(&rows, layout, y, weights, &first)?;
    settings.check_against(layout)?;
    in_pool(settings.fit.run.n_threads, || {
        layout.check_rows(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let mut model = choose_and_fit(&data, layout, settings, began, control)?;
        model.on_means.report.rows = rows.len();
        model.on_means.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

fn choose_and_fit(
    data: &ResponseData<'_>,
    layout: &CurveLayout,
    settings: &FunctionalCvSettings,
    began: Instant,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let limit = settings.fit.run.time_limit;
    let stop = Stop::new(
        &control.stop,
        limit.map(|limit| limit.mul_f64(CV_TIME_SHARE)),
    );
    let folds = Folds::possible(&data.rows, data.weights, settings.folds);
    let candidates = FunctionalCandidates {
        data: data.reborrow(),
        layout,
        settings,
        candidates: settings.candidates(),
        deviation: Standardization::learn(data.y, data.weights).scale,
        stop: &stop,
        progress: &control.progress,
    };
    let effort = CvEffort {
        folds,
        foldings: 1,
        predictions: 1,
        rows: 6_000,
    };
    let foldings = effort.foldings(|number, most| {
        let seed = settings.fit.run.random_state.wrapping_add(number);
        Folds::of_rows(&data.rows, data.weights, folds, seed, most)
    })?;
    let most = settings.n_intervals.last().copied().unwrap_or(1);
    let final_starts = settings.fit.n_starts * most;
    control
        .progress
        .announce(folds * candidates.starts_of_fold() + final_starts);
    let table = candidates.table(&foldings, folds)?;
    let mut fit = candidates.candidates[table.chosen].settings(&settings.fit);
    fit.run = fit.run.left_since(began);
    control.progress.begin_phase(final_starts);
    let rest = fit.run.stop(control);
    let chain = fit_chain(data, layout, &fit, &rest, &control.progress)?;
    let mut model = chain.model(fit.intervals.n_intervals, &rest)?;
    control.progress.complete();
    let report = &mut model.on_means.report;
    if table.cut_short && report.status != SolveStatus::Cancelled {
        report.status = SolveStatus::TimeLimit;
    }
    report.cross_validation = Some(table);
    Ok(model)
}

/// The data of a choice and what is chosen from.
struct FunctionalCandidates<'a> {
    data: ResponseData<'a>,
    layout: &'a CurveLayout,
    settings: &'a FunctionalCvSettings,
    candidates: Vec<FunctionalCandidate>,
    /// Deviation of the response.
    deviation: f64,
    stop: &'a Stop,
    progress: &'a Progress,
}

impl FunctionalCandidates<'_> {
    /// The table of all candidates, and which is taken.
    fn table(&self, foldings: &[Folds], folds: usize) -> Result<CvTable, Interrupted> {
        let (race, cut_short) = cross_validate(self, foldings, self.progress)?;
        let scoring = Scoring::Response(self.settings.scoring);
        let rows = self.candidates.iter().zip(race.standings());
        let row = |(candidate, standing): (&FunctionalCandidate, _)| {
            let tried = TriedSettings::Functional(candidate.clone());
            candidate_row(scoring, tried, standing, None)
        };
        Ok(CvTable {
            scoring,
            candidates: rows.map(row).collect(),
            chosen: race.winner(self.settings.rule, |a, b| {
                simpler(&self.candidates[a], &self.candidates[b])
            }),
            folds,
            repeats: foldings.len(),
            cut_short,
        })
    }

    fn starts(&self) -> usize {
        CV_STARTS.min(self.settings.fit.n_starts)
    }
}

/// Shallow first, then few intervals, then few derivatives, then a large penalty, then soft splits.
fn simpler(a: &FunctionalCandidate, b: &FunctionalCandidate) -> Ordering {
    (a.depth.cmp(&b.depth))
        .then(a.n_intervals.cmp(&b.n_intervals))
        .then(a.derivatives.len().cmp(&b.derivatives.len()))
        .then(b.length_penalty.total_cmp(&a.length_penalty))
        .then(a.gamma.total_cmp(&b.gamma))
}

impl Candidates for FunctionalCandidates<'_> {
    type Fold = ResponseFold;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn chain(&self) -> usize {
        self.settings.n_intervals.len()
    }

    fn starts_of_fold(&self) -> usize {
        let most = self.settings.n_intervals.last().copied().unwrap_or(1);
        self.count() / self.chain() * self.starts() * most
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
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &ResponseFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        self.stop.check()?;
        let last = chain
            .clone()
            .rev()
            .find(|i| running(*i))
            .expect("one of them runs");
        let mut settings = self.candidates[last].settings(&self.settings.fit);
        settings.n_starts = self.starts();
        // Objectives on parts of the rows are not those of the model in the making.
        let apart = Default::default();
        let train = fold.train.data();
        let unbroken = |error: FitError| match error {
            FitError::Source(error) => Interrupted::Source(error),
            _ => Interrupted::Cancelled,
        };
        let links =
            fit_chain(&train, self.layout, &settings, self.stop, &apart).map_err(unbroken)?;
        self.stop.check()?;
        let starts = settings.n_starts * settings.intervals.n_intervals;
        (0..starts).for_each(|_| self.progress.finish_start(None));
        let trial = |i: usize| {
            if !running(i) {
                return Ok(None);
            }
            let intervals = self.candidates[i].n_intervals;
            let model = links.model(intervals, self.stop).map_err(unbroken)?;
            let predicted: Result<Vec<f64>, InputError> = model.predict(fold.held.rows());
            let predicted = predicted.expect("checked rows");
            let scoring = self.settings.scoring;
            let losses = response_losses(scoring, &fold.held.y, &predicted, self.deviation);
            Ok(Some(Trial {
                losses,
                figures: Vec::new(),
            }))
        };
        chain.map(trial).collect()
    }
}
