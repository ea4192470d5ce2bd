//! `scaling="auto"`: the map that folds of the training rows speak for.

use super::orct_problem::OrctProblem;
use super::orct_settings::OrctSettings;
use crate::data::{Parallelism, Scaling, ScalingChoice, ScalingKind, scaled};
use crate::fitted::most_probable;
use crate::progress::Progress;
use crate::search::folds::Folds;
use crate::search::multistart::{Effort, run_starts};
use crate::stop::{Interrupted, Stop, Stopped};
use std::sync::Arc;

/// Folds of the inner validation.
const SCALING_FOLDS: usize = 5;

/// Starts for each fold and map: enough to compare, few enough to stay cheap.
const SCALING_STARTS: usize = 4;

/// The maps to choose from.
const KINDS: [ScalingKind; 2] = [ScalingKind::MinMax, ScalingKind::Quantile];

/// Starts that the choice takes, none if nothing is to be chosen.
pub(crate) fn starts_of_choice(settings: &OrctSettings) -> usize {
    match settings.scaling {
        ScalingChoice::Fixed(_) => 0,
        ScalingChoice::Auto => KINDS.len() * SCALING_FOLDS * SCALING_STARTS.min(settings.n_starts),
    }
}

/// The map that the settings ask for, learned from the rows.
pub(crate) fn learn_scaling(
    problem: &OrctProblem<'_>,
    settings: &OrctSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<Scaling, Interrupted> {
    let kind = match settings.scaling {
        ScalingChoice::Fixed(kind) => kind,
        ScalingChoice::Auto => choose_scaling(problem, settings, stop, progress)?,
    };
    let stop = stop.without_deadline();
    let scaling = Scaling::learn_unless_stopped(kind, problem.rows, problem.weights, &stop)?;
    Ok(scaling)
}

/// Min-max, unless the quantile map, whose splits are harder to read, lowers the cost of predicted
/// classes on held-out rows by more than a standard error.
///
/// Held-out rows get weight 0 in training, so nothing is copied.
fn choose_scaling(
    problem: &OrctProblem<'_>,
    settings: &OrctSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<ScalingKind, Interrupted> {
    let quick = OrctSettings {
        n_starts: SCALING_STARTS.min(settings.n_starts),
        ..settings.clone()
    };
    progress.begin_phase(starts_of_choice(settings));
    let (labels, weights, seed) = (problem.labels, problem.weights, settings.run.random_state);
    let Ok(folds) = Folds::new(
        &problem.rows,
        labels,
        weights,
        SCALING_FOLDS,
        seed,
        usize::MAX,
    ) else {
        return Ok(ScalingKind::MinMax); // too few rows to choose by
    };
    let mut costs = KINDS.map(|_| vec![0.0; problem.rows.len()]);
    for (kind, costs) in KINDS.into_iter().zip(&mut costs) {
        for fold in 0..SCALING_FOLDS {
            match stop.check() {
                Err(Stopped::TimeLimit) => return Ok(ScalingKind::MinMax), // no time to choose
                check => check?,
            }
            let held = folds.part(fold, true);
            put_held_out_costs(problem, &quick, kind, &held, stop, progress, costs)?;
        }
    }
    let gains = costs[0].iter().zip(&costs[1]).map(|(a, b)| a - b);
    let standard_error = gains.clone().map(|gain| gain * gain).sum::<f64>().sqrt();
    Ok(if gains.sum::<f64>() > standard_error {
        ScalingKind::Quantile
    } else {
        ScalingKind::MinMax
    })
}

/// Trains on all rows but those `held` out, with this map, and puts the costs of the latter's predicted
/// classes in their places.
fn put_held_out_costs(
    problem: &OrctProblem<'_>,
    settings: &OrctSettings,
    kind: ScalingKind,
    held: &[usize],
    stop: &Stop,
    progress: &Arc<Progress>,
    costs: &mut [f64],
) -> Result<(), Interrupted> {
    let weight = |i: usize| problem.weights.map_or(1.0, |w| w[i]);
    let mut weights: Vec<f64> = (0..problem.rows.len()).map(weight).collect();
    held.iter().for_each(|i| weights[*i] = 0.0);
    let patient = stop.without_deadline();
    let scaling = Scaling::learn_unless_stopped(kind, problem.rows, Some(&weights), &patient)?;
    let scaled = scaled(problem.rows.reborrow(), &scaling);
    let data = problem.classification(&scaled, Some(&weights), settings.n_starts, stop);
    let k = data.target.count();
    let settings = &*problem.with_penalty(settings, &data)?;
    let descent = problem.descent(data, settings, progress);
    let (n, seed) = (settings.n_starts, settings.run.random_state);
    let starts = run_starts(&descent, n, seed, Effort::Quick)?;
    let best = &starts.outcomes[starts.best];
    let mut probabilities = vec![0.0; scaled.len() * k];
    let mixture = problem.mixture(best, settings.gamma);
    let finite = mixture.fill(&*scaled, Parallelism::Rows, &mut probabilities);
    debug_assert!(finite, "the rows were checked");
    for i in held.iter().copied() {
        let predicted = most_probable(&probabilities[i * k..][..k]) as usize;
        let class = problem.labels.codes[i] as usize;
        costs[i] = weight(i) * problem.costs[class * k + predicted];
    }
    Ok(())
}
