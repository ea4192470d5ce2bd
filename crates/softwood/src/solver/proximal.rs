//! A quadratic pull towards a point beside any problem: ridges, and the proximal term of decomposition.

use super::{Constrained, Objective};
use crate::stop::Interrupted;

/// f(x) + Σ_i (weight_i/2)(x_i − center_i)².
pub(crate) struct Proximal<P> {
    pub problem: P,
    /// Not negative, one a coordinate.
    pub weights: Vec<f64>,
    pub center: Vec<f64>,
}

impl<P> Proximal<P> {
    /// Towards 0.
    pub fn ridge(problem: P, weights: Vec<f64>) -> Self {
        let center = vec![0.0; weights.len()];
        Self {
            problem,
            weights,
            center,
        }
    }

    /// Adds its slope at x to `gradient`, and returns its value.
    fn add_to(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut squares = 0.0;
        let terms = x.iter().zip(&self.center).zip(&self.weights);
        for (g, ((x, center), weight)) in gradient.iter_mut().zip(terms) {
            let away = x - center;
            *g += weight * away;
            squares += weight * away * away;
        }
        0.5 * squares
    }

    /// Its value at x.
    fn value(&self, x: &[f64]) -> f64 {
        let terms = x.iter().zip(&self.center).zip(&self.weights);
        0.5 * terms.map(|((x, c), w)| w * (x - c) * (x - c)).sum::<f64>()
    }
}

impl<O: Objective> Objective for Proximal<O> {
    fn dim(&self) -> usize {
        self.problem.dim()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let value = self.problem.value_and_gradient(x, gradient)?;
        Ok(value + self.add_to(x, gradient))
    }
}

/// A problem with inequalities that can be pulled as well.
pub(crate) struct ProximalBounded<'a, P>(pub Proximal<&'a P>);

impl<P: Constrained> Constrained for ProximalBounded<'_, P> {
    fn dim(&self) -> usize {
        self.0.problem.dim()
    }

    fn values(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        let (value, c) = self.0.problem.values(x)?;
        Ok((value + self.0.value(x), c))
    }

    fn gradient(&self, x: &[f64], slopes: &[f64], gradient: &mut [f64]) -> Result<(), Interrupted> {
        self.0.problem.gradient(x, slopes, gradient)?;
        self.0.add_to(x, gradient);
        Ok(())
    }
}
