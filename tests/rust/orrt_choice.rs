//! Randomized regression trees with settings chosen on folds, along paths of penalties, and at their ends.

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::ScalingKind;
use softwood::fitted::{CvTable, ResponseScoring};
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, FitError, FittedModel, HeldRows, OrrtCvSettings, OrrtModel, OrrtSettings, PenaltyGrid,
    RunSettings, fit_orrt, fit_orrt_cv, orrt_lambda_max, orrt_sparsity_path,
};
use std::time::Duration;

/// Rows uniform in [−1, 1]^p and a response that is linear on either side of a plane, with some noise.
fn halves(rows: usize, features: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(u128::from(seed), 0);
    let x: Array2<f64> =
        Array2::from_shape_simple_fn((rows, features), || rng.random_range(-1.0..1.0));
    let response = |r: ndarray::ArrayView1<'_, f64>| {
        let side = r[0] + 0.3 * r[1 % features];
        if side > 0.0 { 2.0 * side } else { -side }
    };
    let y: Vec<f64> = x.rows().into_iter().map(response).collect();
    let y = y.iter().map(|y| y + 0.1 * rng.random_range(-1.0..1.0));
    (x.clone(), y.collect())
}

fn few_starts(threads: usize) -> OrrtSettings {
    OrrtSettings {
        gamma: Some(128.0),
        n_starts: 2,
        run: RunSettings {
            n_threads: Some(threads),
            ..RunSettings::default()
        },
        ..OrrtSettings::default()
    }
}

fn choices() -> OrrtCvSettings {
    OrrtCvSettings {
        fit: few_starts(2),
        depths: vec![1, 2],
        gammas: vec![512.0, 8.0],
        local_grid: vec![0.0, 0.1],
        scalings: vec![ScalingKind::MinMax, ScalingKind::Quantile],
        folds: 3,
        ..OrrtCvSettings::default()
    }
}

fn chosen(settings: &OrrtCvSettings) -> (OrrtModel, CvTable) {
    let (x, y) = halves(150, 3, 1);
    let model = fit_orrt_cv(x.view(), &y, None, &[], settings, &Control::default()).unwrap();
    let table = model.report.cross_validation.clone().unwrap();
    (model, table)
}

#[test]
fn a_good_candidate_is_taken_on_any_number_of_threads_and_survives_a_file() {
    let (two, table) = chosen(&choices());
    assert_eq!(table.candidates.len(), 16);
    let best = &table.candidates[table.chosen];
    assert!(best.score > 0.9, "{table:?}");
    let most = table.candidates.iter().filter(|c| c.folds == best.folds);
    assert!(most.map(|c| c.score).fold(f64::NEG_INFINITY, f64::max) <= best.score);
    let (mut one, _) = chosen(&OrrtCvSettings {
        fit: few_starts(1),
        ..choices()
    });
    one.report.seconds = two.report.seconds;
    assert_eq!(one, two);
    assert_eq!(OrrtModel::from_json(&one.to_json()).unwrap(), one);
}

#[test]
fn the_fit_after_the_choice_is_that_with_the_chosen_settings() {
    let settings = OrrtCvSettings {
        depths: vec![1],
        gammas: vec![32.0],
        scalings: vec![ScalingKind::Quantile],
        ridges: vec![Some(1e-3)],
        local_grid: vec![0.2],
        scoring: ResponseScoring::Mae,
        ..choices()
    };
    let (model, table) = chosen(&settings);
    assert_eq!(table.candidates.len(), 1);
    let (x, y) = halves(150, 3, 1);
    let alone = OrrtSettings {
        depth: 1,
        gamma: Some(32.0),
        scaling: ScalingKind::Quantile,
        ridge_leaves: Some(1e-3),
        penalty: PenaltySettings {
            local: Some(0.2 / 9.0),
            ..PenaltySettings::none()
        },
        ..few_starts(2)
    };
    let same = fit_orrt(x.view(), &y, None, &[], &alone, &Control::default()).unwrap();
    assert_eq!(model.tree.coefficients, same.tree.coefficients);
    assert_eq!(model.leaf_slopes, same.leaf_slopes);
}

