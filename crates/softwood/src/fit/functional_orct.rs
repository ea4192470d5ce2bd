//! The classification tree on curves: settings → data → splines → chain of intervals → model.

use super::check_orct_data::check_orct_data;
use super::class_fold::ClassData;
use super::curve_problem::{CurveProblem, on_unit_features};
use super::functional_orct_settings::FunctionalOrctSettings;
use super::notices::notices_of_classification;
use super::orct_data::OrctData;
use super::scaled_fit::ScaledFit;
use crate::control::Control;
use crate::data::{Classes, ClassificationRows, Labels, Rows, scaled};
use crate::error::FitError;
use crate::fitted::FunctionalOrctModel;
use crate::functional::{CurveLayout, MovingData, MovingRows};
use crate::objective::PenaltySettings;
use crate::progress::Progress;
use crate::search::descent::{Descent, StartOutcome};
use crate::search::interval_chain::{IntervalChain, Link};
use crate::search::interval_cost::{IntervalCost, IntervalCostOutcome};
use crate::search::multistart::{Effort, run_starts};
use crate::search::starts::Starts;
use crate::stop::{Interrupted, Stop, Stopped};
use crate::threads::in_pool;
use std::sync::Arc;
use std::time::Instant;

/// Fits an optimal randomized classification tree to curves: [`fit_orct`](crate::fit_orct)'s objective, with
/// λ_len Σ_h (s_2h − s_2h−1), over splits and labels and the ends of H intervals, whose means are the features,
/// as for [`fit_functional_orrt`](crate::fit_functional_orrt).
///
/// Labels, and splits with ends, descend in turn, for one interval, then two, …; on the intervals that are found
/// the tree goes on as an ORCT, with starts of its own beside.
pub fn fit_functional_orct<'a>(
    rows: impl Into<Rows<'a>>,
    layout: &CurveLayout,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &FunctionalOrctSettings,
    control: &Control,
) -> Result<FunctionalOrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    layout.validate()?;
    settings.intervals.check_against(layout, settings.gamma)?;
    let checked = settings.on_means(settings.gamma);
    let costs = check_orct_data(&rows, labels, weights, &checked)?;
    layout.check_rows(&rows)?;
    let given = (rows.reborrow(), labels, weights);
    let canonical = OrctData::ordered(given, None, costs, &checked)?;
    let data = canonical.data();
    let chained = settings.n_starts * settings.intervals.n_intervals;
    control.progress.announce(chained + settings.n_starts);
    in_pool(settings.run.n_threads, || {
        let mut model = fit_to_curves(&data, layout, settings, control)?;
        model.on_means.report.rows = rows.len();
        model.on_means.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// As [`fit_functional_orct`] for what was checked before, in the present pool.
pub(super) fn fit_to_curves(
    data: &ClassData<'_>,
    layout: &CurveLayout,
    settings: &FunctionalOrctSettings,
    control: &Control,
) -> Result<FunctionalOrctModel, FitError> {
    let stop = settings.run.stop(control);
    let chained = settings.n_starts * settings.intervals.n_intervals;
    control.progress.begin_phase(chained);
    let (intervals, patient) = (&settings.intervals, stop.without_deadline());
    let problem = CurveProblem::new(&data.rows, layout, data.weights, intervals, &patient)?;
    let chain = fit_chain(data, problem, settings, &stop, &control.progress)?;
    control.progress.begin_phase(settings.n_starts);
    chain.model(settings.intervals.n_intervals, &stop, control)
}

/// The trees on 1, 2, … intervals, and what models are made of.
pub(super) struct FittedChain<'a> {
    data: ClassData<'a>,
    settings: &'a FunctionalOrctSettings,
    problem: CurveProblem<'a>,
    links: Vec<Link<IntervalCostOutcome>>,
    began: Instant,
}

/// The chain up to the number of intervals asked for, for what was checked before, in the present pool.
pub(super) fn fit_chain<'a>(
    data: &'a ClassData<'_>,
    problem: CurveProblem<'a>,
    settings: &'a FunctionalOrctSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<FittedChain<'a>, FitError> {
    let began = Instant::now();
    let spread = problem.parallelism(settings.n_starts);
    let tree = |intervals: usize| problem.tree(settings.depth, settings.gamma, intervals);
    let source = Arc::new(MovingRows::at_start(&problem.curves, &tree(1).features));
    let classes = Classes::new(&data.labels.codes, data.labels.classes.len());
    let laid_out = ClassificationRows::new(source, classes, data.weights, spread, stop.clone());
    let class_weights = laid_out.class_weights();
    let cost = IntervalCost {
        data: MovingData::of(&problem.curves, laid_out),
        costs: data.costs,
        class_weights: &class_weights,
        cover_classes: settings.cover_classes,
        penalty: &settings.penalty,
        tol: settings.tol,
        max_iter: settings.max_iter,
        progress,
    };
    let chain = IntervalChain {
        problem: &cost,
        tree: &tree,
        n_starts: settings.n_starts,
        seed: settings.run.random_state,
        parallelism: spread,
        stop,
        progress,
    };
    let links = chain.run(settings.intervals.n_intervals)?;
    Ok(FittedChain {
        data: data.reborrow(),
        settings,
        problem,
        links,
        began,
    })
}

impl FittedChain<'_> {
    /// The tree on the best start's intervals, of so many or of as many as there are trees on: that start, and
    /// others on these intervals.
    pub fn model(
        &self,
        wanted: usize,
        stop: &Stop,
        control: &Control,
    ) -> Result<FunctionalOrctModel, FitError> {
        let (data, settings) = (&self.data, self.settings);
        let found = wanted.min(self.links.len());
        let Link { tree, starts } = &self.links[found - 1];
        let stopped = match found < wanted {
            true => Some(Stopped::Cancelled),
            false => starts.stopped,
        };
        let best = &starts.outcomes[starts.best];
        let intervals = self.problem.intervals(&best.ends);
        let means = intervals.of(data.rows.reborrow())?;
        let mut orct = settings.on_means(tree.kernel_gamma());
        let scaling = (self.problem).scaling(&intervals, &means, data.weights)?;
        orct.run.feature_names = Some(intervals.feature_names());
        orct.penalty = PenaltySettings {
            groups: Some(tree.features.iter().map(|f| f.predictor).collect()),
            ..orct.penalty
        };
        let on_means = ClassData {
            rows: means.view().into(),
            ..data.reborrow()
        };
        let at = settings.fixed_on_means(tree.kernel_gamma());
        let problem = on_means.problem(settings.depth);
        let fit = ScaledFit {
            problem: &problem,
            settings: &orct,
            at: &at,
            scaling: &scaling,
            stop: stop.clone(),
            control,
            began: self.began,
        };
        let descent = fit.descent(&scaled(means.view().into(), &scaling), &scaling);
        let theta = on_unit_features(tree, &best.splits, &scaling);
        let all = go_on(&descent, theta, settings, stopped)?;
        let mut model = problem.model(&descent, &all, &orct, &scaling, self.began)?;
        model.report.notices = notices_of_classification(&model, &on_means, &at);
        Ok(FunctionalOrctModel {
            intervals,
            on_means: model,
        })
    }
}

/// The start that was found, and others on its intervals.
fn go_on(
    descent: &Descent<'_, '_>,
    found: Vec<f64>,
    settings: &FunctionalOrctSettings,
    stopped: Option<Stopped>,
) -> Result<Starts<StartOutcome>, Interrupted> {
    let followed = match descent.follow(descent.stages.len() - 1, found.clone()) {
        Err(Interrupted::Cancelled) => descent.with_stop(&Stop::default()).assess(found)?,
        followed => followed?,
    };
    let mut outcomes = vec![followed];
    let seed = settings.run.random_state;
    let stopped = match run_starts(descent, settings.n_starts, seed, Effort::Compare) {
        Ok(others) => {
            outcomes.extend(others.outcomes);
            stopped.or(others.stopped)
        }
        Err(_) => stopped.or(descent.data.rows.stop.check().err()),
    };
    Ok(Starts::ranked(outcomes, StartOutcome::order, stopped))
}
