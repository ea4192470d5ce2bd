//! The regression tree on curves: settings → data → splines → chain of intervals → model.

use super::curve_problem::{CurveProblem, on_unit_features, shift};
use super::functional_orrt_settings::FunctionalOrrtSettings;
use super::leaf_weights::leaf_weights;
use super::notices::notices_of_mixture;
use super::response_fold::ResponseData;
use super::validate::{check_response, check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::{CanonicalRows, RegressionRows, Rows, Standardization};
use crate::error::{FitError, InputError};
use crate::fitted::{FunctionalOrrtModel, OrrtModel, SoftTree};
use crate::functional::{CurveLayout, MovingData, MovingRows};
use crate::progress::Progress;
use crate::search::interval_chain::{IntervalChain, Link};
use crate::search::interval_mixture::{IntervalMixture, IntervalMixtureOutcome, ridge_of_means};
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::sync::Arc;
use std::time::Instant;

/// Fits a sparse optimal randomized regression tree to curves (S-ORRT-FD):
///
/// min (1/W) Σ_i w_i (φ_i − y_i)² + (λ_β/2) Σ_t (Σ β² /16 + β_0t²) + λ_len Σ_h (s_2h − s_2h−1) + λ_L Σ |c| + λ_G Σ_j max |c_j|   (5.5)
///
/// over a, μ ∈ [−1, 1], free leaf models and ends 0 ≤ s_1 ≤ … ≤ s_2H ≤ 1 of H intervals that all predictors
/// share, c being the coefficients of splits and leaves. Features are the means of curves and of their
/// derivatives over the intervals, less the mean curve's, in units of four deviations; curves are natural cubic
/// splines. Each row of `rows` holds the points of all curves, and scalars, as `layout` says.
///
/// Splits and ends descend together with leaf models that are best at every step (variable projection), for one
/// interval, then two, … : trees on one interval less are what most starts begin from.
///
/// Same seed, same bits, on any number of threads, in whatever order the rows stand and whether they are
/// weighted or repeated.
pub fn fit_functional_orrt<'a>(
    rows: impl Into<Rows<'a>>,
    layout: &CurveLayout,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &FunctionalOrrtSettings,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    check_input(&rows, layout, y, weights, settings)?;
    in_pool(settings.run.n_threads, || {
        layout.check_rows(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let starts = settings.n_starts * settings.intervals.n_intervals;
        control.progress.announce(starts);
        let mut model = fit_to_curves(&data, layout, settings, control)?;
        model.on_means.report.rows = rows.len();
        model.on_means.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// As [`fit_functional_orrt`] for what was checked before, in the present pool.
pub(super) fn fit_to_curves(
    data: &ResponseData<'_>,
    layout: &CurveLayout,
    settings: &FunctionalOrrtSettings,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let stop = settings.run.stop(control);
    let (intervals, patient) = (&settings.intervals, stop.without_deadline());
    control
        .progress
        .begin_phase(settings.n_starts * intervals.n_intervals);
    let problem = CurveProblem::new(&data.rows, layout, data.weights, intervals, &patient)?;
    let chain = fit_chain(data, problem, settings, &stop, &control.progress)?;
    Ok(chain.model(intervals.n_intervals)?)
}

/// Checks settings and data but for the values of the rows.
pub(super) fn check_input(
    rows: &Rows<'_>,
    layout: &CurveLayout,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &FunctionalOrrtSettings,
) -> Result<(), InputError> {
    settings.validate()?;
    layout.validate()?;
    settings.intervals.check_against(layout, settings.gamma)?;
    check_x_and_names(rows, (None, None))?;
    check_response(rows, y)?;
    check_weights(rows.len(), weights)
}

/// The trees on 1, 2, … intervals, and what models are made of.
pub(super) struct FittedChain<'a> {
    data: ResponseData<'a>,
    settings: &'a FunctionalOrrtSettings,
    problem: CurveProblem<'a>,
    response: Standardization,
    links: Vec<Link<IntervalMixtureOutcome>>,
    began: Instant,
}

/// The chain up to the number of intervals asked for, for what was checked before, in the present pool.
pub(super) fn fit_chain<'a>(
    data: &'a ResponseData<'_>,
    problem: CurveProblem<'a>,
    settings: &'a FunctionalOrrtSettings,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Result<FittedChain<'a>, FitError> {
    let began = Instant::now();
    let response = Standardization::learn(data.y, data.weights);
    let standardized: Vec<f64> = data.y.iter().map(|y| response.apply(*y)).collect();
    let spread = problem.parallelism(settings.n_starts);
    let tree = |intervals: usize| problem.tree(settings.depth, settings.gamma, intervals);
    // Laid out once: targets and weights are those of the rows at any ends.
    let source = MovingRows::at_start(&problem.curves, &tree(1).features);
    let laid_out = RegressionRows::new(source, &standardized, data.weights, spread, stop.clone());
    let mixture = IntervalMixture {
        data: MovingData::of(&problem.curves, laid_out),
        ridge: settings.ridge_leaves,
        penalty: &settings.penalty,
        tol: settings.tol,
        max_iter: settings.max_iter,
        progress,
    };
    let chain = IntervalChain {
        problem: &mixture,
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
        response,
        links,
        began,
    })
}

impl FittedChain<'_> {
    /// The model of the best start on so many intervals, or on as many as there are trees on.
    pub fn model(&self, wanted: usize) -> Result<FunctionalOrrtModel, InputError> {
        let found = wanted.min(self.links.len());
        let Link { tree, starts } = &self.links[found - 1];
        let best = &starts.outcomes[starts.best];
        let (rows, weights) = (&self.data.rows, self.data.weights);
        let intervals = self.problem.intervals(&best.ends);
        let means = intervals.of(rows.reborrow())?;
        let scaling = self.problem.scaling(&intervals, &means, weights)?;
        let theta = on_unit_features(tree, &best.splits, &scaling);
        let names = intervals.feature_names();
        let (slopes, intercepts) =
            (best.leaves).split_at(tree.topology.leaves() * tree.features.len());
        let at_zero = |(slopes, intercept): (&[f64], &f64)| intercept - shift(slopes, &scaling);
        let leaves = slopes.chunks_exact(tree.features.len()).zip(intercepts);
        let response = self.response;
        let ridge = ridge_of_means(self.settings.ridge_leaves, tree);
        let mut model = OrrtModel {
            tree: SoftTree::of(
                &tree.topology,
                tree.kernel_gamma(),
                &theta,
                &scaling,
                (Some(&names), None),
            ),
            leaf_slopes: slopes.to_vec(),
            leaf_intercepts: leaves.map(at_zero).collect(),
            response,
            ridge_leaves: ridge.apart,
            ridge_mean: ridge.mean,
            leaf_weights: Vec::new(),
            report: starts.report(rows.len(), self.began),
        };
        let links = self.links.iter().map(|link| &link.starts.outcomes);
        let work: crate::solver::Work = links.flatten().map(|o| o.ending.work).sum();
        (model.report.iterations, model.report.evaluations) = (work.iterations, work.evaluations);
        if found < wanted {
            model.report.status = SolveStatus::Cancelled;
        }
        let features = Rows::from(means.view());
        model.leaf_weights = leaf_weights(&model.tree, &features, weights);
        let unit = response.scale * response.scale;
        model.report.loss_unit = Some(unit).filter(|u| u.is_finite());
        model.report.notices =
            notices_of_mixture(&model, &features, weights, &self.settings.penalty);
        Ok(FunctionalOrrtModel {
            intervals,
            on_means: model,
        })
    }
}