#[test]
fn extreme_choices_are_made_or_refused() {
    let run = |n: usize, features: usize, weights: Option<&[f64]>| {
        let (x, y) = halves(n, features, 2);
        fit_orrt_cv(x.view(), &y, weights, &[], &choices(), &Control::default())
    };
    for (n, features) in [(2, 2), (8, 30), (5, 1)] {
        assert!(run(n, features, None).unwrap().report.objective.is_finite());
    }
    let tiny = vec![1e-307; 20];
    assert!(
        run(20, 2, Some(&tiny))
            .unwrap()
            .report
            .objective
            .is_finite()
    );
    let (x, _) = halves(30, 2, 2);
    let constant = vec![2.5; 30];
    let control = Control::default();
    let model = fit_orrt_cv(x.view(), &constant, None, &[], &choices(), &control).unwrap();
    assert_eq!(model.predict(x.view()).unwrap(), constant);
    let refused = |settings: OrrtCvSettings| {
        let fitted = fit_orrt_cv(x.view(), &constant, None, &[], &settings, &control);
        fitted.unwrap_err().to_string()
    };
    let empty = |name: &str| {
        let mut settings = choices();
        match name {
            "depths" => settings.depths.clear(),
            "gammas" => settings.gammas.clear(),
            "ridges" => settings.ridges.clear(),
            _ => settings.local_grid = vec![0.1, 0.0],
        }
        settings
    };
    for name in ["depths", "gammas", "ridges", "local_grid"] {
        assert!(refused(empty(name)).contains(name), "{name}");
    }
}

#[test]
fn a_choice_ends_in_time_or_when_it_is_cancelled() {
    let (x, y) = halves(4000, 10, 3);
    let mut settings = choices();
    settings.depths = vec![3];
    settings.fit.run.time_limit = Some(Duration::from_millis(50));
    let control = Control::default();
    let model = fit_orrt_cv(x.view(), &y, None, &[], &settings, &control).unwrap();
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    assert!(model.report.cross_validation.unwrap().cut_short);
    control.stop.raise();
    let cancelled = fit_orrt_cv(x.view(), &y, None, &[], &choices(), &control);
    assert_eq!(cancelled.unwrap_err(), FitError::Cancelled);
}

#[test]
fn a_path_leads_from_all_features_to_none() {
    let (x, y) = halves(300, 6, 4);
    let (held, truth) = halves(300, 6, 5);
    let control = Control::default();
    let settings = OrrtSettings {
        depth: 1,
        ..few_starts(2)
    };
    let kind = ScalingKind::MinMax;
    let max = orrt_lambda_max(x.view(), &y, None, kind, &settings, &control).unwrap();
    let grid = PenaltyGrid {
        local: vec![0.0, 1e-3, 10.0],
        global: vec![0.0, 0.1, 0.4, 50.0]
            .into_iter()
            .map(|share| share * max.global)
            .collect(),
    };
    let validation = HeldRows {
        rows: held.view().into(),
        y: &truth,
    };
    let walk = |threads: usize| {
        let settings = OrrtSettings {
            depth: 1,
            ..few_starts(threads)
        };
        let validation = Some(&validation);
        orrt_sparsity_path(x.view(), &y, None, &grid, validation, &settings, &control).unwrap()
    };
    let path = walk(2);
    assert_eq!(
        (path.points.len(), path.status),
        (12, SolveStatus::Converged)
    );
    let at = |l: usize, g: usize| &path.points[3 * g + l];
    let global = |l, g| at(l, g).model.global_sparsity();
    assert_eq!(
        [global(0, 0), global(0, 3), global(2, 0)],
        [0.0, 100.0, 100.0]
    );
    // Four of the six features are noise.
    assert!((20.0..=66.67).contains(&global(0, 1)), "{}", global(0, 1));
    assert_eq!(global(0, 2), 100.0 * 4.0 / 6.0);
    assert!(at(1, 0).model.local_sparsity() > 0.0);
    assert!(at(0, 0).score.unwrap() > 0.95 && at(0, 1).score.unwrap() > 0.9);
    assert!(at(2, 3).score.unwrap().abs() < 0.05);
    let mean = y.iter().sum::<f64>() / 300.0;
    let empty = at(2, 3).model.predict(held.view()).unwrap();
    assert!(empty.iter().all(|p| (p - mean).abs() < 1e-6));
    let again = walk(1);
    for (a, b) in path.points.iter().zip(&again.points) {
        assert_eq!(a.model.leaf_slopes, b.model.leaf_slopes);
    }
    let stopped = Control::default();
    stopped.stop.raise();
    let none = orrt_sparsity_path(x.view(), &y, None, &grid, None, &settings, &stopped).unwrap();
    assert_eq!(
        (none.points.len(), none.status),
        (0, SolveStatus::Cancelled)
    );
}

