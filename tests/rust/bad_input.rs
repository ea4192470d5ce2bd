//! Is every wrong input refused before any work, with a text that says what and where?

use ndarray::{Array2, ArrayView2, array};
use softwood::data::{Labels, ScalingChoice};
use softwood::{
    Control, FitError, FittedModel, InputError, OrctModel, OrctSettings, RunSettings, fit_orct,
};

fn rows() -> Array2<f64> {
    array![[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.2, 0.9]]
}

fn labels() -> Labels {
    Labels::from([0i64, 1, 1, 0].as_slice())
}

/// The error of a fit and its text; nothing must have begun.
fn refused(
    x: ArrayView2<'_, f64>,
    y: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> (InputError, String) {
    let control = Control::default();
    let error = fit_orct(x, y, weights, settings, &control).expect_err("bad input");
    assert_eq!(
        control.progress.snapshot().starts,
        0,
        "refused before any work"
    );
    let text = error.to_string();
    let FitError::Input(error) = error else {
        panic!("{error:?} is not about the input")
    };
    assert_eq!(error.to_string(), text);
    (error, text)
}

fn refused_setting(settings: OrctSettings) -> String {
    let (error, text) = refused(rows().view(), &labels(), None, &settings);
    assert!(matches!(error, InputError::Setting { .. }));
    text
}

#[test]
fn shapes() {
    let settings = OrctSettings::plain();
    let (error, text) = refused(
        Array2::zeros((0, 3)).view(),
        &Labels::from([0i64; 0].as_slice()),
        None,
        &settings,
    );
    assert_eq!(
        error,
        InputError::Empty {
            rows: 0,
            columns: 3
        }
    );
    assert_eq!(
        text,
        "X must have at least one row and one column, got shape (0, 3)"
    );
    let (error, _) = refused(Array2::zeros((4, 0)).view(), &labels(), None, &settings);
    assert_eq!(
        error,
        InputError::Empty {
            rows: 4,
            columns: 0
        }
    );

    let (error, text) = refused(
        rows().view(),
        &Labels::from([0i64, 1].as_slice()),
        None,
        &settings,
    );
    assert_eq!(
        error,
        InputError::RowMismatch {
            name: "y",
            rows: 4,
            len: 2
        }
    );
    assert_eq!(text, "X has 4 rows but y has 2 values");
    let (error, text) = refused(rows().view(), &labels(), Some(&[1.0; 5]), &settings);
    assert_eq!(
        error,
        InputError::RowMismatch {
            name: "sample_weight",
            rows: 4,
            len: 5
        }
    );
    assert_eq!(text, "X has 4 rows but sample_weight has 5 values");
}

#[test]
fn values_that_are_not_finite() {
    for (value, name) in [
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        let mut x = rows();
        x[[2, 1]] = value;
        x[[3, 0]] = f64::NAN;
        let (error, text) = refused(x.view(), &labels(), None, &OrctSettings::plain());
        assert!(matches!(
            error,
            InputError::NotFinite {
                row: 2,
                column: 1,
                ..
            }
        ));
        assert_eq!(
            text,
            format!("X[2, 1] is {name}; every value must be finite")
        );
    }
}

#[test]
fn weights() {
    let settings = OrctSettings::plain();
    for (value, text) in [(-1.0, "-1.0"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let (error, message) = refused(
            rows().view(),
            &labels(),
            Some(&[1.0, value, 1.0, 1.0]),
            &settings,
        );
        assert!(matches!(error, InputError::Weight { row: 1, .. }));
        assert_eq!(
            message,
            format!("sample_weight[1] is {text}; weights must be finite and not negative")
        );
    }
    let (error, text) = refused(rows().view(), &labels(), Some(&[0.0; 4]), &settings);
    assert_eq!(error, InputError::NoWeight { rows: 4 });
    assert_eq!(
        text,
        "sample_weight is zero for all 4 rows; at least one must be positive"
    );
    let (_, text) = refused(rows().view(), &labels(), Some(&[1e308; 4]), &settings);
    assert_eq!(
        text,
        "sample_weight must be weights with a finite sum, got a sum that overflows"
    );
}

#[test]
fn numbers_of_classes() {
    let settings = OrctSettings::plain();
    let (error, text) = refused(
        rows().view(),
        &Labels::from(["a"; 4].as_slice()),
        None,
        &settings,
    );
    assert_eq!(error, InputError::TooFewClasses { got: 1 });
    assert_eq!(
        text,
        "y must hold at least two classes with positive weight, got 1"
    );
    let (error, _) = refused(
        rows().view(),
        &labels(),
        Some(&[1.0, 0.0, 0.0, 1.0]),
        &settings,
    );
    assert_eq!(error, InputError::TooFewClasses { got: 1 });

    let x = Array2::from_shape_fn((5, 2), |(i, j)| (i + j) as f64);
    let y = Labels::from([1i64, 2, 3, 4, 5].as_slice());
    let (error, text) = refused(x.view(), &y, None, &settings);
    assert_eq!(
        error,
        InputError::TooManyClasses {
            classes: 5,
            depth: 2,
            leaves: 4,
            needed: 3
        }
    );
    assert_eq!(
        text,
        "y has 5 classes but a tree of depth 2 has 4 leaves; use depth 3 or more, or switch cover_classes off"
    );
    for allowed in [
        OrctSettings {
            depth: 3,
            ..OrctSettings::plain()
        },
        OrctSettings {
            cover_classes: false,
            ..OrctSettings::plain()
        },
    ] {
        fit_orct(x.view(), &y, None, &allowed, &Control::default()).unwrap();
    }
}

#[test]
fn costs() {
    let with = |costs: &[f64]| OrctSettings {
        costs: Some(costs.to_vec()),
        ..OrctSettings::plain()
    };
    for (costs, place) in [
        ([0.0, -1.0, 1.0, 0.0], "costs[0, 1] is -1.0"),
        ([0.0, 1.0, f64::NAN, 0.0], "costs[1, 0] is NaN"),
        ([0.0, 1.0, 1.0, 0.5], "costs[1, 1] is 0.5"),
        ([0.0, 1e101, 1.0, 0.0], "costs[0, 1] is 1e101"),
    ] {
        let (error, text) = refused(rows().view(), &labels(), None, &with(&costs));
        assert!(matches!(error, InputError::Cost { .. }));
        assert_eq!(
            text,
            format!("{place}; costs must be numbers from 0 to 1e100, and 0 on the diagonal")
        );
    }
    assert_eq!(
        refused_setting(with(&[0.0; 9])),
        "costs must be a square matrix with one row for each class, got 9 values for 2 classes"
    );
}

#[test]
fn settings() {
    let default = OrctSettings::default;
    assert_eq!(
        refused_setting(OrctSettings {
            depth: 0,
            ..default()
        }),
        "depth must be 1, 2, …, 12, got 0"
    );
    assert_eq!(
        refused_setting(OrctSettings {
            depth: 13,
            ..default()
        }),
        "depth must be 1, 2, …, 12, got 13"
    );
    for (gamma, text) in [
        (0.0, "0"),
        (-1.0, "-1"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(
            refused_setting(OrctSettings {
                gamma: Some(gamma),
                ..default()
            }),
            format!("gamma must be a positive number up to 1e9, got {text}")
        );
    }
    assert_eq!(
        refused_setting(OrctSettings {
            n_starts: 0,
            ..default()
        }),
        "n_starts must be at least 1, got 0"
    );
    assert_eq!(
        refused_setting(OrctSettings {
            run: RunSettings {
                n_threads: Some(0),
                ..RunSettings::default()
            },
            ..default()
        }),
        "n_threads must be at least 1, got 0"
    );
    assert_eq!(
        refused_setting(OrctSettings {
            max_iter: 0,
            ..default()
        }),
        "max_iter must be at least 1, got 0"
    );
    assert_eq!(
        refused_setting(OrctSettings {
            tol: -0.5,
            ..default()
        }),
        "tol must be a number of at least 0, got -0.5"
    );
    assert_eq!(
        refused_setting(OrctSettings {
            tol: f64::NAN,
            ..default()
        }),
        "tol must be a number of at least 0, got NaN"
    );
    let names = Some(vec!["only one".into()]);
    assert_eq!(
        refused_setting(OrctSettings {
            run: RunSettings {
                feature_names: names,
                ..RunSettings::default()
            },
            ..default()
        }),
        "feature_names must be one name for each column of X, got 1 names for 2 columns"
    );
    assert_eq!(
        "zscore".parse::<ScalingChoice>().unwrap_err().to_string(),
        "scaling must be \"minmax\", \"quantile\" or \"auto\", got \"zscore\""
    );
}

#[test]
fn rows_to_predict() {
    let model = fit_orct(
        rows().view(),
        &labels(),
        None,
        &OrctSettings::plain(),
        &Control::default(),
    )
    .unwrap();
    let narrow = Array2::<f64>::zeros((3, 1));
    let error = InputError::FeatureMismatch {
        expected: 2,
        got: 1,
    };
    assert_eq!(
        error.to_string(),
        "X has 1 columns but the model was fitted on 2"
    );
    assert_eq!(model.predict(narrow.view()), Err(error.clone()));
    assert_eq!(model.predict_proba(narrow.view()), Err(error.clone()));
    assert_eq!(
        model.tree.leaf_probabilities(narrow.view()),
        Err(error.clone())
    );
    assert_eq!(model.explain(narrow.view()), Err(error));

    // Few rows are checked by one thread, many by several: the first bad value is named by both.
    for n in [5, 40_000] {
        let mut x = Array2::<f32>::zeros((n, 2));
        x[[n - 1, 0]] = f32::INFINITY;
        x[[n - 2, 1]] = f32::NAN;
        let text = format!("X[{}, 1] is NaN; every value must be finite", n - 2);
        assert_eq!(model.predict(x.view()).unwrap_err().to_string(), text);
        assert_eq!(model.explain(x.view()).unwrap_err().to_string(), text);
    }
    assert_eq!(
        model.predict(Array2::<f64>::zeros((0, 2)).view()),
        Ok(vec![])
    );
}

#[test]
fn model_files() {
    let error = OrctModel::from_json("{").unwrap_err();
    assert!(matches!(error, InputError::ModelFile(_)));
    assert!(
        error
            .to_string()
            .starts_with("not a valid softwood model: ")
    );
}
