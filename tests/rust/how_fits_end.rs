//! What a fit tells of its end: statuses, notices, the best tree of a cancelled fit, progress.

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use softwood::data::{Labels, ScalingChoice};
use softwood::fitted::{FittedModel, Notice};
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, FitError, OrctCvSettings, OrctModel, OrctSettings, OrrtSettings, PenaltyGrid,
    ProgressSnapshot, RowSelection, RunSettings, SrtSettings, fit_orct, fit_orct_cv,
    fit_orct_selected, fit_orrt, fit_srt, sparsity_path,
};
use std::thread;
use std::time::Duration;

/// Two classes told apart by an oblique line, the second one rarer.
fn rows(n: usize) -> (Array2<f64>, Labels) {
    let mut rng = Pcg64::seed_from_u64(3);
    let x = Array2::from_shape_fn((n, 3), |_| rng.random_range(0.0..1.0));
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] + r[1] > 1.3).collect();
    (x, Labels::from(y.as_slice()))
}

fn noise(n: usize) -> (Array2<f64>, Labels, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(5);
    let x = Array2::from_shape_fn((n, 8), |_| rng.random_range(0.0..1.0));
    let y: Vec<i64> = (0..n).map(|_| rng.random_range(0..4)).collect();
    let response = (0..n).map(|_| rng.random_range(0.0..1.0)).collect();
    (x, Labels::from(y.as_slice()), response)
}

fn one_split() -> OrctSettings {
    OrctSettings {
        depth: 1,
        n_starts: 2,
        ..OrctSettings::plain()
    }
}

fn fit(x: &Array2<f64>, y: &Labels, settings: &OrctSettings) -> OrctModel {
    fit_orct(x.view(), y, None, settings, &Control::default()).expect("valid rows")
}

#[test]
fn a_good_tree_has_no_notices() {
    let (x, y) = rows(300);
    assert_eq!(fit(&x, &y, &one_split()).report.notices, []);
}

#[test]
fn penalties_that_empty_the_tree_are_told() {
    let (x, y) = rows(300);
    let penalty = PenaltySettings {
        local: Some(1e3),
        ..PenaltySettings::none()
    };
    let settings = OrctSettings {
        penalty,
        ..one_split()
    };
    let model = fit(&x, &y, &settings);
    assert_eq!(model.global_sparsity(), 100.0);
    assert_eq!(model.report.notices, [Notice::NoFeatures]);
    assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
}

#[test]
fn a_tree_of_one_class_is_told() {
    // Nothing to tell the classes by: the larger one is all there is to say.
    let x = Array2::from_elem((40, 2), 1.0);
    let y: Vec<bool> = (0..40).map(|i| i % 4 == 0).collect();
    let y = Labels::from(y.as_slice());
    let model = fit(&x, &y, &one_split());
    assert!(
        model
            .report
            .notices
            .contains(&Notice::OneClass { class: 0 })
    );
}

#[test]
fn leaves_that_no_row_reaches_are_told() {
    // Every class owns a leaf, also the third one, which nothing parts from the middle of the first.
    let (mut x, y) = rows(300);
    let mut codes: Vec<i64> = y.codes.iter().map(|code| i64::from(*code)).collect();
    for (i, code) in [0, 0, 0, 0, 2, 2].into_iter().enumerate() {
        x.row_mut(i).fill(0.3);
        codes[i] = code;
    }
    let y = Labels::from(codes.as_slice());
    let settings = OrctSettings {
        depth: 2,
        ..one_split()
    };
    let model = fit(&x, &y, &settings);
    let of = model.tree.shape.leaves().len();
    let reached = model.tree.leaf_probabilities(x.view()).unwrap();
    let empty: Vec<usize> = (0..of)
        .filter(|t| reached.iter().skip(*t).step_by(of).all(|p| *p < 0.01))
        .collect();
    assert!(!empty.is_empty());
    let told = Notice::EmptyLeaves { leaves: empty, of };
    assert!(model.report.notices.contains(&told));

    // Four leaves for two groups of rows.
    let x = Array2::from_shape_fn((60, 1), |(i, _)| f64::from(u8::from(i % 2 == 0)));
    let response: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
    let settings = SrtSettings::default();
    let tree = fit_srt(x.view(), &response, None, &settings, &Control::default()).unwrap();
    let leaves = tree.tree.leaf_indices(x.view()).unwrap();
    let empty: Vec<usize> = (0..4).filter(|t| !leaves.contains(&(*t as u32))).collect();
    assert!(empty.len() >= 2);
    assert!(tree.report.notices.contains(&Notice::EmptyLeaves {
        leaves: empty,
        of: 4,
    }));
}

