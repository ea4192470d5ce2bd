//! Does everything stay finite, and right, on the strangest data that is still valid?

use ndarray::{Array2, ArrayView2, Axis, array, concatenate};
use softwood::data::{Labels, ScalingChoice, ScalingKind};
use softwood::{Control, FittedModel, OrctModel, OrctSettings, fit_orct};

const KINDS: [ScalingKind; 2] = [ScalingKind::MinMax, ScalingKind::Quantile];

fn fit(x: ArrayView2<'_, f64>, y: &[i64], kind: ScalingKind, depth: usize) -> OrctModel {
    let settings = OrctSettings {
        depth,
        n_starts: 8,
        scaling: ScalingChoice::Fixed(kind),
        ..OrctSettings::plain()
    };
    let model = fit_orct(x, &Labels::from(y), None, &settings, &Control::default()).unwrap();
    assert!(model.report.objective.is_finite() && model.report.optimality.is_finite());
    assert!(
        model
            .tree
            .coefficients
            .iter()
            .chain(&model.tree.intercepts)
            .all(|a| (-1.0..=1.0).contains(a))
    );
    assert_sound(&model, x);
    assert_eq!(OrctModel::from_json(&model.to_json()).as_ref(), Ok(&model));
    model
}

/// Probabilities are probabilities, explanations numbers, rules finite.
fn assert_sound(model: &OrctModel, x: ArrayView2<'_, f64>) {
    for row in model
        .predict_proba(x)
        .unwrap()
        .chunks_exact(model.classes.len())
    {
        assert!(
            row.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p)),
            "{row:?}"
        );
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(model.explain(x).unwrap().iter().all(|d| !d.is_nan()));
    for t in model.tree.shape.splits() {
        let rule = model.tree.rule(*t).unwrap();
        assert!(
            rule.threshold.is_finite() && rule.terms.iter().all(|term| term.weight.is_finite())
        );
    }
    assert!(!model.to_string().contains("NaN"));
}

fn assert_fits(model: &OrctModel, x: ArrayView2<'_, f64>, y: &[i64]) {
    assert_eq!(model.predict(x).unwrap(), Labels::from(y).codes);
}

/// Two classes on either side of a line, in two features between −1 and 1, clear of the line.
fn two_sides() -> (Array2<f64>, Vec<i64>) {
    let points = (0..200).map(|i| {
        (
            (i * 37 % 199) as f64 / 99.0 - 1.0,
            (i * 61 % 197) as f64 / 98.0 - 1.0,
        )
    });
    let clear: Vec<(f64, f64)> = points.filter(|(a, b)| (a - 0.5 * b).abs() > 0.1).collect();
    let x = Array2::from_shape_fn((clear.len(), 2), |(i, j)| {
        if j == 0 { clear[i].0 } else { clear[i].1 }
    });
    let y = clear
        .iter()
        .map(|(a, b)| i64::from(a - 0.5 * b > 0.0))
        .collect();
    (x, y)
}

#[test]
fn constant_columns_are_left_out() {
    let (x, y) = two_sides();
    for constant in [0.0, -7.0, 1.7e308, 5e-324] {
        let column = Array2::from_elem((x.nrows(), 1), constant);
        let wide = concatenate![Axis(1), column, x, column];
        for kind in KINDS {
            let model = fit(wide.view(), &y, kind, 1);
            assert_fits(&model, wide.view(), &y);
            let slopes = model.explain(wide.view()).unwrap();
            assert!(slopes.chunks_exact(4).all(|d| d[0] == 0.0 && d[3] == 0.0));
            assert!(
                model
                    .tree
                    .rule(0)
                    .unwrap()
                    .terms
                    .iter()
                    .all(|term| [1, 2].contains(&term.feature))
            );
        }
    }
}

#[test]
fn only_constant_columns_give_the_cheapest_class() {
    let x = Array2::from_elem((30, 2), 3.5);
    let y: Vec<i64> = (0..30).map(|i| i64::from(i % 3 == 0)).collect();
    for kind in KINDS {
        let model = fit(x.view(), &y, kind, 2);
        assert_eq!(model.predict(x.view()).unwrap(), [0; 30]);
        assert!(
            (model.report.objective - 0.5 / 3.0).abs() < 1e-3,
            "{}",
            model.report.objective
        );
    }
}

#[test]
fn duplicate_rows_that_disagree_go_to_the_majority() {
    let x = Array2::from_shape_fn(
        (60, 2),
        |(i, j)| if i % 6 < 3 { j as f64 } else { 4.0 - j as f64 },
    );
    // Of the three copies at either place, two say one class and one the other.
    let y: Vec<i64> = (0..60).map(|i| [0, 0, 1, 1, 1, 0][i % 6]).collect();
    for kind in KINDS {
        let model = fit(x.view(), &y, kind, 1);
        let majority: Vec<u32> = (0..60).map(|i| u32::from(i % 6 >= 3)).collect();
        assert_eq!(model.predict(x.view()).unwrap(), majority);
    }
}

