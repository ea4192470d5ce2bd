//! Settings of trees on curves chosen by folds: the right ones, the same however rows are given, within the time.

use ndarray::{Array2, s};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::fitted::{CvTable, FunctionalCandidate, TriedSettings};
use softwood::functional::{CurveLayout, Predictor};
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, CurveGrid, FitError, FittedModel, FunctionalOrctCvSettings, FunctionalOrctModel,
    FunctionalOrctSettings, FunctionalOrrtCvSettings, FunctionalOrrtModel, FunctionalOrrtSettings,
    IntervalSettings, RunSettings, fit_functional_orct, fit_functional_orct_cv,
    fit_functional_orrt, fit_functional_orrt_cv,
};
use std::time::Duration;

const POINTS: usize = 20;

/// Straight lines of any height, a walk of no use beside each, and their slopes.
fn lines(rows: usize) -> (CurveLayout, Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(3, 0);
    let mut x = Array2::<f64>::zeros((rows, 2 * POINTS));
    let mut slopes = Vec::with_capacity(rows);
    for mut row in x.rows_mut() {
        let (height, slope) = (rng.random_range(-9.0..9.0), rng.random_range(-3.0..3.0));
        let mut walk = 0.0;
        for k in 0..POINTS {
            row[k] = height + slope * k as f64 / (POINTS - 1) as f64;
            walk += rng.random_range(-0.3..0.3);
            row[POINTS + k] = walk;
        }
        slopes.push(slope);
    }
    let predictor = |name: &str| Predictor {
        name: name.into(),
        grid: Some((0..POINTS).map(|k| k as f64).collect()),
    };
    let predictors = vec![predictor("line"), predictor("walk")];
    (CurveLayout { predictors }, x, slopes)
}

fn classes(slopes: &[f64]) -> Labels {
    let names: Vec<i64> = slopes.iter().map(|slope| i64::from(*slope > 0.0)).collect();
    Labels::from(names.as_slice())
}

fn grid() -> CurveGrid {
    CurveGrid {
        n_intervals: vec![1, 2],
        derivatives: vec![vec![0], vec![1]],
        gammas: vec![32.0],
        ..CurveGrid::default()
    }
}

fn run_on(threads: usize) -> RunSettings {
    RunSettings {
        n_threads: Some(threads),
        ..RunSettings::default()
    }
}

fn regression(grid: CurveGrid, threads: usize) -> FunctionalOrrtCvSettings {
    FunctionalOrrtCvSettings {
        fit: FunctionalOrrtSettings {
            n_starts: 3,
            run: run_on(threads),
            ..FunctionalOrrtSettings::default()
        },
        grid,
        folds: 3,
        ..FunctionalOrrtCvSettings::default()
    }
}

fn classification(grid: CurveGrid, threads: usize) -> FunctionalOrctCvSettings {
    FunctionalOrctCvSettings {
        fit: FunctionalOrctSettings {
            n_starts: 3,
            run: run_on(threads),
            ..FunctionalOrctSettings::default()
        },
        grid,
        folds: 3,
        ..FunctionalOrctCvSettings::default()
    }
}

/// A choice for |slope|, which needs two leaves.
fn fit_kink(
    settings: &FunctionalOrrtCvSettings,
    control: &Control,
) -> Result<FunctionalOrrtModel, FitError> {
    let (layout, x, slopes) = lines(60);
    let y: Vec<f64> = slopes.iter().map(|slope| slope.abs()).collect();
    fit_functional_orrt_cv(x.view(), &layout, &y, None, settings, control)
}

fn fit_side(
    settings: &FunctionalOrctCvSettings,
    control: &Control,
) -> Result<FunctionalOrctModel, FitError> {
    let (layout, x, slopes) = lines(60);
    let labels = classes(&slopes);
    fit_functional_orct_cv(x.view(), &layout, &labels, None, settings, control)
}

fn chosen(table: &CvTable) -> &FunctionalCandidate {
    match &table.candidates[table.chosen].settings {
        TriedSettings::Functional(settings) => settings,
        other => panic!("{other:?}"),
    }
}

fn table_of(model: &impl FittedModel) -> &CvTable {
    model.report().cross_validation.as_ref().unwrap()
}

#[test]
fn folds_find_the_derivative_that_matters() {
    let control = Control::default();
    let model = fit_kink(&regression(grid(), 1), &control).unwrap();
    assert_eq!(table_of(&model).candidates.len(), 4);
    assert_eq!(chosen(table_of(&model)).derivatives, [1]);
    let model = fit_side(&classification(grid(), 1), &control).unwrap();
    assert_eq!(table_of(&model).candidates.len(), 4);
    assert_eq!(chosen(table_of(&model)).derivatives, [1]);
    let of_chosen = &table_of(&model).candidates[table_of(&model).chosen];
    assert_eq!(
        of_chosen.figures.unwrap().accuracy,
        1.0 - 2.0 * of_chosen.score
    );
    // The walk beside each line is of no use.
    assert!(of_chosen.score < 0.05, "{}", of_chosen.score);
}

