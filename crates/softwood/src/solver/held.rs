//! A problem as a function of some of its coordinates, the others held where they are.

use super::{Constrained, Objective};
use crate::stop::Interrupted;

/// x ↦ f(point with x in `places`): for any f, at the price of f itself.
pub(crate) struct Held<'a, P> {
    pub problem: &'a P,
    /// Where all coordinates are.
    pub point: &'a [f64],
    /// Those that move.
    pub places: &'a [usize],
}

impl<P> Held<'_, P> {
    fn whole(&self, x: &[f64]) -> Vec<f64> {
        let mut whole = self.point.to_vec();
        for (place, x) in self.places.iter().zip(x) {
            whole[*place] = *x;
        }
        whole
    }

    fn take(&self, of_whole: &[f64], gradient: &mut [f64]) {
        for (g, place) in gradient.iter_mut().zip(self.places) {
            *g = of_whole[*place];
        }
    }
}

impl<O: Objective> Objective for Held<'_, O> {
    fn dim(&self) -> usize {
        self.places.len()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let mut of_whole = vec![0.0; self.point.len()];
        let value = (self.problem).value_and_gradient(&self.whole(x), &mut of_whole)?;
        self.take(&of_whole, gradient);
        Ok(value)
    }
}

impl<P: Constrained> Constrained for Held<'_, P> {
    fn dim(&self) -> usize {
        self.places.len()
    }

    fn values(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        self.problem.values(&self.whole(x))
    }

    fn gradient(&self, x: &[f64], slopes: &[f64], gradient: &mut [f64]) -> Result<(), Interrupted> {
        let mut of_whole = vec![0.0; self.point.len()];
        self.problem
            .gradient(&self.whole(x), slopes, &mut of_whole)?;
        self.take(&of_whole, gradient);
        Ok(())
    }
}