#[test]
fn rates_missed_and_limits_are_told() {
    let (x, y, _) = noise(200);
    let settings = OrctSettings {
        depth: 2,
        min_class_rate: (0..4).map(|k| (k, 0.95)).collect(),
        ..one_split()
    };
    let model = fit(&x, &y, &settings);
    let missed = model
        .report
        .constraints
        .iter()
        .filter(|rate| !rate.feasible);
    let missed: Vec<Notice> = missed
        .map(|rate| Notice::RateMissed {
            class: rate.class.expect("a class"),
            asked: rate.asked,
            reached: rate.reached,
        })
        .collect();
    assert!(!missed.is_empty());
    assert_eq!(model.report.notices[..missed.len()], missed);

    let hasty = OrctSettings {
        depth: 2,
        max_iter: 1,
        tol: 0.0,
        ..one_split()
    };
    let status = SolveStatus::IterationLimit;
    let told = Notice::LimitReached { status };
    assert!(fit(&x, &y, &hasty).report.notices.contains(&told));
}

#[test]
fn a_selection_of_everything_is_told() {
    // On a circle no row is between others, and with a tolerance of 0 all are needed.
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / 40.0;
    let x = Array2::from_shape_fn((40, 2), |(i, j)| {
        if j == 0 {
            angle(i).cos()
        } else {
            angle(i).sin()
        }
    });
    let y: Vec<bool> = (0..40).map(|i| x[[i, 0]] + 0.3 * x[[i, 1]] > 0.0).collect();
    let y = Labels::from(y.as_slice());
    let selection = RowSelection {
        tolerance: 0.0,
        beta1: 0.99,
        beta2: 1e-3,
        ..RowSelection::default()
    };
    let control = Control::default();
    let settings = one_split();
    let model = fit_orct_selected(x.view(), &y, None, &settings, &selection, &control).unwrap();
    let told = model
        .report
        .notices
        .contains(&Notice::AllRowsSelected { rows: 40 });
    let all = model.report.selection.expect("a selection").rows == 40;
    assert!(all && told);
}

#[test]
fn a_regression_that_has_settled_is_converged_and_a_planned_end_is_no_limit() {
    let (x, _) = rows(400);
    let y: Vec<f64> = x.rows().into_iter().map(|r| (r[0] - r[1]).abs()).collect();
    let status = |macro_iterations, convergent_after| {
        let settings = SrtSettings {
            n_starts: 2,
            macro_iterations,
            convergent_after,
            ..SrtSettings::default()
        };
        let model = fit_srt(x.view(), &y, None, &settings, &Control::default()).unwrap();
        let limit = |n: &Notice| matches!(n, Notice::LimitReached { .. });
        (model.report.status, model.report.notices.iter().any(limit))
    };
    assert_eq!(status(200, None), (SolveStatus::Converged, false));
    assert_eq!(status(1, None), (SolveStatus::Completed, false));
    assert_eq!(status(2, Some(0)), (SolveStatus::IterationLimit, true));
}

/// Cancels `work` once `ready`.
fn cancel<T: Send>(
    ready: impl Fn(ProgressSnapshot) -> bool,
    work: impl FnOnce(&Control) -> T + Send,
) -> T {
    let control = Control::default();
    thread::scope(|scope| {
        let worker = control.clone();
        let work = scope.spawn(move || work(&worker));
        while !ready(control.progress.snapshot()) {
            assert!(!work.is_finished(), "it was to take longer");
            thread::sleep(Duration::from_millis(2));
        }
        control.stop.raise();
        work.join().unwrap()
    })
}

