//! The classifiers on the chosen features: ridge and squared hinge loss, no groups any more.

use super::packed::PackedRows;
use super::squared_hinge::{SquaredHinge, slopes};
use crate::solver::{Bounds, CountIterations, LbfgsSettings, Objective, Work, minimize};
use crate::stop::{Interrupted, Stop};
use std::sync::Mutex;

/// min Σ_v ½‖w_v‖² + Σ_i (c_iv/2) max(0, 1 − y_i(w_vᵀx_i + b_v))², biases at their minimum.
struct Ridge<'a> {
    rows: &'a PackedRows,
    hinge: &'a SquaredHinge<'a>,
    /// By what the objective is divided.
    unit: f64,
    /// Biases of the last evaluation, near which the next ones are.
    near: Mutex<Vec<f64>>,
    stop: &'a Stop,
}

impl Objective for Ridge<'_> {
    fn dim(&self) -> usize {
        self.rows.features * self.hinge.blocks
    }

    fn value_and_gradient(&self, w: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        self.stop.check()?;
        let blocks = self.hinge.blocks;
        let mut near = self.near.lock().expect("no panic holds the lock");
        let at = self.hinge.at(&self.rows.times(w, blocks), &near);
        near.clone_from(&at.biases);
        let r = slopes(&at.alphas, self.hinge.signs, blocks);
        let losses = self.rows.transposed_times(&r, blocks);
        for ((out, w), loss) in gradient.iter_mut().zip(w).zip(losses) {
            *out = (w + loss) / self.unit;
        }
        let square: f64 = w.iter().map(|w| w * w).sum();
        Ok((0.5 * square + at.loss) / self.unit)
    }
}

/// The classifiers, and their margins at all rows.
pub(super) struct Refitted {
    /// Features × blocks.
    pub w: Vec<f64>,
    pub biases: Vec<f64>,
    /// With biases, n × blocks.
    pub margins: Vec<f64>,
    pub objective: f64,
    pub work: Work,
}

/// From `start` on; where that is stopped before it begins, what the start is.
pub(super) fn refit(
    rows: &PackedRows,
    hinge: &SquaredHinge<'_>,
    start: Vec<f64>,
    stop: &Stop,
) -> Refitted {
    let blocks = hinge.blocks;
    let none = vec![0.0; hinge.signs.len() * blocks];
    let unit = hinge
        .at(&none, &vec![0.0; blocks])
        .loss
        .max(f64::MIN_POSITIVE);
    let ridge = Ridge {
        rows,
        hinge,
        unit,
        near: Mutex::new(vec![0.0; blocks]),
        stop,
    };
    let settings = LbfgsSettings {
        projected_gradient_tol: 1e-5,
        stall_tol: 1e-5,
        max_iterations: 150,
        ..LbfgsSettings::default()
    };
    let outcome = minimize(
        &ridge,
        Bounds::NONE,
        start.clone(),
        &settings,
        None::<CountIterations>,
    );
    let (w, objective, work) = match outcome {
        Ok(outcome) => (outcome.x, Some(outcome.value * unit), outcome.work),
        Err(_) => (start, None, Work::default()),
    };
    let z = rows.times(&w, blocks);
    let at = hinge.at(&z, &vec![0.0; blocks]);
    let ridge: f64 = w.iter().map(|w| 0.5 * w * w).sum();
    let (objective, biases) = (objective.unwrap_or(ridge + at.loss), at.biases);
    let margins = z.chunks_exact(blocks);
    let margins = margins.flat_map(|z| z.iter().zip(&biases).map(|(z, b)| z + b));
    Refitted {
        margins: margins.collect(),
        w,
        biases,
        objective,
        work,
    }
}
