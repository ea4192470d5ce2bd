//! Do curves follow what bends and leave straight what is straight, and do leaves and curves add up?

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::ScalingKind;
use softwood::fitted::Measure;
use softwood::{Control, FitError, InputError, RunSettings, SrtModel, SrtSettings, fit_srt};

/// Rows uniform in [−1, 1]³ and a response that bends along two features, and whose slope along one
/// of them turns at a slanted plane.
fn bent(rows: usize, noise: f64) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(7, 0);
    let x = Array2::from_shape_simple_fn((rows, 3), || rng.random_range(-1.0..1.0));
    let y = x
        .rows()
        .into_iter()
        .map(|r: ndarray::ArrayView1<'_, f64>| {
            let curves = (2.0 * r[0]).exp() - 3.0 * r[1] * r[1];
            let turned = if r[0] > r[2] { r[1] } else { -r[1] };
            curves + 2.0 * turned + noise * rng.random_range(-1.0..1.0)
        })
        .collect();
    (x, y)
}

fn with_curves(depth: usize) -> SrtSettings {
    SrtSettings {
        depth,
        n_starts: 3,
        curves: true,
        ..SrtSettings::default()
    }
}

fn fit(x: &Array2<f64>, y: &[f64], settings: &SrtSettings) -> SrtModel {
    fit_srt(x.view(), y, None, settings, &Control::default()).unwrap()
}

/// Mean squared difference.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64
}

#[test]
fn what_bends_is_followed() {
    let (x, y) = bent(2000, 0.1);
    let (train, test) = (x.slice(s![..1000, ..]).to_owned(), x.slice(s![1000.., ..]));
    let error = |settings: &SrtSettings| {
        let model = fit(&train, &y[..1000], settings);
        distance(&model.predict(test).unwrap(), &y[1000..])
    };
    let straight = SrtSettings {
        curves: false,
        ..with_curves(1)
    };
    let (with, without) = (error(&with_curves(1)), error(&straight));
    assert!(with < 0.03 * without, "{with} and {without}");
}

#[test]
fn what_is_straight_stays_straight() {
    let mut rng = Pcg64::new(2, 0);
    let x = Array2::from_shape_simple_fn((300, 4), || rng.random_range(-1.0..1.0));
    let line = |r: ndarray::ArrayView1<'_, f64>| 2.0 * r[0] - r[1] + 0.5 * r[3];
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|r| line(r) + rng.random_range(-0.5..0.5))
        .collect();
    let model = fit(&x, &y, &with_curves(1));
    let slopes = [2.0, -1.0, 0.0, 0.5];
    for points in model.curve_points() {
        // The trend of all leaves, with the sign it has, 0 where the feature is typical.
        let typical = model.tree.scaling.typical[points.feature];
        for (x, effect) in points.values.iter().zip(&points.effects) {
            let line = slopes[points.feature] * (x - typical);
            assert!((effect - line).abs() < 0.2, "{points}");
        }
    }
}

#[test]
fn indicators_and_constants_have_no_curve() {
    let (x, y) = bent(200, 0.1);
    let mut x = x;
    x.column_mut(1).mapv_inplace(|x| (x > 0.0).into());
    x.column_mut(2).fill(4.0);
    let model = fit(&x, &y, &with_curves(1));
    let bent: Vec<usize> = model.curve_points().iter().map(|c| c.feature).collect();
    assert_eq!(bent, [0]);
    for y in [vec![3.0; 200], y[..1].to_vec()] {
        let x = x.slice(s![..y.len(), ..]).to_owned();
        let model = fit(&x, &y, &with_curves(2));
        assert!(model.curve_points().is_empty());
        assert_eq!(model.predict(x.view()).unwrap(), y);
    }
}

