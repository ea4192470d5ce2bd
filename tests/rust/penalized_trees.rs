//! Penalized and constrained trees: exact zeros, monotone descent, λ_max, paths, class rates.

use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{
    Classes, ClassificationRows, Labels, Parallelism, ScaledRows, Scaling, ScalingKind,
};
use softwood::fitted::{ClassScoring, CvCandidate, Scoring, TriedSettings};
use softwood::objective::{ExpectedCost, PenaltySettings, PenaltyShape};
use softwood::solver::Objective;
use softwood::status::SolveStatus;
use softwood::stop::Stop;
use softwood::tree::Topology;
use softwood::{
    Control, CvRule, FitError, FittedModel, LambdaMax, OrctCvSettings, OrctModel, OrctSettings,
    PenaltyGrid, RunSettings, ValidationRows, fit_orct, fit_orct_cv, lambda_max, sparsity_path,
};
use std::time::Duration;

/// Rows of which two features out of `features` tell the class, most of the time.
fn noisy_rows(seed: u64, n: usize, features: usize) -> (Array2<f64>, Labels) {
    let mut rng = Pcg64::new(u128::from(seed), 11);
    let x = Array2::from_shape_simple_fn((n, features), || rng.random_range(0.0..1.0));
    let y: Vec<i64> = x
        .rows()
        .into_iter()
        .map(|r| i64::from((r[0] + r[1] > 1.1) != (rng.random_range(0.0..1.0) < 0.1)))
        .collect();
    (x, Labels::from(y.as_slice()))
}

fn settings(penalty: PenaltySettings) -> OrctSettings {
    OrctSettings {
        penalty,
        n_starts: 4,
        ..OrctSettings::plain()
    }
}

fn fit(x: &Array2<f64>, y: &Labels, settings: &OrctSettings) -> OrctModel {
    fit_orct(x.view(), y, None, settings, &Control::default()).unwrap()
}

fn largest_penalties(x: &Array2<f64>, y: &Labels, settings: &OrctSettings) -> LambdaMax {
    let (kind, control) = (ScalingKind::MinMax, Control::default());
    lambda_max(x.view(), y, None, kind, settings, &control).unwrap()
}

const SHAPES: [PenaltyShape; 5] = [
    PenaltyShape::Norm,
    PenaltyShape::Exp { alpha: 5.0 },
    PenaltyShape::Power {
        q: 0.5,
        epsilon: 0.01,
    },
    PenaltyShape::Inverse {
        q: 1.0,
        epsilon: 0.1,
    },
    PenaltyShape::Log { epsilon: 0.01 },
];

/// λ_L Σ φ(|a_jt|) + λ_G Σ_j φ(max_t |a_jt|), written out, φ counted from φ(0): splits left out cost nothing.
fn penalty_by_hand(model: &OrctModel, penalty: &PenaltySettings) -> f64 {
    let p = model.tree.features();
    let a = &model.tree.coefficients;
    let local: f64 = a.iter().map(|a| penalty.shape.rise(a.abs())).sum();
    let global: f64 = (0..p)
        .map(|j| {
            a.iter()
                .skip(j)
                .step_by(p)
                .fold(0.0f64, |m, a| m.max(a.abs()))
        })
        .map(|u| penalty.shape.rise(u))
        .sum();
    penalty.local.unwrap() * local + penalty.global * global
}

#[test]
fn the_largest_penalty_is_not_looked_for_once_cancelled() {
    let (x, y) = noisy_rows(1, 300, 8);
    let control = Control::default();
    control.stop.raise();
    for kind in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let settings = OrctSettings::plain();
        let max = lambda_max(x.view(), &y, None, kind, &settings, &control);
        assert_eq!(max, Err(FitError::Cancelled));
    }
}

#[test]
fn every_shape_gives_exact_zeros_and_the_objective_it_reports() {
    let (x, y) = noisy_rows(1, 300, 8);
    for shape in SHAPES {
        for (to_local, to_global) in [(1.0, 0.0), (0.0, 3.0), (1.0, 1.0)] {
            // In each shape's own units, from hardly felt to nothing left.
            let clean = [0.01, 0.02, 0.03, 0.04, 0.06, 0.1].map(|strength| {
                let strength = strength / shape.slope(0.05);
                let penalty = PenaltySettings {
                    local: Some(to_local * strength),
                    global: to_global * strength,
                    shape,
                    groups: None,
                    share: None,
                };
                let model = fit(&x, &y, &settings(penalty.clone()));
                let by_hand = model.report.loss + penalty_by_hand(&model, &penalty);
                let difference = model.report.objective - by_hand;
                assert!(difference.abs() < 1e-12, "{shape:?}: {difference}");
                let right = model.predict(x.view()).unwrap();
                let right = right.iter().zip(&y.codes).filter(|(a, b)| a == b).count();
                right > 255 && model.global_sparsity() >= 60.0
            });
            assert!(clean.contains(&true), "{shape:?} {to_local} {to_global}");
        }
    }
}

