//! The master problem of feature generation: groups of features against the losses of all classifiers.
//!
//! min ½(Σ_h ‖W_h‖)² + Σ_v Σ_i (c_iv/2) max(0, 1 − y_i(Σ_j w_jv x_ij + b_v))²,
//!
//! W_h being the coefficients of group h in all classifiers: one choice of features serves all folds
//! (paper 5, (7)). By accelerated proximal gradient with biases at their minimum, so that a step is limited
//! by the spread of features, not by their distance from 0.

use super::group_prox::shrinkage;
use super::packed::PackedRows;
use super::squared_hinge::{HingeValue, SquaredHinge, slopes};
use crate::stop::{Stop, Stopped};

/// Iterations at most.
const MOST_ITERATIONS: usize = 40;

/// An iteration that lowers the objective by less than this share, twice running, is the last.
const STALL: f64 = 1e-3;

/// The least step that is tried.
const LEAST_STEP: f64 = 1e-290;

pub(super) struct Master<'a> {
    pub rows: &'a PackedRows,
    pub hinge: &'a SquaredHinge<'a>,
    /// Features of each group, one group after the other.
    pub groups: &'a [usize],
    pub stop: &'a Stop,
}

/// A point of the master problem.
#[derive(Clone)]
pub(super) struct Point {
    /// Features × blocks.
    pub w: Vec<f64>,
    /// Margins without biases, n × blocks.
    pub z: Vec<f64>,
    pub biases: Vec<f64>,
    pub alphas: Vec<f64>,
    /// ½(Σ_h ‖W_h‖)² + the losses.
    pub objective: f64,
    /// Length of the next step.
    pub step: f64,
    /// Iterations that led here.
    pub iterations: u64,
}

impl Master<'_> {
    /// From `start` on, whose margins are those of its coefficients; the best point, and whether it was stopped there.
    pub fn minimize(&self, start: Point) -> (Point, Option<Stopped>) {
        let blocks = self.hinge.blocks;
        let mut best = start;
        // The last two points, whose line is followed beyond the newer one.
        let mut previous = (best.w.clone(), best.z.clone());
        let (mut momentum, mut stalled) = (1.0f64, 0);
        for _ in 0..MOST_ITERATIONS {
            if let Err(stopped) = self.stop.check() {
                return (best, Some(stopped));
            }
            best.iterations += 1;
            let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let beyond = (momentum - 1.0) / next_momentum;
            let ahead = |now: &[f64], then: &[f64]| -> Vec<f64> {
                let both = now.iter().zip(then);
                both.map(|(now, then)| now + beyond * (now - then))
                    .collect()
            };
            let (w, z) = (ahead(&best.w, &previous.0), ahead(&best.z, &previous.1));
            let at = self.hinge.at(&z, &best.biases);
            let r = slopes(&at.alphas, self.hinge.signs, blocks);
            let gradient = self.rows.transposed_times(&r, blocks);
            let Some(next) = self.step(&w, &at, &gradient, best.step) else {
                break;
            };
            if next.objective > best.objective {
                best.step = next.step;
                if momentum == 1.0 {
                    break; // not even the plain step descends: rounding is all that is left
                }
                // Too far along the line: begin it anew.
                momentum = 1.0;
                previous = (best.w.clone(), best.z.clone());
                continue;
            }
            let gain = best.objective - next.objective;
            stalled = if gain > STALL * next.objective {
                0
            } else {
                stalled + 1
            };
            let iterations = best.iterations;
            previous = (best.w, best.z);
            best = Point { iterations, ..next };
            momentum = next_momentum;
            if stalled == 2 {
                break;
            }
        }
        (best, None)
    }

    /// A proximal step from (w, losses `at` there), as long as the losses allow; None if there is none.
    fn step(&self, w: &[f64], at: &HingeValue, gradient: &[f64], step: f64) -> Option<Point> {
        let blocks = self.hinge.blocks;
        let mut step = step;
        while step > LEAST_STEP {
            let mut moved: Vec<f64> = w.iter().zip(gradient).map(|(w, g)| w - step * g).collect();
            let norms = self.norms(&moved);
            let factors = shrinkage(&norms, step);
            let mut begin = 0;
            for (size, factor) in self.groups.iter().zip(&factors) {
                let end = begin + size * blocks;
                moved[begin..end].iter_mut().for_each(|w| *w *= factor);
                begin = end;
            }
            let z = self.rows.times(&moved, blocks);
            let value = self.hinge.at(&z, &at.biases);
            let (mut along, mut square) = (0.0, 0.0);
            for ((new, old), g) in moved.iter().zip(w).zip(gradient) {
                along += g * (new - old);
                square += (new - old) * (new - old);
            }
            let model = at.loss + along + square / (2.0 * step);
            // Losses next to 0 are compared up to rounding.
            if value.loss <= model + 1e-12 * at.loss {
                let sum: f64 = norms.iter().zip(&factors).map(|(o, f)| o * f).sum();
                return Some(Point {
                    objective: 0.5 * sum * sum + value.loss,
                    w: moved,
                    z,
                    biases: value.biases,
                    alphas: value.alphas,
                    step: 1.1 * step,
                    iterations: 0,
                });
            }
            step *= 0.5;
        }
        None
    }

    fn norms(&self, w: &[f64]) -> Vec<f64> {
        let mut begin = 0;
        let norm = |size: &usize| {
            let end = begin + size * self.hinge.blocks;
            let square: f64 = w[begin..end].iter().map(|w| w * w).sum();
            begin = end;
            square.sqrt()
        };
        self.groups.iter().map(norm).collect()
    }
}
