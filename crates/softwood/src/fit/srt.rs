//! The soft regression tree with single-leaf prediction (SRT): settings → data → starts → model.

use super::choose_ridges::{first_ridges, plausible_ridges};
use super::notices::notices_of_regression;
use super::trend::Trend;
use super::validate::{check_setting, check_shared_settings, check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::hinges::Distributions;
use crate::data::{
    RegressionRows, RowSource, Rows, ScaledRows, Scaling, ScalingKind, Standardization,
    WeightedRows,
};
use crate::error::{FitError, InputError};
use crate::fitted::{SoftTree, SrtModel};
use crate::progress::Progress;
use crate::search::multistart::{Starts, best_of_starts, parallelism, side_by_side, why_stopped};
use crate::search::nodec::{NodecRules, RegressionOutcome, Ridges, Run};
use crate::search::replace_subtrees::replace_subtrees;
use crate::start::{clustered_splits, random_splits};
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::tree::{RegressionParameters, Topology};
use rand_pcg::Pcg64;
use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Macro-iterations after which the worse half of the starts is given up.
const HEAT: u64 = 4;

/// What [`fit_srt`] is asked for.
#[derive(Clone, Debug)]
pub struct SrtSettings {
    /// D, 1…12.
    pub depth: usize,
    /// λ_ω of (7) for all coefficients, not negative; if None one for each feature, as the best start
    /// makes it plausible after a few macro-iterations.
    pub ridge_branches: Option<f64>,
    /// λ_β of (7) for all coefficients, not negative; if None one for each feature, in the same way.
    pub ridge_leaves: Option<f64>,
    /// Whether a curve of each feature, the same in all leaves, is added to the leaf models.
    pub curves: bool,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingKind,
    /// Where starts begin.
    pub start: RegressionStart,
    /// Starts; the best is kept, and its subtrees replaced where growing them anew is better.
    pub n_starts: usize,
    /// Macro-iterations of a start at most.
    pub macro_iterations: u64,
    /// ε₁ > ε₂ and ε₃: shares of rows from which a split counts as unbalanced and as badly
    /// unbalanced, and the share of a crowded side that is led to the other.
    pub imbalance: [f64; 3],
    /// k₀: inner iterations after which only steps that lower (7) enough are taken; never if None.
    pub convergent_after: Option<u64>,
    /// A convergent run ends when ‖∇E‖∞ ≤ tol.
    pub tol: f64,
    /// Seed of the starts.
    pub random_state: u64,
    /// Threads; all cores if None. The result does not depend on it.
    pub n_threads: Option<usize>,
    /// Time after which no new work begins; the best tree so far is returned.
    pub time_limit: Option<Duration>,
    /// Names of the features; x0, x1, … if None.
    pub feature_names: Option<Vec<String>>,
}

/// Where the starts of a regression tree begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegressionStart {
    /// Hierarchical 2-means partitions of the rows.
    Clusters,
    /// Random hyperplanes through the rows.
    Random,
    /// Clusters and random hyperplanes in turn.
    Mixed,
}

impl FromStr for RegressionStart {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "clusters" => Ok(Self::Clusters),
            "random" => Ok(Self::Random),
            "mixed" => Ok(Self::Mixed),
            _ => Err(InputError::Setting {
                name: "start",
                expected: "\"mixed\", \"clusters\" or \"random\"",
                got: format!("{name:?}"),
            }),
        }
    }
}

impl Default for SrtSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            ridge_branches: None,
            ridge_leaves: None,
            curves: false,
            scaling: ScalingKind::MinMax,
            start: RegressionStart::Mixed,
            n_starts: 8,
            macro_iterations: 20,
            imbalance: [0.3, 0.1, 0.4],
            convergent_after: None,
            tol: 1e-6,
            random_state: 0,
            n_threads: None,
            time_limit: None,
            feature_names: None,
        }
    }
}

