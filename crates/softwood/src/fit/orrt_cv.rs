//! Depth, scaling, steepness and penalties of an ORRT chosen by cross-validation, then the tree fitted with them.

use super::leaf_weights::in_users_unit;
use super::orrt::{check_orrt_data, fit_checked};
use super::orrt_candidates::OrrtCandidates;
use super::orrt_cv_settings::OrrtCvSettings;
use super::response_choice::{ResponseChoice, report_choice, time_of_choice};
use super::response_fold::ResponseData;
use super::response_groups::GroupedRows;
use super::row_groups::RowGroup;
use crate::control::Control;
use crate::data::{CanonicalRows, Rows};
use crate::error::FitError;
use crate::fitted::OrrtModel;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Rows the choice is made on at most: a regression of all leaf models at every step takes its time.
const CV_ROWS: usize = 4_000;

/// Chooses depth, scaling, γ, λ_β and penalties by cross-validation on the rows, and fits with them.
///
/// Racing over folds: a candidate whose score on held-out rows falls significantly behind the best is
/// dropped. Candidates that differ in penalties alone share their starts. The bounds that `groups` bring along
/// are those of the final fit; the trees on folds are fitted without them. The model's report keeps the table.
/// Deterministic for a given seed unless a time limit interferes.
pub fn fit_orrt_cv<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrrtCvSettings,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    check_orrt_data(&given, &settings.fit)?;
    in_pool(settings.fit.run.n_threads, || {
        let given = GroupedRows::checked(groups, given)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let mut model = choose_and_fit(&data, &given, settings, began, control)?;
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// The choice and the fit, for what was checked before, in the present pool.
fn choose_and_fit(
    data: &ResponseData<'_>,
    given: &GroupedRows<'_, '_>,
    settings: &OrrtCvSettings,
    began: Instant,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let stop = Stop::new(&control.stop, time_of_choice(&settings.fit.run));
    let candidates = settings.candidates(data.rows.features());
    let choice = ResponseChoice::new(
        data.reborrow(),
        (candidates, settings.scoring),
        (settings.folds, CV_ROWS, settings.fit.run.random_state),
        &stop,
        &control.progress,
    );
    let trees = OrrtCandidates {
        choice: &choice,
        settings: &settings.fit,
    };
    let table = choice.table(&trees, settings.fit.n_starts, settings.rule)?;
    let mut fit = choice.candidates[table.chosen].settings(&settings.fit);
    fit.run = fit.run.left_since(began);
    let rest = fit.run.stop(control);
    let mut model = fit_checked(data, given, &fit, &rest, &control.progress)?;
    report_choice(&mut model.report, table);
    Ok(model)
}
