//! Tables: what columns become, what models make of them, and what is refused.

use ndarray::Axis;
use proptest::prelude::*;
use softwood::data::{
    ClassLabels, Coding, Column, Encoding, EncodingSettings, Labels, LevelColumn, MAX_LEVELS,
    Missing, Table, Value,
};
use softwood::fitted::{Importance, Measure};
use softwood::{
    Control, FittedModel, FittedTree, InputError, OrctModel, OrctSettings, SrtSettings, TableError,
    fit_orct, fit_srt,
};
use std::borrow::Cow;

fn numbers(values: &[f64]) -> Column<'_> {
    Column::Numbers(Cow::Borrowed(values))
}

/// Levels in order of appearance; "" is missing.
fn text(values: &[&str]) -> Column<'static> {
    let mut levels: Vec<String> = Vec::new();
    let code = |value: &&str| {
        if value.is_empty() {
            return -1;
        }
        let place = levels.iter().position(|level| level == value);
        place.unwrap_or_else(|| {
            levels.push((*value).to_owned());
            levels.len() - 1
        }) as i32
    };
    let codes = values.iter().map(code).collect();
    Column::Levels(LevelColumn {
        levels: ClassLabels::Text(levels),
        codes: Cow::Owned(codes),
        declared: false,
        ordered: false,
    })
}

fn truths(values: &[bool]) -> Column<'static> {
    Column::Levels(LevelColumn {
        levels: ClassLabels::Bool(vec![false, true]),
        codes: values.iter().map(|truth| i32::from(*truth)).collect(),
        declared: true,
        ordered: false,
    })
}

fn table<'a>(columns: Vec<(&str, Column<'a>)>) -> Table<'a> {
    let (names, columns): (Vec<&str>, _) = columns.into_iter().unzip();
    Table {
        names: names.into_iter().map(String::from).collect(),
        columns,
    }
}

fn filled() -> EncodingSettings {
    EncodingSettings {
        fill_missing: true,
        ..EncodingSettings::default()
    }
}

fn sizes() -> (String, ClassLabels) {
    let levels = ["S", "M", "L"].map(String::from).to_vec();
    ("size".into(), ClassLabels::Text(levels))
}

const AGES: [f64; 6] = [30.0, 50.0, f64::NAN, 40.0, 20.0, 60.0];

fn people() -> Table<'static> {
    table(vec![
        ("age", numbers(&AGES)),
        ("colour", text(&["red", "blue", "red", "", "green", "red"])),
        ("smoker", truths(&[true, false, false, false, true, false])),
        ("size", text(&["S", "L", "M", "M", "S", "M"])),
    ])
}

fn encoding_of_people() -> Encoding {
    let settings = EncodingSettings {
        fill_missing: true,
        ordered: vec![sizes()],
    };
    Encoding::learn(&people(), None, &settings).unwrap()
}

