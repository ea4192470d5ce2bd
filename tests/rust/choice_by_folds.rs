//! What folds choose: open settings of a fit, settings of both kinds of trees, margins of rates.

use ndarray::{Array2, array};
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{Labels, ScalingChoice, ScalingKind};
use softwood::fitted::{ClassScoring, CvTable, OrctCandidate, ResponseScoring, TriedSettings};
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, CvRule, FitError, FittedModel, OrctCvSettings, OrctModel, OrctSettings, RatesOn,
    RunSettings, SrtCvSettings, SrtModel, SrtSettings, fit_orct, fit_orct_cv, fit_srt_cv,
};
use std::time::{Duration, Instant};

/// Two features tell the class but for a tenth of the rows, the others are noise.
fn noisy(seed: u64, n: usize, features: usize) -> (Array2<f64>, Labels) {
    let mut rng = Pcg64::new(u128::from(seed), 21);
    let x = Array2::from_shape_fn((n, features), |_| rng.random::<f64>());
    let class = |i: usize, flip: bool| i64::from((x[[i, 0]] + x[[i, 1]] > 1.0) != flip);
    let y: Vec<i64> = (0..n)
        .map(|i| class(i, rng.random::<f64>() < 0.1))
        .collect();
    let labels = Labels::from(y.as_slice());
    (x, labels)
}

fn few_starts(threads: usize) -> OrctSettings {
    OrctSettings {
        n_starts: 3,
        run: RunSettings {
            n_threads: Some(threads),
            ..RunSettings::default()
        },
        ..OrctSettings::default()
    }
}

fn fit(x: &Array2<f64>, y: &Labels, weights: Option<&[f64]>, settings: &OrctSettings) -> OrctModel {
    fit_orct(x.view(), y, weights, settings, &Control::default()).unwrap()
}

fn tried(table: &CvTable) -> Vec<OrctCandidate> {
    let settings = table.candidates.iter().map(|c| match &c.settings {
        TriedSettings::Orct(settings) => settings.clone(),
        other => panic!("{other:?}"),
    });
    settings.collect()
}

#[test]
fn open_settings_are_chosen_together_and_told() {
    let (x, y) = noisy(1, 200, 4);
    let model = fit(&x, &y, None, &few_starts(1));
    let table = model.report.cross_validation.as_ref().unwrap();
    let candidates = tried(table);
    assert_eq!(candidates.len(), 2 * 2 * 3 * 2);
    let chosen = &candidates[table.chosen];
    assert_eq!(chosen.gamma, model.tree.gamma);
    assert_eq!(chosen.scaling, model.tree.scaling.kind);
    assert!(chosen.local_penalty > 0.0);
    let scored = &table.candidates[table.chosen];
    assert_eq!(scored.folds, table.folds * table.repeats);
    assert!(scored.figures.unwrap().accuracy > 0.8);
    let mut again = fit(&x, &y, None, &few_starts(2));
    again.report.seconds = model.report.seconds;
    assert_eq!(again, model, "same bits on two threads");
    assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
}

#[test]
fn only_what_is_open_is_chosen() {
    let (x, y) = noisy(2, 120, 3);
    let count = |settings: OrctSettings| {
        let model = fit(&x, &y, None, &settings);
        let table = model.report.cross_validation;
        table.map(|table| table.candidates.len())
    };
    let fixed = OrctSettings {
        n_starts: 2,
        ..OrctSettings::plain()
    };
    assert_eq!(count(fixed.clone()), None);
    let gamma = OrctSettings {
        gamma: None,
        ..fixed.clone()
    };
    assert_eq!(count(gamma), Some(3));
    let scaling = OrctSettings {
        scaling: ScalingChoice::Auto,
        ..fixed.clone()
    };
    assert_eq!(count(scaling), Some(2));
    let penalty = OrctSettings {
        penalty: PenaltySettings::default(),
        ..fixed.clone()
    };
    assert_eq!(count(penalty), Some(2));
    // Costs and rates say how much classes count.
    let costs = OrctSettings {
        balance: None,
        costs: Some(vec![0.0, 1.0, 2.0, 0.0]),
        ..fixed.clone()
    };
    assert_eq!(count(costs), None);
    // Another penalty takes the place of the local one.
    let global = OrctSettings {
        penalty: PenaltySettings {
            global: 1e-3,
            ..PenaltySettings::default()
        },
        ..fixed
    };
    assert_eq!(count(global), None);
}

