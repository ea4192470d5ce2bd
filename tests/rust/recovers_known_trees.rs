//! Does a fit find trees that are known, and do its settings do what they say?

use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::status::SolveStatus;
use softwood::{Control, FitError, OrctModel, OrctSettings, RunSettings, fit_orct};
use std::time::Duration;

fn fit(x: &Array2<f64>, labels: &Labels, settings: &OrctSettings) -> OrctModel {
    fit_orct(x.view(), labels, None, settings, &Control::default()).unwrap()
}

fn accuracy(model: &OrctModel, x: ArrayView2<'_, f64>, codes: &[u32]) -> f64 {
    let hits = model
        .predict(x)
        .unwrap()
        .iter()
        .zip(codes)
        .filter(|(a, b)| a == b)
        .count();
    hits as f64 / codes.len() as f64
}

fn uniform(rng: &mut Pcg64, rows: usize, features: usize) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, features), || rng.random_range(0.0..1.0))
}

/// Rows at least `margin` from every split of a random oblique tree of depth 2, with their leaf.
fn drawn_from_a_tree(
    seed: u64,
    rows: usize,
    features: usize,
    margin: f64,
) -> (Array2<f64>, Vec<i64>) {
    let mut rng = Pcg64::new(u128::from(seed), 77);
    let normals: Vec<Vec<f64>> = (0..3)
        .map(|_| (0..features).map(|_| rng.random_range(-1.0..1.0)).collect())
        .collect();
    // Through the middle of the box, so that all leaves are met.
    let side = |t: usize, x: &[f64]| {
        normals[t]
            .iter()
            .zip(x)
            .map(|(a, x)| a * (x - 0.5))
            .sum::<f64>()
    };
    let (mut values, mut leaves) = (Vec::new(), Vec::new());
    while leaves.len() < rows {
        let x: Vec<f64> = (0..features).map(|_| rng.random_range(0.0..1.0)).collect();
        let child = if side(0, &x) > 0.0 { 1 } else { 2 };
        if side(0, &x).abs() > margin && side(child, &x).abs() > margin {
            leaves.push(2 * (child as i64 - 1) + i64::from(side(child, &x) <= 0.0));
            values.extend(x);
        }
    }
    (
        Array2::from_shape_vec((rows, features), values).unwrap(),
        leaves,
    )
}

#[test]
fn separable_data_from_an_oblique_tree() {
    for seed in 0..3 {
        let (x, leaves) = drawn_from_a_tree(seed, 500, 4, 0.05);
        // A class for each leaf, and one leaf against the others.
        let alone: Vec<i64> = leaves.iter().map(|leaf| i64::from(*leaf == 1)).collect();
        for labels in [
            Labels::from(leaves.as_slice()),
            Labels::from(alone.as_slice()),
        ] {
            let model = fit(
                &x,
                &labels,
                &OrctSettings {
                    n_starts: 60,
                    ..OrctSettings::plain()
                },
            );
            let accuracy = accuracy(&model, x.view(), &labels.codes);
            assert!(
                accuracy >= 0.99,
                "seed {seed}, {} classes: {accuracy}",
                labels.classes.len()
            );
        }
    }
}

#[test]
fn exclusive_or() {
    let mut rng = Pcg64::new(1, 0);
    let x = uniform(&mut rng, 400, 2);
    let y: Vec<bool> = x
        .rows()
        .into_iter()
        .map(|r| (r[0] > 0.5) != (r[1] > 0.5))
        .collect();
    let labels = Labels::from(y.as_slice());
    let model = fit(&x, &labels, &OrctSettings::plain());
    assert!(accuracy(&model, x.view(), &labels.codes) >= 0.98);
    // Depth 1 cannot.
    let stump = fit(
        &x,
        &labels,
        &OrctSettings {
            depth: 1,
            ..OrctSettings::plain()
        },
    );
    assert!(accuracy(&stump, x.view(), &labels.codes) < 0.8);
}

