//! Backtracking along the projection arc x(α) = Π(x + αd) until Armijo's condition holds.

use super::curvature_pairs::dot;
use super::{Bounds, FeasibleSet};
use crate::objective::Objective;
use crate::stop::Stopped;

/// Decrease demanded, as a share of the first-order prediction ∇f(x)ᵀ(x(α) − x).
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Trials before giving up; the arc is 10^−9 of its first length by then or shorter.
const MAX_TRIALS: usize = 30;

/// A point on the arc that passed.
pub(crate) struct Step {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// Where the arc starts.
pub(crate) struct Origin<'a> {
    pub x: &'a [f64],
    pub value: f64,
    pub gradient: &'a [f64],
}

/// Finds α ≤ `alpha` with f(x(α)) ≤ f(x) + c ∇f(x)ᵀ(x(α) − x), shrinking α by the minimizer of the
/// parabola through what is known. None if no trial passes; Err if an evaluation fails.
pub(crate) fn search<E>(
    origin: &Origin<'_>,
    direction: &[f64],
    mut alpha: f64,
    set: &impl FeasibleSet,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
) -> Result<Option<Step>, E> {
    let mut x = origin.x.to_vec();
    let mut gradient = vec![0.0; x.len()];
    for _ in 0..MAX_TRIALS {
        for ((x, start), d) in x.iter_mut().zip(origin.x).zip(direction) {
            *x = start + alpha * d;
        }
        set.project(&mut x);
        let moved: Vec<f64> = x.iter().zip(origin.x).map(|(x, start)| x - start).collect();
        let predicted = dot(origin.gradient, &moved);
        if predicted >= 0.0 || predicted.is_nan() {
            // The arc does not descend (or does not move at all) at this length: try a shorter one.
            alpha *= 0.1;
            continue;
        }
        let value = evaluate(&x, &mut gradient)?;
        if value <= origin.value + SUFFICIENT_DECREASE * predicted {
            return Ok(Some(Step { x, value, gradient }));
        }
        // Parabola with the value and slope at 0 and the value at α; kept within [0.1, 0.5]·α.
        let excess = value - origin.value - predicted;
        let shrink = -0.5 * predicted / excess;
        alpha *= if shrink.is_nan() {
            0.1
        } else {
            shrink.clamp(0.1, 0.5)
        };
    }
    Ok(None)
}

/// The first step of unbounded steepest descent, the reference update (13)–(14) of paper 2, which
/// starts from length 1; None if x is stationary to rounding.
pub(crate) fn reference_step(
    objective: &impl Objective,
    x: &[f64],
    value: f64,
    gradient: &[f64],
) -> Result<Option<Step>, Stopped> {
    let direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let origin = Origin { x, value, gradient };
    search(&origin, &direction, 1.0, &Bounds::NONE, |x, g| {
        objective.value_and_gradient(x, g)
    })
}
