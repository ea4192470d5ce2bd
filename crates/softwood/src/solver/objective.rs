//! What a solver minimizes: a smooth function with its gradient.

use crate::stop::Interrupted;

/// A smooth function f: Rⁿ → R.
pub trait Objective: Sync {
    /// n.
    fn dim(&self) -> usize;

    /// Returns f(x) and overwrites `gradient` with ∇f(x), in one pass over the rows.
    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted>;
}

/// What is borrowed can be minimized as well.
impl<O: Objective> Objective for &O {
    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        (**self).value_and_gradient(x, gradient)
    }
}