#[test]
fn the_choice_counts_weights_as_repetitions() {
    let (x, y) = noisy(3, 90, 3);
    let weights: Vec<f64> = (0..90).map(|i| f64::from(1 + i % 3)).collect();
    let repeated: Vec<usize> = (0..90).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let rows = Array2::from_shape_fn((repeated.len(), 3), |(i, j)| x[[repeated[i], j]]);
    let labels = Labels {
        classes: y.classes.clone(),
        codes: repeated.iter().map(|i| y.codes[*i]).collect(),
    };
    let weighted = fit(&x, &y, Some(&weights), &few_starts(1));
    let plain = fit(&rows, &labels, None, &few_starts(1));
    assert_eq!(weighted.tree, plain.tree);
    assert_eq!(
        weighted.report.cross_validation,
        plain.report.cross_validation
    );
}

#[test]
fn balanced_training_keeps_a_rare_class_and_tells_its_probability() {
    // Class 1 has three in ten of the rows where it is at all: never the likelier class.
    let mut rng = Pcg64::new(4, 22);
    let x = Array2::from_shape_fn((600, 2), |_| rng.random::<f64>());
    let y: Vec<i64> = (0..600)
        .map(|i| i64::from(x[[i, 0]] > 0.8 && rng.random::<f64>() < 0.3))
        .collect();
    let labels = Labels::from(y.as_slice());
    let settings = OrctSettings {
        depth: 1,
        n_starts: 4,
        balance: Some(true),
        ..OrctSettings::plain()
    };
    let balanced = fit(&x, &labels, None, &settings);
    assert_eq!(balanced.tree.shape.splits().len(), 1);
    let probabilities = balanced
        .predict_proba(array![[0.95, 0.5], [0.2, 0.5]].view())
        .unwrap();
    assert!((probabilities[1] - 0.3).abs() < 0.1, "{probabilities:?}");
    assert!(probabilities[3] < 0.03, "{probabilities:?}");
    assert_eq!(balanced.predict(array![[0.95, 0.5]].view()).unwrap(), [0]);
}

#[test]
fn extreme_rows_are_fitted_by_default() {
    let settings = OrctSettings {
        n_starts: 2,
        ..OrctSettings::default()
    };
    let two = fit(
        &array![[0.0], [1.0]],
        &Labels::from([0i64, 1].as_slice()),
        None,
        &settings,
    );
    assert!(
        two.report.cross_validation.is_none(),
        "too few rows to choose by"
    );
    let (wide, y) = noisy(5, 12, 40);
    assert!(fit(&wide, &y, None, &settings).report.objective.is_finite());
    let (x, y) = noisy(6, 40, 3);
    let tiny = vec![1e-307; 40];
    assert!(
        fit(&x, &y, Some(&tiny), &settings)
            .report
            .objective
            .is_finite()
    );
    let constant = Array2::from_elem((40, 3), 7.0);
    assert!(
        fit(&constant, &y, None, &settings)
            .report
            .objective
            .is_finite()
    );
    // One row of a class: some fold holds it out.
    let lonely: Vec<i64> = (0..40).map(|i| i64::from(i == 3)).collect();
    let model = fit(&x, &Labels::from(lonely.as_slice()), None, &settings);
    assert!(model.report.objective.is_finite());
}

#[test]
fn a_time_limit_is_kept_by_the_choice() {
    let (x, y) = noisy(7, 3000, 20);
    let settings = OrctSettings {
        depth: 10,
        run: RunSettings {
            time_limit: Some(Duration::from_millis(200)),
            ..RunSettings::default()
        },
        ..OrctSettings::default()
    };
    let began = Instant::now();
    let model = fit(&x, &y, None, &settings);
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "far more than it was given"
    );
}

fn choices(scoring: ClassScoring) -> OrctCvSettings {
    OrctCvSettings {
        fit: OrctSettings {
            n_starts: 2,
            ..OrctSettings::plain()
        },
        depths: vec![1],
        scalings: vec![ScalingKind::MinMax],
        gammas: vec![512.0],
        local_grid: vec![0.0, 100.0],
        scoring,
        ..OrctCvSettings::default()
    }
}

