//! START HERE. The optimal randomized classification tree: settings → data → starts → model.

use super::choose_scaling::{learn_scaling, starts_of_choice};
use super::notices::notices_of_classification;
use super::validate::{check_setting, check_shared_settings, check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{
    Classes, ClassificationRows, Labels, Rows, ScaledRows, Scaling, ScalingChoice, ScalingKind,
    Source,
};
use crate::error::{FitError, InputError};
use crate::fitted::{ClassRate, FitReport, OrctModel, SoftTree};
use crate::objective::{ClassRates, Penalty, PenaltySettings};
use crate::progress::Progress;
use crate::search::continuation::stages;
use crate::search::descent::{Descent, StartOutcome};
use crate::search::multistart::{Effort, Starts, parallelism, run_starts};
use crate::stop::Stop;
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
    /// Sparsity penalties.
    pub penalty: PenaltySettings,
    /// (k, ρ): at least the share ρ of class k must, in expectation, be predicted as such.
    pub min_class_rate: Vec<(usize, f64)>,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// Starts; the best is kept.
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
            penalty: PenaltySettings::default(),
            min_class_rate: Vec::new(),
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
        check_shared_settings(self.depth, self.n_starts, self.n_threads, self.tol)?;
        check_setting(
            self.gamma > 0.0 && self.gamma <= 1e9,
            "gamma",
            "a positive number up to 1e9",
            self.gamma,
        )?;
        check_setting(self.max_iter >= 1, "max_iter", "at least 1", self.max_iter)?;
        for (i, (class, rate)) in self.min_class_rate.iter().enumerate() {
            check_setting(
                (0.0..=1.0).contains(rate),
                "min_class_rate",
                "rates from 0 to 1",
                rate,
            )?;
            check_setting(
                self.min_class_rate[..i].iter().all(|(c, _)| c != class),
                "min_class_rate",
                "one rate for a class",
                format!("two for class {class}"),
            )?;
        }
        self.penalty.validate()
    }
}

/// Fits an optimal randomized classification tree (ORCT):
///
/// min (1/W) Σ_i w_i Σ_t P_it Σ_k cost(y_i, k) C_kt over a, μ ∈ [−1, 1] and labels C with
/// Σ_k C_kt = 1 and, if `cover_classes`, Σ_t C_kt ≥ 1.
///
/// Starts draw splits that pass through the data, then follow γ from 8p (2p in every other try)
/// upwards with class-balanced costs, alternating the exact label step with projected L-BFGS on
/// (a, μ), and end with the wanted γ and the true costs. Every other start takes greedy splits on single
/// features straight to that last stage. Splits that cost more than they save are taken out, idle ones
/// are grown anew. Same seed, same bits, on any number of threads.
pub fn fit_orct<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    settings.validate()?;
    let costs = validate_data(&rows, labels, weights, settings)?;
    in_pool(settings.n_threads, || check_finite(&rows))??;
    let starts = starts_of_choice(settings) + settings.n_starts;
    control.progress.announce(starts);
    let mut model = fit_checked(rows, labels, weights, &costs, settings, None, control)?;
    model.report.notices = notices_of_classification(&model, &rows, weights, &settings.penalty);
    Ok(model)
}

/// As [`fit_orct`] for what was checked and announced before, with the features mapped by `scaling` if
/// there is one; without notices.
pub(crate) fn fit_checked(
    rows: Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    costs: &[f64],
    settings: &OrctSettings,
    scaling: Option<&Scaling>,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let began = Instant::now();
    let stop = Stop::new(&control.stop, settings.time_limit);
    in_pool(settings.n_threads, || {
        let topology = Topology::complete(settings.depth);
        let problem = OrctProblem {
            rows: rows.reborrow(),
            labels,
            weights,
            costs,
            topology,
        };
        let learn = || learn_scaling(&problem, settings, &stop, &control.progress);
        let scaling = scaling.map_or_else(learn, |scaling| Ok(scaling.clone()))?;
        control.progress.begin_phase(settings.n_starts);
        let scaled = ScaledRows::new(rows.reborrow(), &scaling).shared();
        let data = problem.classification(&scaled, weights, settings.n_starts, &stop);
        let descent = problem.descent(data, settings, &control.progress);
        let (n, seed) = (settings.n_starts, settings.random_state);
        let starts = run_starts(&descent, n, seed, Effort::Full)?;
        Ok(problem.model(&starts, settings, &scaling, began))
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
        rows: &Source<'b>,
        weights: Option<&[f64]>,
        n_starts: usize,
        stop: &Stop,
    ) -> ClassificationRows<'b>
    where
        'a: 'b,
    {
        let spread = parallelism(rows.chunks(), n_starts);
        let classes = Classes::new(&self.labels.codes, self.labels.classes.len());
        ClassificationRows::new(rows.clone(), classes, weights, spread, stop.clone())
    }

    /// Where splits are in θ.
    pub fn layout(&self) -> ParameterLayout {
        ParameterLayout::new(self.topology, self.rows.features())
    }

    /// The model of the best start.
    pub fn model(
        &self,
        starts: &Starts<StartOutcome>,
        settings: &OrctSettings,
        scaling: &Scaling,
        began: Instant,
    ) -> OrctModel {
        let best = &starts.outcomes[starts.best];
        let names = settings.feature_names.as_deref();
        let tree = SoftTree::of(self.topology, settings.gamma, &best.theta, scaling, names);
        let report = FitReport {
            constraints: constraints(settings, best),
            ..starts.report(self.rows.len(), began)
        };
        OrctModel::new(
            tree,
            self.labels.classes.clone(),
            best.labels.clone(),
            report,
        )
    }

    /// All that a start needs.
    pub fn descent<'b, 'd>(
        &self,
        data: ClassificationRows<'d>,
        settings: &OrctSettings,
        progress: &'b Arc<Progress>,
    ) -> Descent<'b, 'd> {
        let features = data.features();
        let class_weights = data.class_weights();
        Descent {
            stages: stages(settings.gamma, self.costs, &class_weights, features),
            penalty: Penalty::on_splits(&settings.penalty, self.topology, features),
            node_penalty: Penalty::on_splits(&settings.penalty, Topology::complete(1), features),
            rates: ClassRates {
                bounds: settings.min_class_rate.clone(),
            },
            gamma: settings.gamma,
            cover_classes: settings.cover_classes,
            tol: settings.tol,
            max_iter: settings.max_iter,
            class_weights,
            topology: self.topology,
            data,
            progress,
        }
    }
}

/// The bounds on class rates, as asked and as reached.
fn constraints(settings: &OrctSettings, best: &StartOutcome) -> Vec<ClassRate> {
    let both = settings.min_class_rate.iter().zip(&best.rates);
    both.map(|((class, asked), reached)| ClassRate {
        class: *class,
        asked: *asked,
        reached: reached.rate,
        multiplier: reached.multiplier,
        feasible: reached.feasible,
    })
    .collect()
}

/// Checks shapes, weights, classes and costs; returns the K × K costs.
pub(crate) fn validate_data(
    rows: &Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> Result<Vec<f64>, InputError> {
    let (n, k) = (rows.len(), labels.classes.len());
    check_x_and_names(rows, settings.feature_names.as_deref())?;
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
    check_weights(n, weights)?;
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
    settings.penalty.validate_groups(rows.features())?;
    if let Some((class, _)) = settings
        .min_class_rate
        .iter()
        .find(|(class, _)| !present.get(*class).is_some_and(|present| *present))
    {
        return Err(InputError::Setting {
            name: "min_class_rate",
            expected: "rates of classes that have rows of positive weight",
            got: format!("a rate for class {class} of {k}"),
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
