//! Numbers at the ends of the range: a fit refuses them, or what it saves can be loaded.

use ndarray::{Array2, ArrayView2};
use softwood::data::{Labels, Rows};
use softwood::{
    Control, FittedModel, InputError, OrctModel, OrctSettings, OrrtModel, OrrtSettings, SpdtModel,
    SpdtSettings, SrtModel, SrtSettings, fit_orct, fit_orrt, fit_spdt, fit_srt,
};

fn data() -> (Array2<f64>, Vec<f64>, Labels) {
    let value = |i: usize, j: usize| ((i * 37 + j * 53 + i * j * 11) % 101) as f64 / 101.0;
    let x = Array2::from_shape_fn((60, 3), |(i, j)| value(i, j));
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|x| 2.0 * x[0] + x[1] * x[2])
        .collect();
    let codes: Vec<i64> = x
        .rows()
        .into_iter()
        .map(|x| i64::from(x[0] > 0.5))
        .collect();
    (x, y, Labels::from(codes.as_slice()))
}

/// Weights at both ends of the range, the last ones subnormal.
const WEIGHTS: [f64; 4] = [1e306, 1e-300, 1e-307, 5e-324];

fn few_starts<S: Default>(set: impl Fn(&mut S)) -> S {
    let mut settings = S::default();
    set(&mut settings);
    settings
}

fn srt(x: ArrayView2<'_, f64>, y: &[f64], weights: Option<&[f64]>) -> SrtModel {
    let settings = few_starts(|s: &mut SrtSettings| s.n_starts = 2);
    fit_srt(x, y, weights, &settings, &Control::default()).unwrap()
}

fn orrt(x: ArrayView2<'_, f64>, y: &[f64], weights: Option<&[f64]>) -> OrrtModel {
    let settings = few_starts(|s: &mut OrrtSettings| s.n_starts = 2);
    fit_orrt(x, y, weights, &[], &settings, &Control::default()).unwrap()
}

fn orct(x: ArrayView2<'_, f64>, y: &Labels, weights: Option<&[f64]>) -> OrctModel {
    let settings = few_starts(|s: &mut OrctSettings| s.n_starts = 2);
    fit_orct(x, y, weights, &settings, &Control::default()).unwrap()
}

#[test]
fn trees_of_any_weights_can_be_loaded() {
    let (x, y, labels) = data();
    for weight in WEIGHTS {
        let weights = Some([weight; 60]);
        let weights = weights.as_ref().map(<[f64; 60]>::as_slice);
        let model = srt(x.view(), &y, weights);
        assert!(model.report.objective.is_finite() && model.report.objective < 1.000_001);
        assert_eq!(SrtModel::from_json(&model.to_json()), Ok(model));
        let model = orrt(x.view(), &y, weights);
        assert!(model.report.objective.is_finite() && model.report.objective < 1.000_001);
        assert_eq!(OrrtModel::from_json(&model.to_json()), Ok(model));
        let model = orct(x.view(), &labels, weights);
        assert!(model.report.objective < 0.2);
        assert_eq!(OrctModel::from_json(&model.to_json()), Ok(model));
    }
}

#[test]
fn the_unit_of_weights_does_not_matter_to_a_classification() {
    let (x, _, labels) = data();
    let near = orct(x.view(), &labels, Some(&[1.0; 60]));
    for unit in [2f64.powi(900), 2f64.powi(-900)] {
        let far = orct(x.view(), &labels, Some(&[unit; 60]));
        let in_unit: Vec<f64> = far.leaf_weights.iter().map(|w| w / unit).collect();
        assert_eq!(in_unit, near.leaf_weights);
        // Probabilities count weights as numbers of rows; the tree does not.
        assert_eq!(far.tree, near.tree);
    }
}

#[test]
fn a_light_row_beside_very_heavy_ones_does_not_vanish() {
    let (x, y, labels) = data();
    let weights: Vec<f64> = (0..60).map(|i| [1e-300, 1e300][i % 2]).collect();
    let model = srt(x.view(), &y, Some(&weights));
    assert_eq!(SrtModel::from_json(&model.to_json()), Ok(model));
    let of_class: Vec<f64> = labels
        .codes
        .iter()
        .map(|c| [1e-300, 1e300][*c as usize])
        .collect();
    let model = orct(x.view(), &labels, Some(&of_class));
    assert_eq!(OrctModel::from_json(&model.to_json()), Ok(model));
}

#[test]
fn ridges_that_drown_the_errors_are_refused() {
    let (x, y, _) = data();
    for ridge in [1e101, 1.7e308, f64::INFINITY, f64::NAN, -1.0] {
        let settings = few_starts(|s: &mut SrtSettings| s.ridge_branches = Some(ridge));
        let refused = fit_srt(x.view(), &y, None, &settings, &Control::default()).unwrap_err();
        let told = refused.to_string();
        assert!(told.starts_with("ridge_branches must be a number from 0 to 1e100, got "));
        assert!(told.len() < 100, "{told}");
    }
    let settings = few_starts(|s: &mut SrtSettings| {
        (s.ridge_branches, s.ridge_leaves, s.n_starts) = (Some(1e100), Some(1e100), 2);
    });
    let model = fit_srt(x.view(), &y, None, &settings, &Control::default()).unwrap();
    assert_eq!(SrtModel::from_json(&model.to_json()), Ok(model));
}

#[test]
fn the_table_of_costs_of_a_perceptron_tree_can_be_loaded() {
    let (x, _, labels) = data();
    let settings = SpdtSettings::default();
    let model = fit_spdt(x.view(), &labels, None, &settings, &Control::default()).unwrap();
    assert!(model.report.cross_validation.is_some());
    assert_eq!(SpdtModel::from_json(&model.to_json()), Ok(model));
}

#[test]
fn more_rows_than_can_be_numbered_are_refused() {
    let many = (u32::MAX as usize) + 1;
    let one = Array2::<f64>::zeros((1, 1));
    let rows = one.broadcast((many, 1)).unwrap();
    let y = Labels::from([0_i64, 1].as_slice());
    let settings = OrctSettings::default();
    let refused = fit_orct(Rows::from(rows), &y, None, &settings, &Control::default());
    let wanted = InputError::TooLarge {
        rows: many,
        columns: 1,
    };
    assert_eq!(refused.unwrap_err(), wanted.into());
}
