//! Trees on curves: do they find what is there, keep what they promise, and survive their files?

use ndarray::{Array2, s};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::functional::{CurveLayout, Predictor};
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, FittedModel, FunctionalOrctModel, FunctionalOrctSettings, FunctionalOrrtModel,
    FunctionalOrrtSettings, IntervalSettings, Model, fit_functional_orct, fit_functional_orrt,
};
use std::time::Duration;

const POINTS: usize = 40;

/// Random walks, a number beside each, and a response with a kink in the mean of points 12…20.
fn walks(rows: usize) -> (CurveLayout, Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(7, 0);
    let mut x = Array2::<f64>::zeros((rows, POINTS + 1));
    for mut row in x.rows_mut() {
        let mut at = 0.0;
        for k in 0..POINTS {
            at += rng.random_range(-0.3..0.3);
            row[k] = at;
        }
        row[POINTS] = rng.random_range(0.0..9.0);
    }
    let mean = |i: usize| -> f64 { x.slice(s![i, 12..=20]).mean().unwrap() };
    let y = (0..rows).map(|i| mean(i).abs() + 0.5 * mean(i)).collect();
    let grid = (0..POINTS).map(|k| 100.0 + 5.0 * k as f64).collect();
    let walk = Predictor {
        name: "walk".into(),
        grid: Some(grid),
    };
    let age = Predictor {
        name: "age".into(),
        grid: None,
    };
    let layout = CurveLayout {
        predictors: vec![walk, age],
    };
    (layout, x, y)
}

fn settings(n_intervals: usize, n_starts: usize) -> FunctionalOrrtSettings {
    FunctionalOrrtSettings {
        intervals: IntervalSettings {
            n_intervals,
            ..IntervalSettings::default()
        },
        n_starts,
        ..FunctionalOrrtSettings::default()
    }
}

fn fit(settings: &FunctionalOrrtSettings) -> FunctionalOrrtModel {
    let (layout, x, y) = walks(90);
    fit_functional_orrt(x.view(), &layout, &y, None, settings, &Control::default()).unwrap()
}

#[test]
fn another_interval_never_raises_the_objective_and_ends_stay_in_order() {
    let mut before = f64::INFINITY;
    for intervals in 1..=4 {
        let model = fit(&settings(intervals, 6));
        let objective = model.report().objective;
        // Halving an interval leaves predictions as they are, but not the ridge.
        assert!(
            objective <= before * (1.0 + 1e-3) + 1e-6,
            "{objective} after {before}"
        );
        assert!(model.intervals.ends.is_sorted());
        assert_eq!(model.intervals.ends.len(), 2 * intervals);
        before = objective;
    }
    assert!(before < 0.01, "{before}");
}

#[test]
fn threads_do_not_change_a_bit() {
    let on = |threads: usize| {
        let mut settings = settings(2, 4);
        settings.run.n_threads = Some(threads);
        fit(&settings)
    };
    let (one, two) = (on(1), on(2));
    assert_eq!(one.intervals, two.intervals);
    assert_eq!(one.on_means.leaf_slopes, two.on_means.leaf_slopes);
    assert_eq!(one.on_means.tree, two.on_means.tree);
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let (layout, x, y) = walks(40);
    let settings = settings(2, 3);
    let control = Control::default();
    let weights: Vec<f64> = (0..40).map(|i| if i < 10 { 2.0 } else { 1.0 }).collect();
    let weighted =
        fit_functional_orrt(x.view(), &layout, &y, Some(&weights), &settings, &control).unwrap();
    let rows: Vec<usize> = (0..10).chain((0..40).rev()).collect();
    let repeated = Array2::from_shape_fn((50, POINTS + 1), |(i, j)| x[[rows[i], j]]);
    let again: Vec<f64> = rows.iter().map(|i| y[*i]).collect();
    let repeated =
        fit_functional_orrt(repeated.view(), &layout, &again, None, &settings, &control).unwrap();
    assert_eq!(weighted.intervals, repeated.intervals);
    assert_eq!(weighted.on_means.tree, repeated.on_means.tree);
}

#[test]
fn models_survive_their_files_and_lies_are_refused() {
    let model = fit(&settings(2, 2));
    let text = model.to_json();
    assert_eq!(FunctionalOrrtModel::from_json(&text).unwrap(), model);
    assert_eq!(
        Model::from_json(&text).unwrap(),
        Model::FunctionalOrrt(model.clone())
    );
    let told = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        FunctionalOrrtModel::from_json(&changed)
            .unwrap_err()
            .to_string()
    };
    assert!(told("\"derivatives\": [0]", "\"derivatives\": [0, 1]").contains("features"));
    assert!(told("\"derivatives\": [0]", "\"derivatives\": [3]").contains("derivatives"));
    assert!(told("\"ends\": [", "\"ends\": [0.999,").contains("ends"));
    assert!(told("\"grid\":[100.0,", "\"grid\":[1000.0,").contains("increase"));
    let (_, x, _) = walks(5);
    let read = FunctionalOrrtModel::from_json(&text).unwrap();
    assert_eq!(
        read.predict(x.view()).unwrap(),
        model.predict(x.view()).unwrap()
    );
}

