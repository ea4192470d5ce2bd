//! Predicts rows read from standard input, numbers parted by commas, with a model from a file.
//!
//! `cargo run --release --no-default-features --example serve -- model.json < rows.csv`
//!
//! Without arguments it predicts a row of a small model of its own.

use ndarray::Array2;
use softwood::Model;
use std::error::Error;
use std::io::{BufRead, stdin};

/// Left of 3 is class "low", right of it "high".
const SMALL: &str = r#"{
  "format": "softwood", "version": 1, "kind": "orct", "depth": 1, "gamma": 64, "scaling": "minmax",
  "features": [{"name": "x", "map": "linear", "min": 0, "max": 10}],
  "coefficients": [[-1]], "intercepts": [-0.3],
  "classes": {"kind": "text", "values": ["high", "low"]}, "leaf_classes": [1, 0],
  "report": {"status": "converged", "objective": 0, "loss": 0, "seconds": 0, "iterations": 0,
    "evaluations": 0, "optimality": 0, "start_objectives": [0], "best_start": 0, "rows": 2}
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args().nth(1) else {
        return predict(&Model::from_json(SMALL)?, &[1.0]);
    };
    let model = Model::load(path)?;
    for line in stdin().lock().lines() {
        let row: Result<Vec<f64>, _> = line?.split(',').map(|x| x.trim().parse()).collect();
        predict(&model, &row?)?;
    }
    Ok(())
}

fn predict(model: &Model, row: &[f64]) -> Result<(), Box<dyn Error>> {
    let row = Array2::from_shape_vec((1, row.len()), row.to_vec())?;
    match model {
        Model::FunctionalOrct(tree) => {
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.on_means.classes.text(class as usize));
        }
        Model::FunctionalOrrt(tree) => println!("{}", tree.predict(row.view())?[0]),
        Model::Orct(tree) => {
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
        Model::Orrt(tree) => println!("{}", tree.predict(row.view())?[0]),
        Model::Spdt(tree) => {
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
        Model::Srt(tree) => println!("{}", tree.predict(row.view())?[0]),
        Model::Svm1Odt(tree) => {
            let class = tree.predict(row.view())?[0];
            println!("{}", tree.classes.text(class as usize));
        }
    }
    Ok(())
}
