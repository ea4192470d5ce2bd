//! Does the soft regression tree minimize what it says, find what it should, and predict by one leaf?

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{Parallelism, RegressionRows, ScaledRows, Scaling, ScalingKind};
use softwood::fitted::Measure;
use softwood::objective::SoftRegressionError;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::{RegressionParameters, Topology};
use softwood::{
    Control, FitError, FittedModel, InputError, Model, RegressionStart, RunSettings, SrtModel,
    SrtSettings, fit_srt,
};

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

fn fit(x: &Array2<f64>, y: &[f64], settings: &SrtSettings) -> SrtModel {
    fit_srt(x.view(), y, None, settings, &Control::default()).unwrap()
}

fn quick(depth: usize) -> SrtSettings {
    SrtSettings {
        depth,
        n_starts: 3,
        ..SrtSettings::default()
    }
}

/// Share of the variance that is explained.
fn r2(model: &SrtModel, x: ArrayView2<'_, f64>, y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let predicted = model.predict(x).unwrap();
    let errors: f64 = predicted.iter().zip(y).map(|(p, y)| (p - y).powi(2)).sum();
    1.0 - errors / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

/// (7) in plain loops.
fn plain_objective(
    u: &Array2<f64>,
    y: &[f64],
    w: &[f64],
    at: &RegressionParameters,
    ridges: (&[f64], &[f64]),
) -> f64 {
    let (p, b) = (at.features, at.topology.branches());
    let mut sum = 0.0;
    for (i, row) in u.rows().into_iter().enumerate() {
        let left: Vec<f64> = (0..b)
            .map(|t| {
                let a = &at.theta[t * p..][..p];
                let z = row.iter().zip(a).map(|(u, a)| u * a).sum::<f64>() / p as f64;
                1.0 / (1.0 + (-(z - at.theta[b * p + t])).exp())
            })
            .collect();
        for leaf in 0..at.topology.leaves() {
            let chance: f64 = at
                .topology
                .path(leaf)
                .map(|(t, is_left)| if is_left { left[t] } else { 1.0 - left[t] })
                .product();
            let slopes = &at.leaf_slopes[leaf * p..][..p];
            let fitted = row.iter().zip(slopes).map(|(u, b)| u * b).sum::<f64>();
            sum += w[i] * chance * (fitted + at.leaf_intercepts[leaf] - y[i]).powi(2);
        }
    }
    let penalty = |slopes: &[f64], intercepts: &[f64], ridges: &[f64]| {
        let of_slope = |(i, x): (usize, &f64)| 0.5 * ridges[i % p] * x * x;
        let of_slopes: f64 = slopes.iter().enumerate().map(of_slope).sum();
        of_slopes + 0.5 * ridges[p] * intercepts.iter().map(|x| x * x).sum::<f64>()
    };
    sum / w.iter().sum::<f64>()
        + penalty(&at.theta[..b * p], &at.theta[b * p..], ridges.0)
        + penalty(&at.leaf_slopes, &at.leaf_intercepts, ridges.1)
}

#[test]
fn the_objective_is_that_of_the_paper_and_its_gradient_that_of_differences() {
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
        let topology = Topology::complete(depth);
        let mut at = RegressionParameters::zero(topology.clone(), features);
        at.theta.fill_with(|| rng.random_range(-3.0..3.0));
        at.leaf_slopes.fill_with(|| rng.random_range(-1.0..1.0));
        at.leaf_intercepts.fill_with(|| rng.random_range(-1.0..1.0));
        let data = RegressionRows::new(
            ScaledRows::new(x.view().into(), &scaling),
            &y,
            Some(&weights),
            Parallelism::None,
            Stop::default(),
        );
        let ridges =
            |first: f64| -> Vec<f64> { (0..=features).map(|j| first * (1 + j) as f64).collect() };
        let (branches, leaves) = (ridges(0.03), ridges(0.07));
        let objective = SoftRegressionError {
            data: &data,
            topology,
            ridge_branches: &branches,
            ridge_leaves: &leaves,
        };
        let point = SoftRegressionError::flatten(&at);
        let mut gradient = vec![0.0; objective.dim()];
        let value = objective.value_and_gradient(&point, &mut gradient).unwrap();
        let plain = plain_objective(&u, &y, &weights, &at, (&branches, &leaves));
        assert!((value / plain - 1.0).abs() < 1e-12, "{value} for {plain}");
        let mut scratch = vec![0.0; objective.dim()];
        for j in 0..objective.dim() {
            let mut at = |step: f64| {
                let mut moved = point.clone();
                moved[j] += step;
                objective.value_and_gradient(&moved, &mut scratch).unwrap()
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!(
                (difference - gradient[j]).abs() < 1e-8,
                "{j}: {} for {difference}",
                gradient[j]
            );
        }
    }
}

#[test]
fn a_piecewise_linear_response_is_found() {
    let (x, y) = kinked(600, 3, 0.0);
    let model = fit(&x, &y, &quick(1));
    assert!(r2(&model, x.view(), &y) > 0.999);
    // The kink runs along x0 + 0.3 x1 = 0.
    let rule = model.tree.rule(0).unwrap();
    let weight = |j: usize| rule.terms.iter().find(|t| t.feature == j).unwrap().weight;
    assert!((weight(1) / weight(0) - 0.3).abs() < 0.05);
    assert!(rule.threshold.abs() < 0.03 * weight(0).abs());
}

/// Each side of one plane bends along directions of its own: a start that finds one of the two bends
/// is given another chance to find the other.
#[test]
fn what_differs_between_subtrees_is_found() {
    let mut rng = Pcg64::new(11, 0);
    let x = Array2::from_shape_simple_fn((600, 4), || rng.random_range(-1.0..1.0));
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|r: ndarray::ArrayView1<'_, f64>| {
            if r[0] > 0.0 {
                4.0 + 2.0 * r[1].abs()
            } else {
                2.0 * (r[2] - r[3]).abs()
            }
        })
        .collect();
    for random_state in 0..10 {
        let settings = SrtSettings {
            n_starts: 2,
            run: RunSettings {
                random_state,
                ..RunSettings::default()
            },
            ..quick(2)
        };
        let share = r2(&fit(&x, &y, &settings), x.view(), &y);
        // Without it the worst of these seeds ends at 0.79, with it at 0.93.
        assert!(share > 0.9, "seed {random_state}: {share}");
    }
}

