//! Does the randomized regression tree minimize what it says, and find what it should?

use ndarray::{Array2, Axis, concatenate};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{Parallelism, RegressionRows, ScaledRows, Scaling, ScalingKind};
use softwood::fitted::{Measure, Notice};
use softwood::objective::{
    LeafRidge, MixtureError, PenaltySettings, PenaltyShape, ProjectedMixtureError,
};
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::Topology;
use softwood::{
    Control, FittedModel, Model, OrrtModel, OrrtSettings, RunSettings, SrtSettings, fit_orrt,
    fit_srt,
};
use std::time::Duration;

/// Rows uniform in [−1, 1]^p and a response with a kink and some noise.
fn kinked(rows: usize, features: usize, noise: f64) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(5, 0);
    let x: Array2<f64> =
        Array2::from_shape_simple_fn((rows, features), || rng.random_range(-1.0..1.0));
    let y = x
        .rows()
        .into_iter()
        .map(|r| (r[0] + 0.3_f64 * r[1]).abs() - 2.0 * r[1] + noise * rng.random_range(-1.0..1.0))
        .collect();
    (x, y)
}

/// (4.1) without penalties in plain loops, with leaf intercepts at the mean row.
fn plain_objective(
    u: &Array2<f64>,
    (y, w): (&[f64], &[f64]),
    objective: &MixtureError<'_, '_>,
    x: &[f64],
) -> f64 {
    let (p, topology) = (u.ncols(), &objective.topology);
    let (b, l) = (topology.branches(), topology.leaves());
    let leaves = &x[b * (p + 1)..];
    let mut sum = 0.0;
    for (i, row) in u.rows().into_iter().enumerate() {
        let left = |t: usize| {
            let a = &x[t * p..][..p];
            let z = row.iter().zip(a).map(|(u, a)| u * a).sum::<f64>() / p as f64 - x[b * p + t];
            1.0 / (1.0 + (-objective.gamma * z).exp())
        };
        let mut predicted = 0.0;
        for leaf in 0..l {
            let side = |(t, is_left)| if is_left { left(t) } else { 1.0 - left(t) };
            let chance: f64 = topology.path(leaf).map(side).product();
            let terms = row.iter().zip(objective.centers).zip(&leaves[leaf * p..]);
            let linear: f64 = terms.map(|((u, center), beta)| (u - center) * beta).sum();
            predicted += chance * (linear + leaves[l * p + leaf]);
        }
        sum += w[i] * (predicted - y[i]).powi(2);
    }
    let mut ridge = 0.0;
    for j in 0..=p {
        // The intercepts stand behind the slopes.
        let own: Vec<f64> = (0..l)
            .map(|t| leaves[if j < p { t * p + j } else { l * p + t }])
            .collect();
        let mean = own.iter().sum::<f64>() / l as f64;
        let spread: f64 = own.iter().map(|b| (b - mean).powi(2)).sum();
        ridge += 0.5 * (objective.ridge.apart[j] * spread + objective.ridge.mean[j] * mean * mean);
    }
    sum / w.iter().sum::<f64>() + ridge
}

/// Central differences of an objective at x.
fn differences(objective: &impl Objective, x: &[f64], h: f64) -> Vec<f64> {
    let mut ignored = vec![0.0; x.len()];
    let mut value = |x: &[f64]| objective.value_and_gradient(x, &mut ignored).unwrap();
    let mut moved = x.to_vec();
    let mut difference = |i: usize| {
        moved[i] = x[i] + h;
        let above = value(&moved);
        moved[i] = x[i] - h;
        let below = value(&moved);
        moved[i] = x[i];
        (above - below) / (2.0 * h)
    };
    (0..x.len()).map(&mut difference).collect()
}