#[test]
fn costs_shift_predictions_towards_the_dearer_class() {
    let mut rng = Pcg64::new(2, 0);
    let x = uniform(&mut rng, 600, 2);
    let y: Vec<bool> = x
        .rows()
        .into_iter()
        .map(|r| r[0] + rng.random_range(-0.4..0.4) > 0.5)
        .collect();
    let labels = Labels::from(y.as_slice());
    let predicted_true = |missed: f64| {
        let settings = OrctSettings {
            depth: 1,
            costs: Some(vec![0.0, 0.5, missed, 0.0]),
            ..OrctSettings::plain()
        };
        fit(&x, &labels, &settings)
            .predict(x.view())
            .unwrap()
            .iter()
            .filter(|k| **k == 1)
            .count()
    };
    let counts = [0.05, 0.5, 5.0].map(predicted_true);
    assert!(
        counts[0] + 60 < counts[1] && counts[1] + 60 < counts[2],
        "{counts:?}"
    );
}

#[test]
fn the_model_is_worth_the_objective_it_reports() {
    let (x, leaves) = drawn_from_a_tree(9, 500, 3, 0.0);
    let labels = Labels::from(leaves.as_slice());
    let model = fit(
        &x,
        &labels,
        &OrctSettings {
            n_starts: 4,
            ..OrctSettings::plain()
        },
    );
    let probabilities = model.label_probabilities(x.view()).unwrap();
    let wrong: f64 = labels
        .codes
        .iter()
        .enumerate()
        .map(|(i, y)| 1.0 - probabilities[i * 4 + *y as usize])
        .sum();
    assert!((0.5 * wrong / 500.0 - model.report.objective).abs() < 1e-12);
    assert_eq!(
        model.report.start_objectives[model.report.best_start],
        model.report.objective
    );
    let least = model
        .report
        .start_objectives
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    assert_eq!(least, model.report.objective);
}

#[test]
fn coverage_gives_every_class_a_leaf() {
    // The third class is rare and looks like the others.
    let mut rng = Pcg64::new(3, 0);
    let x = uniform(&mut rng, 300, 3);
    let y: Vec<i64> = (0..300)
        .map(|i| {
            if i % 100 == 0 {
                2
            } else {
                i64::from(x[[i, 0]] > 0.5)
            }
        })
        .collect();
    let labels = Labels::from(y.as_slice());
    for cover_classes in [true, false] {
        let settings = OrctSettings {
            cover_classes,
            n_starts: 4,
            ..OrctSettings::plain()
        };
        let model = fit(&x, &labels, &settings);
        let has_all = (0..3).all(|k| model.leaf_classes.contains(&k));
        assert!(has_all || !cover_classes);
        assert!(accuracy(&model, x.view(), &labels.codes) >= 0.9);
    }
    // As many classes as leaves: each leaf has its own.
    let y: Vec<i64> = (0..300).map(|i| i % 4).collect();
    let model = fit(
        &x,
        &Labels::from(y.as_slice()),
        &OrctSettings {
            n_starts: 2,
            max_iter: 20,
            ..OrctSettings::plain()
        },
    );
    let mut leaves = model.leaf_classes.clone();
    leaves.sort_unstable();
    assert_eq!(leaves, [0, 1, 2, 3]);
}

#[test]
fn more_starts_never_raise_the_objective() {
    let (x, leaves) = drawn_from_a_tree(5, 300, 5, 0.0);
    let labels = Labels::from(leaves.as_slice());
    let run = |n_starts| {
        fit(
            &x,
            &labels,
            &OrctSettings {
                n_starts,
                max_iter: 40,
                ..OrctSettings::plain()
            },
        )
        .report
    };
    let reports = [1, 2, 4, 8].map(run);
    for pair in reports.windows(2) {
        assert!(pair[1].objective <= pair[0].objective);
        let fewer = pair[0].start_objectives.len();
        assert_eq!(
            pair[1].start_objectives[..fewer],
            pair[0].start_objectives,
            "starts do not depend on how many"
        );
    }
}

