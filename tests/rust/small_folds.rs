//! Cross-validation of very few rows: a clear refusal or finite figures, never a panic.

use ndarray::{Array2, array};
use softwood::data::{Labels, ScalingChoice};
use softwood::{
    Control, FitError, InputError, OrctCvSettings, OrctSettings, fit_orct, fit_orct_cv,
};

fn quick(folds: usize) -> OrctCvSettings {
    OrctCvSettings {
        fit: OrctSettings {
            n_starts: 2,
            ..OrctSettings::plain()
        },
        depths: vec![1],
        gammas: vec![512.0],
        local_grid: vec![0.0, 0.1],
        folds,
        ..OrctCvSettings::default()
    }
}

fn refused(error: &FitError) -> bool {
    matches!(
        error,
        FitError::Input(InputError::Setting { name: "folds", .. })
    )
}

#[test]
fn two_rows_in_two_folds_are_refused() {
    let x = array![[0.0], [1.0]];
    let y = Labels::from([0i64, 1].as_slice());
    let error = fit_orct_cv(x.view(), &y, None, &quick(2), &Control::default()).unwrap_err();
    assert!(refused(&error), "{error}");
}

#[test]
fn every_number_of_folds_of_few_rows_is_refused_or_scored() {
    let mut scored = 0;
    for n in 2..=9usize {
        let x = Array2::from_shape_fn((n, 2), |(i, j)| ((i * 5 + j * 3) as f64).sin());
        let y: Vec<i64> = (0..n as i64).map(|i| i % 2).collect();
        let y = Labels::from(y.as_slice());
        for folds in 2..=n + 1 {
            for weights in [None, Some(few_weights(n))] {
                let weights = weights.as_deref();
                match fit_orct_cv(x.view(), &y, weights, &quick(folds), &Control::default()) {
                    Err(error) => assert!(refused(&error), "{error}"),
                    Ok(model) => {
                        scored += 1;
                        let table = model.report.cross_validation.unwrap();
                        let chosen = &table.candidates[table.chosen];
                        assert!(chosen.score.is_finite());
                        assert!(chosen.figures.unwrap().accuracy.is_finite());
                        assert!(chosen.folds > 0);
                    }
                }
            }
        }
    }
    assert!(scored > 20, "{scored} were scored");
}

#[test]
fn fewer_values_than_folds_are_held_out_one_by_one() {
    let x = Array2::from_shape_fn((16, 1), |(i, _)| (i % 4) as f64);
    let y: Vec<i64> = (0..16).map(|i| i64::from(i % 4 > 1)).collect();
    let y = Labels::from(y.as_slice());
    let fit = |folds| fit_orct_cv(x.view(), &y, None, &quick(folds), &Control::default()).unwrap();
    let (four, five) = (fit(4), fit(5));
    assert_eq!(five.report.cross_validation.as_ref().unwrap().folds, 4);
    assert_eq!(five.report.cross_validation, four.report.cross_validation);
}

/// Weight for the first four rows alone, tiny at that.
fn few_weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i < 4 { 1e-307 } else { 0.0 }).collect()
}

#[test]
fn automatic_scaling_of_two_rows_is_min_max() {
    let x = array![[0.0], [1.0]];
    let y = Labels::from([0i64, 1].as_slice());
    let settings = OrctSettings {
        depth: 1,
        scaling: ScalingChoice::Auto,
        ..OrctSettings::plain()
    };
    let model = fit_orct(x.view(), &y, None, &settings, &Control::default()).unwrap();
    assert_eq!(model.predict(x.view()).unwrap(), y.codes);
}
