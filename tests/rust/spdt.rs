//! Sparse perceptron decision trees: known answers, invariances, extremes and bad input.

use ndarray::{Array2, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use softwood::data::{CsrRows, Labels};
use softwood::status::SolveStatus;
use softwood::{
    Control, FitError, FittedModel, FittedTree, InputError, Model, RunSettings, SpdtModel,
    SpdtScaling, SpdtSettings, fit_spdt,
};
use std::time::Duration;

fn uniform(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    Array2::from_shape_fn((rows, columns), |_| rng.random_range(-1.0..1.0))
}

fn labels(truths: impl Iterator<Item = bool>) -> Labels {
    let codes: Vec<i64> = truths.map(i64::from).collect();
    Labels::from(codes.as_slice())
}

fn fit(x: ArrayView2<'_, f64>, y: &Labels, settings: &SpdtSettings) -> SpdtModel {
    fit_spdt(x, y, None, settings, &Control::default()).unwrap()
}

fn errors(model: &SpdtModel, x: ArrayView2<'_, f64>, y: &Labels) -> usize {
    let told = model.predict(x).unwrap();
    told.iter().zip(&y.codes).filter(|(a, b)| a != b).count()
}

/// The nonzeros of dense rows.
fn sparse(x: &Array2<f64>) -> (Vec<i32>, Vec<i64>, Vec<f64>) {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as i64);
            values.push(*value);
        }
        starts.push(values.len() as i32);
    }
    (starts, columns, values)
}

/// Two features of 3,000 that count, linearly.
fn linear() -> (Array2<f64>, Labels) {
    let x = uniform(200, 3000, 1);
    let y = labels(x.rows().into_iter().map(|row| row[17] - row[2711] > 0.1));
    (x, y)
}

#[test]
fn the_two_features_that_count_are_found_among_thousands() {
    let (x, y) = linear();
    let settings = SpdtSettings {
        depth: 1,
        budget: Some(2),
        split_features: Some(2),
        cost: Some(10.0),
        ..SpdtSettings::default()
    };
    let model = fit(x.view(), &y, &settings);
    let used: Vec<u32> = model.tree.used().iter().map(|u| u.column).collect();
    assert_eq!(used, [17, 2711]);
    assert!(errors(&model, x.view(), &y) <= 4);
    let rule = model.rule(0).unwrap();
    let weight = |j: usize| rule.terms.iter().find(|t| t.feature == j).unwrap().weight;
    // The later class goes left, by weights of opposite sign and the threshold in proportion.
    assert!(weight(17) > 0.0 && (weight(17) / weight(2711) + 1.0).abs() < 0.1);
    assert!((rule.threshold / weight(17) - 0.1).abs() < 0.05);
    assert_eq!(model.report.status, SolveStatus::Converged);
    assert!(model.report.optimality < 0.2, "{}", model.report.optimality);
    assert!(model.report.loss < 0.06);
}

#[test]
fn an_exclusive_or_is_seen_among_noise() {
    let x = uniform(2000, 300, 2);
    let y = labels(
        x.rows()
            .into_iter()
            .map(|row| (row[5] > 0.0) ^ (row[250] > 0.0)),
    );
    let settings = SpdtSettings {
        budget: Some(1),
        split_features: Some(2),
        cost: Some(5.0),
        ..SpdtSettings::default()
    };
    let model = fit(x.view(), &y, &settings);
    assert!(errors(&model, x.view(), &y) < 100);
    let blind = SpdtSettings {
        interactions: false,
        ..settings
    };
    let model = fit(x.view(), &y, &blind);
    assert!(errors(&model, x.view(), &y) > 500);
}