impl SrtSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_shared_settings(self.depth, self.n_starts, self.n_threads, self.tol)?;
        for (name, ridge) in [
            ("ridge_branches", self.ridge_branches),
            ("ridge_leaves", self.ridge_leaves),
        ] {
            let ridge = ridge.unwrap_or(0.0);
            check_setting(
                ridge.is_finite() && ridge >= 0.0,
                name,
                "a number of at least 0",
                ridge,
            )?;
        }
        check_setting(
            self.macro_iterations >= 1,
            "macro_iterations",
            "at least 1",
            self.macro_iterations,
        )?;
        let [moderate, bad, flipped] = self.imbalance;
        let share = |x: f64| (0.0..1.0).contains(&x);
        check_setting(
            share(moderate) && share(bad) && share(flipped) && bad <= moderate && moderate <= 0.5,
            "imbalance",
            "three shares (ε1, ε2, ε3) with 0 ≤ ε2 ≤ ε1 ≤ 0.5 and 0 ≤ ε3 < 1",
            format!("({moderate}, {bad}, {flipped})"),
        )
    }
}

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
/// Same seed, same bits, on any number of threads.
pub fn fit_srt<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &SrtSettings,
    control: &Control,
) -> Result<SrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    check_x_and_names(&rows, settings.feature_names.as_deref())?;
    check_response(&rows, y)?;
    check_weights(rows.len(), weights)?;
    let stop = Stop::new(&control.stop, settings.time_limit);
    in_pool(settings.n_threads, || {
        check_finite(&rows)?;
        control.progress.announce(settings.n_starts);
        control.progress.begin_phase(settings.n_starts);
        let patient = stop.without_deadline();
        let scaling = Scaling::learn_unless_stopped(settings.scaling, rows, weights, &patient)?;
        let hinges = if settings.curves {
            Distributions::learn(rows.reborrow(), weights, &patient)?.hinges(&scaling)?
        } else {
            Vec::new()
        };
        let response = Standardization::learn(y, weights);
        let standardized: Vec<f64> = y.iter().map(|y| response.apply(*y)).collect();
        let scaled = ScaledRows::new(rows.reborrow(), &scaling);
        let spread = parallelism(scaled.chunks(), settings.n_starts);
        let data = RegressionRows::new(scaled, &standardized, weights, spread, patient);
        let (trend, data) = Trend::take_out(&data, &hinges)?;
        let data = data.with_stop(&stop);
        let topology = Topology::complete(settings.depth);
        let starts = race(&data, topology, settings, &control.progress)?;
        let best = &starts.outcomes[starts.best];
        let names = settings.feature_names.as_deref();
        let (leaf_slopes, leaf_intercepts) = trend.put_back(
            &best.parameters.leaf_slopes,
            &best.parameters.leaf_intercepts,
        );
        let mut model = SrtModel {
            tree: SoftTree::of(topology, 1.0, &best.parameters.theta, &scaling, names),
            leaf_slopes,
            leaf_intercepts,
            curves: trend.curves,
            response,
            ridge_branches: best.ridges.branches.to_vec(),
            ridge_leaves: best.ridges.leaves.to_vec(),
            report: starts.report(rows.len(), began),
        };
        model.report.notices = notices_of_regression(&model, &rows, weights);
        Ok(model)
    })?
}

