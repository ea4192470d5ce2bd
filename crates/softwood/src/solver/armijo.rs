//! Backtracking along an arc x(α) until Armijo's condition holds for f + h.

use super::{Bounds, Objective, SimpleTerm};
use crate::stop::Interrupted;
use crate::vectors::dot;

/// Decrease demanded, as a share of the prediction ∇f(x)ᵀ(x(α) − x) + h(x(α)) − h(x).
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Trials before giving up; the arc is 10^−9 of its first length by then or shorter.
const MAX_TRIALS: usize = 30;

/// A point on the arc that passed.
pub(crate) struct Step {
    pub x: Vec<f64>,
    /// f + h there.
    pub value: f64,
    /// ∇f there.
    pub gradient: Vec<f64>,
}

/// Where the arc starts.
pub(crate) struct Origin<'a> {
    pub x: &'a [f64],
    /// f + h there.
    pub value: f64,
    /// ∇f there.
    pub gradient: &'a [f64],
}

/// Finds α ≤ `alpha` whose x(α), as `arc(α, x)` makes it of a copy of x, has
/// (f + h)(x(α)) ≤ (f + h)(x) + c (∇f(x)ᵀ(x(α) − x) + h(x(α)) − h(x)), shrinking α by the minimizer
/// of the parabola through what is known. None if no trial passes; Err if an evaluation of f fails.
pub(crate) fn search<E>(
    origin: &Origin<'_>,
    term: &impl SimpleTerm,
    mut alpha: f64,
    arc: impl Fn(f64, &mut [f64]),
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
) -> Result<Option<Step>, E> {
    let mut x = origin.x.to_vec();
    let mut gradient = vec![0.0; x.len()];
    let term_at_origin = term.value(origin.x);
    for _ in 0..MAX_TRIALS {
        x.copy_from_slice(origin.x);
        arc(alpha, &mut x);
        let moved: Vec<f64> = x.iter().zip(origin.x).map(|(x, start)| x - start).collect();
        let term_here = term.value(&x);
        let predicted = dot(origin.gradient, &moved) + (term_here - term_at_origin);
        if predicted >= 0.0 || !predicted.is_finite() {
            // The arc does not descend (or does not move at all, or leaves the numbers) at this length: try a shorter one.
            alpha *= 0.1;
            continue;
        }
        let value = evaluate(&x, &mut gradient)? + term_here;
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
) -> Result<Option<Step>, Interrupted> {
    let origin = Origin { x, value, gradient };
    let arc = |alpha: f64, x: &mut [f64]| {
        for (x, g) in x.iter_mut().zip(gradient) {
            *x -= alpha * g;
        }
    };
    search(&origin, &Bounds::NONE, 1.0, arc, |x, g| {
        objective.value_and_gradient(x, g)
    })
}