#[test]
fn a_cancelled_fit_keeps_the_best_of_its_starts() {
    let (x, y, response) = noise(4000);
    let settings = OrctSettings {
        depth: 4,
        n_starts: 10_000,
        ..OrctSettings::plain()
    };
    let some_done = |now: ProgressSnapshot| now.starts_done >= 3;
    let model = cancel(some_done, |control| {
        fit_orct(x.view(), &y, None, &settings, control)
    });
    let report = model.expect("the best so far").report;
    assert_eq!(report.status, SolveStatus::Cancelled);
    assert!((3..10_000).contains(&report.start_objectives.len()));
    let least = report.start_objectives.iter().copied().fold(1.0, f64::min);
    assert_eq!(report.objective, least);
    assert_eq!(report.notices, []);

    let regression = SrtSettings {
        depth: 3,
        n_starts: 10_000,
        ..SrtSettings::default()
    };
    let iterating = |now: ProgressSnapshot| now.iterations > 2_000;
    let tree = cancel(iterating, |control| {
        fit_srt(x.view(), &response, None, &regression, control)
    });
    let tree = tree.expect("the best so far");
    assert_eq!(tree.report.status, SolveStatus::Cancelled);
    assert!(tree.report.objective.is_finite());
    assert_eq!(
        softwood::SrtModel::from_json(&tree.to_json()).unwrap(),
        tree
    );
}

#[test]
fn a_cancelled_choice_of_settings_has_no_tree_and_a_cancelled_selection_has() {
    let (x, y, _) = noise(20_000);
    let settings = OrctSettings {
        depth: 2,
        n_starts: 3,
        cover_classes: false,
        ..OrctSettings::plain()
    };
    let cv = OrctCvSettings {
        fit: settings.clone(),
        ..OrctCvSettings::default()
    };
    let begun = |now: ProgressSnapshot| now.iterations > 0;
    let outcome = cancel(begun, |control| {
        fit_orct_cv(x.view(), &y, None, &cv, control)
    });
    assert_eq!(outcome, Err(FitError::Cancelled));
    let selection = RowSelection::default();
    let second_round = |now: ProgressSnapshot| now.starts_done >= 3;
    let model = cancel(second_round, |control| {
        fit_orct_selected(x.view(), &y, None, &settings, &selection, control)
    });
    assert_eq!(model.unwrap().report.status, SolveStatus::Cancelled);
}

/// The total that was announced when work began, and the counters at the end.
fn watched(work: impl FnOnce(&Control) + Send) -> (Vec<usize>, ProgressSnapshot) {
    let control = Control::default();
    let totals = thread::scope(|scope| {
        let worker = control.clone();
        let work = scope.spawn(move || work(&worker));
        let mut totals = Vec::new();
        while !work.is_finished() {
            let total = control.progress.snapshot().starts;
            if total > 0 && totals.last() != Some(&total) {
                totals.push(total);
            }
            thread::sleep(Duration::from_micros(200));
        }
        totals
    });
    (totals, control.progress.snapshot())
}

