//! START HERE. The optimal randomized classification tree: settings → data → starts → model.

use super::choose_scaling::choose_scaling;
use super::multistart::{Effort, parallelism, run_starts};
use super::{Control, FitError};
use crate::InputError;
use crate::data::finite::check_finite;
use crate::data::{Labels, Rows, ScaledRows, Scaling, ScalingChoice, ScalingKind};
use crate::fitted::{OrctModel, OrctReport, SoftTree};
use crate::objective::ClassificationRows;
use crate::solver::SolveStatus;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::tree::{ParameterLayout, Topology};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What [`fit_orct`] is asked for.
#[derive(Clone, Debug)]
pub struct OrctSettings {
    /// D, 1…12.
    pub depth: usize,
    /// γ > 0, steepness of the splits.
    pub gamma: f64,
    /// K × K costs, `[y][k]` for predicting k where y is true; 0.5 off the diagonal if None.
    pub costs: Option<Vec<f64>>,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingChoice,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// Random starts; the best is kept.
    pub n_starts: usize,
    /// Seed of the starts.
    pub random_state: u64,
    /// Threads; all cores if None. The result does not depend on it.
    pub n_threads: Option<usize>,
    /// Quasi-Newton iterations at most, per stage and labelling.
    pub max_iter: u64,
    /// A run ends when ‖Π(θ − ∇f(θ)) − θ‖∞ ≤ tol.
    pub tol: f64,
    /// Time after which no new work begins; the best tree so far is returned.
    pub time_limit: Option<Duration>,
    /// Names of the features; x0, x1, … if None.
    pub feature_names: Option<Vec<String>>,
}

impl Default for OrctSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            gamma: 512.0,
            costs: None,
            scaling: ScalingChoice::Fixed(ScalingKind::MinMax),
            cover_classes: true,
            n_starts: 20,
            random_state: 0,
            n_threads: None,
            max_iter: 200,
            tol: 1e-3,
            time_limit: None,
            feature_names: None,
        }
    }
}

impl OrctSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        let check = |ok: bool, name, expected, got: String| {
            if ok {
                Ok(())
            } else {
                Err(InputError::Setting {
                    name,
                    expected,
                    got,
                })
            }
        };
        let positive = |x: f64| x.is_finite() && x > 0.0;
        check(
            (1..=Topology::MAX_DEPTH).contains(&self.depth),
            "depth",
            "1, 2, …, 12",
            self.depth.to_string(),
        )?;
        check(
            positive(self.gamma) && self.gamma <= 1e9,
            "gamma",
            "a positive number up to 1e9",
            self.gamma.to_string(),
        )?;
        check(
            self.n_starts >= 1,
            "n_starts",
            "at least 1",
            self.n_starts.to_string(),
        )?;
        check(
            self.n_threads != Some(0),
            "n_threads",
            "at least 1",
            "0".into(),
        )?;
        check(
            self.max_iter >= 1,
            "max_iter",
            "at least 1",
            self.max_iter.to_string(),
        )?;
        check(
            self.tol.is_finite() && self.tol >= 0.0,
            "tol",
            "a number of at least 0",
            self.tol.to_string(),
        )
    }
}

/// Fits an optimal randomized classification tree (ORCT):
///
/// min (1/W) Σ_i w_i Σ_t P_it Σ_k cost(y_i, k) C_kt over a, μ ∈ [−1, 1] and labels C with
/// Σ_k C_kt = 1 and, if `cover_classes`, Σ_t C_kt ≥ 1.
///
/// Each start draws splits that pass through the data, then follows γ from 8p (2p in every other try) upwards with
/// class-balanced costs, alternating the exact label step with projected L-BFGS on (a, μ), and ends
/// with the wanted γ and the true costs. Same seed, same bits, on any number of threads.
pub fn fit_orct<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    fit_orct_scaled(rows.into(), labels, weights, settings, None, control)
}

/// As [`fit_orct`], with the features mapped by `scaling` if there is one.
pub(crate) fn fit_orct_scaled(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    scaling: Option<&Scaling>,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let began = Instant::now();
    settings.validate()?;
    let costs = validate_data(&rows, labels, weights, settings)?;
    let stop = Stop::new(&control.stop, settings.time_limit);
    in_pool(settings.n_threads, || {
        check_finite(&rows)?;
        let topology = Topology::complete(settings.depth);
        let problem = OrctProblem {
            rows: rows.reborrow(),
            labels,
            weights,
            costs: &costs,
            topology,
        };
        let learn = || {
            let kind = match settings.scaling {
                ScalingChoice::Fixed(kind) => kind,
                ScalingChoice::Auto => {
                    choose_scaling(&problem, settings, &stop, &control.progress)?
                }
            };
            Scaling::learn_unless_stopped(kind, rows, weights, &stop.without_deadline())
        };
        let scaling = scaling
            .map_or_else(learn, |scaling| Ok(scaling.clone()))
            .map_err(|_: Stopped| FitError::Cancelled)?;
        control.progress.expect_starts(settings.n_starts);
        let scaled = ScaledRows::new(rows.reborrow(), &scaling);
        let data = problem.classification(&scaled, settings.n_starts, &stop);
        let starts = run_starts(
            &data,
            topology,
            &costs,
            Effort::Full,
            settings,
            &control.progress,
        )
        .map_err(|_: Stopped| FitError::Cancelled)?;
        let best = &starts.outcomes[starts.best];
        let (coefficients, intercepts) =
            ParameterLayout::new(topology, rows.features()).split(&best.theta);
        let names = settings.feature_names.clone();
        let tree = SoftTree {
            topology,
            gamma: settings.gamma,
            coefficients: coefficients.to_vec(),
            intercepts: intercepts.to_vec(),
            feature_names: names
                .unwrap_or_else(|| (0..rows.features()).map(|j| format!("x{j}")).collect()),
            scaling: scaling.clone(),
        };
        let report = OrctReport {
            status: if starts.cut_short {
                SolveStatus::TimeLimit
            } else {
                best.status
            },
            objective: best.objective,
            loss: best.objective,
            seconds: began.elapsed().as_secs_f64(),
            iterations: starts.outcomes.iter().map(|o| o.iterations).sum(),
            evaluations: starts.outcomes.iter().map(|o| o.evaluations).sum(),
            optimality: best.optimality,
            start_objectives: starts.outcomes.iter().map(|o| o.objective).collect(),
            best_start: starts.best,
            rows: rows.len(),
            selection: None,
        };
        Ok(OrctModel::new(
            tree,
            labels.classes.clone(),
            best.labels.clone(),
            report,
        ))
    })?
}

