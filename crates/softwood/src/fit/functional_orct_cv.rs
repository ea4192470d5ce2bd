//! Intervals, derivatives, steepness and penalties of a classification tree on curves chosen by cross-validation.

use super::check_orct_data::check_orct_data;
use super::class_fold::{ClassData, ClassFold};
use super::curve_candidates::{CurveCandidates, CurveTrees, effort, why_unfinished};
use super::curve_problem::CurveProblem;
use super::cv_table::{report_choice, time_of_choice};
use super::functional_orct::{fit_chain, fit_to_curves};
use super::functional_orct_cv_settings::FunctionalOrctCvSettings;
use super::orct_data::OrctData;
use crate::control::Control;
use crate::data::{Labels, Rows};
use crate::error::FitError;
use crate::fitted::{FunctionalCandidate, FunctionalOrctModel, Scoring};
use crate::functional::{CurveLayout, PackedCurves};
use crate::search::folds::Folds;
use crate::search::race::Trial;
use crate::stop::{Interrupted, Stop, Stopped};
use crate::threads::in_pool;
use std::sync::Arc;
use std::time::Instant;

/// Chooses depth, number of intervals, derivatives, γ and penalties by cross-validation on the rows, and fits with
/// them.
///
/// Racing over stratified folds as for [`fit_orct_cv`](crate::fit_orct_cv); numbers of intervals are tried in one
/// chain each. The model's report keeps the table.
pub fn fit_functional_orct_cv<'a>(
    rows: impl Into<Rows<'a>>,
    layout: &CurveLayout,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &FunctionalOrctCvSettings,
    control: &Control,
) -> Result<FunctionalOrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    layout.validate()?;
    settings.grid.check_against(layout)?;
    let checked = settings.deepest().on_means(settings.fit.gamma);
    let costs = check_orct_data(&rows, labels, weights, &checked)?;
    layout.check_rows(&rows)?;
    let given = (rows.reborrow(), labels, weights);
    let canonical = OrctData::ordered(given, None, costs, &checked)?;
    let data = canonical.data();
    in_pool(settings.fit.run.n_threads, || {
        let mut model = choose_and_fit(&data, layout, settings, began, control)?;
        model.on_means.report.rows = rows.len();
        model.on_means.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

fn choose_and_fit(
    data: &ClassData<'_>,
    layout: &CurveLayout,
    settings: &FunctionalOrctCvSettings,
    began: Instant,
    control: &Control,
) -> Result<FunctionalOrctModel, FitError> {
    let run = &settings.fit.run;
    let stop = Stop::new(&control.stop, time_of_choice(run));
    let folds = Folds::possible(&data.rows, data.weights, settings.folds);
    let foldings = data.foldings(&effort(folds), run.random_state)?;
    let candidates = CurveCandidates {
        trees: ClassificationTrees {
            data: data.reborrow(),
            layout,
            settings,
        },
        candidates: settings.candidates(data.labels.classes.len()),
        chain: settings.grid.n_intervals.len(),
        n_starts: settings.fit.n_starts,
        stop: &stop,
        progress: &control.progress,
    };
    // On the intervals that are found there are as many again.
    let starts = settings.fit.n_starts * (settings.grid.most_intervals() + 1);
    let how = (Scoring::Classes(settings.scoring), settings.rule);
    let table = candidates.table(&foldings, starts, how)?;
    let mut fit = candidates.candidates[table.chosen].classification(&settings.fit);
    fit.run = run.left_since(began);
    let mut model = fit_to_curves(data, layout, &fit, control)?;
    control.progress.complete();
    report_choice(&mut model.on_means.report, table);
    Ok(model)
}

/// The trees that are tried.
struct ClassificationTrees<'a> {
    data: ClassData<'a>,
    layout: &'a CurveLayout,
    settings: &'a FunctionalOrctCvSettings,
}

impl CurveTrees for ClassificationTrees<'_> {
    type Fold = ClassFold;

    fn fold(&self, train: &[usize], held: &[usize]) -> ClassFold {
        self.data.fold(train, held)
    }

    fn held_weights(fold: &ClassFold) -> &[f64] {
        &fold.held_weights
    }

    fn curves(&self, fold: &ClassFold, stop: &Stop) -> Result<PackedCurves, Stopped> {
        let train = fold.train.data(&self.data);
        let smoothing = self.settings.fit.intervals.smoothing;
        PackedCurves::new(&train.rows, self.layout, train.weights, smoothing, stop)
    }

    fn trials(
        &self,
        (largest, starts): (&FunctionalCandidate, usize),
        intervals: &[usize],
        (fold, curves): (&ClassFold, Arc<PackedCurves>),
        stop: &Stop,
    ) -> Result<Vec<Trial>, Interrupted> {
        let mut settings = largest.classification(&self.settings.fit);
        settings.n_starts = starts;
        // Objectives on parts of the rows are not those of the model in the making.
        let apart = Control::default();
        let unfinished = |error: FitError| why_unfinished(error, stop);
        let train = fold.train.data(&self.data);
        let problem = CurveProblem {
            layout: self.layout,
            curves,
            settings: &settings.intervals,
        };
        let chain =
            fit_chain(&train, problem, &settings, stop, &apart.progress).map_err(unfinished)?;
        let trial = |intervals: &usize| {
            stop.check()?;
            let model = chain.model(*intervals, stop, &apart).map_err(unfinished)?;
            let means = model.intervals.of(fold.held.rows()).expect("checked rows");
            let rows = || means.view().into();
            let (costs, scoring) = (self.data.costs, self.settings.scoring);
            Ok(fold.trial(&model.on_means, &rows, costs, scoring))
        };
        let trials = intervals.iter().map(trial).collect();
        stop.check()?;
        trials
    }
}
