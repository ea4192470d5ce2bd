//! Finds the two of 2,000 features that matter, in sparse rows, by a sparse perceptron tree.

use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{CsrRows, Labels, Rows};
use softwood::{Control, SpdtSettings, fit_spdt};
use std::error::Error;

const FEATURES: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let (starts, columns, values, y) = counts(400);
    let rows: Rows<'_> = CsrRows::new(FEATURES, &starts[..], &columns[..], &values[..])?.into();
    let labels = Labels::from(y.as_slice());
    let settings = SpdtSettings {
        depth: 2,
        cost: Some(10.0),
        budget: Some(2),
        ..SpdtSettings::default()
    };
    let model = fit_spdt(
        rows.reborrow(),
        &labels,
        None,
        &settings,
        &Control::default(),
    )?;
    print!("{model}");
    let told = model.predict(rows)?;
    let right = told
        .iter()
        .zip(&labels.codes)
        .filter(|(told, code)| told == code)
        .count();
    println!("{right} of {} rows told right", y.len());
    Ok(())
}

/// Forty counts a row, elsewhere 0; the classes depend on features 7 and 1900.
fn counts(rows: usize) -> (Vec<i64>, Vec<i32>, Vec<f64>, Vec<i64>) {
    let mut rng = Pcg64::new(5, 0);
    let (mut starts, mut columns, mut values, mut y) = (vec![0], vec![], vec![], vec![]);
    for _ in 0..rows {
        let mut row = vec![0.0; FEATURES];
        for _ in 0..40 {
            row[rng.random_range(0..FEATURES)] += 1.0;
        }
        row[7] = rng.random_range(0..4) as f64;
        row[1900] = rng.random_range(0..4) as f64;
        y.push(i64::from(row[7] > row[1900]));
        for (j, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as i32);
            values.push(*value);
        }
        starts.push(values.len() as i64);
    }
    (starts, columns, values, y)
}