#[test]
fn leaves_and_curves_add_up_in_the_users_units() {
    let (x, y) = bent(300, 0.1);
    for scaling in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let settings = SrtSettings {
            scaling,
            ..with_curves(2)
        };
        let model = fit(&x, &y, &settings);
        let predicted = model.predict(x.view()).unwrap();
        let leaves = model.tree.leaf_indices(x.view()).unwrap();
        let curves = model.curve_points();
        assert_eq!(curves.len(), 3);
        for (i, row) in x.rows().into_iter().enumerate() {
            let leaf = model.leaf_model(leaves[i] as usize);
            let line = leaf.terms.iter().map(|term| {
                let x = row[term.feature];
                term.weight
                    * match term.measure {
                        Measure::Value | Measure::Indicator => x,
                        Measure::Quantile => model.tree.scaling.features[term.feature].apply(x),
                    }
            });
            let bends = curves.iter().map(|curve| {
                let x = row[curve.feature];
                let above = curve.values.partition_point(|v| *v <= x);
                let k = above.clamp(1, curve.values.len() - 1);
                let share = (x - curve.values[k - 1]) / (curve.values[k] - curve.values[k - 1]);
                curve.effects[k - 1] + share * (curve.effects[k] - curve.effects[k - 1])
            });
            let sum = leaf.intercept + line.sum::<f64>() + bends.sum::<f64>();
            assert!((sum - predicted[i]).abs() < 1e-9, "{sum} {}", predicted[i]);
        }
        for curve in &curves {
            let typical = model.tree.scaling.typical[curve.feature];
            let above = curve.values.partition_point(|v| *v <= typical);
            let (low, high) = (curve.values[above - 1], curve.values[above]);
            let share = (typical - low) / (high - low);
            let (before, after) = (curve.effects[above - 1], curve.effects[above]);
            assert!((before + share * (after - before)).abs() < 1e-9, "{curve}");
        }
        // What single leaves add to the slopes of features with a curve adds up to nothing.
        let added = |feature: usize| -> f64 {
            let leaves = 0..model.tree.shape.leaves().len();
            let terms = leaves.flat_map(|leaf| model.leaf_model(leaf).terms);
            let own = terms.filter(|term| term.feature == feature);
            own.map(|term| term.effect).sum()
        };
        assert!((0..3).all(|feature| added(feature).abs() < 1e-9));
    }
}

#[test]
fn slopes_are_differences_of_predictions() {
    let (x, y) = bent(300, 0.1);
    let model = fit(&x, &y, &with_curves(2));
    let (fresh, _) = bent(100, 0.3);
    let fresh = &fresh * 0.98 + 0.001;
    let slopes = model.explain(fresh.view()).unwrap();
    let (step, mut compared) = (1e-6, 0);
    for j in 0..3 {
        let moved = |step: f64| {
            let mut moved = fresh.clone();
            moved.column_mut(j).mapv_inplace(|x| x + step);
            moved
        };
        let (below, above) = (moved(-step), moved(step));
        let at = |x: &Array2<f64>| model.predict(x.view()).unwrap();
        let leaf = |x: &Array2<f64>| model.tree.leaf_indices(x.view()).unwrap();
        let (low, high) = (at(&below), at(&above));
        let (left, right) = (leaf(&below), leaf(&above));
        for i in 0..100 {
            let u = |x: &Array2<f64>| model.tree.scaling.features[j].apply(x[[i, j]]);
            let knots = &model.curves[j].knots;
            let bends = knots.iter().any(|k| (u(&below)..=u(&above)).contains(k));
            if left[i] == right[i] && !bends {
                let slope = (high[i] - low[i]) / (2.0 * step);
                assert!((slope - slopes[i * 3 + j]).abs() < 1e-5);
                compared += 1;
            }
        }
    }
    assert!(compared > 250, "{compared}");
}

#[test]
fn curves_have_the_same_bits_on_any_number_of_threads() {
    for rows in [500, 40_000] {
        let (x, y) = bent(rows, 0.3);
        let fit_with = |threads| {
            let settings = SrtSettings {
                run: RunSettings {
                    n_threads: Some(threads),
                    ..RunSettings::default()
                },
                macro_iterations: 2,
                ..with_curves(1)
            };
            let mut model = fit(&x, &y, &settings);
            model.report.seconds = 0.0;
            model
        };
        assert_eq!(fit_with(1), fit_with(2), "{rows} rows");
    }
}

#[test]
fn weight_two_counts_as_the_row_twice() {
    let (x, y) = bent(200, 0.2);
    let weights: Vec<f64> = (0..200).map(|i| (1 + i % 2) as f64).collect();
    let odd: Vec<usize> = (0..200).filter(|i| i % 2 == 1).collect();
    let twice = concatenate![Axis(0), x, x.select(Axis(0), &odd)];
    let y_twice: Vec<f64> = y.iter().copied().chain(odd.iter().map(|i| y[*i])).collect();
    let settings = with_curves(1);
    let weighted = fit_srt(x.view(), &y, Some(&weights), &settings, &Control::default()).unwrap();
    let repeated = fit(&twice, &y_twice, &settings);
    assert_eq!(weighted.curves.len(), 3);
    for (a, b) in weighted.curves.iter().zip(&repeated.curves) {
        assert_eq!(a.knots, b.knots);
        for (a, b) in a.bends.iter().zip(&b.bends) {
            assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn more_features_than_can_bend_are_refused() {
    let x = Array2::from_shape_fn((5, 401), |(i, j)| (i * (j + 1)) as f64);
    let y = [0.0, 1.0, 2.0, 4.0, 3.0];
    let refused = |x: ArrayView2<'_, f64>| {
        fit_srt(x, &y, None, &with_curves(1), &Control::default()).map(|_| ())
    };
    let error = InputError::TooManyCurves {
        features: 401,
        values: 4,
        most: 400,
    };
    assert_eq!(refused(x.view()), Err(FitError::Input(error)));
    assert_eq!(refused(x.slice(s![.., ..400])), Ok(()));
}
