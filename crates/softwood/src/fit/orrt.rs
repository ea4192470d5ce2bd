//! The optimal randomized regression tree: settings → data → starts → model.

use super::leaf_weights::in_users_unit;
use super::notices::notices_of_mixture;
use super::orrt_problem::OrrtProblem;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::{Frame, OrrtStarts};
use super::response_fold::ResponseData;
use super::response_groups::{GroupedRows, constraint_reports};
use super::row_groups::RowGroup;
use crate::control::Control;
use crate::data::{CanonicalRows, Rows};
use crate::error::{FitError, InputError};
use crate::fitted::OrrtModel;
use crate::progress::Progress;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use crate::tree::Topology;
use std::sync::Arc;
use std::time::Instant;

/// Fits a sparse optimal randomized regression tree (S-ORRT):
///
/// min (1/W) Σ_i w_i (φ_i − y_i)² + R(β) + λ_L Σ_j ‖(a_j, β_j)‖₁ + λ_G Σ_j ‖(a_j, β_j)‖_∞   (4.1)
///
/// over a, μ ∈ [−1, 1] and free β, φ_i = Σ_t P_it (β_0t + βₜᵀ(u_i − ū)) being the mixture of all leaves' linear
/// models, y standardized, ū the mean row and R a ridge, [`LeafRidge`](crate::objective::LeafRidge).
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
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    check_orrt_data(&given, settings)?;
    in_pool(settings.run.n_threads, || {
        let given = GroupedRows::checked(groups, given)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        control.progress.announce(settings.n_starts);
        let stop = settings.run.stop(control);
        let mut model = fit_checked(&data, &given, settings, &stop, &control.progress)?;
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// Checks the settings, and the data but for the values of the rows.
pub(super) fn check_orrt_data(
    data: &ResponseData<'_>,
    settings: &OrrtSettings,
) -> Result<(), InputError> {
    settings.validate()?;
    data.check(settings.run.columns())?;
    settings.penalty.validate_groups(data.rows.features())
}

/// As [`fit_orrt`] for what was checked and announced before, in the present pool.
pub(super) fn fit_checked(
    data: &ResponseData<'_>,
    given: &GroupedRows<'_, '_>,
    settings: &OrrtSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<OrrtModel, Interrupted> {
    let began = Instant::now();
    progress.begin_phase(settings.n_starts);
    let problem = OrrtProblem::learn(data.reborrow(), settings.scaling, stop)?;
    let training = problem.training(settings.n_starts, stop);
    let spread = training.rows.parallelism;
    let bounds = given.bounds(&problem.scaling, &problem.response, spread, stop);
    let found = OrrtStarts {
        frame: &Frame::of(&training)?,
        data: &training,
        bounds: &bounds,
        topology: Topology::complete(settings.depth),
        settings,
        progress,
    }
    .run()?;
    let mut model = problem.model(&found, settings, began);
    let best = &found.all.outcomes[found.all.best];
    model.report.constraints = constraint_reports(given.groups, &problem.response, best);
    let (rows, weights) = (&data.rows, data.weights);
    model.report.notices = notices_of_mixture(&model, rows, weights, &settings.penalty);
    Ok(model)
}
