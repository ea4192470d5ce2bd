//! Fits a tree that no tree of its depth can beat on these rows, and shows the proof.

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::{Control, Svm1OdtSettings, fit_svm1_odt};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = donors(60);
    let labels = Labels::from(y.as_slice());
    let settings = Svm1OdtSettings {
        depth: 2,
        max_nodes: Some(2_000_000),
        ..Svm1OdtSettings::default()
    };
    let model = fit_svm1_odt(x.view(), &labels, None, &settings, &Control::default())?;
    print!("{model}");
    let report = &model.report;
    let proof = report
        .proof
        .as_ref()
        .ok_or("proofs come with these trees")?;
    println!(
        "{:?}: {} rows wrong or within the margin",
        report.status, report.objective
    );
    println!(
        "no tree of depth 2 and margin {} has fewer than {}",
        proof.margin, proof.bound
    );
    for moment in &proof.course {
        println!("  between {} and {}", moment.bound, moment.objective);
    }
    Ok(())
}

/// Three numbers of a donor, and whether to write again; three donors do not fit.
fn donors(rows: usize) -> (Array2<f64>, Vec<&'static str>) {
    let mut rng = Pcg64::new(3, 0);
    let x = Array2::from_shape_fn((rows, 3), |_| f64::from(rng.random_range(0..6u8)));
    let class = |i: usize| {
        let fits = (x[[i, 0]] > 2.0) != (x[[i, 1]] + x[[i, 2]] > 5.0);
        if fits != (i < 3) { "keep" } else { "drop" }
    };
    let y = (0..rows).map(class).collect();
    (x, y)
}
