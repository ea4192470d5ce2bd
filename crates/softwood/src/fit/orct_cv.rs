//! Depth, scaling, steepness and penalties chosen by cross-validation, then the tree fitted with them.

use super::check_orct_data::check_orct_data;
use super::class_groups::RowCells;
use super::cv_table::{report_choice, time_of_choice};
use super::few_features::starts_of_fit;
use super::notices::notices_of_classification;
use super::orct::fit_with_rates;
use super::orct_candidates::{OrctCandidates, OrctEffort};
use super::orct_cv_settings::OrctCvSettings;
use super::orct_data::OrctData;
use super::orct_settings::OrctSettings;
use super::rate_margin::RateFolds;
use super::row_groups::RowGroup;
use crate::control::Control;
use crate::data::{Labels, Rows};
use crate::error::FitError;
use crate::fitted::{CvTable, OrctModel};
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::folds::Folds;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Chooses depth, scaling, γ and penalties by cross-validation on the rows, and fits with them.
///
/// Racing over stratified folds: a candidate whose score on held-out rows falls significantly behind the
/// best is dropped. Those of one (depth, scaling) share their starts, the best of which are warm starts from soft
/// to sharp γ and on to larger penalties. The model's report keeps the table. Deterministic for a given
/// seed unless a time limit interferes.
pub fn fit_orct_cv<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctCvSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    fit_orct_cv_with_groups(rows, labels, weights, &[], settings, control)
}

/// As [`fit_orct_cv`], with bounds on what is predicted for groups of rows, which the trees of the folds keep on
/// the rows they are trained on.
pub fn fit_orct_cv_with_groups<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrctCvSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let deepest = *settings.depths.iter().max().expect("checked");
    let deep = OrctSettings {
        depth: deepest,
        ..settings.fit.clone()
    };
    let costs = check_orct_data(&rows, labels, weights, &deep)?;
    let cells = RowCells::checked(&rows, labels, weights, &groups)?;
    let given = (rows.reborrow(), labels, weights);
    let canonical = OrctData::ordered(given, cells.as_ref(), costs, &deep)?;
    let data = canonical.data();
    let stop = Stop::new(&control.stop, time_of_choice(&settings.fit.run));
    let folds = Folds::possible(&data.rows, data.weights, settings.folds);
    let candidates = OrctCandidates {
        data: data.reborrow(),
        settings: &settings.fit,
        candidates: settings.candidates(rows.features(), labels.classes.len()),
        scoring: settings.scoring,
        effort: effort(folds),
        stop: &stop,
        progress: &control.progress,
    };
    let rate_folds = RateFolds::of(&data, &settings.fit)?;
    let choose = || -> Result<CvTable, FitError> {
        let foldings = candidates.foldings()?;
        let choice = foldings.len() * folds * candidates.starts_of_fold();
        let fit = starts_of_fit(&settings.fit, rows.features());
        let rest = rate_folds.starts(&settings.fit) + fit;
        control.progress.announce(choice + rest);
        Ok(candidates.table(&foldings, settings.rule)?)
    };
    let table = in_pool(settings.fit.run.n_threads, choose)??;
    let at = &candidates.candidates[table.chosen];
    let mut model = fit_with_rates(&data, &settings.fit, at, &rate_folds, began, control)?;
    model.report.seconds = began.elapsed().as_secs_f64();
    canonical.tell_weights(&mut model);
    model.report.rows = rows.len();
    report_choice(&mut model.report, table);
    model.report.notices = notices_of_classification(&model, &data, at);
    Ok(model)
}

/// Enough to tell many candidates apart.
fn effort(folds: usize) -> OrctEffort {
    OrctEffort {
        folds: CvEffort {
            folds,
            foldings: 3,
            predictions: 1_500,
            rows: 6_000,
        },
        starts: 4,
        warm_starts: 2,
    }
}
