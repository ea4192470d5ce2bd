//! Extreme points that the others cover within a tolerance.

use super::RESOLUTION;
use super::hull::{Chosen, Hull, Weights};
use super::hull_search::HullSearch;
use super::nearest_point::{NearestPoint, Verdict};
use super::point_set::dot;
use crate::stop::Stopped;
use rayon::prelude::*;

impl HullSearch<'_> {
    /// Finds which extreme points lie within a box of the hull of all other points, (7) with ε′ > 0.
    ///
    /// Without the extreme point others come to the surface, so its hull grows on its own.
    pub fn cover_within(&mut self, widths: &[f64]) -> Result<(), Stopped> {
        let this = &*self;
        let weights: Vec<Option<Weights>> = (0..self.extremes.numbers.len())
            .into_par_iter()
            .map(|place| this.within_of_others(place, widths))
            .collect::<Result<_, Stopped>>()?;
        for (number, weights) in self.extremes.numbers.iter().zip(weights) {
            if let Some(weights) = weights {
                self.weights[*number as usize] = weights;
            }
        }
        Ok(())
    }

    fn within_of_others(&self, place: usize, widths: &[f64]) -> Result<Option<Weights>, Stopped> {
        let number = self.extremes.numbers[place] as usize;
        let mut x = vec![0.0; self.all.dims()];
        self.all.copy_to(number, &mut x);
        let mut solver = NearestPoint::new(self.all.dims());
        let mut found = Chosen::new(self.all.dims());
        loop {
            self.stop.check()?;
            let hull = Hull {
                extremes: &self.extremes,
                skip: Some(place),
                found: &found,
            };
            match solver.test(&x, widths, &hull) {
                Verdict::Covered => return Ok(Some(solver.weights().into())),
                Verdict::Unresolved => return Ok(None),
                Verdict::Separated => {}
            }
            let w = solver.direction();
            let Some(far) = self.all.farthest(w, Some(number)) else {
                return Ok(None);
            };
            let boxes: f64 = w.iter().zip(widths).map(|(w, h)| w.abs() * h).sum();
            if dot(w, &x) - (far.value + boxes) > 0.25 * RESOLUTION {
                return Ok(None);
            }
            found.push(self.all, far.place as u32);
            solver.clear(); // a fresh start leaves out corners that are not needed any more
        }
    }
}