#[test]
fn the_seed_decides() {
    let (x, leaves) = drawn_from_a_tree(6, 200, 3, 0.0);
    let labels = Labels::from(leaves.as_slice());
    let run = |random_state| {
        let settings = OrctSettings {
            run: RunSettings {
                random_state,
                ..RunSettings::default()
            },
            n_starts: 3,
            max_iter: 30,
            ..OrctSettings::plain()
        };
        fit(&x, &labels, &settings)
    };
    let (a, b, c) = (run(1), run(1), run(2));
    assert_eq!((&a.tree, &a.leaf_classes), (&b.tree, &b.leaf_classes));
    assert_ne!(a.tree, c.tree);
}

#[test]
fn out_of_time_there_is_still_a_model() {
    let (x, leaves) = drawn_from_a_tree(7, 2000, 5, 0.0);
    let labels = Labels::from(leaves.as_slice());
    for limit in [Duration::ZERO, Duration::from_millis(1)] {
        let settings = OrctSettings {
            depth: 5,
            n_starts: 50,
            run: RunSettings {
                time_limit: Some(limit),
                ..RunSettings::default()
            },
            ..OrctSettings::plain()
        };
        let model = fit(&x, &labels, &settings);
        assert_eq!(model.report.status, SolveStatus::TimeLimit);
        assert!(model.report.objective.is_finite());
        assert_eq!(model.predict(x.view()).unwrap().len(), 2000);
    }
    // An endless limit is none.
    let settings = OrctSettings {
        n_starts: 1,
        max_iter: 5,
        run: RunSettings {
            time_limit: Some(Duration::MAX),
            ..RunSettings::default()
        },
        ..OrctSettings::plain()
    };
    assert_ne!(
        fit(&x, &labels, &settings).report.status,
        SolveStatus::TimeLimit
    );
}

#[test]
fn a_raised_flag_ends_a_fit_that_would_take_hours() {
    let mut rng = Pcg64::new(8, 0);
    let x = uniform(&mut rng, 20_000, 10);
    let y: Vec<i64> = (0..20_000).map(|_| rng.random_range(0..8)).collect();
    let labels = Labels::from(y.as_slice());
    let settings = OrctSettings {
        depth: 6,
        n_starts: 10_000,
        max_iter: 1_000_000,
        tol: 0.0,
        ..OrctSettings::plain()
    };
    let control = Control::default();
    let (flag, progress) = (control.stop.clone(), control.progress.clone());
    let outcome = std::thread::scope(|scope| {
        let fit = scope.spawn(|| fit_orct(x.view(), &labels, None, &settings, &control));
        while progress.snapshot().iterations == 0 && !fit.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        flag.raise();
        fit.join().unwrap()
    });
    let model = outcome.expect("the best tree so far");
    assert_eq!(model.report.status, SolveStatus::Cancelled);
    assert!(model.report.start_objectives.len() < 10_000);
    assert_eq!(progress.snapshot().starts, 10_000);
    // A flag that was raised before there is a tree leaves none.
    let outcome = fit_orct(x.view(), &labels, None, &settings, &control);
    assert_eq!(outcome, Err(FitError::Cancelled));
}

#[test]
fn thresholds_among_many_features_are_found() {
    // Three classes by two thresholds on features 3 and 17 of 20, one of them rare.
    let mut rng = Pcg64::new(8, 8);
    let x = uniform(&mut rng, 1_500, 20);
    let y: Vec<i64> = x
        .rows()
        .into_iter()
        .map(|r| match (r[3] > 0.93, r[17] > 0.6) {
            (true, true) => 2,
            (true, false) => 1,
            _ => 0,
        })
        .collect();
    let settings = OrctSettings {
        gamma: Some(8192.0),
        n_starts: 2,
        ..OrctSettings::plain()
    };
    let labels = Labels::from(y.as_slice());
    let report = fit(&x, &labels, &settings).report;
    // The second start is the greedy one.
    assert!(report.start_objectives[1] < 0.002, "{report:?}");
}
