//! Predicts a row of named values, as a service would get it, with a model fitted to a table.
//!
//! `cargo run --no-default-features --example named_values -- model.json age=41 colour=red smoker=true`
//!
//! A value that is left empty (`age=`) is missing. Without arguments it predicts a row of a small model
//! of its own.

use softwood::data::{Coding, EncodedColumn, Value};
use softwood::{FittedModel, FittedTree, Model};
use std::error::Error;

/// Red ones are "stop".
const SMALL: &str = r#"{
  "format": "softwood", "version": 2, "kind": "orct", "depth": 1, "gamma": 64, "scaling": "minmax",
  "named": true,
  "features": [
    {"name": "width", "map": "linear", "min": 0, "max": 10, "typical": 5},
    {"name": "colour is green", "map": "linear", "min": 0, "max": 1, "typical": 1},
    {"name": "colour is red", "map": "linear", "min": 0, "max": 1, "typical": 0}
  ],
  "encoding": [
    {"name": "width", "coding": "number", "typical": 5},
    {"name": "colour", "coding": "levels", "levels": {"kind": "text", "values": ["green", "red"]},
      "typical": 0}
  ],
  "splits": [0], "coefficients": [[0, -1, 1]], "intercepts": [0],
  "classes": {"kind": "text", "values": ["go", "stop"]}, "leaf_classes": [1, 0],
  "report": {"status": "converged", "objective": 0, "loss": 0, "seconds": 0, "iterations": 0,
    "evaluations": 0, "optimality": 0, "start_objectives": [0], "best_start": 0, "rows": 2}
}"#;

/// Of trees on curves.
const POINTS: &str = "this tree takes the points of curves: see the example `serve`";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((path, pairs)) = arguments.split_first() else {
        let row = [("colour", "red".into()), ("width", 2.5.into())];
        return predict(&Model::from_json(SMALL)?, &row);
    };
    let model = Model::load(path)?;
    let encoding = match &model {
        Model::Orct(tree) => tree.tree().column_encoding(),
        Model::Orrt(tree) => tree.tree().column_encoding(),
        Model::Spdt(tree) => tree.tree().column_encoding(),
        Model::Srt(tree) => tree.tree().column_encoding(),
        Model::Svm1Odt(tree) => tree.tree().column_encoding(),
        _ => return Err(POINTS.into()),
    };
    let mut row = Vec::new();
    for pair in pairs {
        let (name, text) = pair.split_once('=').ok_or("give values as name=value")?;
        let column = encoding.columns.iter().find(|column| column.name == name);
        row.push((name, value_of(column, text)?));
    }
    predict(&model, &row)
}

/// Text as what the column holds.
fn value_of(column: Option<&EncodedColumn>, text: &str) -> Result<Value, Box<dyn Error>> {
    Ok(match column.map(|column| &column.coding) {
        _ if text.is_empty() => Value::Missing,
        Some(Coding::Number { .. }) => text.parse::<f64>()?.into(),
        Some(Coding::Truth { .. }) => text.parse::<bool>()?.into(),
        _ => text.into(),
    })
}

fn predict(model: &Model, row: &[(&str, Value)]) -> Result<(), Box<dyn Error>> {
    match model {
        Model::Orct(tree) => {
            let row = tree.tree().column_encoding().encode_row(row)?.rows;
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
        Model::Orrt(tree) => {
            let row = tree.tree().column_encoding().encode_row(row)?.rows;
            println!("{}", tree.predict(row.view())?[0]);
        }
        Model::Spdt(tree) => {
            let row = tree.tree().column_encoding().encode_row(row)?.rows;
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
        Model::Srt(tree) => {
            let row = tree.tree().column_encoding().encode_row(row)?.rows;
            println!("{}", tree.predict(row.view())?[0]);
        }
        Model::Svm1Odt(tree) => {
            let row = tree.tree().column_encoding().encode_row(row)?.rows;
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
        _ => return Err(POINTS.into()),
    }
    Ok(())
}