#[test]
fn sparse_rows_give_the_tree_of_dense_ones_on_any_number_of_threads() {
    let mut x = uniform(150, 400, 3);
    x.mapv_inplace(|value| if value.abs() < 0.8 { 0.0 } else { value });
    let y = labels(x.rows().into_iter().map(|row| row.sum() > 0.0));
    let settings = |threads| SpdtSettings {
        scaling: SpdtScaling::Plain,
        cost: None,
        run: RunSettings {
            n_threads: Some(threads),
            ..RunSettings::default()
        },
        ..SpdtSettings::default()
    };
    let same = |mut model: SpdtModel| {
        model.report.seconds = 0.0;
        model
    };
    let dense = same(fit(x.view(), &y, &settings(1)));
    assert_eq!(same(fit(x.view(), &y, &settings(2))), dense);
    let (starts, columns, values) = sparse(&x);
    let csr = CsrRows::new(400, &starts[..], &columns[..], &values[..]).unwrap();
    let fitted = fit_spdt(csr, &y, None, &settings(2), &Control::default()).unwrap();
    assert_eq!(fitted.tree.used(), dense.tree.used());
    for (a, b) in fitted.tree.splits().iter().zip(dense.tree.splits()) {
        assert_eq!(a.columns, b.columns);
        for (a, b) in a.weights.iter().zip(&b.weights) {
            assert!((a - b).abs() <= 1e-6 * b.abs().max(1e-3));
        }
    }
    assert_eq!(
        fitted.predict(csr).unwrap(),
        fitted.predict(x.view()).unwrap()
    );
    let proba = fitted.predict_proba(csr).unwrap();
    assert_eq!(proba, fitted.predict_proba(x.view()).unwrap());
}

#[test]
fn a_weight_of_two_is_the_row_twice_and_the_order_does_not_matter() {
    let x = uniform(60, 30, 4);
    let y = labels(x.rows().into_iter().map(|row| row[0] + row[1] > 0.2));
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3 == 0) + 1.0).collect();
    let settings = SpdtSettings::default();
    let control = Control::default();
    let weighted = fit_spdt(x.view(), &y, Some(&weights), &settings, &control).unwrap();
    let mut members: Vec<usize> = (0..60).flat_map(|i| vec![i; weights[i] as usize]).collect();
    members.reverse();
    let repeated = Array2::from_shape_fn((members.len(), 30), |(i, j)| x[[members[i], j]]);
    let twice = labels(members.iter().map(|i| y.codes[*i] == 1));
    let repeated = fit(repeated.view(), &twice, &settings);
    assert_eq!(weighted.tree, repeated.tree);
    assert_eq!(weighted.frequencies, repeated.frequencies);
}

#[test]
fn a_model_comes_back_from_its_file_and_explains_itself() {
    let (x, y) = linear();
    let names: Vec<String> = (0..3000).map(|j| format!("gene {j}")).collect();
    let settings = SpdtSettings {
        cost: Some(1.0),
        run: RunSettings {
            feature_names: Some(names),
            ..RunSettings::default()
        },
        ..SpdtSettings::default()
    };
    let model = fit(x.view(), &y, &settings);
    let text = model.to_json();
    assert_eq!(SpdtModel::from_json(&text).unwrap(), model);
    let chosen = SpdtSettings {
        cost: None,
        budget: None,
        ..settings
    };
    let chosen = fit(x.view(), &y, &chosen);
    let table = chosen.report.cross_validation.as_ref().unwrap();
    assert_eq!(table.candidates.len(), 5 * 4);
    assert_eq!(SpdtModel::from_json(&chosen.to_json()).unwrap(), chosen);
    assert_eq!(Model::from_json(&text).unwrap(), Model::Spdt(model.clone()));
    let broken = text.replacen("\"threshold\":", "\"threshold\":1e999,\"was\":", 1);
    assert!(SpdtModel::from_json(&broken).is_err());
    let paths = model.tree.decision_path(x.view()).unwrap();
    let leaves = model.tree.leaf_indices(x.view()).unwrap();
    let explained = model.tree.explain_path(x.view()).unwrap();
    let width = model.tree.shape.depth() + 1;
    for (i, splits) in explained.iter().enumerate() {
        let path = &paths[i * width..][..width];
        assert_eq!(
            path[splits.len()],
            model.tree.shape.leaves()[leaves[i] as usize] as i64
        );
        for (split, node) in splits.iter().zip(path) {
            assert_eq!(split.node as i64, *node);
            assert_eq!(split.goes_left, split.margin >= 0.0);
            let sum: f64 = split.contributions.iter().map(|c| c.contribution).sum();
            assert!((split.base + sum - split.margin).abs() < 1e-9);
        }
    }
    assert!(model.to_string().contains("gene 17"), "{model}");
    let values = model.decision_values(x.view()).unwrap();
    for (value, code) in values.iter().zip(model.predict(x.view()).unwrap()) {
        assert_eq!(*value > 0.0, code == 1);
    }
}

