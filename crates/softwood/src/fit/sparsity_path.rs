//! Trees along a grid of penalties, from dense to sparse: each point starts where the one before ended.

use super::auto_settings::settle;
use super::class_fold::ClassData;
use super::notices::notices_of_classification;
use super::orct_data::OrctData;
use super::orct_settings::OrctSettings;
use super::validate::{check_grid, check_setting};
use crate::control::Control;
use crate::data::{Labels, Rows, Scaling, scaled};
use crate::error::{FitError, InputError};
use crate::fitted::{OrctCandidate, OrctModel};
use crate::progress::Progress;
use crate::search::descent::StartOutcome;
use crate::search::multistart::{Effort, run_starts, warm_start};
use crate::search::starts::Starts;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use crate::tree::Topology;
use std::sync::Arc;
use std::time::Instant;

/// The trees of a path.
#[derive(Clone, Debug)]
pub struct SparsityPath<M> {
    /// The grid asked for.
    pub grid: PenaltyGrid,
    /// The points done, λ_L running fastest.
    pub points: Vec<PathPoint<M>>,
    /// `Converged` if the whole grid is done, else why not.
    pub status: SolveStatus,
    /// Wall-clock time.
    pub seconds: f64,
    began: Instant,
}

/// The points (λ_L, λ_G) of a path, each list increasing.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyGrid {
    /// λ_L.
    pub local: Vec<f64>,
    /// λ_G.
    pub global: Vec<f64>,
}

/// One point of a path.
#[derive(Clone, Debug)]
pub struct PathPoint<M> {
    /// Place of λ_L in its grid.
    pub local: usize,
    /// Place of λ_G in its grid.
    pub global: usize,
    /// The best tree there.
    pub model: M,
    /// How it does on the validation rows, if there are any: the share of them that it predicts right, or of
    /// a regression R².
    pub score: Option<f64>,
}

/// Rows a path is scored on.
pub struct ValidationRows<'a> {
    /// The rows.
    pub rows: Rows<'a>,
    /// Position of each row's class among the training classes; anything beyond them is never right.
    pub codes: &'a [u32],
}

impl<M> SparsityPath<M> {
    /// Before the first point.
    pub(super) fn begin(grid: &PenaltyGrid) -> Self {
        Self {
            grid: grid.clone(),
            points: Vec::new(),
            status: SolveStatus::Converged,
            seconds: 0.0,
            began: Instant::now(),
        }
    }

    /// The next point, at this place (l, g) of the grid.
    pub(super) fn add(&mut self, (local, global): (usize, usize), score: Option<f64>, model: M) {
        self.points.push(PathPoint {
            local,
            global,
            model,
            score,
        });
    }

    /// After the last point, or that before which it was stopped.
    pub(super) fn end(&mut self, walked: Result<(), Interrupted>) -> Result<(), FitError> {
        if let Err(interrupted) = walked {
            self.status = SolveStatus::try_from(interrupted)?;
        }
        self.seconds = self.began.elapsed().as_secs_f64();
        Ok(())
    }
}

impl PenaltyGrid {
    /// Checks the grid.
    pub(super) fn check(&self) -> Result<(), InputError> {
        check_grid("local_grid", &self.local)?;
        check_grid("global_grid", &self.global)
    }

    /// Checks the grid, and that the settings leave open what a path does not take.
    fn check_with(&self, settings: &OrctSettings) -> Result<(), InputError> {
        let bounded = [
            ("penalty", settings.penalty.share.is_some()),
            ("max_features", settings.max_features.is_some()),
            ("max_leaves", settings.max_leaves.is_some()),
        ];
        for (name, given) in bounded {
            check_setting(!given, name, "left open along a path", "a value")?;
        }
        self.check()
    }

    /// The settings at its first point.
    fn first(&self, settings: &OrctSettings) -> OrctSettings {
        let mut first = settings.clone();
        first.penalty.local = Some(self.local[0]);
        first.penalty.global = self.global[0];
        first.balance = Some(settings.balance.unwrap_or(false));
        first
    }

    /// Starts of a path along it.
    fn starts(&self, settings: &OrctSettings) -> usize {
        self.local.len() * self.global.len() * settings.n_starts
    }

    /// The grid of the thesis: 0 and 2^r/(pB) for λ_L, 0 and 2^r/p for λ_G, r = −12…3.
    pub fn full(depth: usize, features: usize) -> Self {
        let powers = |unit: f64| {
            std::iter::once(0.0)
                .chain((-12..=3).map(|r| f64::powi(2.0, r) * unit))
                .collect()
        };
        let (p, b) = (features as f64, Topology::complete(depth).branches() as f64);
        Self {
            local: powers(1.0 / (p * b)),
            global: powers(1.0 / p),
        }
    }
}

