//! Randomized regression trees along a grid of penalties, and the penalties from which no feature is left.

use super::leaf_weights::in_users_unit;
use super::notices::notices_of_mixture;
use super::orrt_fit::check_orrt_data;
use super::orrt_frame::Frame;
use super::orrt_problem::OrrtProblem;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::{OrrtOutcome, OrrtStarts};
use super::response_fold::ResponseData;
use super::sparsity_path::{PenaltyGrid, SparsityPath, check_held_rows};
use super::trend::line_moments;
use super::validate::check_response;
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Rows, ScalingKind};
use crate::error::FitError;
use crate::fitted::OrrtModel;
use crate::objective::{GroupBounds, LambdaMax};
use crate::progress::Progress;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use crate::tree::Topology;
use std::sync::Arc;
use std::time::Instant;

/// Rows that the trees of a path are scored on, with their responses.
pub struct HeldRows<'a> {
    /// The rows.
    pub rows: Rows<'a>,
    /// The responses.
    pub y: &'a [f64],
}

/// Fits an ORRT at every point of the grid; `settings.penalty` gives shape and groups. Every point is
/// warm-started: the better half of the starts of the first point go on from where they have ended at the next
/// smaller λ_L (or, at the first λ_L, at the next smaller λ_G). The ridge is that of the first point. The score
/// of a tree is its R² on the rows of `validation`.
///
/// Out of time, or cancelled, it returns the points done until then.
pub fn orrt_sparsity_path<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    grid: &PenaltyGrid,
    validation: Option<&HeldRows<'_>>,
    settings: &OrrtSettings,
    control: &Control,
) -> Result<SparsityPath<OrrtModel>, FitError> {
    let rows = rows.into();
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    check_orrt_data(&given, settings)?;
    grid.check()?;
    if let Some(held) = validation {
        check_held_rows(&rows, &held.rows, held.y.len())?;
        check_response(&held.rows, held.y)?;
    }
    let mut path = SparsityPath::begin(grid);
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || -> Result<(), FitError> {
        check_finite(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        control.progress.announce(starts(grid, settings));
        let scored = |model: &OrrtModel| validation.map(|held| r2(model, held));
        let walked = walk(
            &data,
            (grid, settings),
            &stop,
            &control.progress,
            |place, mut model| {
                in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
                model.report.rows = rows.len();
                path.add(place, scored(&model), model);
            },
        );
        path.end(walked)
    })??;
    Ok(path)
}

/// Starts at the first point, and of these the ones that go along.
fn starts(grid: &PenaltyGrid, settings: &OrrtSettings) -> usize {
    let further = grid.local.len() * grid.global.len() - 1;
    settings.n_starts + further * going_along(settings)
}

fn going_along(settings: &OrrtSettings) -> usize {
    settings.n_starts.div_ceil(2)
}

/// Hands over the best tree at each place (l, g) of the grid, λ_L running fastest.
fn walk(
    data: &ResponseData<'_>,
    (grid, settings): (&PenaltyGrid, &OrrtSettings),
    stop: &Stop,
    progress: &Arc<Progress>,
    mut hand_over: impl FnMut((usize, usize), OrrtModel),
) -> Result<(), Interrupted> {
    let problem = OrrtProblem::learn(data.reborrow(), settings.scaling, stop)?;
    let training = problem.training(settings.n_starts, stop);
    let frame = Frame::of(&training)?;
    let mut row_start: Option<OrrtOutcome> = None;
    for (g, global) in grid.global.iter().enumerate() {
        let mut before = row_start.take();
        for (l, local) in grid.local.iter().enumerate() {
            let began = Instant::now();
            let mut here = settings.clone();
            (here.penalty.local, here.penalty.global) = (Some(*local), *global);
            let starts = OrrtStarts {
                frame: &frame,
                data: &training,
                bounds: &GroupBounds::default(),
                topology: Topology::complete(settings.depth),
                settings: &here,
                progress,
            };
            let found = match &before {
                None => {
                    progress.begin_phase(settings.n_starts);
                    starts.run()?
                }
                Some(before) => {
                    stop.check()?;
                    progress.begin_phase(going_along(settings));
                    starts.go_on_from(before, going_along(settings))?
                }
            };
            let mut model = problem.model(&found, &here, began);
            let (rows, weights) = (&data.rows, data.weights);
            model.report.notices = notices_of_mixture(&model, rows, weights, &here.penalty);
            hand_over((l, g), model);
            if l == 0 {
                row_start = Some(found.clone());
            }
            before = Some(found);
        }
    }
    Ok(())
}

/// Share of the spread of the responses that the model explains.
fn r2(model: &OrrtModel, held: &HeldRows<'_>) -> f64 {
    let predicted = model.predict(held.rows.reborrow());
    let predicted = predicted.expect("checked before the path began");
    let mean = held.y.iter().sum::<f64>() / held.y.len() as f64;
    let rows = held.y.iter().zip(predicted);
    let errors: f64 = rows.map(|(y, predicted)| (y - predicted).powi(2)).sum();
    1.0 - errors / held.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

/// The smallest penalties under which the tree that uses no feature, and predicts the mean, is stationary
/// (proposition 4.2), for rows mapped by `scaling`, with the shape and groups of the penalty of `settings`.
pub fn orrt_lambda_max<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    scaling: ScalingKind,
    settings: &OrrtSettings,
    control: &Control,
) -> Result<LambdaMax, FitError> {
    let rows = rows.into();
    let data = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    check_orrt_data(&data, settings)?;
    check_finite(&data.rows)?;
    let stop = Stop::new(&control.stop, None);
    let problem = OrrtProblem::learn(data, scaling, &stop)?;
    let training = problem.training(1, &stop);
    let moments = line_moments(&training)?;
    Ok(LambdaMax::of_mixture(
        &moments,
        training.features(),
        &settings.penalty,
    ))
}
