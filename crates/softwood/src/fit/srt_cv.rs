//! Depth, curves and ridge of an SRT chosen by cross-validation, then the tree fitted with them.

use super::leaf_weights::in_users_unit;
use super::notices::notices_of_regression;
use super::response_fold::ResponseData;
use super::srt::fit_checked;
use super::srt_candidates::SrtCandidates;
use super::srt_cv_settings::SrtCvSettings;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Rows, Standardization};
use crate::error::FitError;
use crate::fitted::SrtModel;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::folds::Folds;
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Share of a time limit that the choice may take.
const CV_TIME_SHARE: f64 = 0.6;

/// Chooses depth, curves and λ_β by cross-validation on the rows, and fits with them.
///
/// Racing over folds: a candidate whose score on held-out rows falls significantly behind the best is
/// dropped. The model's report keeps the table. Deterministic for a given seed unless a time limit
/// interferes.
pub fn fit_srt_cv<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &SrtCvSettings,
    control: &Control,
) -> Result<SrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    given.check(&settings.fit)?;
    in_pool(settings.fit.run.n_threads, || {
        check_finite(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let mut model = choose_and_fit(&data, settings, began, control)?;
        model.report.notices = notices_of_regression(&model, &data.rows, data.weights);
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// The choice and the fit, for what was checked before, in the present pool; without notices.
fn choose_and_fit(
    data: &ResponseData<'_>,
    settings: &SrtCvSettings,
    began: Instant,
    control: &Control,
) -> Result<SrtModel, FitError> {
    let limit = settings.fit.run.time_limit;
    let limit = limit.map(|limit| limit.mul_f64(CV_TIME_SHARE));
    let stop = Stop::new(&control.stop, limit);
    // On all rows: fewer have no more to bend.
    let bends = data.bends(settings.curves.contains(&true), &stop)?;
    let folds = Folds::possible(&data.rows, data.weights, settings.folds);
    let candidates = SrtCandidates {
        data: data.reborrow(),
        settings: &settings.fit,
        candidates: settings.candidates(),
        scoring: settings.scoring,
        deviation: Standardization::learn(data.y, data.weights).scale,
        effort: CvEffort {
            folds,
            foldings: 3,
            predictions: 1_500,
            rows: 6_000,
        },
        stop: &stop,
        progress: &control.progress,
    };
    let foldings = candidates.foldings()?;
    let choice = foldings.len() * folds * candidates.starts_of_fold();
    control.progress.announce(choice + settings.fit.n_starts);
    let table = candidates.table(&foldings, settings.rule)?;
    let mut fit = candidates.candidates[table.chosen].settings(&settings.fit);
    fit.run = fit.run.left_since(began);
    control.progress.begin_phase(fit.n_starts);
    let rest = fit.run.stop(control);
    let bends = bends.as_ref().filter(|_| fit.curves);
    let mut model = fit_checked(data, &fit, bends, &rest, &control.progress)?;
    if table.cut_short && model.report.status != SolveStatus::Cancelled {
        model.report.status = SolveStatus::TimeLimit;
    }
    model.report.cross_validation = Some(table);
    Ok(model)
}