/// Fits an ORCT at every point of the grid; `settings.penalty` gives shape and groups. What the settings
/// leave open is chosen at the first point, for all of them. Every point is warm-started: its starts begin where those of the next smaller λ_L (or, at the first λ_L, of the
/// next smaller λ_G) have ended.
///
/// Out of time, or cancelled, it returns the points done until then.
pub fn sparsity_path<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    grid: &PenaltyGrid,
    validation: Option<&ValidationRows<'_>>,
    settings: &OrctSettings,
    control: &Control,
) -> Result<SparsityPath<OrctModel>, FitError> {
    let rows = rows.into();
    let mut path = SparsityPath::begin(grid);
    settings.validate()?;
    settings.check_rates_on_training()?;
    grid.check_with(settings)?;
    let canonical = OrctData::checked(rows.reborrow(), labels, weights, settings)?;
    let data = canonical.data();
    if let Some(validation) = validation {
        check_held_rows(&rows, &validation.rows, validation.codes.len())?;
    }
    let stop = settings.run.stop(control);
    let starts = grid.starts(settings);
    let first = match settle(&data, &grid.first(settings), starts, control) {
        Err(FitError::Cancelled) => {
            path.status = SolveStatus::Cancelled;
            return Ok(path);
        }
        first => first?,
    };
    in_pool(settings.run.n_threads, || -> Result<(), FitError> {
        let scored = |model: &OrctModel| validation.map(|validation| score(model, validation));
        let walked = walk(
            &data,
            (grid, &first.at),
            settings,
            &stop,
            &control.progress,
            |place, mut model| {
                canonical.tell_weights(&mut model);
                model.report.rows = rows.len();
                path.add(place, scored(&model), model);
            },
        );
        path.end(walked)
    })??;
    Ok(path)
}

/// Hands over the best tree at each place (l, g) of the grid, λ_L running fastest.
fn walk(
    data: &ClassData<'_>,
    (grid, first): (&PenaltyGrid, &OrctCandidate),
    settings: &OrctSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
    mut hand_over: impl FnMut((usize, usize), OrctModel),
) -> Result<(), Interrupted> {
    let problem = data.problem(first.depth);
    let patient = stop.without_deadline();
    let (rows, weights) = (problem.rows, problem.weights);
    let scaling = Scaling::learn_unless_stopped(first.scaling, rows, weights, &patient)?;
    let scaled = scaled(problem.rows.reborrow(), &scaling);
    let (n, seed) = (settings.n_starts, settings.run.random_state);
    let mut row_start: Option<Starts<StartOutcome>> = None;
    for (g, global) in grid.global.iter().enumerate() {
        let mut before = row_start.take();
        for (l, local) in grid.local.iter().enumerate() {
            let began = Instant::now();
            if before.is_some() {
                stop.check()?;
            }
            let here = OrctCandidate {
                local_penalty: *local,
                global_penalty: *global,
                ..first.clone()
            };
            let scaled_data = problem.classification(&scaled, weights, n, stop);
            let descent = problem.descent(scaled_data, &scaling, settings, &here, progress);
            progress.begin_phase(n);
            let starts = match &before {
                None => run_starts(&descent, n, seed, Effort::Full)?,
                Some(before) => warm_start(&descent, &before.outcomes)?,
            };
            let mut model = problem.model(&descent, &starts, settings, &scaling, began)?;
            model.report.notices = notices_of_classification(&model, data, &here);
            hand_over((l, g), model);
            if l == 0 {
                row_start = Some(starts.clone());
            }
            before = Some(starts);
        }
    }
    Ok(())
}

/// Share of the rows that the model predicts right.
fn score(model: &OrctModel, validation: &ValidationRows<'_>) -> f64 {
    let predicted = model
        .predict(validation.rows)
        .expect("checked before the path began");
    let right = predicted
        .iter()
        .zip(validation.codes)
        .filter(|(predicted, code)| predicted == code)
        .count();
    right as f64 / validation.codes.len() as f64
}

/// Rows to score on, with so many labels or responses: of the same features, at least one of them.
pub(super) fn check_held_rows(
    rows: &Rows<'_>,
    held: &Rows<'_>,
    len: usize,
) -> Result<(), InputError> {
    if held.features() != rows.features() {
        return Err(InputError::FeatureMismatch {
            expected: rows.features(),
            got: held.features(),
        });
    }
    if held.is_empty() || len != held.len() {
        return Err(InputError::RowMismatch {
            name: "y_validation",
            rows: held.len(),
            len,
        });
    }
    held.check_finite(0..held.len())
}