#[test]
fn columns_become_numbers_and_indicators() {
    let encoding = encoding_of_people();
    let names = encoding.feature_names();
    let wanted = [
        "age",
        "age is missing",
        "colour is blue",
        "colour is green",
        "colour is red",
        "colour is missing",
        "smoker is true",
        "size",
    ];
    assert_eq!(names, wanted);
    let rows = encoding.encode(&people()).unwrap().rows;
    let wanted = [
        [30.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        [50.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0],
        [40.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        [40.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0],
        [20.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
        [60.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
    ];
    assert_eq!(rows, ndarray::arr2(&wanted));
    assert_eq!(encoding.groups(None), [0, 0, 1, 1, 1, 1, 2, 3]);
    assert_eq!(
        encoding.groups(Some(&[7, 7, 1, 0])),
        [7, 7, 7, 7, 7, 7, 1, 0]
    );
    assert_eq!(
        encoding.typical_row(),
        [40.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    );
}

#[test]
fn values_come_back_from_their_features() {
    let encoding = encoding_of_people();
    let rows = encoding.encode(&people()).unwrap().rows;
    let values = |row: usize| encoding.values(rows.row(row).as_slice().unwrap());
    let text = |text: &str| Some(Value::from(text));
    assert_eq!(
        values(0),
        [Some(30.0.into()), text("red"), Some(true.into()), text("S")]
    );
    assert_eq!(values(2)[0], Some(Value::Missing));
    assert_eq!(values(3)[1], Some(Value::Missing));
}

#[test]
fn a_row_of_named_values_has_the_features_of_the_table() {
    let encoding = encoding_of_people();
    let rows = encoding.encode(&people()).unwrap().rows;
    let row = encoding.encode_row(&[
        ("size", "L".into()),
        ("colour", "blue".into()),
        ("age", 50.0.into()),
        ("smoker", false.into()),
    ]);
    assert_eq!(row.unwrap().rows.row(0), rows.row(1));
    let row = encoding.encode_row(&[
        ("age", Value::Missing),
        ("colour", "red".into()),
        ("smoker", 0.0.into()),
        ("size", "M".into()),
    ]);
    assert_eq!(row.unwrap().rows.row(0), rows.row(2));
}

#[test]
fn levels_never_seen_are_none_of_those_seen() {
    let encoding = encoding_of_people();
    let row = [
        ("age", 50.0.into()),
        ("colour", "mauve".into()),
        ("smoker", true.into()),
        ("size", "XXL".into()),
    ];
    let encoded = encoding.encode_row(&row).unwrap();
    let features = encoded.rows.row(0).to_vec();
    assert_eq!(features, [50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!(encoding.values(&features)[1], None);
    let unseen: Vec<_> = encoded
        .unseen
        .iter()
        .map(|u| (&*u.column, u.rows))
        .collect();
    assert_eq!(unseen, [("colour", 1), ("size", 1)]);
    assert_eq!(encoded.unseen[0].levels, ["mauve"]);
}

proptest! {
    /// Levels, fills and typical values are those of rows repeated as often as they weigh.
    #[test]
    fn a_weight_is_a_repetition(rows in prop::collection::vec((0..5usize, 0..4usize, 0..4usize), 1..30)) {
        let ages = [10.0, 20.0, f64::NAN, 30.0, 40.0];
        let colours = ["red", "", "green", "blue"];
        let of = |places: &[(usize, usize)]| {
            let numbers: Vec<f64> = places.iter().map(|(age, _)| ages[*age]).collect();
            let texts: Vec<&str> = places.iter().map(|(_, colour)| colours[*colour]).collect();
            (numbers, texts)
        };
        let (once, colour_once) = of(&rows.iter().map(|(a, c, _)| (*a, *c)).collect::<Vec<_>>());
        let weights: Vec<f64> = rows.iter().map(|(_, _, w)| *w as f64).collect();
        let repeated: Vec<_> =
            rows.iter().flat_map(|(a, c, w)| vec![(*a, *c); *w]).collect();
        prop_assume!(!repeated.is_empty());
        let (often, colour_often) = of(&repeated);
        let learn = |ages: &[f64], colours: &[&str], weights: Option<&[f64]>| {
            let table = table(vec![("age", numbers(ages)), ("colour", text(colours))]);
            Encoding::learn(&table, weights, &filled())
        };
        let weighed = learn(&once, &colour_once, Some(&weights));
        prop_assert_eq!(weighed, learn(&often, &colour_often, None));
    }
}

/// Rows whose class depends on a number and a level, and their labels.
fn labelled(n: usize) -> (Vec<f64>, Vec<&'static str>, Vec<bool>, Vec<&'static str>) {
    let ages: Vec<f64> = (0..n).map(|i| 20.0 + (i * 37 % 60) as f64).collect();
    let colours: Vec<&str> = (0..n)
        .map(|i| ["red", "blue", "green"][i * i % 7 % 3])
        .collect();
    let smokers: Vec<bool> = (0..n).map(|i| i % 5 < 2).collect();
    let labels = (0..n).map(|i| match (colours[i] == "red", ages[i] > 45.0) {
        (true, true) => "yes",
        (false, true) if smokers[i] => "yes",
        _ => "no",
    });
    let labels = labels.collect();
    (ages, colours, smokers, labels)
}

fn fitted(scaling: softwood::data::ScalingKind) -> (OrctModel, ndarray::Array2<f64>) {
    let (ages, colours, smokers, labels) = labelled(120);
    let table = table(vec![
        ("age", numbers(&ages)),
        ("colour", text(&colours)),
        ("smoker", truths(&smokers)),
    ]);
    let encoding = Encoding::learn(&table, None, &EncodingSettings::default()).unwrap();
    let rows = encoding.encode(&table).unwrap().rows;
    let mut settings = OrctSettings {
        depth: 2,
        n_starts: 2,
        gamma: Some(64.0),
        scaling: softwood::data::ScalingChoice::Fixed(scaling),
        ..OrctSettings::default()
    };
    settings.run.feature_names = Some(encoding.names());
    settings.penalty.groups = Some(encoding.groups(None));
    settings.run.encoding = Some(encoding);
    let labels = Labels::from(labels.as_slice());
    let model = fit_orct(rows.view(), &labels, None, &settings, &Control::default()).unwrap();
    (model, rows)
}

#[test]
fn effects_are_those_of_setting_back_whole_columns() {
    for scaling in [
        softwood::data::ScalingKind::MinMax,
        softwood::data::ScalingKind::Quantile,
    ] {
        let (model, rows) = fitted(scaling);
        let encoding = model.tree.encoding.as_ref().unwrap();
        let typical = encoding.typical_row();
        assert_eq!(model.tree.scaling.typical, typical);
        let some = rows.slice(ndarray::s![..20, ..]);
        let effects = model.effects(some).unwrap();
        let log_odds = |rows: ndarray::ArrayView2<'_, f64>| -> Vec<f64> {
            let p = model.predict_proba(rows).unwrap();
            p.chunks_exact(2).map(|p| (p[1] / p[0]).ln()).collect()
        };
        let before = log_odds(some);
        for (c, range) in encoding.ranges().into_iter().enumerate() {
            let mut back = some.to_owned();
            for j in range {
                back.index_axis_mut(Axis(1), j).fill(typical[j]);
            }
            for (i, (before, after)) in before.iter().zip(log_odds(back.view())).enumerate() {
                let effect = effects[(i * 2 + 1) * 3 + c];
                assert!((effect - (before - after)).abs() < 1e-8, "{effect}");
            }
        }
    }
}

#[test]
fn contributions_of_columns_add_up_and_name_levels() {
    let (model, rows) = fitted(softwood::data::ScalingKind::MinMax);
    let one = rows.slice(ndarray::s![..1, ..]);
    for split in &model.tree.explain_path(one).unwrap()[0] {
        let sum: f64 = split.contributions.iter().map(|c| c.contribution).sum();
        assert!((split.base + sum - split.margin).abs() < 1e-10);
        let colour = split.contributions.iter().find(|c| c.name == "colour");
        if let Some(colour) = colour {
            assert_eq!(colour.value, Some("red".into()));
            assert!(
                split.to_string().contains("colour = red (typical "),
                "{split}"
            );
        }
    }
    assert_eq!(model.tree.columns(), 3);
    assert_eq!(model.tree.column_names(), ["age", "colour", "smoker"]);
}

#[test]
fn importance_is_the_range_of_what_a_column_adds() {
    let (model, _) = fitted(softwood::data::ScalingKind::MinMax);
    let splits = model.tree.coefficients.chunks_exact(5);
    let ranges: Vec<[f64; 3]> = splits
        .map(|a| {
            let colours = &a[1..4];
            let largest = colours.iter().copied().fold(f64::MIN, f64::max);
            let smallest = colours.iter().copied().fold(f64::MAX, f64::min);
            [a[0].abs(), largest - smallest, a[4].abs()]
        })
        .collect();
    let sum = model.importance_of("splits", Importance::Sum).unwrap();
    let max = model.importance_of("splits", Importance::Max).unwrap();
    for c in 0..3 {
        let of_column = ranges.iter().map(|range| range[c]);
        assert!((sum[c] - of_column.clone().sum::<f64>()).abs() < 1e-12);
        assert_eq!(max[c], of_column.fold(0.0, f64::max));
    }
}

#[test]
fn rules_print_levels_as_themselves() {
    for scaling in [
        softwood::data::ScalingKind::MinMax,
        softwood::data::ScalingKind::Quantile,
    ] {
        let (model, rows) = fitted(scaling);
        let rule = model.rule(0).unwrap();
        let indicators: Vec<_> = rule
            .terms
            .iter()
            .filter(|term| term.measure == Measure::Indicator)
            .collect();
        assert!(!indicators.is_empty());
        for term in indicators {
            assert!(term.name.starts_with("colour is ") || term.name == "smoker is true");
            let printed = format!("·({})", term.name);
            assert!(rule.to_string().contains(&printed), "{rule}");
        }
        // The rule has the side of the split.
        let left = model.tree.leaf_probabilities(rows.view()).unwrap();
        assert!(left.iter().all(|p| p.is_finite()));
        let text = model.to_string();
        assert!(text.contains("120 rows, 3 columns as 5 features"), "{text}");
    }
}

#[test]
fn derivatives_are_by_numbers_alone() {
    let (model, rows) = fitted(softwood::data::ScalingKind::MinMax);
    let derivatives = model.explain(rows.slice(ndarray::s![..4, ..])).unwrap();
    assert_eq!(derivatives.len(), 4 * 2 * 3);
    for of_class in derivatives.chunks_exact(3) {
        assert!(of_class[0].is_finite() && of_class[1].is_nan() && of_class[2].is_nan());
    }
}

#[test]
fn the_encoding_is_in_the_file() {
    let (model, rows) = fitted(softwood::data::ScalingKind::MinMax);
    let json = model.to_json();
    let same = OrctModel::from_json(&json).unwrap();
    assert_eq!(same, model);
    assert_eq!(same.predict(rows.view()), model.predict(rows.view()));
    let broken = [
        (
            "\"typical\":0}",
            "\"typical\":9}",
            "typical is 9, but there are 3 levels",
        ),
        (
            "\"values\":[\"blue\",\"green\"",
            "\"values\":[\"blue\",\"blue\"",
            "levels must be distinct",
        ),
        (
            ",\"green\",\"red\"]}",
            ",\"red\"]}",
            "encoding gives 4 features, but there are 5",
        ),
        (
            "\"coding\":\"truth\"",
            "\"coding\":\"levels\"",
            "expected usize",
        ),
        (
            "{\"name\":\"smoker\",\"coding\"",
            "{\"name\":\"age\",\"coding\"",
            "another column has this name",
        ),
    ];
    for (from, to, what) in broken {
        let text = match from {
            "\"typical\":0}" => {
                let colour = json.find("\"name\":\"colour\"").unwrap();
                let typical = colour + json[colour..].find("\"typical\":").unwrap();
                let end = typical + json[typical..].find('}').unwrap() + 1;
                format!("{}{to}{}", &json[..typical], &json[end..])
            }
            _ => json.replace(from, to),
        };
        assert_ne!(text, json, "{from}");
        let error = OrctModel::from_json(&text).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_regression_takes_tables_too() {
    let (ages, colours, ..) = labelled(80);
    let y: Vec<f64> = (0..80)
        .map(|i| ages[i] / 10.0 + if colours[i] == "red" { 3.0 } else { 0.0 })
        .collect();
    let table = table(vec![("age", numbers(&ages)), ("colour", text(&colours))]);
    let encoding = Encoding::learn(&table, None, &EncodingSettings::default()).unwrap();
    let rows = encoding.encode(&table).unwrap().rows;
    let mut settings = SrtSettings {
        depth: 1,
        n_starts: 1,
        ..SrtSettings::default()
    };
    settings.run.encoding = Some(encoding);
    let model = fit_srt(rows.view(), &y, None, &settings, &Control::default()).unwrap();
    let predicted = model.predict(rows.view()).unwrap();
    let errors = predicted.iter().zip(&y).map(|(a, b)| (a - b).abs());
    assert!(errors.fold(0.0, f64::max) < 0.05);
    let leaf = model.leaf_model(0).to_string();
    assert!(leaf.contains("·(colour is red)"), "{leaf}");
    let effects = model.effects(rows.slice(ndarray::s![..1, ..])).unwrap();
    assert_eq!(effects.len(), 2);
    assert!(model.tree.encoding.is_some());
    assert_eq!(
        softwood::SrtModel::from_json(&model.to_json()).unwrap(),
        model
    );
}

#[test]
fn many_rows_have_the_bits_of_few_on_any_number_of_threads() {
    let n = 30_000;
    let ages: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let names = ["a", "b", "c", "d", ""];
    let levels: Vec<&str> = (0..n).map(|i| names[i * i % 11 % 5]).collect();
    let table = table(vec![("age", numbers(&ages)), ("level", text(&levels))]);
    let encoding = Encoding::learn(&table, None, &filled()).unwrap();
    let all = encoding.encode(&table).unwrap().rows;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(pool.install(|| encoding.encode(&table)).unwrap().rows, all);
    }
    for i in [0, 2047, 2048, n - 1] {
        let value = match levels[i] {
            "" => Value::Missing,
            level => level.into(),
        };
        let one = encoding.encode_row(&[("age", ages[i].into()), ("level", value)]);
        assert_eq!(one.unwrap().rows.row(0), all.row(i));
    }
}

fn refused(table: &Table<'_>, settings: &EncodingSettings) -> String {
    match Encoding::learn(table, None, settings) {
        Ok(encoding) => encoding.encode(table).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_cannot_be_learned_is_refused_by_name() {
    let plain = EncodingSettings::default();
    let holes = refused(&people(), &plain);
    assert!(
        holes.starts_with(
            "values are missing in column \"age\" (row 2), column \"colour\" (row 3);"
        ),
        "{holes}"
    );
    let none = table(vec![("a", numbers(&[f64::NAN, f64::NAN]))]);
    assert_eq!(
        refused(&none, &filled()),
        "column \"a\" holds no values; leave it out"
    );
    let infinite = table(vec![("a", numbers(&[1.0, f64::INFINITY]))]);
    assert_eq!(
        refused(&infinite, &plain),
        "column \"a\" must hold finite numbers, row 1 holds inf"
    );
    let names: Vec<String> = (0..=MAX_LEVELS).map(|i| format!("id{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let many = refused(&table(vec![("id", text(&names))]), &plain);
    assert!(
        many.starts_with("column \"id\" has 1001 levels, at most 1000"),
        "{many}"
    );
    let mut ages: Vec<String> = (20..60).map(|age| age.to_string()).collect();
    ages[7] = "?".into();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let column = table(vec![("age", text(&ages))]);
    let message = refused(&column, &plain);
    assert!(
        message.starts_with(
            "column \"age\" holds text, but 39 of its 40 levels are numbers (row 7: \"?\")"
        ),
        "{message}"
    );
    let mut declared = column;
    if let Column::Levels(column) = &mut declared.columns[0] {
        column.declared = true;
    }
    assert!(Encoding::learn(&declared, None, &plain).is_ok());
    let twice = table(vec![("a", truths(&[true])), ("a", truths(&[false]))]);
    assert!(refused(&twice, &plain).starts_with("two columns of X are called \"a\""));
    let uneven = table(vec![("a", truths(&[true])), ("b", truths(&[false; 2]))]);
    assert_eq!(
        refused(&uneven, &plain),
        "column \"b\" has 2 rows where the first column has 1"
    );
}

#[test]
fn orders_that_cannot_be_are_refused() {
    let ordered = |name: &str| EncodingSettings {
        ordered: vec![(name.into(), sizes().1)],
        ..filled()
    };
    assert_eq!(
        refused(&people(), &ordered("age")),
        "ordered names the column \"age\", whose numbers are in order already"
    );
    assert_eq!(
        refused(&people(), &ordered("hat")),
        "ordered names the column \"hat\", which X does not have"
    );
    assert_eq!(
        refused(&people(), &ordered("colour")),
        "column \"colour\" must hold none but the levels that ordered gives, row 0 holds \"red\""
    );
}

#[test]
fn tables_that_are_not_those_of_training_are_refused() {
    let encoding = encoding_of_people();
    let refused = |values: &[(&str, Value)]| encoding.encode_row(values).unwrap_err().to_string();
    let all = |age: Value, colour: Value, smoker: Value| {
        [
            ("age", age),
            ("colour", colour),
            ("smoker", smoker),
            ("size", "M".into()),
        ]
    };
    assert_eq!(
        refused(&all(1.0.into(), "red".into(), true.into())[..2]),
        "the table must have the columns the model was fitted on: it lacks \"smoker\", \"size\""
    );
    let mut more = all(1.0.into(), "red".into(), true.into()).to_vec();
    more.push(("hat", 1.0.into()));
    assert!(refused(&more).ends_with("it has \"hat\" besides"));
    assert_eq!(
        refused(&all("old".into(), "red".into(), true.into())),
        "column \"age\" must hold numbers, row 0 holds \"old\""
    );
    assert_eq!(
        refused(&all(1.0.into(), 3.0.into(), true.into())),
        "column \"colour\" must hold text, row 0 holds 3"
    );
    assert_eq!(
        refused(&all(1.0.into(), "red".into(), 0.5.into())),
        "column \"smoker\" must hold truth values, row 0 holds 0.5"
    );
    // No values were missing in training, but they are filled.
    assert!(
        encoding
            .encode_row(&all(1.0.into(), "red".into(), Value::Missing))
            .is_ok()
    );
    let strict = Encoding::learn(
        &table(vec![("a", truths(&[true, false]))]),
        None,
        &EncodingSettings::default(),
    );
    let error = strict
        .unwrap()
        .encode_row(&[("a", Value::Missing)])
        .unwrap_err();
    let holes = TableError::MissingValues(vec![("a".into(), 1, 0)]);
    assert_eq!(error, InputError::Table(holes));
}

#[test]
fn numbers_that_are_levels_match_whatever_holds_them() {
    let levels = Column::Levels(LevelColumn {
        levels: ClassLabels::Int(vec![3, 1]),
        codes: Cow::Borrowed(&[0, 1, 0]),
        declared: true,
        ordered: false,
    });
    let encoding = Encoding::learn(
        &table(vec![("code", levels)]),
        None,
        &EncodingSettings::default(),
    )
    .unwrap();
    assert_eq!(encoding.feature_names(), ["code is 1", "code is 3"]);
    assert_eq!(encoding.columns[0].missing, Missing::Refused);
    assert!(matches!(
        encoding.columns[0].coding,
        Coding::Levels { typical: 1, .. }
    ));
    let encoded = encoding
        .encode(&table(vec![("code", numbers(&[1.0, 3.0, 2.0]))]))
        .unwrap();
    assert_eq!(
        encoded.rows,
        ndarray::arr2(&[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    );
    assert_eq!(encoded.unseen[0].levels, ["2"]);
}

#[test]
fn the_documented_encoding_makes_the_documented_row() {
    let page = include_str!("../../crates/softwood/MODEL_FORMAT.md");
    let block = page.rsplit("```json").next().unwrap();
    let block = block.split("```").next().unwrap();
    let encoding: Encoding = serde_json::from_str(block).unwrap();
    let row = encoding.encode_row(&[
        ("age", Value::Missing),
        ("colour", "red".into()),
        ("smoker", true.into()),
        ("size", "L".into()),
    ]);
    let row = row.unwrap().rows.row(0).to_vec();
    assert_eq!(row, [41.0, 1.0, 0.0, 1.0, 1.0, 2.0]);
    assert!(
        page.ends_with("is x = (41, 1, 0, 1, 1, 2).\n"),
        "what the page says"
    );
}
