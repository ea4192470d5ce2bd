//! Intervals, derivatives, steepness and penalties of a regression tree on curves chosen by cross-validation.

use super::curve_candidates::{CurveCandidates, CurveTrees, effort, why_unfinished};
use super::curve_problem::CurveProblem;
use super::cv_table::{report_choice, time_of_choice};
use super::functional_orrt::{check_input, fit_chain, fit_to_curves};
use super::functional_orrt_cv_settings::FunctionalOrrtCvSettings;
use super::response_fold::{ResponseData, ResponseFold};
use crate::control::Control;
use crate::data::{CanonicalRows, Rows, Standardization};
use crate::error::{FitError, InputError};
use crate::fitted::{FunctionalCandidate, FunctionalOrrtModel, Scoring};
use crate::functional::{CurveLayout, PackedCurves};
use crate::search::folds::Folds;
use crate::search::losses::response_losses;
use crate::search::race::Trial;
use crate::stop::{Interrupted, Stop, Stopped};
use crate::threads::in_pool;
use std::sync::Arc;
use std::time::Instant;

/// Chooses depth, number of intervals, derivatives, γ, penalties and λ_β by cross-validation on the rows, and fits
/// with them.
///
/// Racing over folds as for [`fit_srt_cv`](crate::fit_srt_cv); numbers of intervals are tried in one chain each.
/// The model's report keeps the table.
pub fn fit_functional_orrt_cv<'a>(
    rows: impl Into<Rows<'a>>,
    layout: &CurveLayout,
    y: &[f64],
    weights: Option<&[f64]>,
    settings: &FunctionalOrrtCvSettings,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let first = settings.candidates()[0].regression(&settings.fit);
    check_input(&rows, layout, y, weights, &first)?;
    settings.grid.check_against(layout)?;
    in_pool(settings.fit.run.n_threads, || {
        layout.check_rows(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let mut model = choose_and_fit(&data, layout, settings, began, control)?;
        model.on_means.report.rows = rows.len();
        model.on_means.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

fn choose_and_fit(
    data: &ResponseData<'_>,
    layout: &CurveLayout,
    settings: &FunctionalOrrtCvSettings,
    began: Instant,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let run = &settings.fit.run;
    let stop = Stop::new(&control.stop, time_of_choice(run));
    let folds = Folds::possible(&data.rows, data.weights, settings.folds);
    let foldings = data.foldings(&effort(folds), run.random_state)?;
    let candidates = CurveCandidates {
        trees: RegressionTrees {
            data: data.reborrow(),
            layout,
            settings,
            deviation: Standardization::learn(data.y, data.weights).scale,
        },
        candidates: settings.candidates(),
        chain: settings.grid.n_intervals.len(),
        n_starts: settings.fit.n_starts,
        stop: &stop,
        progress: &control.progress,
    };
    let starts = settings.fit.n_starts * settings.grid.most_intervals();
    let how = (Scoring::Response(settings.scoring), settings.rule);
    let table = candidates.table(&foldings, starts, how)?;
    let mut fit = candidates.candidates[table.chosen].regression(&settings.fit);
    fit.run = run.left_since(began);
    let mut model = fit_to_curves(data, layout, &fit, control)?;
    control.progress.complete();
    report_choice(&mut model.on_means.report, table);
    Ok(model)
}

/// The trees that are tried.
struct RegressionTrees<'a> {
    data: ResponseData<'a>,
    layout: &'a CurveLayout,
    settings: &'a FunctionalOrrtCvSettings,
    /// Deviation of the response.
    deviation: f64,
}

impl CurveTrees for RegressionTrees<'_> {
    type Fold = ResponseFold;

    fn fold(&self, train: &[usize], held: &[usize]) -> ResponseFold {
        self.data.fold(train, held)
    }

    fn held_weights(fold: &ResponseFold) -> &[f64] {
        &fold.held_weights
    }

    fn curves(&self, fold: &ResponseFold, stop: &Stop) -> Result<PackedCurves, Stopped> {
        let train = fold.train.data();
        let smoothing = self.settings.fit.intervals.smoothing;
        PackedCurves::new(&train.rows, self.layout, train.weights, smoothing, stop)
    }

    fn trials(
        &self,
        (largest, starts): (&FunctionalCandidate, usize),
        intervals: &[usize],
        (fold, curves): (&ResponseFold, Arc<PackedCurves>),
        stop: &Stop,
    ) -> Result<Vec<Trial>, Interrupted> {
        let mut settings = largest.regression(&self.settings.fit);
        settings.n_starts = starts;
        // Objectives on parts of the rows are not those of the model in the making.
        let apart = Default::default();
        let train = fold.train.data();
        let problem = CurveProblem {
            layout: self.layout,
            curves,
            settings: &settings.intervals,
        };
        let chain = fit_chain(&train, problem, &settings, stop, &apart)
            .map_err(|error| why_unfinished(error, stop))?;
        stop.check()?;
        let trial = |intervals: &usize| {
            let model = chain.model(*intervals).expect("checked rows");
            let predicted: Result<Vec<f64>, InputError> = model.predict(fold.held.rows());
            let predicted = predicted.expect("checked rows");
            let scoring = self.settings.scoring;
            Ok(Trial {
                losses: response_losses(scoring, &fold.held.y, &predicted, self.deviation),
                figures: Vec::new(),
            })
        };
        intervals.iter().map(trial).collect()
    }
}