#[test]
fn every_scoring_prefers_the_tree_to_none() {
    let (x, y) = noisy(8, 150, 2);
    for name in
        "cost accuracy balanced_accuracy log_loss brier brier_and_agreement roc_auc".split(' ')
    {
        let scoring: ClassScoring = name.parse().unwrap();
        assert_eq!(scoring.name(), name);
        let choices = choices(scoring);
        let model = fit_orct_cv(x.view(), &y, None, &choices, &Control::default()).unwrap();
        let table = model.report.cross_validation.as_ref().unwrap();
        assert_eq!(table.chosen, 0, "{name}");
        let score = table.candidates[0].score;
        let expected = match scoring {
            ClassScoring::Cost => 0.0..0.08,
            ClassScoring::LogLoss => 0.0..0.5,
            ClassScoring::Brier | ClassScoring::BrierAndAgreement => 0.0..0.35,
            _ => 0.8..1.0,
        };
        assert!(expected.contains(&score), "{name}: {score}");
        assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
    }
    let message = "gini".parse::<ClassScoring>().unwrap_err().to_string();
    assert!(
        message.starts_with("scoring must be \"cost\", \"accuracy\""),
        "{message}"
    );
    let message = "auc".parse::<ResponseScoring>().unwrap_err().to_string();
    assert_eq!(
        message,
        "scoring must be \"r2\", \"mae\" or \"mse\", got \"auc\""
    );
}

/// Rows and a response that is linear on each side of x0 = 0, and so on each side of x1 = 0 if `twice`.
fn pieces(n: usize, features: usize, twice: bool) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(9, 23);
    let x = Array2::from_shape_fn((n, features), |_| rng.random_range(-1.0..1.0));
    let response = |row: ndarray::ArrayView1<'_, f64>| {
        let level = if row[0] > 0.0 { 3.0 - row[1] } else { row[1] };
        let second = if twice && row[1] > 0.0 {
            4.0 * row[0]
        } else {
            0.0
        };
        level + second
    };
    let y = x.rows().into_iter().map(response);
    let noise = |y: f64| y + 0.05 * (rng.random::<f64>() - 0.5);
    let y = y.collect::<Vec<f64>>().into_iter().map(noise).collect();
    (x, y)
}

fn regression(settings: &SrtCvSettings, twice: bool) -> (SrtModel, CvTable) {
    let (x, y) = pieces(300, 2, twice);
    let model = fit_srt_cv(x.view(), &y, None, settings, &Control::default()).unwrap();
    let table = model.report.cross_validation.clone().unwrap();
    (model, table)
}

#[test]
fn the_depth_of_a_regression_is_found() {
    for (twice, depth) in [(false, 1), (true, 2)] {
        let settings = SrtCvSettings {
            curves: vec![false],
            rule: CvRule::OneStandardError,
            ..SrtCvSettings::default()
        };
        let (model, table) = regression(&settings, twice);
        assert_eq!(table.candidates.len(), 3);
        assert!(table.candidates[table.chosen].score > 0.95, "{table:?}");
        assert_eq!(model.tree.shape.depth(), depth, "{table:?}");
    }
}

#[test]
fn regressions_are_chosen_alike_on_any_number_of_threads_and_survive_a_file() {
    let with = |threads: usize| SrtCvSettings {
        fit: SrtSettings {
            n_starts: 3,
            run: RunSettings {
                n_threads: Some(threads),
                ..RunSettings::default()
            },
            ..SrtSettings::default()
        },
        depths: vec![1],
        ridges: vec![None, Some(0.1), Some(1e100)],
        scoring: ResponseScoring::Mae,
        ..SrtCvSettings::default()
    };
    let (one, table) = regression(&with(1), false);
    let (mut two, _) = regression(&with(2), false);
    two.report.seconds = one.report.seconds;
    assert_eq!(one, two);
    assert_eq!(table.candidates.len(), 6);
    assert_eq!(SrtModel::from_json(&one.to_json()).unwrap(), one);
}