#[test]
fn the_model_is_that_of_the_settings_chosen() {
    let penalized = CurveGrid {
        length_penalties: vec![0.01],
        local_penalties: vec![1e-3],
        global_penalties: vec![2e-3],
        n_intervals: vec![2],
        ..grid()
    };
    let control = Control::default();
    let penalty = PenaltySettings {
        local: Some(1e-3),
        global: 2e-3,
        ..PenaltySettings::none()
    };
    let intervals = IntervalSettings {
        n_intervals: 2,
        derivatives: vec![1],
        length_penalty: 0.01,
        ..IntervalSettings::default()
    };
    let (layout, x, slopes) = lines(60);
    let y: Vec<f64> = slopes.iter().map(|slope| slope.abs()).collect();
    let model = fit_kink(&regression(penalized.clone(), 1), &control).unwrap();
    let alone = FunctionalOrrtSettings {
        intervals: intervals.clone(),
        penalty: penalty.clone(),
        gamma: 32.0,
        ..regression(grid(), 1).fit
    };
    let same = fit_functional_orrt(x.view(), &layout, &y, None, &alone, &control).unwrap();
    assert_eq!(model.intervals, same.intervals);
    assert_eq!(model.on_means.tree, same.on_means.tree);
    assert_eq!(model.on_means.leaf_slopes, same.on_means.leaf_slopes);
    let free = FunctionalOrrtSettings {
        penalty: PenaltySettings::none(),
        ..alone
    };
    let free = fit_functional_orrt(x.view(), &layout, &y, None, &free, &control).unwrap();
    assert_ne!(model.on_means.leaf_slopes, free.on_means.leaf_slopes);

    let model = fit_side(&classification(penalized, 1), &control).unwrap();
    let alone = FunctionalOrctSettings {
        intervals,
        penalty,
        gamma: 32.0,
        ..classification(grid(), 1).fit
    };
    let labels = classes(&slopes);
    let same = fit_functional_orct(x.view(), &layout, &labels, None, &alone, &control).unwrap();
    assert_eq!(model.intervals, same.intervals);
    assert_eq!(model.on_means.tree, same.on_means.tree);
}

#[test]
fn a_penalty_that_empties_the_tree_is_not_chosen() {
    let penalties = CurveGrid {
        derivatives: vec![vec![1]],
        local_penalties: vec![0.0, 1e3],
        global_penalties: vec![0.0, 1e3],
        ..grid()
    };
    let control = Control::default();
    let model = fit_kink(&regression(penalties.clone(), 1), &control).unwrap();
    let at = chosen(table_of(&model));
    assert_eq!((at.local_penalty, at.global_penalty), (0.0, 0.0));
    assert_eq!(table_of(&model).candidates.len(), 8);
    let model = fit_side(&classification(penalties, 1), &control).unwrap();
    let at = chosen(table_of(&model));
    assert_eq!((at.local_penalty, at.global_penalty), (0.0, 0.0));
}

#[test]
fn threads_do_not_change_a_bit() {
    let control = Control::default();
    let [one, two] = [1, 2].map(|n| fit_kink(&regression(grid(), n), &control).unwrap());
    assert_eq!(one.intervals, two.intervals);
    assert_eq!(one.on_means.tree, two.on_means.tree);
    assert_eq!(table_of(&one), table_of(&two));
    let [one, two] = [1, 2].map(|n| fit_side(&classification(grid(), n), &control).unwrap());
    assert_eq!(one.intervals, two.intervals);
    assert_eq!(one.on_means.tree, two.on_means.tree);
    assert_eq!(table_of(&one), table_of(&two));
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let (layout, x, slopes) = lines(40);
    let weights: Vec<f64> = (0..40).map(|i| if i < 10 { 2.0 } else { 1.0 }).collect();
    let rows: Vec<usize> = (0..10).chain((0..40).rev()).collect();
    let repeated = x.select(ndarray::Axis(0), &rows);
    let again: Vec<f64> = rows.iter().map(|i| slopes[*i]).collect();
    let (settings, control) = (classification(grid(), 1), Control::default());
    let fit = |x: &Array2<f64>, slopes: &[f64], weights: Option<&[f64]>| {
        let labels = classes(slopes);
        fit_functional_orct_cv(x.view(), &layout, &labels, weights, &settings, &control).unwrap()
    };
    let weighted = fit(&x, &slopes, Some(&weights));
    let repeated = fit(&repeated, &again, None);
    assert_eq!(weighted.intervals, repeated.intervals);
    assert_eq!(weighted.on_means.tree, repeated.on_means.tree);
}

#[test]
fn tables_survive_their_files() {
    let control = Control::default();
    let model = fit_side(&classification(grid(), 1), &control).unwrap();
    assert_eq!(
        FunctionalOrctModel::from_json(&model.to_json()).unwrap(),
        model
    );
    let model = fit_kink(&regression(grid(), 1), &control).unwrap();
    assert_eq!(
        FunctionalOrrtModel::from_json(&model.to_json()).unwrap(),
        model
    );
}

