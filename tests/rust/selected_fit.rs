//! Does a fit to selected rows keep its promises: accuracy never falls, weights count, same bits?

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use softwood::data::{Labels, ScalingChoice};
use softwood::fitted::SelectionStep;
use softwood::{
    Control, FitError, FittedModel, OrctModel, OrctSettings, RowSelection, RunSettings,
    fit_orct_selected,
};
use std::time::Duration;

/// Two classes told apart by an oblique line, one row in fifty mislabelled.
fn rows(n: usize) -> (Array2<f64>, Labels) {
    let mut rng = Pcg64::seed_from_u64(7);
    let x = Array2::from_shape_fn((n, 3), |_| rng.random_range(0.0..1.0));
    let side = |i: usize| x[[i, 0]] + 0.5 * x[[i, 1]] > 0.8;
    let y: Vec<bool> = (0..n).map(|i| side(i) != rng.random_bool(0.02)).collect();
    (x, Labels::from(y.as_slice()))
}

fn settings() -> OrctSettings {
    OrctSettings {
        depth: 1,
        n_starts: 3,
        ..OrctSettings::plain()
    }
}

fn fit(n: usize, weights: Option<&[f64]>, settings: &OrctSettings) -> OrctModel {
    let (x, y) = rows(n);
    let selection = RowSelection::default();
    let control = Control::default();
    fit_orct_selected(x.view(), &y, weights, settings, &selection, &control).expect("valid rows")
}

fn accuracy(model: &OrctModel, n: usize, weights: Option<&[f64]>) -> f64 {
    let (x, y) = rows(n);
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let predicted = model.predict(x.view()).expect("the same rows");
    let hits = (0..n).filter(|i| predicted[*i] == y.codes[*i]).map(weight);
    hits.sum::<f64>() / (0..n).map(weight).sum::<f64>()
}

#[test]
fn accuracy_on_all_rows_never_falls_and_is_the_reported_one() {
    for scaling in ["minmax", "quantile", "auto"] {
        let scaling: ScalingChoice = scaling.parse().expect("a scaling");
        let settings = OrctSettings {
            scaling,
            ..settings()
        };
        let model = fit(3000, None, &settings);
        let report = model.report.selection.as_ref().expect("a selection");
        assert_eq!(report.rounds[0].step, SelectionStep::Sample);
        assert_eq!(report.rounds[1].step, SelectionStep::Clusters);
        let mut best = 0.0;
        for round in &report.rounds {
            assert_eq!(round.accepted, round.accuracy >= best);
            if round.accepted {
                best = round.accuracy;
                assert!(round.rows < 3000);
            }
        }
        assert_eq!(report.accuracy, best);
        assert!((accuracy(&model, 3000, None) - best).abs() < 1e-12);
        assert!(best > 0.95, "{best}");
        assert_eq!(report.share, report.rows as f64 / 3000.0);
        assert_eq!(model.report.rows, 3000);
    }
}

#[test]
fn rows_without_weight_take_no_part() {
    let n = 2000;
    let (x, y) = rows(n);
    // Half of the rows have wrong labels, and no weight.
    let mut wrong = y.clone();
    (0..n)
        .step_by(2)
        .for_each(|i| wrong.codes[i] = 1 - y.codes[i]);
    let weights: Vec<f64> = (0..n).map(|i| (i % 2) as f64).collect();
    let control = Control::default();
    let selection = RowSelection::default();
    let model = fit_orct_selected(
        x.view(),
        &wrong,
        Some(&weights),
        &settings(),
        &selection,
        &control,
    )
    .expect("valid rows");
    let report = model.report.selection.as_ref().expect("a selection");
    assert!(report.rounds.iter().all(|round| round.rows <= n / 2));
    assert!(accuracy(&model, n, Some(&weights)) > 0.95);
    assert!((accuracy(&model, n, Some(&weights)) - report.accuracy).abs() < 1e-12);
}

#[test]
fn threads_do_not_change_a_bit_and_files_keep_the_report() {
    let on = |threads| {
        let settings = OrctSettings {
            run: RunSettings {
                n_threads: Some(threads),
                ..RunSettings::default()
            },
            ..settings()
        };
        let mut model = fit(1500, None, &settings);
        model.report.seconds = 0.0;
        model
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(
        OrctModel::from_json(&one.to_json()).expect("its own file"),
        one
    );
}

#[test]
fn limits_and_flags_end_it() {
    let (x, y) = rows(3000);
    let limited = OrctSettings {
        run: RunSettings {
            time_limit: Some(Duration::ZERO),
            ..RunSettings::default()
        },
        ..settings()
    };
    let model = fit(3000, None, &limited);
    assert_eq!(model.report.status.name(), "time_limit");
    assert_eq!(model.report.selection.expect("a selection").rounds.len(), 1);
    let control = Control::default();
    control.stop.raise();
    let selection = RowSelection::default();
    let error = fit_orct_selected(x.view(), &y, None, &settings(), &selection, &control);
    assert_eq!(error, Err(FitError::Cancelled));
    let bad = RowSelection {
        beta1: 0.0,
        ..selection
    };
    let error = fit_orct_selected(x.view(), &y, None, &settings(), &bad, &Control::default());
    assert!(
        error
            .expect_err("bad input")
            .to_string()
            .starts_with("beta1 must be")
    );
}
