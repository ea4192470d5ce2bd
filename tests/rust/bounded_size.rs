//! Are trees as small as they are asked to be, and as good as trees of that size can be expected to be?

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::fitted::Importance;
use softwood::objective::PenaltySettings;
use softwood::status::SolveStatus;
use softwood::{
    Control, FitError, FittedModel, InputError, OrctCvSettings, OrctModel, OrctSettings,
    RunSettings, fit_orct, fit_orct_cv, lambda_max, sparsity_path,
};
use softwood::{PenaltyGrid, data::ScalingKind};
use std::time::Duration;

/// Classes by features 1 and 4 of `p`, the rest noise; 5 % mislabelled.
fn rows(n: usize, p: usize, classes: i64) -> (Array2<f64>, Labels) {
    let mut rng = Pcg64::new(11, 3);
    let x = Array2::from_shape_simple_fn((n, p), || rng.random_range(0.0..1.0));
    let class = |i: usize| {
        let score = x[[i, 1]] + 0.7 * x[[i, 4]];
        (score * classes as f64 / 1.7) as i64
    };
    let y: Vec<i64> = (0..n)
        .map(|i| match rng.random_bool(0.05) {
            true => (i as i64) % classes,
            false => class(i),
        })
        .collect();
    (x, Labels::from(y.as_slice()))
}

fn quick(depth: usize) -> OrctSettings {
    OrctSettings {
        depth,
        n_starts: 3,
        ..OrctSettings::plain()
    }
}

fn fit(x: &Array2<f64>, y: &Labels, settings: &OrctSettings) -> OrctModel {
    fit_orct(x.view(), y, None, settings, &Control::default()).unwrap()
}

fn used(model: &OrctModel) -> Vec<usize> {
    let p = model.tree.features();
    let of_feature = |j: &usize| {
        model
            .tree
            .coefficients
            .iter()
            .skip(*j)
            .step_by(p)
            .any(|a| *a != 0.0)
    };
    (0..p).filter(of_feature).collect()
}

fn accuracy(model: &OrctModel, x: &Array2<f64>, y: &Labels) -> f64 {
    let predicted = model.predict(x.view()).unwrap();
    let right = predicted.iter().zip(&y.codes).filter(|(a, b)| a == b);
    right.count() as f64 / y.codes.len() as f64
}

#[test]
fn no_more_features_than_asked_are_used_and_the_right_ones_found() {
    let (x, y) = rows(300, 8, 2);
    for depth in [1, 3] {
        for most in [1, 2, 5] {
            let settings = OrctSettings {
                max_features: Some(most),
                ..quick(depth)
            };
            let model = fit(&x, &y, &settings);
            assert!(used(&model).len() <= most, "{:?} of {most}", used(&model));
            if most == 2 {
                assert_eq!(used(&model), [1, 4]);
                assert!(accuracy(&model, &x, &y) > 0.9);
            }
        }
    }
}

#[test]
fn a_tree_of_few_features_is_no_worse_than_a_fit_to_the_strongest_of_a_free_one() {
    let (x, y) = rows(250, 6, 3);
    let free = fit(&x, &y, &quick(2));
    let importance = free.importance_of("splits", Importance::Sum).unwrap();
    let mut order: Vec<usize> = (0..6).collect();
    order.sort_by(|a, b| importance[*b].total_cmp(&importance[*a]));
    let mut masked = x.clone();
    order[2..]
        .iter()
        .for_each(|j| masked.column_mut(*j).fill(0.0));
    let strongest = fit(&masked, &y, &quick(2));
    let settings = OrctSettings {
        max_features: Some(2),
        ..quick(2)
    };
    let bounded = fit(&x, &y, &settings);
    let (a, b) = (bounded.report.objective, strongest.report.objective);
    assert!(a <= 1.02 * b, "{a} against {b}");
    assert!(bounded.report.objective >= free.report.objective * 0.98);
}

#[test]
fn columns_of_a_group_count_as_one_feature() {
    let (x, y) = rows(250, 6, 2);
    let settings = OrctSettings {
        max_features: Some(1),
        penalty: PenaltySettings {
            groups: Some(vec![0, 7, 0, 3, 7, 3]),
            ..PenaltySettings::none()
        },
        ..quick(2)
    };
    let model = fit(&x, &y, &settings);
    assert_eq!(used(&model), [1, 4]);
}

#[test]
fn no_more_leaves_than_asked_are_left_and_every_class_owns_one() {
    let (x, y) = rows(300, 5, 4);
    let whole = fit(&x, &y, &quick(4)).report.objective;
    let mut last = f64::INFINITY;
    for most in [4, 5, 8, 16] {
        let settings = OrctSettings {
            max_leaves: Some(most),
            ..quick(4)
        };
        let model = fit(&x, &y, &settings);
        assert!(model.leaf_classes.len() <= most);
        let mut owned = model.leaf_classes.clone();
        owned.sort_unstable();
        owned.dedup();
        assert_eq!(owned, [0, 1, 2, 3]);
        let objective = model.report.objective;
        assert!(objective <= last * 1.05 + 1e-3, "{objective} after {last}");
        assert!(objective >= whole - 0.02);
        last = objective;
    }
}

#[test]
fn a_tree_cut_back_to_two_leaves_is_about_as_good_as_one_of_depth_one() {
    let (x, y) = rows(300, 5, 2);
    let stump = fit(&x, &y, &quick(1)).report.objective;
    let settings = OrctSettings {
        max_leaves: Some(2),
        ..quick(3)
    };
    let cut = fit(&x, &y, &settings);
    assert_eq!(cut.tree.shape.splits().len(), 1);
    assert!(
        cut.report.objective <= 1.1 * stump,
        "{} against {stump}",
        cut.report.objective
    );
}

