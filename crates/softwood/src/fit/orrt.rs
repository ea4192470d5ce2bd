//! The optimal randomized regression tree: settings → data → starts → model.

use super::leaf_weights::{in_users_unit, leaf_weights};
use super::notices::notices_of_mixture;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::OrrtStarts;
use super::response_groups::{GroupedRows, constraint_reports};
use super::row_groups::{RowGroup, Training, check_groups};
use super::validate::{check_response, check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{
    CanonicalRows, RegressionRows, RowSource, Rows, ScaledRows, Scaling, Standardization,
};
use crate::error::FitError;
use crate::fitted::{OrrtModel, SoftTree};
use crate::search::starts::parallelism;
use crate::threads::in_pool;
use crate::tree::Topology;
use std::time::Instant;

/// Fits a sparse optimal randomized regression tree (S-ORRT):
///
/// min (1/W) Σ_i w_i (φ_i − y_i)² + (λ_β/2) Σ_t (Σ_j v_j β_tj² + β_0t²) + λ_L Σ_j ‖(a_j, β_j)‖₁ + λ_G Σ_j ‖(a_j, β_j)‖_∞   (4.1)
///
/// over a, μ ∈ [−1, 1] and free β, φ_i = Σ_t P_it (β_0t + βₜᵀ(u_i − ū)) being the mixture of all leaves' linear
/// models, y standardized, ū the mean row and v_j the variance of feature j.
///
/// For given splits all leaf models follow from one linear regression; starts descend over the splits
/// alone (variable projection), through softer splits, from random hyperplanes and from the splits of a
/// soft regression tree. Penalties, and the bounds that `groups` of rows bring along, come in at the end,
/// over splits and leaves together.
///
/// Same seed, same bits, on any number of threads and, for rows that are kept (up to 96 MB), in
/// whatever order they stand and whether they are weighted or repeated.
pub fn fit_orrt<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrrtSettings,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    check_x_and_names(&rows, settings.run.columns())?;
    settings.penalty.validate_groups(rows.features())?;
    check_response(&rows, y)?;
    check_weights(rows.len(), weights)?;
    in_pool(settings.run.n_threads, || {
        check_finite(&rows)?;
        let training = Training {
            rows: rows.len(),
            features: rows.features(),
            weights,
            classes: None,
        };
        let data = CanonicalRows::of(rows.reborrow(), y, weights);
        let given = GroupedRows {
            groups,
            compared_with: check_groups(groups, &training)?,
            rows: rows.reborrow(),
            y,
            weights,
        };
        let rows_seen = (data.rows(), &data.target[..], data.weights());
        let mut model = fit_checked(rows_seen, &given, settings, control)?;
        in_users_unit(&mut model.leaf_weights, data.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// As [`fit_orrt`] for what was checked before, in the present pool.
fn fit_checked(
    (rows, y, weights): (Rows<'_>, &[f64], Option<&[f64]>),
    given: &GroupedRows<'_, '_>,
    settings: &OrrtSettings,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let began = Instant::now();
    let stop = settings.run.stop(control);
    control.progress.announce(settings.n_starts);
    control.progress.begin_phase(settings.n_starts);
    let patient = stop.without_deadline();
    let scaling = Scaling::learn_unless_stopped(settings.scaling, rows, weights, &patient)?;
    let response = Standardization::learn(y, weights);
    let standardized: Vec<f64> = y.iter().map(|y| response.apply(*y)).collect();
    let scaled = ScaledRows::new(rows.reborrow(), &scaling);
    let spread = parallelism(scaled.chunks(), settings.n_starts);
    let data = RegressionRows::new(scaled, &standardized, weights, spread, stop.clone());
    let topology = Topology::complete(settings.depth);
    let bounds = given.bounds(&scaling, &response, spread, &stop);
    let starts = OrrtStarts {
        data: &data,
        bounds: &bounds,
        topology: topology.clone(),
        settings,
        progress: &control.progress,
    }
    .run()?;
    let at = &starts.parameters;
    let mut model = OrrtModel {
        tree: SoftTree::of(
            &topology,
            settings.gamma,
            &at.theta,
            &scaling,
            settings.run.columns(),
        ),
        leaf_slopes: at.leaf_slopes.clone(),
        leaf_intercepts: at.leaf_intercepts.clone(),
        response,
        ridge_leaves: starts.ridge,
        leaf_weights: Vec::new(),
        report: starts.all.report(rows.len(), began),
    };
    model.leaf_weights = leaf_weights(&model.tree, &rows, weights);
    let best = &starts.all.outcomes[starts.all.best];
    model.report.constraints = constraint_reports(given.groups, &response, best);
    model.report.loss_unit = Some(response.scale * response.scale).filter(|u| u.is_finite());
    model.report.notices = notices_of_mixture(&model, &rows, weights, &settings.penalty);
    Ok(model)
}