#[test]
fn more_penalty_never_lowers_the_least_objective() {
    let (x, y) = noisy_rows(2, 200, 5);
    for shape in [SHAPES[0], SHAPES[1]] {
        let objective = |local: f64| {
            let penalty = PenaltySettings {
                local: Some(local),
                shape,
                ..PenaltySettings::none()
            };
            fit(&x, &y, &settings(penalty)).report.objective
        };
        let objectives: Vec<f64> = [1e-4, 1e-3, 1e-2, 1e-1].map(objective).to_vec();
        assert!(
            objectives.windows(2).all(|w| w[0] <= w[1]),
            "{objectives:?}"
        );
    }
}

#[test]
fn groups_leave_the_tree_as_a_whole() {
    let (x, y) = noisy_rows(3, 300, 6);
    let clean = [0.05, 0.1, 0.2, 0.4].map(|global| {
        let penalty = PenaltySettings {
            global,
            groups: Some(vec![4, 4, 9, 9, 7, 7]),
            ..PenaltySettings::none()
        };
        let model = fit(&x, &y, &settings(penalty));
        let mut columns = (0..6).map(|j| model.tree.coefficients.iter().skip(j).step_by(6));
        let used: Vec<bool> = columns.by_ref().map(|mut c| c.any(|a| *a != 0.0)).collect();
        // ℓ∞ ties the members of a group: both or neither.
        assert!(
            used.chunks_exact(2).all(|pair| pair[0] == pair[1]),
            "{used:?}"
        );
        used == [true, true, false, false, false, false]
    });
    assert!(clean.contains(&true));
}

/// ∇_a of the cost at a = 0 for random intercepts and labels never exceeds λ_max, and comes close.
#[test]
fn lambda_max_bounds_the_gradient_at_zero() {
    let (x, y) = noisy_rows(4, 150, 3);
    for depth in [1, 2, 3] {
        let base = OrctSettings {
            depth,
            gamma: Some(20.0),
            ..OrctSettings::plain()
        };
        let max = largest_penalties(&x, &y, &base);
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let scaled = ScaledRows::new(x.view().into(), &scaling).shared();
        let topology = Topology::complete(depth);
        let (b, leaves) = (topology.branches(), topology.leaves());
        let mut rng = Pcg64::new(9, 9);
        let (mut largest, mut largest_sum) = (0.0f64, 0.0f64);
        for _ in 0..3000 {
            let labels: Vec<u32> = (0..leaves).map(|_| rng.random_range(0..2)).collect();
            let (classes, alone) = (Classes::new(&y.codes, 2), Parallelism::None);
            let data =
                ClassificationRows::new(scaled.clone(), classes, None, alone, Stop::default());
            let cost =
                ExpectedCost::new(data, topology.clone(), 20.0, &[0.0, 0.5, 0.5, 0.0], labels);
            let mut theta = vec![0.0; b * 4];
            for mu in &mut theta[b * 3..] {
                *mu = rng.random_range(-0.3..0.3);
            }
            let mut gradient = vec![0.0; theta.len()];
            cost.value_and_gradient(&theta, &mut gradient).unwrap();
            for j in 0..3 {
                let at = |t: usize| gradient[t * 3 + j].abs();
                largest = (0..b).map(at).fold(largest, f64::max);
                largest_sum = largest_sum.max((0..b).map(at).sum());
            }
        }
        assert!(largest <= max.local * (1.0 + 1e-12));
        assert!(largest >= 0.9 * max.local, "{largest} of {}", max.local);
        assert!(largest_sum <= max.global * (1.0 + 1e-12));
        assert!(
            largest_sum >= 0.7 * max.global,
            "{largest_sum} of {}",
            max.global
        );
        assert_eq!(max.at_bounds.is_some(), depth == 1);
    }
}