#[test]
fn a_penalty_on_lengths_leaves_instants_and_one_on_predictors_empties_the_tree() {
    let mut held = settings(2, 4);
    held.intervals.length_penalty = 100.0;
    let model = fit(&held);
    assert_eq!(model.intervals.length_sparsity(), 100.0);
    let mut empty = settings(1, 2);
    empty.penalty = PenaltySettings {
        global: 1e3,
        ..PenaltySettings::none()
    };
    let model = fit(&empty);
    assert_eq!(model.on_means.global_sparsity(), 100.0);
    let (_, x, y) = walks(90);
    let mean = y.iter().sum::<f64>() / 90.0;
    for predicted in model.predict(x.view()).unwrap() {
        assert!((predicted - mean).abs() < 1e-3, "{predicted} for {mean}");
    }
}

#[test]
fn limits_and_cancelling_end_a_fit_with_what_there_is() {
    let mut short = settings(6, 100);
    short.run.time_limit = Some(Duration::from_nanos(1));
    let model = fit(&short);
    assert_eq!(model.report().status, SolveStatus::TimeLimit);
    assert_eq!(model.intervals.intervals(), 6);
    let control = Control::default();
    control.stop.raise();
    let (layout, x, y) = walks(20);
    assert!(fit_functional_orrt(x.view(), &layout, &y, None, &settings(1, 2), &control).is_err());
}

/// Raises the flag once a start has ended, on which the fit returns `fitted`.
fn cancel_after_a_start<T: Send>(control: &Control, fit: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let fitted = scope.spawn(fit);
        while control.progress.snapshot().starts_done == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        control.stop.raise();
        fitted.join().unwrap()
    })
}

#[test]
fn a_cancelled_fit_returns_the_tree_on_the_intervals_it_has_come_to() {
    let (layout, x, y) = walks(90);
    let control = Control::default();
    let wanted = settings(POINTS, 20);
    let model = cancel_after_a_start(&control, || {
        fit_functional_orrt(x.view(), &layout, &y, None, &wanted, &control).unwrap()
    });
    assert_eq!(model.report().status, SolveStatus::Cancelled);
    assert!(model.intervals.intervals() < POINTS);
    assert!(model.report().loss < 0.1, "{}", model.report().loss);

    let labels: Vec<i64> = y.iter().map(|y| i64::from(*y > 0.3)).collect();
    let labels = Labels::from(labels.as_slice());
    let control = Control::default();
    let wanted = FunctionalOrctSettings {
        intervals: settings(POINTS, 1).intervals,
        n_starts: 200,
        ..FunctionalOrctSettings::default()
    };
    let model = cancel_after_a_start(&control, || {
        fit_functional_orct(x.view(), &layout, &labels, None, &wanted, &control).unwrap()
    });
    assert_eq!(model.report().status, SolveStatus::Cancelled);
    assert!(model.intervals.intervals() < POINTS);
    assert!(model.report().loss < 0.25, "{}", model.report().loss);
}

#[test]
fn classes_of_curves_are_told_apart() {
    let (layout, x, _) = walks(120);
    let mean = |i: usize| -> f64 { x.slice(s![i, 12..=20]).mean().unwrap() };
    let names: Vec<&str> = (0..120)
        .map(|i| if mean(i) > 0.0 { "up" } else { "down" })
        .collect();
    let labels = Labels::from(names.as_slice());
    let fit = |threads: usize| {
        let mut settings = FunctionalOrctSettings {
            intervals: IntervalSettings {
                n_intervals: 1,
                ..IntervalSettings::default()
            },
            ..FunctionalOrctSettings::default()
        };
        settings.run.n_threads = Some(threads);
        let control = Control::default();
        fit_functional_orct(x.view(), &layout, &labels, None, &settings, &control).unwrap()
    };
    let model = fit(1);
    let predicted = model.predict(x.view()).unwrap();
    let right = predicted
        .iter()
        .zip(&labels.codes)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right >= 114, "{right} of 120");
    assert_eq!(model.on_means.tree, fit(2).on_means.tree);
    let read = FunctionalOrctModel::from_json(&model.to_json()).unwrap();
    assert_eq!(read, model);
}