#[test]
fn the_objective_is_that_of_the_thesis_and_gradients_are_those_of_differences() {
    let mut rng = Pcg64::new(8, 1);
    for (rows, features, depth) in [(7, 1, 1), (150, 3, 2), (300, 5, 3)] {
        let (x, y) = kinked(rows, features.max(2), 0.1);
        let x = x.slice_move(ndarray::s![.., ..features]);
        let weights: Vec<f64> = (0..rows).map(|i| (i % 3) as f64).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), Some(&weights));
        let mut u = x.clone();
        for (j, mut column) in u.columns_mut().into_iter().enumerate() {
            column.mapv_inplace(|x| scaling.features[j].apply(x));
        }
        let data = RegressionRows::new(
            ScaledRows::new(x.view().into(), &scaling),
            &y,
            Some(&weights),
            Parallelism::None,
            Stop::default(),
        );
        let centers: Vec<f64> = (0..features).map(|j| 0.4 + 0.05 * j as f64).collect();
        let objective = MixtureError {
            data: &data,
            topology: Topology::complete(depth),
            gamma: 7.0,
            centers: &centers,
            ridge: &LeafRidge {
                apart: (0..=features).map(|j| 0.03 + 0.02 * j as f64).collect(),
                mean: (0..=features).map(|j| 0.01 * j as f64).collect(),
                leaves: 1 << depth,
            },
        };
        let at: Vec<f64> = (0..objective.dim())
            .map(|_| rng.random_range(-1.0..1.0))
            .collect();
        let mut gradient = vec![0.0; at.len()];
        let value = objective.value_and_gradient(&at, &mut gradient).unwrap();
        let plain = plain_objective(&u, (&y, &weights), &objective, &at);
        assert!((value / plain - 1.0).abs() < 1e-12, "{value}, {plain}");
        for (g, d) in gradient.iter().zip(differences(&objective, &at, 1e-6)) {
            assert!((g - d).abs() < 1e-7, "{g} against {d}");
        }
        // The best leaves leave no slope, and the projected objective follows its gradient.
        let theta = &at[objective.splits()];
        let best = [theta, &objective.best_leaves(theta).unwrap()].concat();
        let least = objective.value_and_gradient(&best, &mut gradient).unwrap();
        let in_leaves = &gradient[theta.len()..];
        assert!(in_leaves.iter().all(|g| g.abs() < 1e-10), "{in_leaves:?}");
        assert!(least <= value);
        let projected = ProjectedMixtureError(objective.clone());
        let mut gradient = vec![0.0; theta.len()];
        let same = projected.value_and_gradient(theta, &mut gradient).unwrap();
        assert_eq!(same, least);
        for (g, d) in gradient.iter().zip(differences(&projected, theta, 1e-5)) {
            assert!((g - d).abs() < 1e-7, "{g} against {d}");
        }
    }
}

fn fit(x: &Array2<f64>, y: &[f64], settings: &OrrtSettings) -> OrrtModel {
    fit_orrt(x.view(), y, None, &[], settings, &Control::default()).unwrap()
}

fn quick(depth: usize) -> OrrtSettings {
    OrrtSettings {
        depth,
        gamma: Some(128.0),
        n_starts: 3,
        ..OrrtSettings::default()
    }
}

/// Share of the variance that is explained.
fn r2(predicted: &[f64], y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let errors: f64 = predicted.iter().zip(y).map(|(p, y)| (p - y).powi(2)).sum();
    1.0 - errors / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

#[test]
fn a_kink_is_found() {
    let (x, y) = kinked(400, 3, 0.05);
    let model = fit(&x, &y, &quick(1));
    let share = r2(&model.predict(x.view()).unwrap(), &y);
    assert!(share > 0.99, "{share}");
    assert!(model.report.status.is_converged(), "{:?}", model.report);
    let unit = model.report.loss_unit.unwrap();
    let errors = model.predict(x.view()).unwrap();
    let mean = errors
        .iter()
        .zip(&y)
        .map(|(p, y)| (p - y).powi(2))
        .sum::<f64>()
        / 400.0;
    assert!((model.report.loss * unit / mean - 1.0).abs() < 1e-9);
}

/// Two groups, apart in two features, with responses around 5 and −5 that rest on other features.
fn groups(rows: usize, seed: u128) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(seed, 1);
    let mut x: Array2<f64> =
        Array2::from_shape_simple_fn((rows, 25), || rng.random_range(0.0..1.0));
    let mut y = Vec::with_capacity(rows);
    for mut row in x.rows_mut() {
        let first = rng.random_range(0.0..1.0) < 0.5;
        let (a, b) = if first { (0.5, 0.75) } else { (0.25, 0.5) };
        row[0] = a + rng.random_range(-0.12..0.12);
        row[1] = b + rng.random_range(-0.1..0.1);
        let noise = rng.random_range(-1.2..1.2);
        y.push(noise + if first { 5.0 + row[2] } else { -5.0 - row[4] });
    }
    (x, y)
}

