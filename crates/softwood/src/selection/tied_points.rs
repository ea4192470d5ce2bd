//! Extreme points named where others came as near as rounding can tell: those that E covers go.

use super::hull::{Chosen, Hull, Weights};
use super::hull_search::{HullSearch, Named};
use crate::stop::Stopped;
use rayon::prelude::*;

impl HullSearch<'_> {
    /// Takes out of E what other points of E cover. That can only be a point that was named in a direction
    /// in which others came as near as rounding can tell, as on the face of a grid.
    pub fn withdraw_tied(&mut self) -> Result<(), Stopped> {
        let none = Chosen::new(self.all.dims());
        let doubtful: Vec<usize> = (0..self.extremes.numbers.len())
            .filter(|place| !self.alone[self.extremes.numbers[*place] as usize])
            .collect();
        let covered: Vec<Option<u32>> = doubtful
            .par_iter()
            .map(|place| {
                let number = self.extremes.numbers[*place];
                let hull = Hull {
                    extremes: &self.extremes,
                    skip: Some(*place),
                    found: &none,
                };
                Ok(self.weights_in(&hull, number)?.map(|_| number))
            })
            .collect::<Result<_, Stopped>>()?;
        let mut withdrawn = Vec::new();
        let ended = self.withdraw(covered, &mut withdrawn);
        let ended = ended.and_then(|()| match withdrawn.is_empty() {
            true => Ok(()),
            false => self.renew_weights(),
        });
        if ended.is_err() {
            // Stopped before: what others have weights on them for is not moved, so they stay.
            let alone = false;
            for number in &withdrawn {
                self.weights[*number as usize] = Weights::default();
            }
            let named = withdrawn.into_iter().map(|number| Named { number, alone });
            self.add_extremes(named.collect());
        }
        ended
    }

    /// Takes those out of E that the rest of it covers, one after the other.
    fn withdraw(
        &mut self,
        covered: Vec<Option<u32>>,
        withdrawn: &mut Vec<u32>,
    ) -> Result<(), Stopped> {
        let none = Chosen::new(self.all.dims());
        for number in covered.into_iter().flatten() {
            // One after the other: two that cover each other must not both go.
            let place = self.extremes.numbers.iter().position(|e| *e == number);
            let hull = Hull {
                extremes: &self.extremes,
                skip: place,
                found: &none,
            };
            if self.weights_in(&hull, number)?.is_some() {
                let others = self.extremes.numbers.iter().copied();
                self.extremes = Chosen::of(self.all, others.filter(|e| *e != number));
                self.is_extreme[number as usize] = false;
                self.weights[number as usize] = [(number, 1.0)].into();
                withdrawn.push(number);
            }
        }
        Ok(())
    }

    /// Moves the weights of points withdrawn, and of those they had weights for, to points that stay.
    fn renew_weights(&mut self) -> Result<(), Stopped> {
        let none = Chosen::new(self.all.dims());
        let is_stale = |weights: &Weights| {
            let mut corners = weights.iter();
            corners.any(|(corner, _)| !self.is_extreme[*corner as usize])
        };
        let stale: Vec<u32> = (0..self.all.len() as u32)
            .filter(|i| is_stale(&self.weights[*i as usize]))
            .collect();
        let fresh: Vec<Option<Weights>> = stale
            .par_iter()
            .map(|number| {
                let hull = Hull {
                    extremes: &self.extremes,
                    skip: None,
                    found: &none,
                };
                self.weights_in(&hull, *number)
            })
            .collect::<Result<_, Stopped>>()?;
        let mut kept = Vec::new();
        for (number, weights) in stale.into_iter().zip(fresh) {
            match weights {
                Some(weights) => self.weights[number as usize] = weights,
                // At the edge of what can be told: rather keep a row too many.
                None => {
                    self.weights[number as usize] = Weights::default();
                    let alone = true;
                    kept.push(Named { number, alone });
                }
            }
        }
        self.unresolved += kept.len();
        self.add_extremes(kept);
        Ok(())
    }
}
