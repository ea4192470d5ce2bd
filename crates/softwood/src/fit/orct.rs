//! START HERE. The optimal randomized classification tree: settings → data → starts → model.

use super::check_orct_data::check_orct_data;
use super::choose_scaling::{learn_scaling, starts_of_choice};
use super::few_features::{fit_few_features, most_features, starts_of_fit};
use super::notices::notices_of_classification;
use super::orct_data::OrctData;
use super::orct_problem::OrctProblem;
use super::orct_settings::OrctSettings;
use super::scaled_fit::ScaledFit;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{Labels, Rows, Scaling, scaled};
use crate::error::{FitError, InputError};
use crate::fitted::OrctModel;
use crate::threads::in_pool;
use crate::tree::Topology;
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
/// are regrown. Same seed, same bits, on any number of threads and, for rows that are kept (up to 96 MB),
/// in whatever order they stand and whether they are weighted or repeated.
pub fn fit_orct<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    settings.validate()?;
    let data = OrctData::checked(rows.reborrow(), labels, weights, settings)?;
    let starts = starts_of_choice(settings) + starts_of_fit(settings, rows.features());
    control.progress.announce(starts);
    let (all, weights) = (data.rows(), data.weights());
    let (labels, costs) = (&data.labels, &data.costs);
    let mut model = fit_checked(all, labels, weights, costs, settings, None, control)?;
    model.report.rows = rows.len();
    model.report.notices = notices_of_classification(&model, &all, weights, &settings.penalty);
    Ok(model)
}

/// As [`fit_orct`] for what was checked and announced before, with the features mapped by `scaling` if
/// there is one; without notices.
pub(crate) fn fit_checked(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    costs: &[f64],
    settings: &OrctSettings,
    scaling: Option<&Scaling>,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let began = Instant::now();
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        let topology = Topology::complete(settings.depth);
        let problem = OrctProblem {
            rows: rows.reborrow(),
            labels,
            weights,
            costs,
            topology,
        };
        let learn = || learn_scaling(&problem, settings, &stop, &control.progress);
        let scaling = scaling.map_or_else(learn, |scaling| Ok(scaling.clone()))?;
        let scaled = scaled(rows.reborrow(), &scaling);
        let data = problem.classification(&scaled, weights, settings.n_starts, &stop);
        let settings = problem.with_penalty(settings, &data)?;
        let fit = ScaledFit {
            problem: &problem,
            settings: &settings,
            scaling: &scaling,
            stop,
            control,
            began,
        };
        let model = match most_features(&settings, rows.features()) {
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
