//! Depth, curves and ridge of an SRT chosen by cross-validation, then the tree fitted with them.

use super::cv_table::{report_choice, time_of_choice};
use super::leaf_weights::in_users_unit;
use super::notices::notices_of_regression;
use super::response_choice::ResponseChoice;
use super::response_fold::ResponseData;
use super::srt::fit_checked;
use super::srt_candidates::SrtCandidates;
use super::srt_cv_settings::SrtCvSettings;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Rows};
use crate::error::FitError;
use crate::fitted::SrtModel;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Rows the choice is made on at most.
const CV_ROWS: usize = 6_000;

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
    let deepest = settings.depths.iter().copied().max().unwrap_or(1);
    given.check(settings.fit.run.columns(), deepest)?;
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
    let stop = Stop::new(&control.stop, time_of_choice(&settings.fit.run));
    // On all rows: fewer have no more to bend.
    let bends = data.bends(settings.curves.contains(&true), &stop)?;
    let choice = ResponseChoice::new(
        data.reborrow(),
        (settings.candidates(), settings.scoring),
        (settings.folds, CV_ROWS, settings.fit.run.random_state),
        &stop,
        &control.progress,
    );
    let trees = SrtCandidates {
        choice: &choice,
        settings: &settings.fit,
    };
    let table = choice.table(&trees, settings.fit.n_starts, settings.rule)?;
    let mut fit = choice.candidates[table.chosen].settings(&settings.fit);
    fit.run = fit.run.left_since(began);
    control.progress.begin_phase(fit.n_starts);
    let rest = fit.run.stop(control);
    let bends = bends.as_ref().filter(|_| fit.curves);
    let mut model = fit_checked(data, &fit, bends, &rest, &control.progress)?;
    report_choice(&mut model.report, table);
    Ok(model)
}