/// Checks settings and data as [`fit_orct`] does; returns the K × K costs.
pub fn check_orct_input(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> Result<Vec<f64>, InputError> {
    settings.validate()?;
    let costs = validate_data(&rows, labels, weights, settings)?;
    check_finite(&rows)?;
    Ok(costs)
}

/// The validated problem, before scaling.
#[derive(Clone, Copy)]
pub(crate) struct OrctProblem<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub costs: &'a [f64],
    pub topology: Topology,
}

impl<'a> OrctProblem<'a> {
    /// The problem on scaled rows, with starts or rows to run in parallel.
    pub fn classification<'b>(
        &self,
        rows: &'b ScaledRows<'b>,
        n_starts: usize,
        stop: &Stop,
    ) -> ClassificationRows<'b>
    where
        'a: 'b,
    {
        ClassificationRows {
            rows,
            classes: &self.labels.codes,
            weights: self.weights.map(|weights| Arc::new(weights.to_vec())),
            n_classes: self.labels.classes.len(),
            parallelism: parallelism(rows.chunks(), n_starts),
            stop: stop.clone(),
        }
    }
}

/// Checks shapes, weights, classes and costs; returns the K × K costs.
pub(crate) fn validate_data(
    rows: &Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> Result<Vec<f64>, InputError> {
    let (n, p, k) = (rows.len(), rows.features(), labels.classes.len());
    if n == 0 || p == 0 {
        return Err(InputError::Empty {
            rows: n,
            columns: p,
        });
    }
    if labels.codes.len() != n {
        return Err(InputError::RowMismatch {
            name: "y",
            rows: n,
            len: labels.codes.len(),
        });
    }
    if let Some(row) = labels.codes.iter().position(|code| *code as usize >= k) {
        return Err(InputError::Setting {
            name: "y",
            expected: "codes below the number of classes",
            got: format!("{} for row {row} with {k} classes", labels.codes[row]),
        });
    }
    if !labels.classes.is_increasing() {
        return Err(InputError::Setting {
            name: "y",
            expected: "distinct classes in increasing order",
            got: "classes out of order".into(),
        });
    }
    let mut present = vec![false; k];
    for (row, code) in labels.codes.iter().enumerate() {
        present[*code as usize] |= weights.is_none_or(|w| w.get(row).is_some_and(|w| *w > 0.0));
    }
    if let Some(weights) = weights {
        if weights.len() != n {
            return Err(InputError::RowMismatch {
                name: "sample_weight",
                rows: n,
                len: weights.len(),
            });
        }
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(InputError::Weight {
                row,
                value: weights[row],
            });
        }
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Err(InputError::NoWeight { rows: n });
        }
        if !total.is_finite() {
            return Err(InputError::Setting {
                name: "sample_weight",
                expected: "weights with a finite sum",
                got: "a sum that overflows".into(),
            });
        }
    }
    let got = present.iter().filter(|p| **p).count();
    if got < 2 {
        return Err(InputError::TooFewClasses { got });
    }
    let leaves = 1 << settings.depth;
    if settings.cover_classes && k > leaves {
        let needed = k.next_power_of_two().trailing_zeros() as usize;
        return Err(InputError::TooManyClasses {
            classes: k,
            depth: settings.depth,
            leaves,
            needed,
        });
    }
    if let Some(names) = &settings.feature_names
        && names.len() != p
    {
        return Err(InputError::Setting {
            name: "feature_names",
            expected: "one name for each column of X",
            got: format!("{} names for {p} columns", names.len()),
        });
    }
    let Some(costs) = &settings.costs else {
        return Ok((0..k * k)
            .map(|i| if i / k == i % k { 0.0 } else { 0.5 })
            .collect());
    };
    if costs.len() != k * k {
        return Err(InputError::Setting {
            name: "costs",
            expected: "a square matrix with one row for each class",
            got: format!("{} values for {k} classes", costs.len()),
        });
    }
    let bad =
        |i: usize| !costs[i].is_finite() || costs[i] < 0.0 || (i / k == i % k && costs[i] != 0.0);
    match (0..k * k).find(|i| bad(*i)) {
        Some(i) => Err(InputError::Cost {
            row: i / k,
            column: i % k,
            value: costs[i],
        }),
        None => Ok(costs.clone()),
    }
}