#[test]
fn groups_apart_in_response_are_found_from_few_starts() {
    for seed in 0..6 {
        let (x, y) = groups(2000, seed);
        let settings = OrrtSettings {
            gamma: Some(512.0),
            n_starts: 2,
            ..quick(1)
        };
        let model = fit(&x, &y, &settings);
        let share = 1.0 - r2(&model.predict(x.view()).unwrap(), &y);
        assert!(share < 0.04, "{seed}: {share}");
    }
}

#[test]
fn predictions_mix_the_leaves_and_derivatives_are_those_of_differences() {
    let (x, y) = kinked(300, 3, 0.1);
    for scaling in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let settings = OrrtSettings {
            scaling,
            gamma: Some(30.0),
            ..quick(2)
        };
        let model = fit(&x, &y, &settings);
        let predicted = model.predict(x.view()).unwrap();
        let chances = model.tree.leaf_probabilities(x.view()).unwrap();
        let explained = model.explain(x.view()).unwrap();
        let effects = model.effects(x.view()).unwrap();
        for (i, row) in x.rows().into_iter().enumerate() {
            let mixed: f64 = (0..4)
                .map(|leaf| {
                    let model_of_leaf = model.leaf_model(leaf);
                    let value = |j: usize, measure: Measure| match measure {
                        Measure::Value | Measure::Indicator => row[j],
                        Measure::Quantile => model.tree.scaling.features[j].apply(row[j]),
                    };
                    let terms = model_of_leaf.terms.iter();
                    let sum: f64 = terms.map(|t| t.weight * value(t.feature, t.measure)).sum();
                    chances[i * 4 + leaf] * (model_of_leaf.intercept + sum)
                })
                .sum();
            assert!((mixed - predicted[i]).abs() < 1e-10);
            for j in 0..3 {
                let at = |value: f64| {
                    let mut moved = row.to_owned();
                    moved[j] = value;
                    model.predict(moved.view().insert_axis(Axis(0))).unwrap()[0]
                };
                let effect = predicted[i] - at(model.tree.scaling.typical[j]);
                assert!((effects[i * 3 + j] - effect).abs() < 1e-10);
                if scaling == ScalingKind::MinMax {
                    let h = 1e-5;
                    let difference = (at(row[j] + h) - at(row[j] - h)) / (2.0 * h);
                    let derivative = explained[i * 3 + j];
                    assert!(
                        (derivative - difference).abs() < 1e-6,
                        "{derivative}, {difference}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_fit_has_the_same_bits_on_any_number_of_threads() {
    for (rows, depth, n_starts) in [(400, 2, 4), (70_000, 1, 2), (120_000, 1, 2), (9000, 1, 1)] {
        let (x, y) = kinked(rows, 3, 0.3);
        let fit_with = |threads| {
            let settings = OrrtSettings {
                run: RunSettings {
                    n_threads: Some(threads),
                    ..RunSettings::default()
                },
                n_starts,
                max_iter: 5,
                ..quick(depth)
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
    let (x, y) = kinked(150, 2, 0.2);
    let weights: Vec<f64> = (0..150).map(|i| (1 + i % 2) as f64).collect();
    let odd: Vec<usize> = (0..150).filter(|i| i % 2 == 1).collect();
    let twice = concatenate![Axis(0), x, x.select(Axis(0), &odd)];
    let y_twice: Vec<f64> = y.iter().copied().chain(odd.iter().map(|i| y[*i])).collect();
    let settings = OrrtSettings {
        tol: 1e-8,
        max_iter: 2000,
        ..quick(1)
    };
    let control = Control::default();
    let weighted = fit_orrt(x.view(), &y, Some(&weights), &[], &settings, &control).unwrap();
    let repeated = fit(&twice, &y_twice, &settings);
    assert!((weighted.report.objective - repeated.report.objective).abs() < 1e-7);
    let (a, b) = (
        weighted.predict(x.view()).unwrap(),
        repeated.predict(x.view()).unwrap(),
    );
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4));
}

#[test]
fn more_iterations_never_end_higher() {
    let (x, y) = kinked(300, 3, 0.3);
    let objective = |max_iter| {
        let settings = OrrtSettings {
            ridge_leaves: Some(0.01),
            n_starts: 1,
            max_iter,
            ..quick(2)
        };
        fit(&x, &y, &settings).report.objective
    };
    // From as many iterations on as every start gets.
    let ends: Vec<f64> = [10, 12, 16, 32, 64].map(objective).to_vec();
    assert!(ends.is_sorted_by(|a, b| a >= b), "{ends:?}");
}

#[test]
fn extreme_responses_and_rows_are_fitted() {
    let (x, y) = kinked(200, 3, 0.1);
    for unit in [1e-300, 1e300] {
        let scaled: Vec<f64> = y.iter().map(|y| y * unit).collect();
        let model = fit(&x, &scaled, &quick(1));
        let predicted = model.predict(x.view()).unwrap();
        let back: Vec<f64> = predicted.iter().map(|p| p / unit).collect();
        assert!(r2(&back, &y) > 0.98, "{unit:e}");
        let explained = model.explain(x.view()).unwrap();
        assert!(explained.iter().all(|d| d.is_finite()));
    }
    // A constant response, one row, fewer rows than coefficients.
    for (rows, constant) in [(200, true), (1, false), (2, false), (4, false)] {
        let x = x.slice(ndarray::s![..rows, ..]);
        let response = |y: &f64| if constant { 7.5 } else { *y };
        let y: Vec<f64> = y[..rows].iter().map(response).collect();
        for ridge_leaves in [None, Some(0.0)] {
            let settings = OrrtSettings {
                ridge_leaves,
                ..quick(2)
            };
            let model = fit_orrt(x, &y, None, &[], &settings, &Control::default()).unwrap();
            let predicted = model.predict(x).unwrap();
            assert!(predicted.iter().all(|p| p.is_finite()), "{rows} rows");
            if constant || rows == 1 {
                assert!(predicted.iter().all(|p| *p == y[0]), "{predicted:?}");
            }
        }
    }
    let twins = concatenate![Axis(1), x, x, Array2::from_elem((200, 1), 4.0)];
    for ridge_leaves in [None, Some(0.0)] {
        let settings = OrrtSettings {
            ridge_leaves,
            ..quick(1)
        };
        let model = fit(&twins, &y, &settings);
        let share = r2(&model.predict(twins.view()).unwrap(), &y);
        assert!(share > 0.98, "{share}");
    }
    let tiny = vec![1e-307; 200];
    let model = fit_orrt(
        x.view(),
        &y,
        Some(&tiny),
        &[],
        &quick(2),
        &Control::default(),
    )
    .unwrap();
    let predicted = model.predict(x.view()).unwrap();
    assert!(predicted.iter().all(|p| p.is_finite()));
}

/// With more features than rows a regression that shrinks nothing fits noise exactly.
#[test]
fn noise_is_not_interpolated() {
    let mut rng = Pcg64::new(21, 0);
    let mut noise = |rows: usize| -> (Array2<f64>, Vec<f64>) {
        let x = Array2::from_shape_simple_fn((rows, 200), || rng.random_range(-1.0..1.0));
        let y = (0..rows).map(|_| rng.random_range(-1.0..1.0)).collect();
        (x, y)
    };
    let ((x, y), (fresh, truth)) = (noise(100), noise(1000));
    let settings = SrtSettings {
        depth: 1,
        ..SrtSettings::default()
    };
    let srt = fit_srt(x.view(), &y, None, &settings, &Control::default()).unwrap();
    let orrt = fit(&x, &y, &quick(1));
    for (kind, seen, new) in [
        ("srt", srt.predict(x.view()), srt.predict(fresh.view())),
        ("orrt", orrt.predict(x.view()), orrt.predict(fresh.view())),
    ] {
        let (seen, new) = (r2(&seen.unwrap(), &y), r2(&new.unwrap(), &truth));
        assert!(
            seen < 0.6 && new > -0.3,
            "{kind}: {seen} and, on new rows, {new}"
        );
    }
}

#[test]
fn penalties_leave_exact_zeros_and_a_large_one_the_mean() {
    let (x, y) = kinked(300, 5, 0.1);
    let with = |local: f64, global: f64, shape: PenaltyShape| {
        let settings = OrrtSettings {
            penalty: PenaltySettings {
                local: Some(local),
                global,
                shape,
                ..PenaltySettings::none()
            },
            gamma: Some(20.0),
            tol: 1e-6,
            ..quick(1)
        };
        fit(&x, &y, &settings)
    };
    let free = with(0.0, 0.0, PenaltyShape::Norm);
    assert_eq!((free.local_sparsity(), free.global_sparsity()), (0.0, 0.0));
    for model in [
        with(0.01, 0.0, PenaltyShape::Norm),
        with(0.0, 0.01, PenaltyShape::Norm),
        with(0.002, 0.0, PenaltyShape::Exp { alpha: 5.0 }),
    ] {
        // Three of the five features are noise.
        let share = r2(&model.predict(x.view()).unwrap(), &y);
        assert!(
            model.global_sparsity() >= 40.0,
            "{}",
            model.global_sparsity()
        );
        assert!(share > 0.97, "{share}");
        assert!(model.report.objective >= free.report.objective);
    }
    // Corollary 4.1: the sparsest tree predicts the mean.
    let mean = y.iter().sum::<f64>() / 300.0;
    for model in [
        with(1e100, 0.0, PenaltyShape::Norm),
        with(0.0, 10.0, PenaltyShape::Norm),
    ] {
        assert_eq!(
            (model.local_sparsity(), model.global_sparsity()),
            (100.0, 100.0)
        );
        let predicted = model.predict(x.view()).unwrap();
        assert!(
            predicted.iter().all(|p| (p - mean).abs() < 1e-6),
            "{predicted:?}"
        );
        assert_eq!(model.report.notices, [Notice::NoFeatures]);
    }
}

/// Leaf models too many for one regression are fitted leaf by leaf and then together with the splits.
#[test]
fn deep_trees_are_fitted_within_the_time_they_get() {
    let (x, y) = kinked(300, 6, 0.1);
    let linear = r2(&fit(&x, &y, &quick(1)).predict(x.view()).unwrap(), &y);
    let settings = OrrtSettings {
        n_starts: 1,
        max_iter: 30,
        ..quick(8)
    };
    let share = r2(&fit(&x, &y, &settings).predict(x.view()).unwrap(), &y);
    assert!(share > 0.9 * linear, "{share}, {linear}");
    let settings = OrrtSettings {
        run: RunSettings {
            time_limit: Some(Duration::from_millis(100)),
            ..RunSettings::default()
        },
        ..quick(10)
    };
    let model = fit(&x, &y, &settings);
    assert_eq!(model.report.status.name(), "time_limit");
    let predicted = model.predict(x.view()).unwrap();
    assert!(predicted.iter().all(|p| p.is_finite()));
}

#[test]
fn a_model_survives_its_file() {
    let (x, y) = kinked(200, 3, 0.1);
    let model = fit(&x, &y, &quick(2));
    let same = OrrtModel::from_json(&model.to_json()).unwrap();
    assert_eq!(same, model);
    assert_eq!(Model::from_json(&model.to_json()), Ok(Model::Orrt(model)));
}

#[test]
fn bad_input_is_refused_by_name() {
    let (x, y) = kinked(20, 2, 0.1);
    let refused = |y: &[f64], settings: OrrtSettings| {
        let fitted = fit_orrt(x.view(), y, None, &[], &settings, &Control::default());
        fitted.unwrap_err().to_string()
    };
    let settings = || quick(1);
    assert!(refused(&y[..19], settings()).contains("y has 19 values"));
    let mut gap = y.clone();
    gap[3] = f64::NAN;
    assert!(refused(&gap, settings()).contains("y[3] is NaN"));
    let wide = Array2::from_shape_simple_fn((4, 600), || 0.5);
    let (deep, control) = (quick(12), Control::default());
    let error = fit_orrt(wide.view(), &y[..4], None, &[], &deep, &control).unwrap_err();
    assert!(error.to_string().contains("got 12 for 600 features"));
    for (name, settings) in [
        (
            "depth",
            OrrtSettings {
                depth: 0,
                ..settings()
            },
        ),
        (
            "gamma",
            OrrtSettings {
                gamma: Some(0.0),
                ..settings()
            },
        ),
        (
            "ridge_leaves",
            OrrtSettings {
                ridge_leaves: Some(-1.0),
                ..settings()
            },
        ),
        (
            "n_starts",
            OrrtSettings {
                n_starts: 0,
                ..settings()
            },
        ),
        (
            "max_iter",
            OrrtSettings {
                max_iter: 0,
                ..settings()
            },
        ),
    ] {
        let text = refused(&y, settings);
        assert!(text.contains(name), "{text}");
    }
}
