//! Depth, scaling, steepness and penalties chosen by cross-validation, then the tree fitted with them.

use super::cv_settings::CvSettings;
use super::few_features::starts_of_fit;
use super::notices::notices_of_classification;
use super::orct::fit_checked;
use super::orct_cv_scores::CvScores;
use super::orct_data::OrctData;
use super::orct_settings::OrctSettings;
use crate::control::Control;
use crate::data::{Labels, Rows};
use crate::error::FitError;
use crate::fitted::{CvTable, OrctModel};
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Share of a time limit that the choice may take.
const CV_TIME_SHARE: f64 = 0.6;

/// Chooses depth, scaling, γ and penalties by cross-validation on the rows, and fits with them.
///
/// Racing over stratified folds: a candidate whose held-out costs fall significantly behind the best is
/// dropped. Those of one (depth, scaling) share their starts, the best of which are warm starts from soft
/// to sharp γ and on to larger penalties. The model's report keeps the table. Deterministic for a given
/// seed unless a time limit interferes.
pub fn fit_orct_cv<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &CvSettings,
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
    let data = OrctData::checked(rows.reborrow(), labels, weights, &deep)?;
    let (all, weights) = (data.rows(), data.weights());
    let (labels, costs) = (&*data.labels, &data.costs);
    let limit = settings.fit.run.time_limit;
    let stop = Stop::new(
        &control.stop,
        limit.map(|limit| limit.mul_f64(CV_TIME_SHARE)),
    );
    let table = in_pool(
        settings.fit.run.n_threads,
        || -> Result<CvTable, FitError> {
            let scores = CvScores {
                rows: all,
                labels,
                weights,
                costs,
                settings,
                stop: &stop,
                progress: &control.progress,
            };
            let foldings = scores.foldings()?;
            let choice = foldings.len() * settings.folds * scores.starts_of_fold();
            let fit = starts_of_fit(&settings.fit, all.features());
            control.progress.announce(choice + fit);
            Ok(scores.table(&foldings)?)
        },
    )??;
    let chosen = &table.candidates[table.chosen];
    let mut fit = chosen.settings(&settings.fit);
    fit.run = settings.fit.run.left_since(began);
    fit.validate()?;
    let mut model = fit_checked(all, labels, weights, costs, &fit, None, control)?;
    model.report.rows = rows.len();
    if table.cut_short && model.report.status != SolveStatus::Cancelled {
        model.report.status = SolveStatus::TimeLimit;
    }
    model.report.seconds = began.elapsed().as_secs_f64();
    model.report.cross_validation = Some(table);
    model.report.notices = notices_of_classification(&model, &all, weights, &fit.penalty);
    Ok(model)
}
