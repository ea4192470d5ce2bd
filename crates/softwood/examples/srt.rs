//! Fits a regression tree with a linear model in each leaf, after choosing its depth on folds.

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::{Control, FittedModel, RunSettings, SrtCvSettings, SrtSettings, fit_srt_cv};
use std::error::Error;

/// Rows to learn from, rows that are held out.
const TRAINING: usize = 300;
const HELD_OUT: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = heating(TRAINING + HELD_OUT);
    let (training, held_out) = x.view().split_at(ndarray::Axis(0), TRAINING);
    let names = ["outside", "sun"].map(String::from).to_vec();
    let settings = SrtCvSettings {
        depths: vec![1, 2],
        curves: vec![false],
        fit: SrtSettings {
            run: RunSettings {
                feature_names: Some(names),
                ..RunSettings::default()
            },
            ..SrtSettings::default()
        },
        ..SrtCvSettings::default()
    };

    let model = fit_srt_cv(
        training,
        &y[..TRAINING],
        None,
        &settings,
        &Control::default(),
    )?;
    print!("{model}");
    for leaf in 0..model.tree().shape.leaves().len() {
        println!("{}", model.leaf_model(leaf));
    }

    let predicted = model.predict(held_out)?;
    let errors = predicted
        .iter()
        .zip(&y[TRAINING..])
        .map(|(p, y)| (p - y).powi(2));
    let error = (errors.sum::<f64>() / HELD_OUT as f64).sqrt();
    println!("root mean squared error on {HELD_OUT} held-out rows: {error:.3}");
    Ok(())
}

/// Power of a heating: none above 15 degrees, twice as steep in frost, less in the sun.
fn heating(rows: usize) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(3, 0);
    let mut x = Array2::from_shape_simple_fn((rows, 2), || rng.random_range(0.0..1.0));
    for mut row in x.rows_mut() {
        row[0] = 40.0 * row[0] - 15.0;
        row[1] *= 800.0;
    }
    let power = |outside: f64, sun: f64| match outside {
        mild if mild > 15.0 => 0.0,
        frost if frost < 0.0 => 3.0 - 0.4 * frost - 0.001 * sun,
        cool => 3.0 - 0.2 * cool - 0.001 * sun,
    };
    let y = x
        .rows()
        .into_iter()
        .map(|row| power(row[0], row[1]))
        .collect();
    (x, y)
}