#[test]
fn the_total_of_starts_is_announced_at_once() {
    let (x, y) = rows(400);
    let auto = OrctSettings {
        scaling: ScalingChoice::Auto,
        ..one_split()
    };
    let check = |name: &str, expected: usize, work: &(dyn Fn(&Control) + Sync)| {
        let (totals, last) = watched(work);
        assert!(totals.len() <= 1, "{name}: {totals:?}");
        assert_eq!(
            (last.starts_done, last.starts),
            (expected, expected),
            "{name}"
        );
    };
    // Two scalings on five folds, folded twice, two starts each, then two more.
    check("auto", 42, &|control| {
        fit_orct(x.view(), &y, None, &auto, control).unwrap();
    });
    let selection = RowSelection::default();
    check("selected", 48, &|control| {
        fit_orct_selected(x.view(), &y, None, &auto, &selection, control).unwrap();
    });
    let grid = PenaltyGrid {
        local: vec![0.0, 1e-3, 1e-2],
        global: vec![0.0, 1e-3],
    };
    check("path", 12, &|control| {
        sparsity_path(x.view(), &y, None, &grid, None, &one_split(), control).unwrap();
    });
    let cv = OrctCvSettings {
        fit: one_split(),
        depths: vec![1, 2],
        gammas: vec![32.0, 512.0],
        local_grid: vec![0.0, 0.1, 0.2],
        ..OrctCvSettings::default()
    };
    // Three foldings of five folds; two scalings, at depth 1 and 2: two fresh starts, two (and at depth
    // 2 a greedy one) at the sharper γ, two for each of four larger penalties.
    check("cv", 15 * 2 * (12 + 13) + 2, &|control| {
        fit_orct_cv(x.view(), &y, None, &cv, control).unwrap();
    });
    let y: Vec<f64> = x.column(0).to_vec();
    let settings = SrtSettings {
        n_starts: 3,
        ..SrtSettings::default()
    };
    check("srt", 3, &|control| {
        fit_srt(x.view(), &y, None, &settings, control).unwrap();
    });
}

/// Rows whose first column is all there is to know of the response.
fn one_column_of(rows: usize, columns: usize) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::seed_from_u64(7);
    let x = Array2::from_shape_fn((rows, columns), |_| rng.random_range(0.0..1.0));
    let y = x.column(0).to_vec();
    (x, y)
}

fn no_time() -> RunSettings {
    RunSettings {
        time_limit: Some(Duration::ZERO),
        ..RunSettings::default()
    }
}

/// What a soft regression tree predicts that had no time at all.
fn srt_at_once(x: &Array2<f64>, y: &[f64], depth: usize) -> Vec<f64> {
    let settings = SrtSettings {
        depth,
        run: no_time(),
        ..SrtSettings::default()
    };
    let model = fit_srt(x.view(), y, None, &settings, &Control::default()).unwrap();
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    model.predict(x.view()).unwrap()
}

/// What a mixture of linear models does.
fn orrt_at_once(x: &Array2<f64>, y: &[f64]) -> Vec<f64> {
    let settings = OrrtSettings {
        depth: 1,
        run: no_time(),
        ..OrrtSettings::default()
    };
    let model = fit_orrt(x.view(), y, None, &[], &settings, &Control::default()).unwrap();
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    model.predict(x.view()).unwrap()
}

#[test]
fn without_time_no_regression_is_made_that_takes_any() {
    let (x, y) = one_column_of(1500, 900);
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    for predicted in [srt_at_once(&x, &y, 1), orrt_at_once(&x, &y)] {
        assert!(predicted.iter().all(|p| (p - mean).abs() < 1e-9));
    }
    // One for all rows takes no time here, one for each of 4,096 leaves does.
    let (x, y) = one_column_of(40_000, 3);
    let predicted = srt_at_once(&x, &y, 12);
    assert!(predicted.iter().zip(&y).all(|(p, y)| (p - y).abs() < 1e-3));
}

#[test]
fn regressions_that_take_no_time_are_made_without_any() {
    // Of few rows those of thousands of columns are among them.
    for (rows, columns) in [(300, 3), (12, 2000)] {
        let (x, y) = one_column_of(rows, columns);
        for predicted in [srt_at_once(&x, &y, 1), orrt_at_once(&x, &y)] {
            let squares = |center: &dyn Fn(usize) -> f64| -> f64 {
                (0..rows).map(|i| (y[i] - center(i)).powi(2)).sum()
            };
            let mean = y.iter().sum::<f64>() / rows as f64;
            assert!(
                squares(&|i| predicted[i]) < 0.9 * squares(&|_| mean),
                "{columns} columns"
            );
        }
    }
}