/// Runs the starts. All of them make a few macro-iterations with weak
/// penalties; the best one tells which are plausible. With these, the better half goes on to the end.
/// Cancelled, every start that has begun ends where it stands.
fn race(
    data: &RegressionRows<'_>,
    topology: Topology,
    settings: &SrtSettings,
    progress: &Arc<Progress>,
) -> Result<Starts<RegressionOutcome>, Stopped> {
    let heat = settings.macro_iterations.min(HEAT);
    let rules = NodecRules {
        imbalance: settings.imbalance,
        convergent_after: settings.convergent_after,
        tol: settings.tol,
    };
    let first = first_ridges(data, settings);
    let begin = |start: usize| {
        let patient = data.without_deadline();
        let splits = first_splits(&patient.rows, topology, settings, start, progress)?;
        let mut run = Run::new(data, splits, first.clone(), &rules, progress)?;
        run.advance(heat);
        Ok(run)
    };
    let (spread, stop) = (data.rows.parallelism, &data.rows.stop);
    let mut begun = best_of_starts(settings.n_starts, spread, stop, begin, by_objective)?;
    if let Err(stopped) = go_on(&mut begun, &first, data, settings, progress) {
        begun.outcomes.iter_mut().for_each(|run| run.end(stopped));
    }
    let outcomes = side_by_side(begun.outcomes, spread, |run| Ok(run.finish()))?;
    let missing = begun.stopped.is_some();
    let starts = Starts::ranked(
        outcomes,
        |a, b| a.ending.objective.total_cmp(&b.ending.objective),
        why_stopped(stop, missing),
    );
    progress.reach(starts.outcomes[starts.best].ending.objective);
    Ok(starts)
}

/// Of the starts after their heat: plausible penalties for all, the better half on to the end, and the
/// subtrees of the best replaced.
fn go_on(
    begun: &mut Starts<Run<'_, '_>>,
    first: &Ridges,
    data: &RegressionRows<'_>,
    settings: &SrtSettings,
    progress: &Arc<Progress>,
) -> Result<(), Stopped> {
    let mut ranked: Vec<f64> = begun.outcomes.iter().map(Run::objective).collect();
    ranked.sort_by(f64::total_cmp);
    let last_to_go_on = ranked[(ranked.len() - 1) / 2];
    let asked = settings.ridge_branches.is_some() && settings.ridge_leaves.is_some();
    let ridges = if asked {
        first.clone()
    } else {
        plausible_ridges(data, begun.outcomes[begun.best].best(), first, settings)?
    };
    let runs: Vec<&mut Run<'_, '_>> = begun.outcomes.iter_mut().collect();
    side_by_side(runs, data.rows.parallelism, |run| {
        let goes_on = run.objective() <= last_to_go_on;
        if !asked {
            run.penalize(&ridges)?;
        }
        if goes_on {
            run.advance(settings.macro_iterations);
        }
        progress.finish_start(Some(run.objective()));
        Ok(())
    })?;
    // Steps that must be accepted lead to a point that is to stay.
    if settings.convergent_after.is_some() {
        return Ok(());
    }
    let splits = |rows: &RegressionRows<'_>, shape, attempt| {
        let attempt = settings.n_starts + attempt;
        first_splits(&rows.rows, shape, settings, attempt, progress)
    };
    let best = begun.outcomes.iter_mut().min_by(|a, b| by_objective(a, b));
    let best = best.expect("at least one start");
    let (attempts, rounds) = (settings.n_starts / 2, settings.macro_iterations);
    replace_subtrees(best, attempts, rounds, &splits)
}

fn by_objective(a: &Run<'_, '_>, b: &Run<'_, '_>) -> Ordering {
    a.objective().total_cmp(&b.objective())
}

/// Splits to begin with.
fn first_splits(
    data: &WeightedRows<'_>,
    topology: Topology,
    settings: &SrtSettings,
    start: usize,
    progress: &Arc<Progress>,
) -> Result<RegressionParameters, Stopped> {
    let mut rng = Pcg64::new(u128::from(settings.random_state), start as u128);
    let clusters = match settings.start {
        RegressionStart::Clusters => true,
        RegressionStart::Random => false,
        RegressionStart::Mixed => start.is_multiple_of(2),
    };
    if clusters {
        clustered_splits(data, topology, progress, &mut rng)
    } else {
        random_splits(data, topology, &mut rng)
    }
}

/// A finite response for every row.
fn check_response(rows: &Rows<'_>, y: &[f64]) -> Result<(), InputError> {
    if y.len() != rows.len() {
        return Err(InputError::RowMismatch {
            name: "y",
            rows: rows.len(),
            len: y.len(),
        });
    }
    match y.iter().position(|y| !y.is_finite()) {
        Some(row) => Err(InputError::Response { row, value: y[row] }),
        None => Ok(()),
    }
}
