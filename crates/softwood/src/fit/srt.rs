//! The soft regression tree with single-leaf prediction (SRT): settings → data → starts → model.

use super::multistart::{best_of_starts, parallelism};
use super::nodec::{Ridges, decompose};
use super::{Control, FitError};
use crate::InputError;
use crate::data::finite::check_finite;
use crate::data::{Rows, ScaledRows, Scaling, ScalingKind, Standardization};
use crate::fitted::{FitReport, SoftTree, SrtModel};
use crate::objective::RegressionRows;
use crate::solver::SolveStatus;
use crate::start::{clustered_splits, random_splits};
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::tree::{ParameterLayout, Topology};
use rand_pcg::Pcg64;
use std::time::{Duration, Instant};

/// What [`fit_srt`] is asked for.
#[derive(Clone, Debug)]
pub struct SrtSettings {
    /// D, 1…12.
    pub depth: usize,
    /// λ_ω of (7), not negative.
    pub ridge_branches: f64,
    /// λ_β of (7), not negative.
    pub ridge_leaves: f64,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingKind,
    /// Starts; the best is kept.
    pub n_starts: usize,
    /// Macro-iterations of a start at most.
    pub macro_iterations: u64,
    /// ε₁, ε₂ and ε₃: shares of rows from which a split counts as unbalanced and badly unbalanced,
    /// and the share of a crowded side that is led to the other.
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

impl Default for SrtSettings {
    fn default() -> Self {
        let env = |n: &str, d: f64| std::env::var(n).ok().and_then(|s| s.parse().ok()).unwrap_or(d);
        Self {
            depth: 2,
            ridge_branches: env("RB", 1e-5),
            ridge_leaves: env("RL", 1e-4),
            scaling: if env("QUANT", 0.0) > 0.0 { ScalingKind::Quantile } else { ScalingKind::MinMax },
            n_starts: env("NS", 4.0) as usize,
            macro_iterations: env("MI", 10.0) as u64,
            imbalance: [env("E1", 0.3), env("E2", 0.1), env("E3", 0.4)],
            convergent_after: None,
            tol: 1e-6,
            random_state: 0,
            n_threads: None,
            time_limit: None,
            feature_names: None,
        }
    }
}

/// Fits a soft regression tree.
pub fn fit_srt<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &SrtSettings,
    control: &Control,
) -> Result<SrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    let stop = Stop::new(&control.stop, settings.time_limit);
    in_pool(settings.n_threads, || {
        check_finite(&rows)?;
        control.progress.expect_starts(settings.n_starts);
        let scaling = Scaling::learn_unless_stopped(
            settings.scaling,
            rows,
            weights,
            &stop.without_deadline(),
        )
        .map_err(|_: Stopped| FitError::Cancelled)?;
        let response = Standardization::learn(y, weights);
        let standardized: Vec<f64> = y.iter().map(|y| response.apply(*y)).collect();
        let scaled = ScaledRows::new(rows.reborrow(), &scaling);
        let spread = parallelism(scaled.chunks(), settings.n_starts);
        let env = |n: &str, d: f64| std::env::var(n).ok().and_then(|s| s.parse().ok()).unwrap_or(d);
        let data = RegressionRows::new(scaled, &standardized, weights, spread, stop.clone());
        let mut base = crate::leaves::LinearModel{slopes: vec![0.0; rows.features()], intercept: 0.0};
        let mut rs = 1.0;
        let data = if env("TREND", 0.0) > 0.0 {
            let zero = crate::tree::RegressionParameters::zero(Topology::complete(1), rows.features());
            let m = data.leaf_moments(&zero, 0, None).unwrap();
            base = crate::leaves::ridge(&m[0], rows.features(), env("TREND", 0.0));
            let mut z = zero.clone(); z.set_leaf(0, &base); z.set_leaf(1, &base);
            let sub = crate::tree::subtree::Subtree::at(&z, 1);
            let st = data.rows.stride();
            let res = data.fill_columns(1, || sub.scratch(st), |sc, t, r, o| o.copy_from_slice(sub.errors(t, r, sc))).unwrap();
            let r: Vec<f64> = res[..rows.len()].iter().map(|e| -e).collect();
            rs = (r.iter().map(|x| x*x).sum::<f64>() / r.len() as f64).sqrt().max(1e-12);
            let r: Vec<f64> = r.iter().map(|x| x / rs).collect();
            let scaled = ScaledRows::new(rows.reborrow(), &scaling);
            RegressionRows::new(scaled, &r, weights, spread, stop.clone())
        } else { data };
        let topology = Topology::complete(settings.depth);
        let n = rows.len() as f64;
        let ridges = Ridges {
            branches: settings.ridge_branches + env("RBN", 0.0) / n / (rows.features() as f64).powi(2),
            leaves: settings.ridge_leaves + 2.0 * env("RLN", 0.0) / n,
        };
        let env = |n: &str, d: f64| std::env::var(n).ok().and_then(|s| s.parse().ok()).unwrap_or(d);
        let mode = env("START", 0.0) as usize;
        let run = |start: usize| {
            let mut rng = Pcg64::new(u128::from(settings.random_state), start as u128);
            let patient = data.without_deadline();
            let first = if mode == 1 || (mode == 2 && start % 2 == 1) {
                random_splits(&patient, topology, &mut rng)?
            } else {
                clustered_splits(&patient, topology, 3, &control.progress, &mut rng)?
            };
            let outcome = decompose(&data, first, ridges, settings, &control.progress)?;
            control.progress.finish_start(Some(outcome.objective));
            Ok((outcome.objective, outcome))
        };
        let starts = best_of_starts(settings.n_starts, data.parallelism, &stop, run)
            .map_err(|_: Stopped| FitError::Cancelled)?;
        let best = &starts.outcomes[starts.best];
        let p = rows.features();
        let (coefficients, intercepts) =
            ParameterLayout::new(topology, p).split(&best.parameters.theta);
        let names = settings.feature_names.clone();
        let tree = SoftTree {
            topology,
            gamma: 1.0,
            coefficients: coefficients.to_vec(),
            intercepts: intercepts.to_vec(),
            feature_names: names.unwrap_or_else(|| (0..p).map(|j| format!("x{j}")).collect()),
            scaling: scaling.clone(),
        };
        Ok(SrtModel {
            tree,
            leaf_slopes: best.parameters.leaf_slopes.iter().enumerate().map(|(i, b)| b * rs + base.slopes[i % p]).collect(),
            leaf_intercepts: best.parameters.leaf_intercepts.iter().map(|b| b * rs + base.intercept).collect(),
            response,
            report: FitReport {
                status: if starts.cut_short {
                    SolveStatus::TimeLimit
                } else {
                    best.status
                },
                objective: best.objective,
                loss: best.loss,
                seconds: began.elapsed().as_secs_f64(),
                iterations: starts.outcomes.iter().map(|o| o.iterations).sum(),
                evaluations: starts.outcomes.iter().map(|o| o.evaluations).sum(),
                optimality: best.optimality,
                start_objectives: starts.outcomes.iter().map(|o| o.objective).collect(),
                best_start: starts.best,
                rows: rows.len(),
            },
        })
    })?
}
