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
use crate::search::descent::StartOutcome;
use crate::search::interval_chain::{IntervalChain, Link};
use crate::search::interval_cost::{IntervalCost, IntervalCostOutcome};
use crate::search::multistart::{Effort, run_starts};
use crate::search::starts::Starts;
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
    settings.intervals.check_against(layout)?;
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
    let began = Instant::now();
    let stop = settings.run.stop(control);
    let problem = CurveProblem::new(&data.rows, layout, data.weights, &settings.intervals);
    stop.without_deadline().check()?;
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
        progress: &control.progress,
    };
    control
        .progress
        .begin_phase(settings.n_starts * settings.intervals.n_intervals);
    let chain = IntervalChain {
        problem: &cost,
        tree: &tree,
        n_starts: settings.n_starts,
        seed: settings.run.random_state,
        parallelism: spread,
        stop: &stop,
        progress: &control.progress,
    };
    let mut links = chain.run(settings.intervals.n_intervals)?;
    let last = links.pop().expect("at least one interval");
    on_intervals(data, &problem, settings, &last, (began, control))
}

/// The tree on the intervals of the best start: that start, and others on these intervals.
fn on_intervals(
    data: &ClassData<'_>,
    problem: &CurveProblem<'_>,
    settings: &FunctionalOrctSettings,
    link: &Link<IntervalCostOutcome>,
    (began, control): (Instant, &Control),
) -> Result<FunctionalOrctModel, FitError> {
    let Link { tree, starts } = link;
    let best = &starts.outcomes[starts.best];
    let intervals = problem.intervals(&best.ends);
    let means = intervals.of(data.rows.reborrow())?;
    let mut orct = settings.on_means(tree.kernel_gamma());
    let stop = orct.run.left_since(began).stop(control);
    let scaling = problem.scaling(&intervals, &means, data.weights, &stop)?;
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
    let tree_problem = on_means.problem(settings.depth);
    let fit = ScaledFit {
        problem: &tree_problem,
        settings: &orct,
        at: &at,
        scaling: &scaling,
        stop,
        control,
        began,
    };
    let rows = scaled(means.view().into(), &scaling);
    let descent = fit.descent(&rows, &scaling);
    let theta = on_unit_features(tree, &best.splits, &scaling);
    let mut outcomes = vec![descent.follow(descent.stages.len() - 1, theta)?];
    let mut stopped = starts.stopped;
    control.progress.begin_phase(settings.n_starts);
    let seed = settings.run.random_state;
    match run_starts(&descent, settings.n_starts, seed, Effort::Compare) {
        Ok(others) => {
            stopped = stopped.or(others.stopped);
            outcomes.extend(others.outcomes);
        }
        Err(_) => stopped = stopped.or(fit.stop.check().err()),
    }
    let all = Starts::ranked(outcomes, StartOutcome::order, stopped);
    let mut model = tree_problem.model(&descent, &all, &orct, &scaling, began)?;
    model.report.notices = notices_of_classification(&model, &on_means, &at);
    Ok(FunctionalOrctModel {
        intervals,
        on_means: model,
    })
}
