//! The soft regression tree with single-leaf prediction (SRT): settings → data → starts → model.

use super::choose_ridges::{first_ridges, plausible_ridges};
use super::srt_settings::{RegressionStart, SrtSettings};
use super::trend::Trend;
use super::validate::{check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::hinges::Distributions;
use crate::data::{
    RegressionRows, RowSource, Rows, ScaledRows, Scaling, Standardization, WeightedRows,
};
use crate::error::{FitError, InputError};
use crate::fitted::{SoftTree, SrtModel};
use crate::progress::Progress;
use crate::search::nodec_run::{NodecRules, RegressionOutcome, Ridges, Run};
use crate::search::replace_subtrees::replace_subtrees;
use crate::search::starts::{Starts, best_of_starts, parallelism, side_by_side};
use crate::start::{clustered_splits, random_splits};
use crate::stop::Stopped;
use crate::threads::in_pool;
use crate::tree::{RegressionParameters, Topology};
use rand_pcg::Pcg64;
use std::sync::Arc;
use std::time::Instant;

/// Macro-iterations after which the worse half of the starts is given up.
const HEAT: u64 = 4;

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
    check_x_and_names(&rows, settings.run.feature_names.as_deref())?;
    check_response(&rows, y)?;
    check_weights(rows.len(), weights)?;
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        check_finite(&rows)?;
        control.progress.expect_starts(settings.n_starts);
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
        let (starts, ridges) = race(&data, topology, settings, &control.progress)?;
        let best = &starts.outcomes[starts.best];
        let names = settings.run.feature_names.as_deref();
        let (leaf_slopes, leaf_intercepts) = trend.put_back(
            &best.parameters.leaf_slopes,
            &best.parameters.leaf_intercepts,
        );
        Ok(SrtModel {
            tree: SoftTree::of(topology, 1.0, &best.parameters.theta, &scaling, names),
            leaf_slopes,
            leaf_intercepts,
            curves: trend.curves,
            response,
            ridge_branches: ridges.branches.to_vec(),
            ridge_leaves: ridges.leaves.to_vec(),
            report: starts.report(rows.len(), began),
        })
    })?
}

/// Runs the starts. All of them make a few macro-iterations with weak
/// penalties; the best one tells which are plausible. With these, the better half goes on to the end.
fn race(
    data: &RegressionRows<'_>,
    topology: Topology,
    settings: &SrtSettings,
    progress: &Arc<Progress>,
) -> Result<(Starts<RegressionOutcome>, Ridges), Stopped> {
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
        run.advance(heat)?;
        Ok(run)
    };
    let by_objective = |a: &Run<'_, '_>, b: &Run<'_, '_>| a.objective().total_cmp(&b.objective());
    let begun = best_of_starts(
        settings.n_starts,
        data.rows.parallelism,
        &data.rows.stop,
        begin,
        by_objective,
    )?;
    let mut ranked: Vec<f64> = begun.outcomes.iter().map(Run::objective).collect();
    ranked.sort_by(f64::total_cmp);
    let last_to_go_on = ranked[(ranked.len() - 1) / 2];
    let asked = settings.ridge_branches.is_some() && settings.ridge_leaves.is_some();
    let ridges = if asked {
        first
    } else {
        plausible_ridges(data, begun.outcomes[begun.best].best(), &first, settings)?
    };
    let mut runs = side_by_side(begun.outcomes, data.rows.parallelism, |mut run| {
        let goes_on = run.objective() <= last_to_go_on;
        if !asked {
            run.penalize(&ridges)?;
        }
        if goes_on {
            run.advance(settings.macro_iterations)?;
        }
        Ok(run)
    })?;
    // Steps that must be accepted lead to a point that is to stay.
    if settings.convergent_after.is_none() {
        let best = runs.iter_mut().min_by(|a, b| by_objective(a, b));
        let splits = |rows: &RegressionRows<'_>, shape, attempt| {
            first_splits(
                &rows.rows,
                shape,
                settings,
                settings.n_starts + attempt,
                progress,
            )
        };
        let best = best.expect("at least one start");
        let (attempts, rounds) = (settings.n_starts / 2, settings.macro_iterations);
        replace_subtrees(best, attempts, rounds, &splits)?;
    }
    let outcomes = side_by_side(runs, data.rows.parallelism, |run| {
        let outcome = run.finish()?;
        progress.finish_start(Some(outcome.ending.objective));
        Ok(outcome)
    })?;
    let starts = Starts::ranked(
        outcomes,
        |a, b| a.ending.objective.total_cmp(&b.ending.objective),
        begun.cut_short,
    );
    Ok((starts, ridges))
}

/// Splits to begin with.
fn first_splits(
    data: &WeightedRows<'_>,
    topology: Topology,
    settings: &SrtSettings,
    start: usize,
    progress: &Arc<Progress>,
) -> Result<RegressionParameters, Stopped> {
    let mut rng = Pcg64::new(u128::from(settings.run.random_state), start as u128);
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
