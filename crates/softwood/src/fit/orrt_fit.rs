//! The fit of an ORRT whose settings are all settled: data → starts → model.

use super::notices::notices_of_mixture;
use super::orrt_frame::Frame;
use super::orrt_problem::OrrtProblem;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::OrrtStarts;
use super::response_fold::ResponseData;
use super::response_groups::{GroupedRows, constraint_reports};
use crate::error::InputError;
use crate::fitted::OrrtModel;
use crate::progress::Progress;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use std::sync::Arc;
use std::time::Instant;

/// Checks the settings, and the data but for the values of the rows.
pub(super) fn check_orrt_data(
    data: &ResponseData<'_>,
    settings: &OrrtSettings,
) -> Result<(), InputError> {
    settings.validate()?;
    data.check(settings.run.columns(), settings.depth)?;
    settings.penalty.validate_groups(data.rows.features())
}

/// As [`fit_orrt`](crate::fit_orrt) for what was checked and announced before, in the present pool.
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