#[test]
fn beyond_lambda_max_no_feature_is_used() {
    let (x, y) = noisy_rows(5, 150, 4);
    for shape in [SHAPES[0], SHAPES[1]] {
        let base = settings(PenaltySettings {
            shape,
            ..PenaltySettings::none()
        });
        let max = largest_penalties(&x, &y, &base);
        for (local, global) in [(max.local, 0.0), (0.0, max.global)] {
            let penalty = PenaltySettings {
                local: Some(local),
                global,
                shape,
                groups: None,
                share: None,
            };
            assert_eq!(fit(&x, &y, &settings(penalty)).local_sparsity(), 100.0);
        }
    }
}

#[test]
fn a_path_goes_from_dense_to_sparse_and_is_scored() {
    let (x, y) = noisy_rows(6, 300, 6);
    let (held, held_y) = noisy_rows(7, 200, 6);
    let base = settings(PenaltySettings::none());
    let grid = PenaltyGrid::full(2, 6);
    assert_eq!((grid.local.len(), grid.global[16]), (17, 8.0 / 6.0));
    let grid = PenaltyGrid {
        global: grid.global[..9].to_vec(),
        ..grid
    };
    let validation = ValidationRows {
        rows: held.view().into(),
        codes: &held_y.codes,
    };
    let control = Control::default();
    let path = sparsity_path(
        x.view(),
        &y,
        None,
        &grid,
        Some(&validation),
        &base,
        &control,
    )
    .unwrap();
    assert_eq!(
        (path.points.len(), path.status),
        (17 * 9, SolveStatus::Converged)
    );
    for (at, point) in path.points.iter().enumerate() {
        assert_eq!((point.global, point.local), (at / 17, at % 17));
        assert_eq!(point.model.report.start_objectives.len(), 4);
        let predicted = point.model.predict(held.view()).unwrap();
        let right = predicted.iter().zip(&held_y.codes).filter(|(a, b)| a == b);
        assert_eq!(point.score, Some(right.count() as f64 / 200.0));
    }
    let used = |point: &softwood::PathPoint<softwood::OrctModel>| {
        let coefficients = point.model.tree.coefficients.iter();
        coefficients.filter(|a| **a != 0.0).count()
    };
    let first_row: Vec<usize> = path.points[..17].iter().map(used).collect();
    assert!(path.points[0].model.local_sparsity() < 20.0);
    assert!(first_row[16] * 5 < 3 * x.ncols(), "{first_row:?}");
    let objectives: Vec<f64> = path.points[..17]
        .iter()
        .map(|p| p.model.report.objective)
        .collect();
    // Warm starts may end in other optima, but the path as a whole climbs.
    assert!(objectives[16] > 2.0 * objectives[0]);
    // A start that stayed where it was would pay its old coefficients at the new price.
    for pair in path.points[..17].windows(2) {
        let (before, now) = (&pair[0].model, &pair[1].model);
        let price = grid.local[pair[1].local];
        let a = before.tree.coefficients.iter().map(|a| a.abs());
        let unmoved = before.report.loss + price * a.sum::<f64>();
        assert!(now.report.objective <= unmoved + 1e-12);
        assert!(before.local_sparsity() == 100.0 || now.report.objective < unmoved);
    }
}

#[test]
fn a_path_out_of_time_keeps_what_it_has() {
    let (x, y) = noisy_rows(8, 2000, 6);
    let base = OrctSettings {
        depth: 3,
        run: RunSettings {
            time_limit: Some(Duration::from_millis(300)),
            n_threads: Some(1),
            ..RunSettings::default()
        },
        ..settings(PenaltySettings::none())
    };
    let grid = PenaltyGrid::full(3, 6);
    let path = sparsity_path(x.view(), &y, None, &grid, None, &base, &Control::default()).unwrap();
    assert_eq!(path.status, SolveStatus::TimeLimit);
    assert!(
        (1..17 * 17).contains(&path.points.len()),
        "{}",
        path.points.len()
    );
}

#[test]
fn a_cancelled_path_keeps_what_it_has() {
    let (x, y) = noisy_rows(8, 100, 3);
    let control = Control::default();
    control.stop.raise();
    let grid = PenaltyGrid::full(1, 3);
    let base = settings(PenaltySettings::none());
    let path = sparsity_path(x.view(), &y, None, &grid, None, &base, &control).unwrap();
    assert_eq!(
        (path.status, path.points.len()),
        (SolveStatus::Cancelled, 0)
    );
}

