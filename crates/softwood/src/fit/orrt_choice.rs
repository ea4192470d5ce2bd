//! Settings of an ORRT that are open chosen on folds, and the fit with them.

use super::cv_table::{report_choice, time_of_choice};
use super::orrt_candidates::OrrtCandidates;
use super::orrt_cv_settings::OrrtCvSettings;
use super::orrt_fit::fit_checked;
use super::orrt_settings::OrrtSettings;
use super::response_choice::ResponseChoice;
use super::response_fold::ResponseData;
use super::response_groups::GroupedRows;
use crate::control::Control;
use crate::error::FitError;
use crate::fitted::{CvTable, OrrtCandidate, OrrtModel, ResponseScoring};
use crate::search::race::CvRule;
use crate::stop::Stop;
use std::time::Instant;

/// Rows the choice is made on at most: a regression of all leaf models at every step takes its time.
const CV_ROWS: usize = 4_000;

/// Folds that γ is chosen on where it alone is open.
const STEEPNESS_FOLDS: usize = 3;

/// What there is to choose, and how.
pub(super) struct OrrtChoice {
    pub candidates: Vec<OrrtCandidate>,
    pub scoring: ResponseScoring,
    pub folds: usize,
    pub rule: CvRule,
    /// Whether the usual settings will do where rows are too few for folds, or time for one.
    pub is_dispensable: bool,
}

impl OrrtChoice {
    /// Of γ alone.
    pub fn of_steepness(settings: &OrrtSettings) -> Self {
        let defaults = OrrtCvSettings::default();
        let candidate = |gamma: &f64| OrrtCandidate {
            depth: settings.depth,
            scaling: settings.scaling,
            gamma: *gamma,
            local_penalty: settings.penalty.local.unwrap_or(0.0),
            global_penalty: settings.penalty.global,
            ridge_leaves: settings.ridge_leaves,
        };
        Self {
            candidates: defaults.gammas.iter().map(candidate).collect(),
            scoring: defaults.scoring,
            folds: STEEPNESS_FOLDS,
            rule: defaults.rule,
            is_dispensable: true,
        }
    }
}

/// The choice and the fit, for what was checked before, in the present pool.
pub(super) fn choose_and_fit(
    data: &ResponseData<'_>,
    given: &GroupedRows<'_, '_>,
    open: OrrtChoice,
    settings: &OrrtSettings,
    began: Instant,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let run = &settings.run;
    let stop = Stop::new(&control.stop, time_of_choice(run));
    let choice = ResponseChoice::new(
        data.reborrow(),
        (open.candidates, open.scoring),
        (open.folds, CV_ROWS, run.random_state),
        &stop,
        &control.progress,
    );
    let trees = OrrtCandidates {
        choice: &choice,
        settings,
    };
    let table = match choice.table(&trees, settings.n_starts, open.rule) {
        Err(FitError::Input(_)) if open.is_dispensable => {
            control.progress.announce(settings.n_starts);
            None
        }
        table => Some(table?),
    };
    let has_told =
        |table: &&CvTable| !open.is_dispensable || table.candidates[table.chosen].folds > 0;
    let mut fit = match table.as_ref().filter(has_told) {
        Some(table) => choice.candidates[table.chosen].settings(settings),
        None => settings.clone(),
    };
    fit.run = run.left_since(began);
    let rest = fit.run.stop(control);
    let mut model = fit_checked(data, given, &fit, &rest, &control.progress)?;
    if let Some(table) = table {
        report_choice(&mut model.report, table);
    }
    Ok(model)
}