#[test]
fn bounds_hold_together_with_weights_rates_shapes_and_soft_splits() {
    let (x, y) = rows(120, 6, 3);
    let weights: Vec<f64> = (0..120).map(|i| (i % 4) as f64).collect();
    for (gamma, rate) in [(8.0, false), (512.0, true), (512.0, false)] {
        let settings = OrctSettings {
            gamma: Some(gamma),
            max_features: Some(2),
            max_leaves: Some(3),
            min_class_rate: if rate { vec![(0, 0.5)] } else { Vec::new() },
            penalty: PenaltySettings {
                local: Some(1e-3),
                ..PenaltySettings::none()
            },
            ..quick(3)
        };
        let control = Control::default();
        let model = fit_orct(x.view(), &y, Some(&weights), &settings, &control).unwrap();
        assert!(used(&model).len() <= 2 && model.leaf_classes.len() <= 3);
        for bound in &model.report.constraints {
            let short = bound.asked - bound.reached;
            assert_eq!(bound.feasible, short <= 1e-3, "{bound:?}");
        }
    }
}

#[test]
fn bounds_hold_on_two_rows_many_columns_and_without_time() {
    let x = Array2::from_shape_fn((2, 9), |(i, j)| (i * j) as f64);
    let y = Labels::from([0i64, 1].as_slice());
    let settings = OrctSettings {
        max_features: Some(1),
        max_leaves: Some(2),
        ..quick(2)
    };
    let model = fit(&x, &y, &settings);
    assert!(used(&model).len() <= 1);
    assert_eq!(model.predict(x.view()).unwrap(), y.codes);
    let (x, y) = rows(4000, 12, 2);
    for limit in [1, 30, 200] {
        let settings = OrctSettings {
            max_features: Some(3),
            max_leaves: Some(5),
            n_starts: 50,
            run: RunSettings {
                time_limit: Some(Duration::from_millis(limit)),
                ..RunSettings::default()
            },
            ..quick(6)
        };
        let model = fit(&x, &y, &settings);
        assert!(used(&model).len() <= 3 && model.leaf_classes.len() <= 5);
        assert_eq!(model.report.status, SolveStatus::TimeLimit);
    }
}

#[test]
fn the_chosen_tree_of_a_cross_validation_is_bounded_too() {
    let (x, y) = rows(150, 6, 2);
    let settings = OrctCvSettings {
        fit: OrctSettings {
            max_features: Some(2),
            max_leaves: Some(3),
            ..quick(2)
        },
        depths: vec![2],
        gammas: vec![512.0],
        local_grid: vec![0.0, 0.1],
        folds: 2,
        ..OrctCvSettings::default()
    };
    let model = fit_orct_cv(x.view(), &y, None, &settings, &Control::default()).unwrap();
    assert!(used(&model).len() <= 2 && model.leaf_classes.len() <= 3);
}

#[test]
fn a_share_of_one_empties_the_tree_and_smaller_shares_are_the_penalty_they_say() {
    for classes in [2, 3] {
        let (x, y) = rows(200, 6, classes);
        let with = |penalty: PenaltySettings| OrctSettings {
            penalty,
            ..quick(2)
        };
        let share = |share: f64| {
            with(PenaltySettings {
                share: Some(share),
                ..PenaltySettings::default()
            })
        };
        let control = Control::default();
        let kind = ScalingKind::MinMax;
        let most = lambda_max(x.view(), &y, None, kind, &quick(2), &control).unwrap();
        assert!(used(&fit(&x, &y, &share(1.0))).is_empty());
        let mut model = fit(&x, &y, &share(0.01));
        let same = fit(
            &x,
            &y,
            &with(PenaltySettings {
                local: Some(0.01 * most.local),
                ..PenaltySettings::none()
            }),
        );
        model.report.seconds = same.report.seconds;
        // λ_max of rows as they are given is summed in another order.
        assert!((model.report.objective - same.report.objective).abs() < 1e-6);
        assert_eq!(used(&model), used(&same));
    }
}

fn refused(settings: OrctSettings) -> String {
    let (x, y) = rows(40, 6, 3);
    match fit_orct(x.view(), &y, None, &settings, &Control::default()) {
        Err(FitError::Input(error @ InputError::Setting { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bounds_that_no_tree_can_meet_and_penalties_that_clash_are_refused() {
    let bounded = |max_features, max_leaves| OrctSettings {
        max_features,
        max_leaves,
        ..quick(2)
    };
    for most in [0, 7] {
        assert!(refused(bounded(Some(most), None)).contains("max_features"));
    }
    for most in [0, 1, 2] {
        assert!(refused(bounded(None, Some(most))).contains("max_leaves"));
    }
    let share = |share, local, global| OrctSettings {
        penalty: PenaltySettings {
            share: Some(share),
            local,
            global,
            ..PenaltySettings::default()
        },
        ..quick(2)
    };
    for (given, local, global) in [
        (-0.1, None, 0.0),
        (1.1, None, 0.0),
        (f64::NAN, None, 0.0),
        (0.5, Some(0.0), 0.0),
        (0.5, None, 0.1),
    ] {
        assert!(refused(share(given, local, global)).contains("penalty"));
    }
    let (x, y) = rows(40, 6, 3);
    let grid = PenaltyGrid::full(2, 6);
    for settings in [
        bounded(Some(2), None),
        bounded(None, Some(3)),
        share(0.5, None, 0.0),
    ] {
        let control = Control::default();
        let path = sparsity_path(x.view(), &y, None, &grid, None, &settings, &control);
        assert!(matches!(
            path,
            Err(FitError::Input(InputError::Setting { .. }))
        ));
    }
}
