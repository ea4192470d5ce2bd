//! One start's way from soft, class-balanced splits to the problem that was asked.

use super::orct::OrctSettings;
use crate::leaves::{assign_labels, assign_parted_labels};
use crate::objective::{ClassificationRows, ExpectedCost};
use crate::progress::{CountIterations, Progress};
use crate::solver::{Bounds, LbfgsSettings, Outcome, SolveStatus, minimize};
use crate::stop::Stopped;
use crate::tree::Topology;
use std::sync::Arc;

/// a, μ ∈ [−1, 1].
const BOX: Bounds = Bounds {
    lower: -1.0,
    upper: 1.0,
};

/// Times the labels are revised within a stage at most.
const MAX_LABEL_ROUNDS: usize = 2;

/// Quasi-Newton iterations in a soft stage at most: it only has to point the way.
const SOFT_ITERATIONS: u64 = 50;

/// A continuation stage.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// Steepness.
    pub gamma: f64,
    /// K × K costs.
    pub costs: Vec<f64>,
    /// A stage on the way: sibling leaves keep different labels, and few iterations do.
    pub soft: bool,
}

/// γ by factors of 4 from 2p (the 1/p in z makes steepness relative to p) up to the wanted γ with
/// balanced costs, then the wanted γ with the true costs.
///
/// Balanced costs weigh rows of class k by W/(K·W_k); without them the first, blurred stages see
/// nothing but the majority class.
pub(crate) fn stages(
    gamma: f64,
    costs: &[f64],
    class_weights: &[f64],
    features: usize,
) -> Vec<Stage> {
    let (k, total) = (class_weights.len(), class_weights.iter().sum::<f64>());
    let balanced: Vec<f64> = costs
        .chunks_exact(k)
        .zip(class_weights)
        .flat_map(|(row, weight)| {
            let factor = if *weight > 0.0 {
                total / (k as f64 * weight)
            } else {
                0.0
            };
            row.iter().map(move |c| c * factor)
        })
        .collect();
    let mut gammas = vec![(2.0 * features as f64).min(gamma)];
    while gammas[gammas.len() - 1] * 4.0 < gamma {
        gammas.push(gammas[gammas.len() - 1] * 4.0);
    }
    let soft = gammas.into_iter().map(|gamma| Stage {
        gamma,
        costs: balanced.clone(),
        soft: true,
    });
    soft.chain([Stage {
        gamma,
        costs: costs.to_vec(),
        soft: false,
    }])
    .collect()
}

/// Where a start ended.
#[derive(Clone, Debug)]
pub(crate) struct StartOutcome {
    pub theta: Vec<f64>,
    pub labels: Vec<u32>,
    pub objective: f64,
    pub optimality: f64,
    pub iterations: u64,
    pub evaluations: u64,
    pub status: SolveStatus,
}

/// Follows the stages from `theta`, alternating the exact label step with the quasi-Newton run until
/// labels stop changing. Out of time it returns the best it can label; Err only if cancelled.
pub(crate) fn follow(
    data: &ClassificationRows<'_>,
    topology: Topology,
    stages: &[Stage],
    mut theta: Vec<f64>,
    settings: &OrctSettings,
    progress: &Arc<Progress>,
) -> Result<StartOutcome, Stopped> {
    let last = stages.len() - 1;
    let mut total = (0, 0);
    let mut end = (SolveStatus::TimeLimit, f64::INFINITY);
    'stages: for (s, stage) in stages.iter().enumerate() {
        let mut labels: Option<Vec<u32>> = None;
        for _ in 0..MAX_LABEL_ROUNDS {
            let step = data
                .leaf_masses(topology, &theta, stage.gamma)
                .and_then(|masses| {
                    let revised = label(&masses, data, stage, settings);
                    if labels.as_ref() == Some(&revised) {
                        return Ok(None);
                    }
                    labels = Some(revised.clone());
                    let objective = ExpectedCost::new(
                        data.clone(),
                        topology,
                        stage.gamma,
                        &stage.costs,
                        revised,
                    );
                    let limits = LbfgsSettings {
                        projected_gradient_tol: settings.tol,
                        // Who asks for a small gradient also wants the last digits of the objective.
                        stall_tol: 1e-6 * settings.tol.min(1e-3),
                        max_iterations: if stage.soft {
                            settings.max_iter.min(SOFT_ITERATIONS)
                        } else {
                            settings.max_iter
                        },
                        ..LbfgsSettings::default()
                    };
                    let observer = CountIterations(progress.clone());
                    minimize(objective, BOX, theta.clone(), &limits, Some(observer)).map(Some)
                });
            let outcome: Outcome = match step {
                Ok(Some(outcome)) => outcome,
                Ok(None) => break,
                Err(Stopped::TimeLimit) => {
                    end.0 = SolveStatus::TimeLimit;
                    break 'stages;
                }
                Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
            };
            total = (total.0 + outcome.iterations, total.1 + outcome.evaluations);
            theta = outcome.x;
            if s == last {
                end = (outcome.status, outcome.optimality);
            }
            match outcome.status {
                SolveStatus::Cancelled => return Err(Stopped::Cancelled),
                SolveStatus::TimeLimit => {
                    end.0 = SolveStatus::TimeLimit;
                    break 'stages;
                }
                _ => {}
            }
        }
    }
    // The answer's labels and objective are computed even when time is up: without them there is none.
    let data = data.without_deadline();
    let masses = data.leaf_masses(topology, &theta, stages[last].gamma)?;
    let labels = label(&masses, &data, &stages[last], settings);
    let objective = expected_cost(&masses, &data, &stages[last], &labels);
    Ok(StartOutcome {
        theta,
        labels,
        objective,
        optimality: end.1,
        iterations: total.0,
        evaluations: total.1,
        status: end.0,
    })
}

/// The stage's labels, from the masses of classes in leaves.
fn label(
    masses: &[f64],
    data: &ClassificationRows<'_>,
    stage: &Stage,
    settings: &OrctSettings,
) -> Vec<u32> {
    let assign = if stage.soft {
        assign_parted_labels
    } else {
        assign_labels
    };
    assign(masses, &stage.costs, data.n_classes, settings.cover_classes)
}

/// Mean cost of the labelled tree, from the masses of classes in leaves.
fn expected_cost(
    masses: &[f64],
    data: &ClassificationRows<'_>,
    stage: &Stage,
    labels: &[u32],
) -> f64 {
    let (k, leaves) = (data.n_classes, labels.len());
    let cost: f64 = (0..k)
        .flat_map(|y| (0..leaves).map(move |t| (y, t)))
        .map(|(y, t)| masses[y * leaves + t] * stage.costs[y * k + labels[t] as usize])
        .sum();
    cost / data.class_weights().iter().sum::<f64>()
}