/// Where leaves weigh more than splits, which steep ones hardly need, penalties empty the leaves first.
#[test]
fn larger_penalties_leave_fewer_coefficients() {
    let (x, y) = halves(400, 8, 6);
    let sparsity = |local: f64, gamma: f64| {
        let settings = OrrtSettings {
            depth: 1,
            gamma: Some(gamma),
            penalty: PenaltySettings {
                local: Some(local),
                ..PenaltySettings::none()
            },
            ..few_starts(2)
        };
        let model = fit_orrt(x.view(), &y, None, &[], &settings, &Control::default()).unwrap();
        let zeros = model.leaf_slopes.iter().filter(|b| **b == 0.0).count();
        (model.local_sparsity(), zeros)
    };
    assert_eq!(sparsity(0.0, 512.0), (0.0, 0));
    // Of twelve leaf coefficients of noise most are gone.
    let (steep, zeros) = sparsity(1e-2, 512.0);
    assert!(steep > 30.0 && zeros >= 10, "{steep} {zeros}");
    assert!(sparsity(1e-2, 32.0).0 > 30.0);
}

/// Penalties leave many kinks, at each of which a step may end early.
#[test]
fn penalized_fits_end_near_their_minimum() {
    for seed in [4, 5, 6, 7] {
        let (x, y) = halves(300, 6, seed);
        let objective = |global: f64, tol: f64| {
            let settings = OrrtSettings {
                depth: 1,
                penalty: PenaltySettings {
                    global,
                    ..PenaltySettings::none()
                },
                tol,
                ..few_starts(2)
            };
            let model = fit_orrt(x.view(), &y, None, &[], &settings, &Control::default());
            model.unwrap().report.objective
        };
        for global in [0.03, 0.12] {
            let (usual, patient) = (objective(global, 1e-3), objective(global, 1e-8));
            assert!(usual < 1.01 * patient, "{usual}, {patient}");
        }
    }
}

#[test]
fn open_steepness_is_chosen_on_folds() {
    let (x, y) = halves(300, 3, 6);
    let fit = |gamma: Option<f64>| {
        let settings = OrrtSettings {
            depth: 1,
            gamma,
            ..few_starts(1)
        };
        fit_orrt(x.view(), &y, None, &[], &settings, &Control::default()).unwrap()
    };
    let model = fit(None);
    let table = model.report.cross_validation.as_ref().unwrap();
    assert_eq!(
        table.candidates.len(),
        OrrtCvSettings::default().gammas.len()
    );
    let best = table.candidates.iter().map(|c| c.score);
    assert_eq!(
        best.fold(f64::NEG_INFINITY, f64::max),
        table.candidates[table.chosen].score
    );
    let same = fit(Some(model.tree.gamma));
    assert_eq!(
        (&model.tree.coefficients, &model.leaf_slopes),
        (&same.tree.coefficients, &same.leaf_slopes)
    );
    assert_eq!(same.report.cross_validation, None);
}
