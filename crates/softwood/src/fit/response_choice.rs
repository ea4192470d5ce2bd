//! The choice among settings of a regression by folds: what all kinds of regression trees share.

use super::cv_table::candidate_row;
use super::response_fold::{ResponseData, ResponseFold};
use super::run_settings::RunSettings;
use crate::data::Standardization;
use crate::error::FitError;
use crate::fitted::{CvTable, FitReport, ResponseScoring, Scoring, TriedSettings};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort, cross_validate};
use crate::search::folds::Folds;
use crate::search::losses::response_losses;
use crate::search::race::{CvRule, Trial};
use crate::status::SolveStatus;
use crate::stop::Stop;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// Share of a time limit that the choice may take.
const CV_TIME_SHARE: f64 = 0.6;

/// Settings to choose from.
pub(super) trait ResponseCandidate: Sync {
    /// The simpler one first.
    fn simpler(&self, other: &Self) -> Ordering;

    /// As a table has them.
    fn tried(&self) -> TriedSettings;
}

/// The time that a choice may take of a fit's.
pub(super) fn time_of_choice(run: &RunSettings) -> Option<Duration> {
    run.time_limit.map(|limit| limit.mul_f64(CV_TIME_SHARE))
}

/// The rows of a choice, what is chosen from, and by what.
pub(super) struct ResponseChoice<'a, C> {
    pub data: ResponseData<'a>,
    pub candidates: Vec<C>,
    pub scoring: ResponseScoring,
    /// Of the response.
    deviation: f64,
    effort: CvEffort,
    seed: u64,
    pub stop: &'a Stop,
    pub progress: &'a Arc<Progress>,
}

impl<'a, C: ResponseCandidate> ResponseChoice<'a, C> {
    /// Among `candidates`, by as many folds, or as there can be, of so many rows at most.
    pub fn new(
        data: ResponseData<'a>,
        (candidates, scoring): (Vec<C>, ResponseScoring),
        (folds, rows, seed): (usize, usize, u64),
        stop: &'a Stop,
        progress: &'a Arc<Progress>,
    ) -> Self {
        Self {
            candidates,
            scoring,
            deviation: Standardization::learn(data.y, data.weights).scale,
            effort: CvEffort {
                folds: Folds::possible(&data.rows, data.weights, folds),
                foldings: 3,
                predictions: 1_500,
                rows,
            },
            data,
            seed,
            stop,
            progress,
        }
    }

    /// The table of all candidates, as `trees` of them do, and which is taken; announces the starts of the choice
    /// and of the fit after it.
    pub fn table(
        &self,
        trees: &impl Candidates,
        starts_of_fit: usize,
        rule: CvRule,
    ) -> Result<CvTable, FitError> {
        let foldings = self.effort.foldings(|number, most| {
            let (rows, weights) = (&self.data.rows, self.data.weights);
            let seed = self.seed.wrapping_add(number);
            Folds::of_rows(rows, weights, self.effort.folds, seed, most)
        })?;
        let choice = foldings.len() * self.effort.folds * trees.starts_of_fold();
        self.progress.announce(choice + starts_of_fit);
        let (race, cut_short) = cross_validate(trees, &foldings, self.progress)?;
        let scoring = Scoring::Response(self.scoring);
        let rows = self.candidates.iter().zip(race.standings());
        let row = |(candidate, standing): (&C, _)| {
            candidate_row(scoring, candidate.tried(), standing, None)
        };
        Ok(CvTable {
            scoring,
            candidates: rows.map(row).collect(),
            chosen: race.winner(rule, |a, b| self.candidates[a].simpler(&self.candidates[b])),
            folds: self.effort.folds,
            repeats: foldings.len(),
            cut_short,
        })
    }

    /// What a tree that predicts these responses did on the held-out rows of a fold.
    pub fn trial(&self, fold: &ResponseFold, predicted: &[f64]) -> Trial {
        Trial {
            losses: response_losses(self.scoring, &fold.held.y, predicted, self.deviation),
            figures: Vec::new(),
        }
    }
}

/// Puts the table of a choice into the report of the fit after it.
pub(super) fn report_choice(report: &mut FitReport, table: CvTable) {
    if table.cut_short && report.status != SolveStatus::Cancelled {
        report.status = SolveStatus::TimeLimit;
    }
    report.cross_validation = Some(table);
}
