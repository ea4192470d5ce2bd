//! Fits a classification tree that must recognize nine tenths of a rare class, and tells the price.

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::fitted::FittedModel;
use softwood::{Control, OrctSettings, fit_orct};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = patients(600);
    let y = Labels::from(y.as_slice());
    let plain = OrctSettings {
        depth: 1,
        n_starts: 4,
        ..OrctSettings::plain()
    };
    // Classes are numbered in increasing order: "ill" is the first.
    let bounded = OrctSettings {
        min_class_rate: vec![(0, 0.9)],
        ..plain.clone()
    };
    for (name, settings) in [("without", plain), ("with", bounded)] {
        let model = fit_orct(x.view(), &y, None, &settings, &Control::default())?;
        let told = model.predict(x.view())?;
        let rate = |class: u32| {
            let of_class = || {
                told.iter()
                    .zip(&y.codes)
                    .filter(|(_, true_one)| **true_one == class)
            };
            let right = of_class()
                .filter(|(told, true_one)| told == true_one)
                .count();
            100.0 * right as f64 / of_class().count() as f64
        };
        println!(
            "{name} a bound: {:.1} % of the ill and {:.1} % of the well told right",
            rate(0),
            rate(1)
        );
        for bound in &model.report().constraints {
            println!(
                "  asked {}, reached {:.3} in expectation; a unit less lowers the objective by {:.3}",
                bound.asked, bound.reached, bound.multiplier
            );
        }
    }
    Ok(())
}

/// Two measurements that tell the ill from the well only so far.
fn patients(rows: usize) -> (Array2<f64>, Vec<&'static str>) {
    let mut rng = Pcg64::new(11, 0);
    let mut x = Array2::zeros((rows, 2));
    let y = (0..rows)
        .map(|i| if i % 8 == 0 { "ill" } else { "well" })
        .collect::<Vec<_>>();
    for (mut row, label) in x.rows_mut().into_iter().zip(&y) {
        let shift = if *label == "ill" { 0.5 } else { 0.0 };
        row[0] = rng.random_range(0.0..1.0) + shift;
        row[1] = rng.random_range(0.0..1.0) + shift;
    }
    (x, y)
}