#[test]
fn one_row_per_class() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    for kind in KINDS {
        assert_fits(
            &fit(x.view(), &[0, 1, 2, 3], kind, 2),
            x.view(),
            &[0, 1, 2, 3],
        );
        assert_fits(
            &fit(x.view(), &[0, 1, 2, 3], kind, 4),
            x.view(),
            &[0, 1, 2, 3],
        );
        assert_fits(
            &fit(x.slice(ndarray::s![1..3, ..]), &[0, 1], kind, 1),
            x.slice(ndarray::s![1..3, ..]),
            &[0, 1],
        );
    }
}

#[test]
fn features_of_any_magnitude() {
    let (x, y) = two_sides();
    for (a, b) in [
        (1e300, 1e300),
        (1e-300, 1e-300),
        (1e300, 1e-300),
        (1.7e308, 1.7e308),
        (1.7e308, 1.0),
        (5e-307, 1e5),
    ] {
        let mut scaled = x.clone();
        scaled.column_mut(0).mapv_inplace(|x| x * a);
        scaled.column_mut(1).mapv_inplace(|x| x * b);
        for kind in KINDS {
            assert_fits(&fit(scaled.view(), &y, kind, 1), scaled.view(), &y);
        }
    }
}

#[test]
fn a_range_too_small_to_divide_by_counts_as_constant() {
    let (mut x, y) = two_sides();
    x.column_mut(1).mapv_inplace(|x| x * 1e-310);
    for kind in KINDS {
        let model = fit(x.view(), &y, kind, 1);
        assert!(
            model
                .tree
                .rule(0)
                .unwrap()
                .terms
                .iter()
                .all(|term| term.feature == 0)
        );
    }
}

#[test]
fn a_large_offset_keeps_what_digits_it_has() {
    let (mut x, y) = two_sides();
    x.mapv_inplace(|x| 1e12 + x);
    for kind in KINDS {
        assert_fits(&fit(x.view(), &y, kind, 1), x.view(), &y);
    }
}

#[test]
fn new_rows_may_lie_anywhere() {
    let (mut x, y) = two_sides();
    for magnitude in [1.0, 1e-300, 1.0 / 1e-300] {
        x.mapv_inplace(|x| x * magnitude);
        for kind in KINDS {
            let model = fit(x.view(), &y, kind, 3);
            let ends = [
                -f64::MAX,
                -1e300,
                -1.0,
                -5e-324,
                0.0,
                5e-324,
                1.0,
                1e300,
                f64::MAX,
            ];
            let new =
                Array2::from_shape_fn((81, 2), |(i, j)| ends[if j == 0 { i / 9 } else { i % 9 }]);
            assert_sound(&model, new.view());
        }
    }
}

#[test]
fn single_precision_extremes() {
    let (x, y) = two_sides();
    let single = x.mapv(|x| x as f32 * 3e38);
    let labels = Labels::from(y.as_slice());
    let settings = OrctSettings {
        depth: 1,
        n_starts: 8,
        ..OrctSettings::plain()
    };
    let model = fit_orct(single.view(), &labels, None, &settings, &Control::default()).unwrap();
    assert_eq!(model.predict(single.view()).unwrap(), labels.codes);
}

#[test]
fn weights_of_any_magnitude() {
    let (x, y) = two_sides();
    let labels = Labels::from(y.as_slice());
    let settings = OrctSettings {
        depth: 1,
        n_starts: 8,
        ..OrctSettings::plain()
    };
    for weight in [1e-300, 1e300, 1e305] {
        let weights = vec![weight; y.len()];
        let model = fit_orct(
            x.view(),
            &labels,
            Some(&weights),
            &settings,
            &Control::default(),
        )
        .unwrap();
        assert_eq!(model.predict(x.view()).unwrap(), labels.codes, "{weight}");
        assert!(model.report.objective.is_finite());
    }
}

#[test]
fn more_features_than_rows() {
    let x = Array2::from_shape_fn((12, 300), |(i, j)| ((i * 31 + j * 17) % 23) as f64);
    let y: Vec<i64> = (0..12).map(|i| i % 3).collect();
    assert_fits(&fit(x.view(), &y, ScalingKind::MinMax, 2), x.view(), &y);
}

#[test]
fn the_deepest_tree_and_the_steepest_splits() {
    let (x, y) = two_sides();
    let labels = Labels::from(y.as_slice());
    for (depth, gamma) in [(12, 512.0), (1, 1e9), (3, 1e9), (1, 1e-9)] {
        let settings = OrctSettings {
            depth,
            gamma: Some(gamma),
            n_starts: 1,
            max_iter: 1,
            ..OrctSettings::plain()
        };
        let model = fit_orct(x.view(), &labels, None, &settings, &Control::default()).unwrap();
        assert_sound(&model, x.slice(ndarray::s![..5, ..]));
    }
}
