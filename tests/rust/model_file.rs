//! Is a saved model the same model when loaded, and is every broken file refused?

use ndarray::{Array2, ArrayView2};
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use softwood::data::{ClassLabels, CsrRows, FeatureMap, Labels, ScalingChoice, ScalingKind};
use softwood::{
    Control, FittedModel, FittedTree, InputError, Model, ModelFileError, OrctModel, OrctSettings,
    OrrtModel, RunSettings, SpdtModel, SrtModel, fit_orct,
};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const PAGE: &str = include_str!("../../crates/softwood/MODEL_FORMAT.md");

/// JSON block `i` of the page that describes the format.
fn block(i: usize) -> &'static str {
    PAGE.split("```json")
        .nth(i + 1)
        .and_then(|rest| rest.split("```").next())
        .expect("such a block")
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

/// The example with one field, given as a JSON pointer, replaced or added.
fn example_with(pointer: &str, value: Value) -> String {
    let mut file: Value = serde_json::from_str(block(0)).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match file.pointer_mut(parent).expect(pointer) {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        parent => parent[key] = value,
    }
    file.to_string()
}

fn fitted(seed: u64, scaling: ScalingKind) -> (Array2<f64>, OrctModel) {
    let mut rng = Pcg64::new(u128::from(seed), 0);
    let x = Array2::from_shape_simple_fn((60, 3), || rng.random_range(-1.0..1.0f64).powi(3) * 1e5);
    let y: Vec<i64> = x
        .rows()
        .into_iter()
        .map(|r| i64::from(r[0] > r[1]) - i64::from(r[2] > 0.0))
        .collect();
    let settings = OrctSettings {
        scaling: ScalingChoice::Fixed(scaling),
        n_starts: 2,
        max_iter: 20,
        run: RunSettings {
            random_state: seed,
            ..RunSettings::default()
        },
        ..OrctSettings::plain()
    };
    let model = fit_orct(
        x.view(),
        &Labels::from(y.as_slice()),
        None,
        &settings,
        &Control::default(),
    );
    (x, model.unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("softwood-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_documented_example_predicts_what_the_page_says() {
    let model = OrctModel::from_json(block(0)).unwrap();
    let answer: Value = serde_json::from_str(block(1)).unwrap();
    let row = numbers(&answer["row"]);
    let row = ArrayView2::from_shape((1, row.len()), &row).unwrap();
    let close = |got: Vec<f64>, wanted: &Value| {
        let wanted = numbers(wanted);
        assert_eq!(got.len(), wanted.len());
        got.iter()
            .zip(wanted)
            .for_each(|(got, wanted)| assert!((got - wanted).abs() < 1e-14, "{got}, {wanted}"));
    };
    close(
        model.tree.leaf_probabilities(row).unwrap(),
        &answer["leaf_probabilities"],
    );
    close(model.predict_proba(row).unwrap(), &answer["probabilities"]);
    let class = model.classes.text(model.predict(row).unwrap()[0] as usize);
    assert_eq!(Some(class.as_str()), answer["class"].as_str());
}

#[test]
fn the_documented_mixture_predicts_what_the_page_says() {
    let model = OrrtModel::from_json(block(4)).unwrap();
    let answer: Value = serde_json::from_str(block(5)).unwrap();
    let row = numbers(&answer["row"]);
    let row = ArrayView2::from_shape((1, row.len()), &row).unwrap();
    let predicted = model.predict(row).unwrap()[0];
    let wanted = answer["prediction"].as_f64().unwrap();
    assert!((predicted - wanted).abs() < 1e-13, "{predicted}, {wanted}");
    let chances = model.tree.leaf_probabilities(row).unwrap();
    for (got, wanted) in chances.iter().zip(numbers(&answer["leaf_probabilities"])) {
        assert!((got - wanted).abs() < 1e-15);
    }
    let bad = block(4).replace("\"intercepts\": [0.25]", "\"intercepts\": [1.25]");
    let refused = OrrtModel::from_json(&bad).unwrap_err().to_string();
    assert!(refused.contains("it must lie in [-1, 1]"), "{refused}");
    let bad = block(4).replace("[-2.0, 0.25]", "[-2.0]");
    assert!(OrrtModel::from_json(&bad).is_err());
}

#[test]
fn the_documented_sparse_tree_predicts_what_the_page_says() {
    let model = SpdtModel::from_json(block(6)).unwrap();
    let answer: Value = serde_json::from_str(block(7)).unwrap();
    let values = answer["values"].as_object().unwrap();
    let mut stored: Vec<(i64, f64)> = values
        .iter()
        .map(|(j, x)| (j.parse().unwrap(), x.as_f64().unwrap()))
        .collect();
    stored.sort_by_key(|(j, _)| *j);
    let (columns, values): (Vec<i64>, Vec<f64>) = stored.into_iter().unzip();
    let row = CsrRows::new(1_000_000, &[0i64, 2][..], &columns[..], &values[..]).unwrap();
    let leaf = model.tree.leaf_indices(row).unwrap()[0];
    assert_eq!(answer["leaf"].as_u64(), Some(u64::from(leaf)));
    let wanted = numbers(&answer["probabilities"]);
    for (got, wanted) in model.predict_proba(row).unwrap().iter().zip(wanted) {
        assert!((got - wanted).abs() < 1e-15, "{got}, {wanted}");
    }
    let class = model.classes.text(model.predict(row).unwrap()[0] as usize);
    assert_eq!(Some(class.as_str()), answer["class"].as_str());
    for (good, bad) in [
        ("\"columns\": [17, 4711]", "\"columns\": [4711, 17]"),
        ("\"columns\": [17, 4711]", "\"columns\": [17, 18]"),
        ("\"n_features\": 1000000", "\"n_features\": 4711"),
        ("[4.0, 0.0]", "[-4.0, 0.0]"),
        ("[0.125, 0.875]", "[0.875, 0.125]"),
    ] {
        assert!(
            SpdtModel::from_json(&block(6).replace(good, bad)).is_err(),
            "{bad}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn a_fitted_model_survives_to_the_bit(seed in any::<u64>(), quantile: bool) {
        let kind = if quantile { ScalingKind::Quantile } else { ScalingKind::MinMax };
        let (x, model) = fitted(seed, kind);
        let text = model.to_json();
        let loaded = OrctModel::from_json(&text).unwrap();
        prop_assert_eq!(&loaded, &model);
        prop_assert_eq!(loaded.to_json(), text);
        let bits = |m: &OrctModel| m.predict_proba(x.view()).unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(bits(&loaded), bits(&model));
    }

    #[test]
    fn any_finite_number_survives_to_the_bit(bits in any::<u64>(), above in any::<u64>()) {
        let (a, b) = (f64::from_bits(bits), f64::from_bits(above));
        prop_assume!(a.is_finite() && b.is_finite() && a < b && b * 0.5 - a * 0.5 > f64::MIN_POSITIVE);
        let mut model = OrctModel::from_json(block(0)).unwrap();
        model.tree.scaling.features[0] = FeatureMap::Linear { min: a, max: b };
        model.report.objective = a;
        model.classes = ClassLabels::Float(vec![a, b, f64::MAX]);
        let loaded = OrctModel::from_json(&model.to_json()).unwrap();
        prop_assert_eq!(loaded.report.objective.to_bits(), a.to_bits());
        prop_assert_eq!(loaded, model);
    }

    #[test]
    fn no_cut_or_flipped_text_panics(cut in 0usize..1400, at in 0usize..1400, byte in 32u8..127) {
        let text = block(0);
        let _ = OrctModel::from_json(&text[..cut.min(text.len())]);
        let mut bytes = text.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = OrctModel::from_json(std::str::from_utf8(&bytes).unwrap());
    }
}

#[test]
fn labels_of_every_kind_survive() {
    let kinds = [
        ClassLabels::Int(vec![i64::MIN, 0, i64::MAX]),
        ClassLabels::Float(vec![-0.5, 0.1, 1e300]),
        ClassLabels::Bool(vec![false, true]),
        ClassLabels::Text(vec!["".into(), "\"quoted\"\n".into(), "ünïcode".into()]),
    ];
    for classes in kinds {
        let mut model = OrctModel::from_json(block(0)).unwrap();
        model.leaf_classes = vec![0, 1, 1, 0];
        model.classes = classes;
        (model.leaf_weights, model.frequencies) = (Vec::new(), Vec::new()); // of three classes
        assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
    }
}

#[test]
fn an_unknown_optimality_is_null() {
    let mut model = OrctModel::from_json(block(0)).unwrap();
    model.report.optimality = f64::INFINITY;
    assert!(model.to_json().contains("\"optimality\":null"));
    assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
}

#[test]
fn a_fit_out_of_time_can_be_saved_and_loaded() {
    let (x, _) = fitted(1, ScalingKind::MinMax);
    let labels = Labels::from((0..60).map(|i| i % 2).collect::<Vec<i64>>().as_slice());
    let settings = OrctSettings {
        run: RunSettings {
            time_limit: Some(Duration::ZERO),
            ..RunSettings::default()
        },
        ..OrctSettings::plain()
    };
    let model = fit_orct(x.view(), &labels, None, &settings, &Control::default()).unwrap();
    assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
}

#[test]
fn a_typical_value_that_is_missing_is_the_middle_of_the_map() {
    let typical = |text: &str| OrctModel::from_json(text).unwrap().tree.scaling.typical;
    assert_eq!(typical(block(0)), [117.0, 25.0, 7.0]);
    let mut file: Value = serde_json::from_str(block(0)).unwrap();
    for feature in file["features"].as_array_mut().unwrap() {
        feature.as_object_mut().unwrap().remove("typical").unwrap();
    }
    assert_eq!(typical(&file.to_string()), [125.0, 25.0, 0.0]);
}

#[test]
fn unknown_fields_are_ignored() {
    let mut file: Value = serde_json::from_str(block(0)).unwrap();
    file["later"] = json!({"nested": [1, 2]});
    file["report"]["later"] = json!(null);
    file["features"][0]["later"] = json!("x");
    assert_eq!(
        OrctModel::from_json(&file.to_string()),
        OrctModel::from_json(block(0))
    );
}

#[test]
fn a_broken_file_is_refused_with_what_and_where() {
    let knots = |values: Value, levels: Value| json!({"name": "bmi", "map": "knots", "values": values, "levels": levels});
    let cases = [
        (
            "/format",
            json!("hardwood"),
            "format is \"hardwood\", not \"softwood\"",
        ),
        (
            "/version",
            json!(3),
            "version is 3, but this release reads versions 1 to 2",
        ),
        (
            "/version",
            json!("1"),
            "invalid type: string \"1\", expected u64",
        ),
        ("/kind", json!("srt"), "kind is \"srt\", not \"orct\""),
        ("/version", json!(0), "version is 0"),
        (
            "/depth",
            json!(0),
            "depth is 0, but the splits have depth 2",
        ),
        ("/depth", json!(13), "depth is 13, it must be 0…12"),
        ("/splits", json!([0, 2, 1]), "splits must be increasing"),
        ("/splits", json!([0, 1, 6]), "each with its parent"),
        ("/splits", json!([0, 1]), "coefficients has 3 rows"),
        (
            "/depth",
            json!(u64::MAX),
            "depth is 18446744073709551615, it must be 0…12",
        ),
        ("/depth", json!(-1), "expected usize"),
        (
            "/depth",
            json!(3),
            "depth is 3, but the splits have depth 2",
        ),
        (
            "/depth",
            json!(12),
            "depth is 12, but the splits have depth 2",
        ),
        (
            "/gamma",
            json!(0.0),
            "gamma is 0, it must be positive and at most 1e9",
        ),
        ("/gamma", json!(-8.0), "gamma is -8, it must be positive"),
        (
            "/gamma",
            json!(1e300),
            "it must be positive and at most 1e9",
        ),
        ("/gamma", json!(null), "invalid type: null, expected f64"),
        (
            "/scaling",
            json!("zscore"),
            "unknown variant `zscore`, expected `minmax` or `quantile`",
        ),
        ("/features", json!([]), "features is empty"),
        (
            "/features/0/min",
            json!(200.0),
            "features[0] (\"glucose\"): a linear map needs finite min < max",
        ),
        (
            "/features/0/min",
            json!(200.0 - 1e-300),
            "features[0] (\"glucose\")",
        ),
        ("/features/0/map", json!("cubic"), "unknown variant `cubic`"),
        (
            "/features/0",
            json!({"name": "tiny", "map": "linear", "min": 0.0, "max": 1e-310}),
            "features[0] (\"tiny\"): 0e0 and 1e-310 are too close",
        ),
        (
            "/features/1",
            knots(json!([1.0, 3.0, 2.0]), json!([0.0, 0.5, 1.0])),
            "features[1] (\"bmi\"): a knots map needs",
        ),
        (
            "/features/1",
            knots(json!([1.0, 2.0, 3.0]), json!([0.0, 0.0, 1.0])),
            "features[1] (\"bmi\"): a knots map needs",
        ),
        (
            "/features/1",
            knots(json!([1.0, 2.0]), json!([0.0, 0.5, 1.0])),
            "features[1] (\"bmi\"): a knots map needs",
        ),
        (
            "/features/1",
            knots(json!([1.0]), json!([0.0])),
            "features[1] (\"bmi\"): a knots map needs",
        ),
        (
            "/features/1",
            knots(json!([]), json!([])),
            "features[1] (\"bmi\"): a knots map needs",
        ),
        ("/coefficients", json!([]), "coefficients has 0 rows"),
        (
            "/coefficients/1",
            json!([1.0, 2.0]),
            "coefficients[1] has 2 values for 3 features",
        ),
        (
            "/coefficients/2/1",
            json!(1.5),
            "coefficients[2][1] is 1.5, it must lie in [-1, 1]",
        ),
        (
            "/coefficients/2/1",
            json!(null),
            "invalid type: null, expected f64",
        ),
        (
            "/intercepts",
            json!([0.0]),
            "intercepts has 1 values, a tree of depth 2 has 3 splits",
        ),
        (
            "/intercepts/2",
            json!(-2.0),
            "intercepts[2] is -2, it must lie in [-1, 1]",
        ),
        (
            "/classes/values",
            json!([]),
            "classes has 0 values, there must be at least 2",
        ),
        (
            "/classes/values",
            json!(["high"]),
            "classes has 1 values, there must be at least 2",
        ),
        (
            "/classes/values",
            json!(["b", "a", "c"]),
            "the values of classes must be distinct and in increasing order",
        ),
        (
            "/classes/values",
            json!(["a", "a", "c"]),
            "the values of classes must be distinct and in increasing order",
        ),
        ("/classes/kind", json!("colour"), "unknown variant `colour`"),
        (
            "/classes/kind",
            json!("int"),
            "invalid type: string \"high\", expected i64",
        ),
        (
            "/leaf_classes",
            json!([0, 1]),
            "leaf_classes has 2 values, a tree of depth 2 has 4 leaves",
        ),
        (
            "/leaf_classes/3",
            json!(3),
            "leaf_classes[3] is 3, but there are 3 classes",
        ),
        ("/leaf_classes/3", json!(-1), "expected u32"),
        (
            "/report/best_start",
            json!(2),
            "report.best_start is 2, but there are 2 start_objectives",
        ),
        (
            "/report/constraints",
            json!([{"class": 99, "asked": 0.5, "reached": 0.5, "multiplier": 0.0, "feasible": true}]),
            "report.constraints[0].class is 99, but there are 3 classes",
        ),
        (
            "/report/cross_validation",
            json!({"candidates": [], "chosen": 99, "folds": 2, "repeats": 1, "cut_short": false}),
            "report.cross_validation.chosen is 99, but there are 0 candidates",
        ),
        ("/report/status", json!("fine"), "unknown variant `fine`"),
        ("/report", json!({}), "missing field `status`"),
    ];
    for (pointer, value, expected) in cases {
        let text = example_with(pointer, value);
        let error = OrctModel::from_json(&text).expect_err(expected);
        assert!(matches!(error, InputError::ModelFile(_)));
        let message = error.to_string();
        assert!(
            message.starts_with("not a valid softwood model: "),
            "{message}"
        );
        assert!(
            message.contains(expected),
            "{message:?} should say {expected:?}"
        );
    }
}

#[test]
fn text_that_is_no_model_is_refused() {
    let deep = "[".repeat(100_000);
    let deep_outside = format!("{{\"later\": {deep}");
    let nested = format!("\"later\": {deep}{}", "]".repeat(100_000));
    let deep_inside = block(0).replacen("\"min\": 50.0", &nested, 1);
    let overflow = block(0).replace("8.0", "1e999");
    let twice = block(0).replace("\"depth\": 2,", "\"depth\": 2, \"depth\": 2,");
    let cases = [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("[]", "invalid length 0"),
        ("{}", "missing field `format`"),
        ("{\"format\": \"softwood\"}", "missing field `version`"),
        (deep.as_str(), "expected a string"),
        (deep_outside.as_str(), "EOF while parsing a list"),
        (deep_inside.as_str(), "recursion limit exceeded"),
        (overflow.as_str(), "number out of range"),
        (twice.as_str(), "duplicate field `depth`"),
    ];
    for (text, expected) in cases {
        let message = OrctModel::from_json(text).expect_err(expected).to_string();
        assert!(
            message.contains(expected),
            "{message:?} should say {expected:?}"
        );
    }
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_else() {
    let folder = folder("save");
    let path = folder.join("model.json");
    fs::write(&path, "something older").unwrap();
    let (_, model) = fitted(5, ScalingKind::MinMax);
    model.save(&path).unwrap();
    assert_eq!(OrctModel::load(&path).unwrap(), model);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn saving_through_a_link_keeps_the_link_and_the_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("link");
    let (file, link) = (folder.join("model.json"), folder.join("link.json"));
    fs::write(&file, "something older").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    let model = OrctModel::from_json(block(0)).unwrap();
    model.save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(OrctModel::load(&file).unwrap(), model);
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_yet_is_kept_and_its_file_made() {
    let folder = folder("dangling");
    std::os::unix::fs::symlink("later.json", folder.join("link.json")).unwrap();
    std::os::unix::fs::symlink("circle.json", folder.join("circle.json")).unwrap();
    let model = OrctModel::from_json(block(0)).unwrap();
    model.save(folder.join("link.json")).unwrap();
    assert!(folder.join("link.json").is_symlink());
    assert!(!folder.join("later.json").is_symlink());
    assert_eq!(OrctModel::load(folder.join("later.json")).unwrap(), model);
    let error = model.save(folder.join("circle.json")).unwrap_err();
    assert!(error.to_string().contains("too many symbolic links"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn names_may_be_as_long_as_the_system_allows_and_strangers_files_stay() {
    let folder = folder("names");
    let model = OrctModel::from_json(block(0)).unwrap();
    let long = folder.join("m".repeat(250));
    let others: Vec<_> = (0..2000)
        .map(|save| folder.join(format!(".softwood-{}-{save}.tmp", std::process::id())))
        .collect();
    for other in &others {
        fs::write(other, "not ours").unwrap();
    }
    model.save(&long).unwrap();
    assert_eq!(OrctModel::load(&long).unwrap(), model);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), others.len() + 1);
    for other in &others {
        assert_eq!(fs::read_to_string(other).unwrap(), "not ours");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn file_errors_tell_the_system_from_the_content() {
    let folder = folder("errors");
    let model = OrctModel::from_json(block(0)).unwrap();
    let nowhere = folder.join("no such folder").join("model.json");
    let error = model.save(&nowhere).unwrap_err();
    assert!(matches!(&error, ModelFileError::Io { action: "write", path, .. } if *path == nowhere));
    let error = OrctModel::load(&nowhere).unwrap_err();
    assert!(matches!(error, ModelFileError::Io { action: "read", .. }));
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot read {}: ", nowhere.display()))
    );
    assert!(matches!(
        model.save(&folder),
        Err(ModelFileError::Io {
            action: "write",
            ..
        })
    ));
    assert!(matches!(
        model.save(""),
        Err(ModelFileError::Io {
            action: "write",
            ..
        })
    ));

    let broken = folder.join("broken.json");
    fs::write(&broken, "{").unwrap();
    let error = OrctModel::load(&broken).unwrap_err();
    assert!(matches!(error, ModelFileError::Invalid { .. }));
    assert!(error.to_string().starts_with(&format!(
        "{}: not a valid softwood model: EOF",
        broken.display()
    )));
    fs::write(&broken, [0xff, 0xfe]).unwrap();
    assert!(
        OrctModel::load(&broken)
            .unwrap_err()
            .to_string()
            .contains("not text: invalid utf-8")
    );
    fs::remove_dir_all(folder).unwrap();
}

/// Numbers of a golden file; probabilities of 0.1 could be 1 and a rounding.
fn close(found: &[f64], kept: &Value) -> bool {
    let kept: Vec<f64> = serde_json::from_value(kept.clone()).unwrap();
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1e-200);
    found.len() == kept.len() && found.iter().zip(&kept).all(near)
}

#[test]
fn models_of_earlier_releases_predict_as_they_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let kept: Value = serde_json::from_str(&read("predictions_0.1.json")).unwrap();
    let rows: Vec<Vec<f64>> = serde_json::from_value(kept["rows"].clone()).unwrap();
    let x = Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap();
    let models = kept["models"].as_object().unwrap();
    assert_eq!(models.len(), 7);
    for (name, said) in models {
        let text = read(&format!("{name}_0.1.json"));
        match Model::from_json(&text).unwrap() {
            Model::Orct(model) => {
                assert_eq!(json!(model.predict(x.view()).unwrap()), said["predict"]);
                let proba = model.predict_proba(x.view()).unwrap();
                assert!(close(&proba, &said["predict_proba"]), "{name}");
                assert!(
                    close(&model.explain(x.view()).unwrap(), &said["explain"]),
                    "{name}"
                );
                assert_eq!(OrctModel::from_json(&model.to_json()).unwrap(), model);
            }
            Model::Srt(model) => {
                assert!(
                    close(&model.predict(x.view()).unwrap(), &said["predict"]),
                    "{name}"
                );
                let leaves = model.tree.leaf_indices(x.view()).unwrap();
                assert_eq!(json!(leaves), said["leaf_indices"]);
                assert!(
                    close(&model.explain(x.view()).unwrap(), &said["explain"]),
                    "{name}"
                );
                assert_eq!(SrtModel::from_json(&model.to_json()).unwrap(), model);
            }
            _ => panic!("{name}: there were none of this kind then"),
        }
    }
}
