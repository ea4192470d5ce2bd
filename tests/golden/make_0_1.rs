//! Made the golden files of softwood 0.1; README.md tells how. It compiles with 0.1 alone.

use ndarray::{Array2, s};
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::{Map, Value, json};
use softwood::data::{Labels, ScalingChoice, ScalingKind};
use softwood::*;
use std::fs;

fn rows(seed: u128) -> Array2<f64> {
    let mut rng = Pcg64::new(seed, 7);
    Array2::from_shape_simple_fn((120, 3), || rng.random_range(-2.0..3.0f64))
}

fn main() {
    let mut answers = Map::new();
    let control = Control::default();
    let x = rows(1);
    let class = |r: ndarray::ArrayView1<'_, f64>| {
        ["high", "low", "middle"][usize::from(r[0] > r[1]) + usize::from(r[2] * r[0] > 0.5)]
    };
    let y: Vec<&str> = x.rows().into_iter().map(class).collect();
    let labels = Labels::from(y.as_slice());
    let binary: Vec<i64> = x.rows().into_iter().map(|r| i64::from(r[0] + 0.4 * r[2] > r[1])).collect();
    let binary = Labels::from(binary.as_slice());
    let settings = OrctSettings {
        depth: 2,
        n_starts: 3,
        max_iter: 40,
        feature_names: Some(["weight", "height", "age \"in\" years"].map(String::from).to_vec()),
        ..OrctSettings::default()
    };
    let fresh = rows(2);
    let fresh = fresh.slice(s![..5, ..]);
    let list: Vec<Vec<f64>> = fresh.rows().into_iter().map(|r| r.to_vec()).collect();
    let mut orct = |name: &str, model: OrctModel| {
        fs::write(format!("tests/golden/{name}_0.1.json"), model.to_json()).unwrap();
        let answer = json!({
            "predict": model.predict(fresh).unwrap(),
            "predict_proba": model.predict_proba(fresh).unwrap(),
            "leaf_probabilities": model.tree.leaf_probabilities(fresh).unwrap(),
            "explain": model.explain(fresh).unwrap(),
        });
        answers.insert(name.into(), answer);
    };
    orct("orct", fit_orct(x.view(), &labels, None, &settings, &control).unwrap());
    let bounded = OrctSettings {
        depth: 1,
        scaling: ScalingChoice::Fixed(ScalingKind::Quantile),
        gamma: 16.0,
        min_class_rate: vec![(1, 0.9)],
        ..settings.clone()
    };
    orct("orct_rates", fit_orct(x.view(), &binary, None, &bounded, &control).unwrap());
    let cv = CvSettings {
        fit: settings.clone(),
        depths: vec![1, 2],
        scalings: vec![ScalingKind::MinMax],
        gammas: vec![64.0],
        local_grid: vec![0.0, 0.25],
        folds: 3,
        ..CvSettings::default()
    };
    orct("orct_cv", fit_orct_cv(x.view(), &binary, None, &cv, &control).unwrap());
    let selection = RowSelection { sample: 20, ..RowSelection::default() };
    let selected = fit_orct_selected(x.view(), &labels, None, &settings, &selection, &control);
    orct("orct_selected", selected.unwrap());

    let y: Vec<f64> = x.rows().into_iter().map(|r| 40.0 + 8.0 * r[0].abs() - r[1] + (r[2] * 2.0).sin()).collect();
    let settings = SrtSettings { depth: 2, n_starts: 2, macro_iterations: 6, ..SrtSettings::default() };
    let mut srt = |name: &str, model: SrtModel, text: String| {
        fs::write(format!("tests/golden/{name}_0.1.json"), &text).unwrap();
        assert_eq!(SrtModel::from_json(&text).unwrap(), model);
        let answer = json!({
            "predict": model.predict(fresh).unwrap(),
            "leaf_indices": model.leaf_indices(fresh).unwrap(),
            "leaf_probabilities": model.tree.leaf_probabilities(fresh).unwrap(),
            "explain": model.explain(fresh).unwrap(),
        });
        answers.insert(name.into(), answer);
    };
    let model = fit_srt(x.view(), &y, None, &settings, &control).unwrap();
    let text = model.to_json();
    srt("srt", model, text);
    let curved = SrtSettings { curves: true, depth: 1, scaling: ScalingKind::Quantile, ..settings.clone() };
    let model = fit_srt(x.view(), &y, None, &curved, &control).unwrap();
    let text = model.to_json();
    srt("srt_curves", model, text);
    let asked = SrtSettings { ridge_branches: Some(1e-6), ridge_leaves: Some(0.5), ..settings };
    let model = fit_srt(x.view(), &y, None, &asked, &control).unwrap();
    let mut file: Value = serde_json::from_str(&model.to_json()).unwrap();
    file["ridge_branches"] = json!(1e-6);
    file["ridge_leaves"] = json!(0.5);
    file.as_object_mut().unwrap().remove("curves");
    srt("srt_scalar_ridges", model, format!("{file:#}\n"));
    let all = json!({"rows": list, "models": answers});
    fs::write("tests/golden/predictions_0.1.json", format!("{all:#}\n")).unwrap();
}
