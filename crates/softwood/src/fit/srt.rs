//! The soft regression tree with single-leaf prediction (SRT): settings → data → starts → model.

use super::leaf_weights::{in_users_unit, leaf_weights};
use super::notices::notices_of_regression;
use super::response_fold::ResponseData;
use super::srt_settings::SrtSettings;
use super::srt_starts::SrtStarts;
use super::trend::Trend;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::hinges::Distributions;
use crate::data::{
    CanonicalRows, RegressionRows, RowSource, Rows, ScaledRows, Scaling, Standardization,
};
use crate::error::FitError;
use crate::fitted::{SoftTree, SrtModel};
use crate::progress::Progress;
use crate::search::starts::parallelism;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use crate::tree::Topology;
use std::sync::Arc;
use std::time::Instant;

/// Fits a soft regression tree with single-leaf prediction (SRT) by NODEC-DR:
///
/// min (1/W) Σ_i w_i Σ_t P_it (ŷ_it − y_i)² + Σ_j (λ_ωj/2) Σ_t ω_tj² + Σ_j (λ_βj/2) Σ_t (β_tj − β̄_j)²   (7)
///
/// with z_it = ω_0t + (1/p) Σ_j ω_tj u_ij of steepness 1 and leaf models ŷ_it = β_0t + Σ_j β_tj u_ij.
/// β̄ is the linear regression of all rows: it is taken out of the response first, so that leaves
/// with few rows tend to it. Errors, and with them the objective, are relative to its mean squared
/// error. A row is predicted by the one leaf at the end of its likelier branches. If curves are asked
/// for, they are estimated and taken out of the response together with β̄.
///
/// Same seed, same bits, on any number of threads and, for rows that are kept (up to 96 MB), in
/// whatever order they stand and whether they are weighted or repeated.
pub fn fit_srt<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &SrtSettings,
    control: &Control,
) -> Result<SrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    settings.validate()?;
    given.check(settings.run.columns(), settings.depth)?;
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        check_finite(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        control.progress.announce(settings.n_starts);
        control.progress.begin_phase(settings.n_starts);
        let bends = data.bends(settings.curves, &stop)?;
        let progress = &control.progress;
        let mut model = fit_checked(&data, settings, bends.as_ref(), &stop, progress)?;
        model.report.notices = notices_of_regression(&model, &data.rows, data.weights);
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// As [`fit_srt`] for what was checked and announced before, with curves that bend by the distributions
/// of the features if there are any; without notices.
pub(super) fn fit_checked(
    data: &ResponseData<'_>,
    settings: &SrtSettings,
    bends: Option<&Distributions>,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<SrtModel, Interrupted> {
    let began = Instant::now();
    let (rows, y, weights) = (data.rows.reborrow(), data.y, data.weights);
    let patient = stop.without_deadline();
    let scaling = Scaling::learn_unless_stopped(settings.scaling, rows, weights, &patient)?;
    let hinges = bends.map_or_else(Vec::new, |bends| bends.hinges(&scaling));
    let response = Standardization::learn(y, weights);
    let standardized: Vec<f64> = y.iter().map(|y| response.apply(*y)).collect();
    let scaled = ScaledRows::new(rows.reborrow(), &scaling);
    let spread = parallelism(scaled.chunks(), settings.n_starts);
    let data = RegressionRows::new(scaled, &standardized, weights, spread, stop.clone());
    let (trend, data) = Trend::take_out_in_time(&data, &hinges)?;
    let topology = Topology::complete(settings.depth);
    let starts = SrtStarts {
        data: &data,
        topology: topology.clone(),
        settings,
        progress,
    }
    .run()?;
    let best = &starts.outcomes[starts.best];
    let at = &best.parameters;
    let (leaf_slopes, leaf_intercepts) = trend.put_back(&at.leaf_slopes, &at.leaf_intercepts);
    let loss_unit = Some(trend.unit(&response)).filter(|unit| unit.is_finite());
    let mut report = starts.report(rows.len(), began);
    report.loss_unit = loss_unit;
    let mut model = SrtModel {
        tree: SoftTree::of(&topology, 1.0, &at.theta, &scaling, settings.run.columns()),
        leaf_slopes,
        leaf_intercepts,
        curves: trend.curves,
        response,
        ridge_branches: best.ridges.branches.to_vec(),
        ridge_leaves: best.ridges.leaves.to_vec(),
        leaf_weights: Vec::new(),
        report,
    };
    model.leaf_weights = leaf_weights(&model.tree, &rows, weights);
    Ok(model)
}
