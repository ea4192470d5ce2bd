//! The choice among settings of a regression by folds: what all kinds of regression trees share.

use super::cv_table::{Candidate, table};
use super::response_fold::{ResponseData, ResponseFold};
use crate::data::Standardization;
use crate::error::FitError;
use crate::fitted::{CvTable, ResponseScoring, Scoring};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::folds::Folds;
use crate::search::losses::response_losses;
use crate::search::race::{CvRule, Trial};
use crate::stop::Stop;
use std::sync::Arc;

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

impl<'a, C: Candidate> ResponseChoice<'a, C> {
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
        let foldings = self.data.foldings(&self.effort, self.seed)?;
        let choice = foldings.len() * self.effort.folds * trees.starts_of_fold();
        self.progress.announce(choice + starts_of_fit);
        let how = (Scoring::Response(self.scoring), rule);
        let candidates = &self.candidates;
        Ok(table(candidates, trees, &foldings, how, self.progress)?)
    }

    /// What a tree that predicts these responses did on the held-out rows of a fold.
    pub fn trial(&self, fold: &ResponseFold, predicted: &[f64]) -> Trial {
        Trial {
            losses: response_losses(self.scoring, &fold.held.y, predicted, self.deviation),
            figures: Vec::new(),
        }
    }
}
