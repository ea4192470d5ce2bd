//! START HERE. The optimal randomized classification tree: settings → data → starts → model.

use super::auto_settings::settle;
use super::check_orct_data::check_orct_data;
use super::class_fold::ClassData;
use super::class_groups::RowCells;
use super::few_features::{fit_few_features, most_features, starts_of_fit};
use super::notices::notices_of_classification;
use super::orct_data::OrctData;
use super::orct_settings::OrctSettings;
use super::rate_margin::RateFolds;
use super::row_groups::RowGroup;
use super::scaled_fit::ScaledFit;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{Labels, Rows, Scaling, scaled};
use crate::error::{FitError, InputError};
use crate::fitted::{OrctCandidate, OrctModel};
use crate::threads::in_pool;
use std::time::Instant;

/// Fits an optimal randomized classification tree (ORCT):
///
/// min (1/W) Σ_i w_i Σ_t P_it Σ_k cost(y_i, k) C_kt over a, μ ∈ [−1, 1] and labels C with
/// Σ_k C_kt = 1 and, if `cover_classes`, Σ_t C_kt ≥ 1.
///
/// Starts draw splits that pass through the data, then follow γ from 8p (2p in every other try)
/// upwards with class-balanced costs, alternating the exact label step with projected L-BFGS on
/// (a, μ), and end with the wanted γ and the true costs. Every other start takes greedy splits on single
/// features straight to that last stage. Splits that cost more than they save are pruned, idle ones
/// are regrown. γ, scaling, balance and λ_L, where the settings leave them open, are chosen on folds of the
/// rows first, by the Brier score of held-out rows and by how
/// seldom hard routing decides otherwise. Same seed, same bits, on any number of threads and,
/// for rows that are kept (up to 96 MB), in whatever order they stand and whether they are weighted or
/// repeated.
pub fn fit_orct<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    fit_orct_with_groups(rows, labels, weights, &[], settings, control)
}

/// As [`fit_orct`], with bounds on what is predicted for groups of rows. They hold for the classes that
/// [`OrctModel::predict`] returns; if they cannot be kept together the status is
/// [`Infeasible`](crate::status::SolveStatus::Infeasible) and the tree the closest found.
pub fn fit_orct_with_groups<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrctSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let costs = check_orct_data(&rows, labels, weights, settings)?;
    let cells = RowCells::checked(&rows, labels, weights, &groups)?;
    let given = (rows.reborrow(), labels, weights);
    let canonical = OrctData::ordered(given, cells.as_ref(), costs, settings)?;
    let data = canonical.data();
    let folds = RateFolds::of(&data, settings)?;
    let starts = folds.starts(settings) + starts_of_fit(settings, rows.features());
    let settled = settle(&data, settings, starts, control)?;
    let mut model = fit_with_rates(&data, settings, &settled.at, &folds, began, control)?;
    settled.tell(&mut model.report);
    model.report.notices = notices_of_classification(&model, &data, &settled.at);
    canonical.tell_weights(&mut model);
    model.report.rows = rows.len();
    model.report.seconds = began.elapsed().as_secs_f64();
    Ok(model)
}

/// Learns on `folds`, if there are any, which rates to impose, and fits with what is left of the time; without
/// notices.
pub(super) fn fit_with_rates(
    data: &ClassData<'_>,
    settings: &OrctSettings,
    at: &OrctCandidate,
    folds: &RateFolds,
    began: Instant,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rates = folds.learn(data, settings, at, control)?;
    let rest = OrctSettings {
        min_class_rate: rates.bounds.clone(),
        ..settings.within(began)
    };
    let mut model = fit_checked(data, &rest, at, None, control)?;
    rates.tell(&mut model.report);
    Ok(model)
}

/// As [`fit_orct`] for what was checked and announced before, with what `at` fixes of the settings and the
/// features mapped by `scaling` if there is one; without notices.
pub(super) fn fit_checked(
    data: &ClassData<'_>,
    settings: &OrctSettings,
    at: &OrctCandidate,
    scaling: Option<&Scaling>,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let began = Instant::now();
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        let problem = data.problem(at.depth);
        let (rows, weights) = (problem.rows, problem.weights);
        let patient = stop.without_deadline();
        let learn = || Scaling::learn_unless_stopped(at.scaling, rows, weights, &patient);
        let scaling = scaling.map_or_else(learn, |scaling| Ok(scaling.clone()))?;
        let scaled = scaled(rows.reborrow(), &scaling);
        let fit = ScaledFit {
            problem: &problem,
            settings,
            at,
            scaling: &scaling,
            stop,
            control,
            began,
        };
        let model = match most_features(settings, rows.features()) {
            None => {
                control.progress.begin_phase(settings.n_starts);
                fit.on_all_features(&scaled)?
            }
            Some(most) => fit_few_features(&fit, &scaled, most)?,
        };
        control.progress.reach(model.report.objective);
        Ok(model)
    })?
}

/// Checks settings and data as [`fit_orct`] does; returns the K × K costs.
pub fn check_orct_input(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> Result<Vec<f64>, InputError> {
    settings.validate()?;
    let costs = check_orct_data(&rows, labels, weights, settings)?;
    check_finite(&rows)?;
    Ok(costs)
}