#[test]
fn extreme_regressions_are_chosen_or_refused() {
    let quick = |folds: usize| SrtCvSettings {
        fit: SrtSettings {
            n_starts: 2,
            ..SrtSettings::default()
        },
        depths: vec![1, 2],
        folds,
        ..SrtCvSettings::default()
    };
    let run = |n: usize, features: usize, weights: Option<&[f64]>, folds: usize| {
        let (x, y) = pieces(n, features, false);
        fit_srt_cv(x.view(), &y, weights, &quick(folds), &Control::default())
    };
    assert!(run(2, 2, None, 2).unwrap().report.objective.is_finite());
    assert!(run(8, 30, None, 4).unwrap().report.objective.is_finite());
    let tiny = vec![1e-300; 20];
    assert!(
        run(20, 2, Some(&tiny), 5)
            .unwrap()
            .report
            .objective
            .is_finite()
    );
    let four = run(4, 2, None, 5).unwrap().report;
    assert_eq!(four.cross_validation.unwrap().folds, 4);
    let constant = vec![2.5; 30];
    let (x, _) = pieces(30, 2, false);
    let model = fit_srt_cv(x.view(), &constant, None, &quick(5), &Control::default()).unwrap();
    assert_eq!(model.predict(x.view()).unwrap(), constant);
}

#[test]
fn a_choice_of_regressions_ends_in_time_or_when_it_is_cancelled() {
    let (x, y) = pieces(4000, 10, true);
    let settings = SrtCvSettings {
        fit: SrtSettings {
            run: RunSettings {
                time_limit: Some(Duration::from_millis(100)),
                ..RunSettings::default()
            },
            ..SrtSettings::default()
        },
        depths: vec![8],
        ..SrtCvSettings::default()
    };
    let model = fit_srt_cv(x.view(), &y, None, &settings, &Control::default()).unwrap();
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    assert!(model.report.cross_validation.unwrap().cut_short);
    let control = Control::default();
    control.stop.raise();
    let cancelled = fit_srt_cv(x.view(), &y, None, &SrtCvSettings::default(), &control);
    assert_eq!(cancelled.unwrap_err(), FitError::Cancelled);
}

#[test]
fn rates_asked_for_on_folds_hold_on_new_rows() {
    let settings = |rates_on: RatesOn| OrctSettings {
        n_starts: 6,
        min_class_rate: vec![(1, 0.9)],
        rates_on,
        ..OrctSettings::plain()
    };
    let (new, new_y) = noisy(11, 4000, 12);
    let recall = |model: &OrctModel| {
        let predicted = model.predict(new.view()).unwrap();
        let rows = || predicted.iter().zip(&new_y.codes).filter(|(_, y)| **y == 1);
        rows().filter(|(p, _)| **p == 1).count() as f64 / rows().count() as f64
    };
    let (mut before, mut after) = (0.0, 0.0);
    let draws = [10, 12, 13, 14];
    for draw in draws {
        // Ten noise features to overfit by.
        let (x, y) = noisy(draw, 250, 12);
        let trained = fit(&x, &y, None, &settings(RatesOn::Training));
        let learned = fit(&x, &y, None, &settings(RatesOn::Folds));
        let bound = &learned.report.constraints[0];
        assert_eq!(bound.asked, 0.9);
        assert!(bound.imposed.unwrap() > 0.9, "{bound:?}");
        assert!(bound.cross_validated.unwrap() > 0.85, "{bound:?}");
        assert_eq!(trained.report.constraints[0].imposed, None);
        assert_eq!(OrctModel::from_json(&learned.to_json()).unwrap(), learned);
        before += recall(&trained) / draws.len() as f64;
        after += recall(&learned) / draws.len() as f64;
    }
    assert!(
        before < 0.87 && after > before + 0.02,
        "{before} and {after} on the mean"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Whatever the rows: finite figures, the same bits on one and two threads.
    #[test]
    fn default_fits_are_sound(seed in any::<u64>(), n in 8usize..60, features in 2usize..5) {
        let (x, y) = noisy(seed, n, features);
        prop_assume!(y.classes.len() == 2);
        let one = fit(&x, &y, None, &few_starts(1));
        let mut two = fit(&x, &y, None, &few_starts(2));
        two.report.seconds = one.report.seconds;
        prop_assert_eq!(&one, &two);
        prop_assert!(one.report.objective.is_finite());
    }
}