/// Expected share of class k's rows that the model predicts as k, by its own probabilities.
fn expected_rate(model: &OrctModel, x: &Array2<f64>, y: &Labels, k: usize) -> f64 {
    let probabilities = model.label_probabilities(x.view()).unwrap();
    let classes = y.classes.len();
    let of_class: Vec<f64> = probabilities
        .chunks_exact(classes)
        .zip(&y.codes)
        .filter(|(_, code)| **code as usize == k)
        .map(|(row, _)| row[k])
        .collect();
    of_class.iter().sum::<f64>() / of_class.len() as f64
}

#[test]
fn class_rates_are_met_at_a_price_below_that_of_giving_in() {
    let (x, y) = noisy_rows(10, 400, 4);
    let free = fit(&x, &y, &settings(PenaltySettings::none()));
    let rate = expected_rate(&free, &x, &y, 1);
    let mut priced = 0;
    for asked in [rate + 0.02, 0.93] {
        for local in [0.0, 1e-3] {
            let penalty = PenaltySettings {
                local: Some(local),
                ..PenaltySettings::none()
            };
            let model = fit(
                &x,
                &y,
                &OrctSettings {
                    min_class_rate: vec![(1, asked)],
                    ..settings(penalty)
                },
            );
            let [constraint] = &model.report.constraints[..] else {
                panic!("one bound, {} told", model.report.constraints.len())
            };
            let reached = expected_rate(&model, &x, &y, 1);
            assert!((constraint.reached - reached).abs() < 1e-9);
            assert!(
                constraint.feasible && reached >= asked - 1e-3,
                "{reached} of {asked}"
            );
            // Complementary slackness: a bound with room to spare has no price.
            assert!(constraint.multiplier > 0.0 || reached > asked);
            priced += usize::from(constraint.multiplier > 0.0);
            // Predicting class 1 everywhere meets any bound: the price stays below that.
            let everything = y.codes.iter().filter(|c| **c == 0).count() as f64 / 800.0;
            assert!(model.report.loss < 0.9 * everything);
        }
    }
    assert!(priced > 0, "at least one of these bounds binds");
}

#[test]
fn a_bound_that_holds_anyway_changes_nothing_much() {
    let (x, y) = noisy_rows(11, 300, 4);
    let free = fit(&x, &y, &settings(PenaltySettings::none()));
    let bounded = fit(
        &x,
        &y,
        &OrctSettings {
            min_class_rate: vec![(0, 0.1), (1, 0.1)],
            ..settings(PenaltySettings::none())
        },
    );
    assert!((free.report.loss - bounded.report.loss).abs() < 0.01);
    for constraint in &bounded.report.constraints {
        assert!(constraint.feasible && constraint.multiplier == 0.0);
    }
}

#[test]
fn rates_that_cannot_hold_together_are_told() {
    // Classes without any difference: what one gains the other loses.
    let mut rng = Pcg64::new(3, 3);
    let x = Array2::from_shape_simple_fn((400, 2), || f64::from(rng.random_range(0..2u8)));
    let y: Vec<i64> = (0..400).map(|_| rng.random_range(0..2)).collect();
    let model = fit(
        &x,
        &Labels::from(y.as_slice()),
        &OrctSettings {
            min_class_rate: vec![(0, 0.9), (1, 0.9)],
            ..settings(PenaltySettings::none())
        },
    );
    assert_eq!(model.report.status, SolveStatus::Infeasible);
    let reached: f64 = model.report.constraints.iter().map(|c| c.reached).sum();
    assert!(reached < 1.2, "rates of a coin sum to about 1");
    assert!(model.report.constraints.iter().any(|c| !c.feasible));
    let file = model.to_json();
    assert_eq!(OrctModel::from_json(&file).unwrap(), model);
}