#[test]
fn a_linear_response_is_predicted_exactly() {
    let (x, _) = kinked(80, 3, 0.0);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|r| 3.0 * r[0] - r[2] + 100.0)
        .collect();
    let model = fit(&x, &y, &quick(2));
    for (predicted, y) in model.predict(x.view()).unwrap().iter().zip(&y) {
        assert!((predicted - y).abs() < 1e-3, "{predicted} for {y}");
    }
}

#[test]
fn accepted_steps_lead_to_a_stationary_point() {
    let (x, y) = kinked(120, 2, 0.2);
    for depth in [1, 2] {
        for convergent_after in [0, 6] {
            let settings = SrtSettings {
                ridge_branches: Some(1e-3),
                ridge_leaves: Some(1e-3),
                macro_iterations: 2000,
                convergent_after: Some(convergent_after),
                tol: 1e-6,
                n_starts: 1,
                ..quick(depth)
            };
            let model = fit(&x, &y, &settings);
            assert_eq!(model.report.status.name(), "converged", "depth {depth}");
            assert!(model.report.optimality <= 1e-6);
        }
    }
}

#[test]
fn more_macro_iterations_never_end_higher() {
    let (x, y) = kinked(300, 3, 0.3);
    let objective = |macro_iterations| {
        let settings = SrtSettings {
            ridge_branches: Some(1e-6),
            ridge_leaves: Some(1e-4),
            macro_iterations,
            n_starts: 1,
            // Deeper trees have subtrees to replace at the end, and begin that elsewhere.
            ..quick(1)
        };
        fit(&x, &y, &settings).report.objective
    };
    let ends: Vec<f64> = [1, 2, 4, 8].map(objective).to_vec();
    assert!(ends.is_sorted_by(|a, b| a >= b), "{ends:?}");
}

