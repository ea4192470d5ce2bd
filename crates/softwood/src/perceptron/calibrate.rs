//! Probabilities of classes in a leaf, by rows that the classifier above it has not seen.

use super::node_rows::prevailing;

/// Rows from which on the distance from the split is looked at.
const LEAST_ROWS: usize = 20;

/// Slopes that are tried, in units of one over the median distance; 0 is none.
const SLOPES: [f64; 8] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Shares of the way from the leaf's frequencies to certainty that are tried.
const SHARPER: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.95];

/// A row at distance d from the split above the leaf has probabilities u + tanh(slope · d/2) (f − u), f the
/// frequencies and u the same with the two most frequent classes alike; f everywhere if the slope is 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calibration {
    pub frequencies: Vec<f64>,
    pub slope: f64,
}

/// A held-out row on the leaf's side.
pub(super) struct HeldOut {
    pub distance: f64,
    pub class: u32,
    pub weight: f64,
}

/// `own` are the class weights of the training rows in the leaf, `base` those around it.
pub(super) fn calibrate(own: &[f64], base: &[f64], held: &[HeldOut]) -> Calibration {
    let class = prevailing(own);
    let mut counts = vec![0.0; own.len()];
    for row in held {
        counts[row.class as usize] += row.weight;
    }
    let seen = smoothed(&counts, base);
    // Rows held out that speak for another class than the rows themselves are no guide.
    if held.is_empty() || prevailing(&seen) != class {
        return Calibration {
            frequencies: smoothed(own, base),
            slope: 0.0,
        };
    }
    let plain = Calibration {
        frequencies: seen,
        slope: 0.0,
    };
    if held.len() < LEAST_ROWS {
        return plain;
    }
    let mut distances: Vec<f64> = held.iter().map(|row| row.distance).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances[distances.len() / 2];
    if !(median > 0.0 && median.is_finite()) {
        return plain;
    }
    let mut best = (likelihood(&plain, held), plain.clone());
    for sharper in SHARPER {
        let frequencies = sharpened(&plain.frequencies, sharper);
        for slope in SLOPES {
            let tried = Calibration {
                frequencies: frequencies.clone(),
                slope: slope / median,
            };
            let value = likelihood(&tried, held);
            if value > best.0 {
                best = (value, tried);
            }
        }
    }
    best.1
}

/// (n_k + m π_k)/(n + m), m = min(1, n_base/200), π the shares in `base`.
fn smoothed(counts: &[f64], base: &[f64]) -> Vec<f64> {
    let (all, total): (f64, f64) = (counts.iter().sum(), base.iter().sum());
    let one = (1.0f64).min(total / 200.0);
    let each = counts.iter().zip(base);
    each.map(|(n, base)| ((n + one * (base / total)) / (all + one)).min(1.0))
        .collect()
}

/// So far on the way to the prevailing class for certain.
fn sharpened(frequencies: &[f64], share: f64) -> Vec<f64> {
    let class = prevailing(frequencies);
    let each = frequencies.iter().enumerate();
    each.map(|(k, f)| (1.0 - share) * f + if k == class { share } else { 0.0 })
        .collect()
}

fn likelihood(calibration: &Calibration, held: &[HeldOut]) -> f64 {
    let mut probabilities = vec![0.0; calibration.frequencies.len()];
    let of_row = |row: &HeldOut| {
        calibration.at(row.distance, &mut probabilities);
        row.weight * probabilities[row.class as usize].max(1e-9).ln()
    };
    held.iter().map(of_row).sum()
}

impl Calibration {
    fn at(&self, distance: f64, out: &mut [f64]) {
        crate::fitted::probabilities_at(&self.frequencies, self.slope, distance, out);
    }
}