#[test]
fn fold_classifiers_vote_as_one_linear_form() {
    let (x, y) = linear();
    let settings = SpdtSettings {
        depth: 1,
        budget: Some(2),
        split_features: Some(2),
        cost: Some(1.0),
        vote: true,
        ..SpdtSettings::default()
    };
    let voted = fit(x.view(), &y, &settings);
    let plain = SpdtSettings {
        vote: false,
        ..settings
    };
    let plain = fit(x.view(), &y, &plain);
    let (a, b) = (&voted.tree.splits()[0], &plain.tree.splits()[0]);
    assert_eq!(a.columns, b.columns);
    for (a, b) in a.weights.iter().zip(&b.weights) {
        // Four fifths of the rows pull less against the margin.
        assert!(a != b && (a / b - 1.0).abs() < 0.2, "{a} {b}");
    }
    assert!(errors(&voted, x.view(), &y) <= 6);
}

#[test]
fn empty_rows_and_columns_and_a_budget_beyond_all_features_are_legal() {
    let (starts, columns): (Vec<i64>, Vec<i32>) = (
        (0..=40).map(|i: i64| i / 2).collect(),
        (0..20).map(|k| if k % 2 == 0 { 3 } else { 8 }).collect(),
    );
    let values = [1.0f32; 20];
    let csr = CsrRows::new(10, &starts[..], &columns[..], &values[..]).unwrap();
    // Every other row is empty; column 3 speaks for the class, column 8 against it.
    let y = labels((0..40).map(|i| i % 4 == 1));
    let settings = SpdtSettings {
        budget: Some(1000),
        cost: Some(10.0),
        ..SpdtSettings::default()
    };
    let model = fit_spdt(csr, &y, None, &settings, &Control::default()).unwrap();
    let told = model.predict(csr).unwrap();
    assert!(told.iter().zip(&y.codes).all(|(a, b)| a == b));
    let nothing = CsrRows::new(10, &[0i64; 41][..], &[] as &[i32], &[] as &[f32]).unwrap();
    let model = fit_spdt(nothing, &y, None, &settings, &Control::default()).unwrap();
    assert_eq!((model.tree.shape.depth(), model.tree.used().len()), (0, 0));
}

#[test]
fn several_classes_are_parted_step_by_step() {
    let x = uniform(600, 50, 5);
    let code = |row: &[f64]| i64::from(row[3] > 0.0) + 2 * i64::from(row[40] > 0.0);
    let codes: Vec<i64> = x
        .rows()
        .into_iter()
        .map(|row| code(&row.to_vec()))
        .collect();
    let y = Labels::from(codes.as_slice());
    let settings = SpdtSettings {
        cost: Some(1.0),
        ..SpdtSettings::default()
    };
    let model = fit(x.view(), &y, &settings);
    assert!(errors(&model, x.view(), &y) < 40, "{model}");
    let proba = model.predict_proba(x.view()).unwrap();
    for (row, class) in proba.chunks_exact(4).zip(model.predict(x.view()).unwrap()) {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row.iter().all(|p| *p <= row[class as usize]));
    }
}