#[test]
fn a_fit_has_the_same_bits_on_any_number_of_threads() {
    for (rows, depth, n_starts) in [(400, 2, 5), (70_000, 2, 2), (9000, 1, 1)] {
        let (x, y) = kinked(rows, 3, 0.3);
        let fit_with = |threads| {
            let settings = SrtSettings {
                run: RunSettings {
                    n_threads: Some(threads),
                    ..RunSettings::default()
                },
                n_starts,
                macro_iterations: 3,
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
    // Steps that lead to the same minimum, whatever the order of sums.
    let settings = SrtSettings {
        macro_iterations: 500,
        convergent_after: Some(9),
        tol: 1e-7,
        n_starts: 1,
        ..quick(2)
    };
    let control = Control::default();
    let weighted = fit_srt(x.view(), &y, Some(&weights), &settings, &control).unwrap();
    let repeated = fit(&twice, &y_twice, &settings);
    assert!((weighted.report.objective - repeated.report.objective).abs() < 1e-6);
    let (a, b) = (
        weighted.predict(x.view()).unwrap(),
        repeated.predict(x.view()).unwrap(),
    );
    let close = a
        .iter()
        .zip(&b)
        .filter(|(a, b)| (*a - *b).abs() < 1e-3)
        .count();
    assert!(close >= 148, "{close} of 150 predictions agree");
}

#[test]
fn rows_of_weight_zero_do_not_count() {
    let (x, y) = kinked(120, 2, 0.2);
    let weights: Vec<f64> = (0..120).map(|i| if i < 100 { 1.0 } else { 0.0 }).collect();
    let mut wild = y.clone();
    wild[100..].fill(1e6);
    let control = Control::default();
    let fit_to = |y: &[f64]| {
        let mut model = fit_srt(x.view(), y, Some(&weights), &quick(2), &control).unwrap();
        model.report.seconds = 0.0;
        model
    };
    let (tame, wild) = (fit_to(&y), fit_to(&wild));
    assert_eq!(
        tame.predict(x.view()).unwrap(),
        wild.predict(x.view()).unwrap()
    );
}

#[test]
fn extreme_responses_and_rows_are_fitted() {
    let (x, y) = kinked(200, 3, 0.1);
    let usual = r2(&fit(&x, &y, &quick(2)), x.view(), &y);
    assert!(usual > 0.99);
    for unit in [1e-300, 1e300] {
        let scaled: Vec<f64> = y.iter().map(|y| y * unit).collect();
        let model = fit(&x, &scaled, &quick(2));
        let back: Vec<f64> = model
            .predict(x.view())
            .unwrap()
            .iter()
            .map(|p| p / unit)
            .collect();
        let errors: f64 = back.iter().zip(&y).map(|(p, y)| (p - y).powi(2)).sum();
        assert!(errors / 200.0 < 0.01, "{unit:e}: {errors}");
        assert!(
            model
                .explain(x.view())
                .unwrap()
                .iter()
                .all(|d| d.is_finite())
        );
    }
    let huge = x.mapv(|x| x * 1e300);
    let model = fit(&huge, &y, &quick(2));
    assert!((r2(&model, huge.view(), &y) - usual).abs() < 0.01);
    // A constant response, one row, fewer rows than coefficients, twin and constant columns.
    for (rows, constant) in [(200, true), (1, false), (2, false), (4, false)] {
        let x = x.slice(ndarray::s![..rows, ..]);
        let y: Vec<f64> = y[..rows]
            .iter()
            .map(|y| if constant { 7.5 } else { *y })
            .collect();
        let settings = SrtSettings {
            ridge_leaves: Some(0.0),
            ridge_branches: Some(0.0),
            ..quick(2)
        };
        for settings in [quick(2), settings] {
            let model = fit_srt(x, &y, None, &settings, &Control::default()).unwrap();
            let predicted = model.predict(x).unwrap();
            assert!(predicted.iter().all(|p| p.is_finite()), "{rows} rows");
            if constant {
                assert!(predicted.iter().all(|p| *p == 7.5));
            }
            if rows == 1 {
                assert!((predicted[0] - y[0]).abs() < 1e-9);
            }
        }
    }
    let twins = concatenate![Axis(1), x, x, Array2::from_elem((200, 1), 4.0)];
    for ridge in [None, Some(0.0)] {
        let settings = SrtSettings {
            ridge_leaves: ridge,
            ..quick(2)
        };
        let model = fit(&twins, &y, &settings);
        assert!(r2(&model, twins.view(), &y) > 0.99);
    }
}

#[test]
fn one_leaf_predicts_and_explains() {
    let (x, y) = kinked(300, 3, 0.1);
    for scaling in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let settings = SrtSettings {
            scaling,
            ..quick(2)
        };
        let model = fit(&x, &y, &settings);
        let (predicted, leaves) = (
            model.predict(x.view()).unwrap(),
            model.tree.leaf_indices(x.view()).unwrap(),
        );
        let (probabilities, slopes) = (
            model.tree.leaf_probabilities(x.view()).unwrap(),
            model.explain(x.view()).unwrap(),
        );
        for (i, row) in x.rows().into_iter().enumerate() {
            // The leaf at the end of the likelier branches.
            let mass = |leaves: std::ops::Range<usize>| -> f64 {
                probabilities[i * 4..][..4][leaves].iter().sum()
            };
            let half = if mass(0..2) >= 0.5 { 0 } else { 2 };
            let right = mass(half..half + 1) < mass(half + 1..half + 2);
            assert_eq!(leaves[i] as usize, half + usize::from(right));
            // Its model in the user's units.
            let leaf = model.leaf_model(leaves[i] as usize);
            let value = |j: usize, measure: Measure| match measure {
                Measure::Value | Measure::Indicator => row[j],
                Measure::Quantile => model.tree.scaling.features[j].apply(row[j]),
            };
            let terms = leaf
                .terms
                .iter()
                .map(|t| t.weight * value(t.feature, t.measure));
            let sum = leaf.intercept + terms.sum::<f64>();
            assert!((sum - predicted[i]).abs() < 1e-10);
            if scaling == ScalingKind::MinMax {
                for term in &leaf.terms {
                    let slope = slopes[i * 3 + term.feature];
                    assert!((slope - term.weight).abs() < 1e-10);
                }
            }
        }
    }
}

/// With its first `good` made `bad`, the text is refused with the word.
fn assert_refused(text: &str, changes: &[(&str, &str, &str)]) {
    for (good, bad, word) in changes {
        assert!(text.contains(good), "{good}");
        let error = SrtModel::from_json(&text.replacen(good, bad, 1)).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_model_survives_its_file() {
    let (x, y) = kinked(100, 3, 0.1);
    let model = fit(&x, &y, &quick(2));
    let text = model.to_json();
    assert_eq!(SrtModel::from_json(&text).unwrap(), model);
    assert_eq!(Model::from_json(&text).unwrap(), Model::Srt(model.clone()));
    // One number stands for the same penalty of all coefficients.
    let asked = SrtSettings {
        ridge_leaves: Some(0.5),
        ..quick(2)
    };
    let asked = fit(&x, &y, &asked);
    let same = asked.to_json().replace("[0.5,0.5,0.5,0.5]", "0.5");
    assert!(same.contains("\"ridge_leaves\": 0.5"));
    assert_eq!(SrtModel::from_json(&same).unwrap(), asked);
    let wrong = softwood::OrctModel::from_json(&text)
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("kind is \"srt\", not \"orct\""), "{wrong}");
    let changes = [
        (
            "\"leaf_intercepts\": [",
            "\"leaf_intercepts\": [1.0, ",
            "leaf_intercepts has 5",
        ),
        (
            "\"leaf_coefficients\": [\n    [",
            "\"leaf_coefficients\": [\n    [1.0, ",
            "leaf_coefficients[0] has 4",
        ),
        (
            "\"scale\":",
            "\"scale\": -1.0, \"other\":",
            "scale must be positive",
        ),
        (
            "\"ridge_leaves\": [",
            "\"ridge_leaves\": [-",
            "ridge_leaves[0] is -",
        ),
        (
            "\"ridge_branches\": [",
            "\"ridge_branches\": [1.0, ",
            "ridge_branches has 5 values, not 4",
        ),
        (
            "\"kind\": \"srt\"",
            "\"kind\": \"tree\"",
            "kind is \"tree\"",
        ),
        ("\"response\":", "\"answer\":", "response"),
    ];
    assert_refused(&text, &changes);
}

#[test]
fn a_model_with_curves_survives_its_file() {
    let (x, y) = kinked(100, 3, 0.1);
    let settings = SrtSettings {
        curves: true,
        ..quick(1)
    };
    let model = fit(&x, &y, &settings);
    let text = model.to_json();
    let read = SrtModel::from_json(&text).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.predict(x.view()), model.predict(x.view()));
    assert!(
        model
            .to_string()
            .contains("plus, in every leaf, curves of x")
    );
    let changes = [
        (
            "\"curves\": [\n    {",
            "\"curves\": [\n    {\"knots\": [], \"bends\": []},\n    {",
            "curves has 4",
        ),
        (
            "{\"knots\":[",
            "{\"knots\":[0.5,",
            "curves[0]: a curve needs increasing knots",
        ),
        ("\"bends\":[", "\"bends\":[1.0,", "curves[0]: a curve needs"),
    ];
    assert_refused(&text, &changes);
}

#[test]
fn the_documented_file_predicts_the_documented_row() {
    let page = include_str!("../../crates/softwood/MODEL_FORMAT.md");
    let part = page.split("## Soft regression trees").nth(1).unwrap();
    let block = |i: usize| {
        part.split("```json")
            .nth(i)
            .unwrap()
            .split("```")
            .next()
            .unwrap()
    };
    let model = SrtModel::from_json(block(1)).unwrap();
    let example: serde_json::Value = serde_json::from_str(block(2)).unwrap();
    let row: Vec<f64> = serde_json::from_value(example["row"].clone()).unwrap();
    let row = ArrayView2::from_shape((1, 2), &row).unwrap();
    let predicted = model.predict(row).unwrap()[0];
    assert!((predicted - example["prediction"].as_f64().unwrap()).abs() < 1e-12);
    assert_eq!(model.tree.leaf_indices(row).unwrap()[0], example["leaf"]);
}

#[test]
fn bad_input_is_refused_with_its_values() {
    let (x, y) = kinked(20, 2, 0.1);
    let refused = |y: &[f64], weights: Option<&[f64]>, settings: SrtSettings| -> String {
        match fit_srt(x.view(), y, weights, &settings, &Control::default()) {
            Err(FitError::Input(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let plain = SrtSettings::default;
    assert_eq!(
        refused(&y[1..], None, plain()),
        "X has 20 rows but y has 19 values"
    );
    let mut bad = y.clone();
    bad[3] = f64::NAN;
    assert_eq!(
        refused(&bad, None, plain()),
        "y[3] is NaN; every value must be finite"
    );
    assert!(refused(&y, Some(&[1.0]), plain()).contains("sample_weight has 1 values"));
    assert!(refused(&y, Some(&[0.0; 20]), plain()).contains("zero for all 20 rows"));
    let cases: [(SrtSettings, &str); 7] = [
        (
            SrtSettings {
                depth: 0,
                ..plain()
            },
            "depth must be",
        ),
        (
            SrtSettings {
                n_starts: 0,
                ..plain()
            },
            "n_starts must be",
        ),
        (
            SrtSettings {
                macro_iterations: 0,
                ..plain()
            },
            "macro_iterations must be",
        ),
        (
            SrtSettings {
                ridge_leaves: Some(-1.0),
                ..plain()
            },
            "ridge_leaves must be",
        ),
        (
            SrtSettings {
                ridge_branches: Some(f64::NAN),
                ..plain()
            },
            "ridge_branches must be",
        ),
        (
            SrtSettings {
                imbalance: [0.1, 0.3, 0.4],
                ..plain()
            },
            "imbalance must be",
        ),
        (
            SrtSettings {
                tol: f64::INFINITY,
                ..plain()
            },
            "tol must be",
        ),
    ];
    for (settings, word) in cases {
        let error = refused(&y, None, settings);
        assert!(error.contains(word), "{error}");
    }
    assert!("middle".parse::<RegressionStart>().is_err());
    let mut bad = x.clone();
    bad[[4, 1]] = f64::INFINITY;
    let error = fit_srt(bad.view(), &y, None, &plain(), &Control::default()).unwrap_err();
    let at = InputError::NotFinite {
        row: 4,
        column: 1,
        value: f64::INFINITY,
    };
    assert_eq!(error, FitError::Input(at));
}

#[test]
fn every_start_can_be_used_alone() {
    let (x, y) = kinked(300, 3, 0.05);
    for start in [
        RegressionStart::Clusters,
        RegressionStart::Random,
        RegressionStart::Mixed,
    ] {
        let settings = SrtSettings { start, ..quick(2) };
        let model = fit(&x, &y, &settings);
        assert!(r2(&model, x.view(), &y) > 0.98, "{start:?}");
        assert_eq!(model.report.start_objectives.len(), 3);
    }
}

#[test]
fn a_raised_flag_cancels_and_a_time_limit_still_gives_a_model() {
    let (x, y) = kinked(20_000, 4, 0.3);
    let control = Control::default();
    control.stop.raise();
    let cancelled = fit_srt(x.view(), &y, None, &quick(2), &control);
    assert_eq!(cancelled.unwrap_err(), FitError::Cancelled);
    let settings = SrtSettings {
        n_starts: 1000,
        run: RunSettings {
            time_limit: Some(std::time::Duration::from_millis(50)),
            ..RunSettings::default()
        },
        ..quick(3)
    };
    let model = fit(&x, &y, &settings);
    assert_eq!(model.report.status.name(), "time_limit");
    assert!(r2(&model, x.view(), &y) > 0.5);
}