#[test]
fn few_rows_are_chosen_by_or_refused() {
    let control = Control::default();
    let (layout, x, slopes) = lines(9);
    for n in 2..=9 {
        let (x, slopes) = (x.slice(s![..n, ..]), &slopes[..n]);
        let settings = regression(grid(), 1);
        let fitted = fit_functional_orrt_cv(x, &layout, slopes, None, &settings, &control);
        assert!(fitted.unwrap().report().objective.is_finite());
        let labels: Vec<i64> = (0..n as i64).map(|i| i % 2).collect();
        let labels = Labels::from(labels.as_slice());
        let tiny = vec![1e-307; n];
        let settings = classification(grid(), 1);
        for weights in [None, Some(tiny.as_slice())] {
            match fit_functional_orct_cv(x, &layout, &labels, weights, &settings, &control) {
                Ok(model) => assert!(model.report().objective.is_finite()),
                // A fold must leave two classes to train on.
                Err(error) => assert!(n < 4 && error.to_string().contains("folds"), "{error}"),
            }
        }
    }
}

#[test]
fn wrong_choices_are_refused_by_name() {
    let control = Control::default();
    let refused = |change: &dyn Fn(&mut CurveGrid), told: &str| {
        let mut grid = grid();
        change(&mut grid);
        let errors = [
            fit_kink(&regression(grid.clone(), 1), &control).unwrap_err(),
            fit_side(&classification(grid, 1), &control).unwrap_err(),
        ];
        for error in errors {
            assert!(error.to_string().contains(told), "{error} without {told}");
        }
    };
    refused(&|grid| grid.depths.clear(), "depths");
    refused(&|grid| grid.depths = vec![13], "depth");
    refused(&|grid| grid.n_intervals.clear(), "n_intervals");
    refused(&|grid| grid.n_intervals = vec![2, 1], "increasing");
    refused(
        &|grid| grid.n_intervals = vec![1, 21],
        "points of the finest curve",
    );
    refused(&|grid| grid.derivatives.clear(), "derivatives");
    refused(&|grid| grid.derivatives = vec![vec![1, 0]], "derivatives");
    refused(&|grid| grid.gammas.clear(), "gammas");
    refused(&|grid| grid.gammas = vec![-1.0], "gamma");
    refused(&|grid| grid.length_penalties.clear(), "length_penalties");
    refused(
        &|grid| grid.length_penalties = vec![f64::NAN],
        "length_penalty",
    );
    refused(&|grid| grid.local_penalties.clear(), "local_penalties");
    refused(&|grid| grid.local_penalties = vec![-1.0], "local_penalty");
    refused(&|grid| grid.global_penalties.clear(), "global_penalties");
    refused(
        &|grid| grid.global_penalties = vec![f64::INFINITY],
        "global_penalty",
    );
    let (layout, x, _) = lines(30);
    let three = Labels::from((0..30).map(|i| i % 3).collect::<Vec<i64>>().as_slice());
    let settings = classification(grid(), 1);
    let shallow = fit_functional_orct_cv(x.view(), &layout, &three, None, &settings, &control);
    assert!(shallow.unwrap_err().to_string().contains("class"));
}

#[test]
fn depths_without_a_leaf_for_each_class_are_left_out() {
    let (layout, x, slopes) = lines(90);
    let codes: Vec<i64> = slopes
        .iter()
        .map(|slope| i64::from(*slope > -1.0) + i64::from(*slope > 1.0))
        .collect();
    let labels = Labels::from(codes.as_slice());
    let depths = CurveGrid {
        depths: vec![1, 2],
        ..grid()
    };
    let (settings, control) = (classification(depths, 1), Control::default());
    let model =
        fit_functional_orct_cv(x.view(), &layout, &labels, None, &settings, &control).unwrap();
    assert_eq!(table_of(&model).candidates.len(), 4);
    assert_eq!(chosen(table_of(&model)).depth, 2);
}

#[test]
fn a_choice_ends_in_time_or_when_it_is_cancelled() {
    let control = Control::default();
    for limit in [Duration::from_nanos(1), Duration::from_millis(30)] {
        let mut settings = regression(CurveGrid::default(), 1);
        (settings.fit.n_starts, settings.fit.run.time_limit) = (500, Some(limit));
        let model = fit_kink(&settings, &control).unwrap();
        assert_eq!(model.report().status, SolveStatus::TimeLimit);
        assert!(table_of(&model).cut_short);
        let mut settings = classification(CurveGrid::default(), 1);
        (settings.fit.n_starts, settings.fit.run.time_limit) = (500, Some(limit));
        let model = fit_side(&settings, &control).unwrap();
        assert_eq!(model.report().status, SolveStatus::TimeLimit);
        assert!(table_of(&model).cut_short);
    }
    control.stop.raise();
    let cancelled = fit_kink(&regression(grid(), 1), &control);
    assert_eq!(cancelled.unwrap_err(), FitError::Cancelled);
    let cancelled = fit_side(&classification(grid(), 1), &control);
    assert_eq!(cancelled.unwrap_err(), FitError::Cancelled);
}