#[test]
fn cross_validation_finds_what_generalizes() {
    let (x, y) = noisy_rows(12, 250, 16);
    let choices = OrctCvSettings {
        fit: OrctSettings {
            n_starts: 4,
            ..OrctSettings::plain()
        },
        depths: vec![1, 2],
        gammas: vec![512.0],
        local_grid: vec![0.0, 0.1],
        ..OrctCvSettings::default()
    };
    let run = |threads: usize, rule: CvRule| {
        let choices = OrctCvSettings {
            fit: OrctSettings {
                run: RunSettings {
                    n_threads: Some(threads),
                    ..RunSettings::default()
                },
                ..choices.fit.clone()
            },
            rule,
            ..choices.clone()
        };
        fit_orct_cv(x.view(), &y, None, &choices, &Control::default()).unwrap()
    };
    let model = run(1, CvRule::Best);
    let selection = model.report.cross_validation.as_ref().unwrap();
    assert_eq!(selection.candidates.len(), 2 * 2 * 2);
    let chosen = &selection.candidates[selection.chosen];
    let settings = |candidate: &CvCandidate| match &candidate.settings {
        TriedSettings::Orct(settings) => settings.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (model.tree.shape.depth(), model.tree.gamma),
        (settings(chosen).depth, settings(chosen).gamma)
    );
    assert_eq!(selection.scoring, Scoring::Classes(ClassScoring::Cost));
    let most = selection.candidates.iter().map(|c| c.folds).max().unwrap();
    assert_eq!(most, selection.folds * selection.repeats);
    for candidate in &selection.candidates {
        let accuracy = candidate.figures.unwrap().accuracy;
        assert!((1.0 - 2.0 * candidate.score - accuracy).abs() < 1e-12);
        assert!(candidate.folds < most || candidate.score >= chosen.score);
    }
    // Fourteen features are noise: the penalty must have won.
    assert!(settings(chosen).local_penalty > 0.0);
    let (held, held_y) = noisy_rows(13, 1000, 16);
    let predicted = model.predict(held.view()).unwrap();
    let right = predicted
        .iter()
        .zip(&held_y.codes)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right > 860, "{right} of 1000, 900 at best");
    // Same bits on two threads, and through a file.
    let mut again = run(2, CvRule::Best);
    again.report.seconds = model.report.seconds;
    assert_eq!(again, model);
    assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
    // The one-standard-error rule never takes a deeper or, at the same depth, a denser one.
    let sparse = run(2, CvRule::OneStandardError)
        .report
        .cross_validation
        .unwrap();
    let sparse = &sparse.candidates[sparse.chosen];
    let depths = [sparse, chosen].map(|candidate| settings(candidate).depth);
    let sparsity = [sparse, chosen].map(|candidate| candidate.figures.unwrap().global_sparsity);
    assert!(depths[0] <= depths[1]);
    assert!(depths[0] < depths[1] || sparsity[0] >= sparsity[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the penalties: finite numbers, bounds kept, the same bits on one and two threads.
    #[test]
    fn penalized_fits_are_sound(
        seed in any::<u64>(),
        shape in 0usize..5,
        local in 0.0..0.1f64,
        global in 0.0..0.1f64,
    ) {
        let (x, y) = noisy_rows(seed, 80, 3);
        let base = settings(PenaltySettings { local: Some(local), global, shape: SHAPES[shape], groups: None, ..PenaltySettings::none() });
        let one = fit(&x, &y, &OrctSettings { run: RunSettings { n_threads: Some(1), ..RunSettings::default() }, ..base.clone() });
        let mut two = fit(&x, &y, &OrctSettings { run: RunSettings { n_threads: Some(2), ..RunSettings::default() }, ..base });
        prop_assert!(one.tree.coefficients.iter().all(|a| a.abs() <= 1.0));
        prop_assert!(one.report.objective.is_finite() && one.report.loss.is_finite());
        two.report.seconds = one.report.seconds;
        prop_assert_eq!(one, two);
    }
}

#[test]
fn no_tree_is_worse_than_one_without_splits() {
    // One row in twenty is of the other class, whatever its features: splits are not worth their penalty.
    let mut rng = Pcg64::new(3, 9);
    let x = Array2::from_shape_simple_fn((400, 10), || rng.random_range(0.0..1.0));
    let y: Vec<i64> = (0..400).map(|i| i64::from(i % 20 == 0)).collect();
    for weight in [0.002, 0.01, 0.05] {
        let settings = OrctSettings {
            depth: 3,
            ..settings(PenaltySettings {
                local: Some(weight),
                ..PenaltySettings::none()
            })
        };
        let model = fit(&x, &Labels::from(y.as_slice()), &settings);
        let without_splits = 0.5 * 20.0 / 400.0;
        for objective in &model.report.start_objectives {
            assert!(
                *objective <= without_splits + 1e-9,
                "{objective} at {weight}"
            );
        }
    }
}