#[test]
fn a_budget_of_features_holds_for_the_whole_tree() {
    let x = uniform(500, 200, 6);
    let y = labels(
        x.rows()
            .into_iter()
            .map(|row| row[0] * row[1] + row[2] > 0.0),
    );
    for most in [1, 7, 30] {
        let settings = SpdtSettings {
            max_features: Some(most),
            cost: Some(1.0),
            ..SpdtSettings::default()
        };
        let model = fit(x.view(), &y, &settings);
        assert!(model.tree.used().len() <= most);
    }
}

#[test]
fn extremes_that_are_legal_are_fitted() {
    let control = Control::default();
    let settings = SpdtSettings {
        cost: Some(1.0),
        ..SpdtSettings::default()
    };
    let two = ndarray::array![[1.0, 5.0], [2.0, 5.0]];
    let y = labels([false, true].into_iter());
    let every = SpdtSettings {
        min_rows: 0.0,
        ..settings.clone()
    };
    assert_eq!(errors(&fit(two.view(), &y, &every), two.view(), &y), 0);
    let (x, y) = linear();
    for weight in [1e-307, 1e300] {
        let weights = vec![weight; 200];
        let model = fit_spdt(x.view(), &y, Some(&weights), &settings, &control).unwrap();
        assert!(errors(&model, x.view(), &y) < 30);
    }
    for cost in [1e-300, 1e300] {
        let settings = SpdtSettings {
            cost: Some(cost),
            ..settings.clone()
        };
        let model = fit(x.view(), &y, &settings);
        assert!(model.report.loss.is_finite());
    }
    let constant = Array2::from_elem((20, 3), 7.0);
    let y20 = labels((0..20).map(|i| i % 2 == 0));
    let model = fit(constant.view(), &y20, &settings);
    assert_eq!(model.tree.shape.depth(), 0);
    let budget = SpdtSettings {
        budget: Some(1_000_000),
        depth: 12,
        run: RunSettings {
            time_limit: Some(Duration::from_millis(200)),
            ..RunSettings::default()
        },
        ..settings.clone()
    };
    fit(x.view(), &y, &budget);
    let at_once = SpdtSettings {
        run: RunSettings {
            time_limit: Some(Duration::ZERO),
            ..RunSettings::default()
        },
        ..settings
    };
    let model = fit(x.view(), &y, &at_once);
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let (x, y) = linear();
    let control = Control::default();
    let told = |settings: &SpdtSettings, x: ArrayView2<'_, f64>, y: &Labels| {
        fit_spdt(x, y, None, settings, &control)
            .unwrap_err()
            .to_string()
    };
    let plain = SpdtSettings::default();
    for (settings, name) in [
        (
            SpdtSettings {
                cost: Some(0.0),
                ..plain.clone()
            },
            "C must be",
        ),
        (
            SpdtSettings {
                depth: 13,
                ..plain.clone()
            },
            "depth must be",
        ),
        (
            SpdtSettings {
                budget: Some(0),
                ..plain.clone()
            },
            "budget must be",
        ),
        (
            SpdtSettings {
                folds: 1,
                ..plain.clone()
            },
            "folds must be",
        ),
        (
            SpdtSettings {
                max_features: Some(0),
                ..plain.clone()
            },
            "max_features must be",
        ),
    ] {
        assert!(told(&settings, x.view(), &y).contains(name));
    }
    let one = labels((0..200).map(|_| true));
    let error = fit_spdt(x.view(), &one, None, &plain, &control).unwrap_err();
    assert_eq!(error, FitError::Input(InputError::TooFewClasses { got: 1 }));
    let mut broken = x.clone();
    broken[[3, 8]] = f64::NAN;
    assert!(told(&plain, broken.view(), &y).contains("X[3, 8] is NaN"));
    control.stop.raise();
    let model = fit_spdt(x.view(), &y, None, &plain, &control).unwrap();
    assert_eq!(model.report.status, SolveStatus::Cancelled);
}
