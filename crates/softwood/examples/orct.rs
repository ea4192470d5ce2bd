//! Fits a tree to points in a checkerboard-like pattern, prints it, judges it on held-out rows, and
//! keeps it in a file.

use ndarray::{Array2, s};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::{Control, FittedModel, OrctModel, OrctSettings, RunSettings, fit_orct};
use std::error::Error;

/// Rows to learn from; as many again are held out.
const TRAINING: usize = 600;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = measurements(2 * TRAINING);
    let (training, held_out) = (x.slice(s![..TRAINING, ..]), x.slice(s![TRAINING.., ..]));
    let labels = Labels::from(&y[..TRAINING]);
    let names = ["temperature", "pressure", "humidity"];
    let settings = OrctSettings {
        depth: 2,
        run: RunSettings {
            feature_names: Some(names.map(String::from).to_vec()),
            ..RunSettings::default()
        },
        ..OrctSettings::default()
    };

    let model = fit_orct(training, &labels, None, &settings, &Control::default())?;
    print!("{model}");

    let predicted = model.predict(held_out)?;
    let hits = predicted
        .iter()
        .zip(&y[TRAINING..])
        .filter(|(code, label)| model.classes.text(**code as usize) == **label)
        .count();
    println!(
        "\naccuracy on {TRAINING} held-out rows: {:.1} %",
        100.0 * hits as f64 / TRAINING as f64
    );

    let probabilities = model.predict_proba(held_out)?;
    let certainty = |i: usize| {
        probabilities[i * 3..][..3]
            .iter()
            .fold(0.0f64, |m, p| m.max(*p))
    };
    let open = (0..TRAINING)
        .min_by(|a, b| certainty(*a).total_cmp(&certainty(*b)))
        .unwrap_or(0);
    println!(
        "\nthe least certain of them, {:.1}, would change per unit of",
        held_out.row(open)
    );
    let slopes = model.explain(held_out.slice(s![open..=open, ..]))?;
    for (k, slopes) in slopes.chunks_exact(names.len()).enumerate() {
        let changes: Vec<String> = names
            .iter()
            .zip(slopes)
            .map(|(n, s)| format!("{n} {s:+.3}"))
            .collect();
        println!("  P({}): {}", model.classes.text(k), changes.join(", "));
    }

    let path = std::env::temp_dir().join(format!("softwood-example-{}.json", std::process::id()));
    model.save(&path)?;
    let loaded = OrctModel::load(&path)?;
    std::fs::remove_file(&path)?;
    assert_eq!(
        loaded.predict_proba(held_out)?,
        model.predict_proba(held_out)?
    );
    println!("saved, loaded: the same predictions to the bit");
    Ok(())
}

/// Three measurements and what became of it: safe while temperature and pressure lean the same way.
fn measurements(rows: usize) -> (Array2<f64>, Vec<&'static str>) {
    let mut rng = Pcg64::new(7, 0);
    let mut x = Array2::from_shape_simple_fn((rows, 3), || rng.random_range(0.0..1.0));
    let label = |t: f64, p: f64| match (t + 0.3 * p > 0.65, p - 0.3 * t > 0.35) {
        (true, true) | (false, false) => "safe",
        (true, false) => "hot",
        (false, true) => "bursting",
    };
    let y = x
        .rows()
        .into_iter()
        .map(|row| label(row[0], row[1]))
        .collect();
    for mut row in x.rows_mut() {
        row[0] = 15.0 + 70.0 * row[0];
        row[1] = 990.0 + 60.0 * row[1];
        row[2] *= 100.0;
    }
    (x, y)
}
