//! Box constraints, lower_i ≤ x_i ≤ upper_i: the same for all coordinates, or each its own.

use super::{Face, SimpleTerm};
use std::sync::Arc;

/// Where each coordinate may lie. Clones share what they hold.
#[derive(Clone, Debug)]
pub enum Bounds {
    /// All in one interval.
    Same(Interval),
    /// Each in its own, one a coordinate.
    Each(Arc<[Interval]>),
}

/// lower ≤ x ≤ upper; infinite ends are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lower: f64,
    upper: f64,
}

impl Interval {
    /// The whole line.
    pub const FREE: Self = Self {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };

    /// From `lower` to `upper`.
    ///
    /// # Panics
    ///
    /// If there is no number between them.
    pub const fn new(lower: f64, upper: f64) -> Self {
        assert!(
            lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY,
            "an interval holds at least one number"
        );
        Self { lower, upper }
    }

    /// Smallest number in it.
    pub fn lower(self) -> f64 {
        self.lower
    }

    /// Largest number in it.
    pub fn upper(self) -> f64 {
        self.upper
    }

    /// The number in it that is nearest to `x`.
    pub fn nearest(self, x: f64) -> f64 {
        x.clamp(self.lower, self.upper)
    }

    /// How far it reaches from 0 in the direction of `sign`.
    pub(super) fn reach(self, sign: f64) -> f64 {
        if sign > 0.0 { self.upper } else { -self.lower }
    }

    /// Whether `x` cannot move in the direction of `sign`; never, if that is 0.
    pub(super) fn blocks(self, x: f64, sign: f64) -> bool {
        (sign > 0.0 && x >= self.upper) || (sign < 0.0 && x <= self.lower)
    }
}

impl Bounds {
    /// The whole of Rⁿ.
    pub const NONE: Self = Self::Same(Interval::FREE);

    /// lower ≤ x_i ≤ upper for all i; see [`Interval::new`].
    pub const fn all(lower: f64, upper: f64) -> Self {
        Self::Same(Interval::new(lower, upper))
    }

    /// Where coordinate `i` may lie.
    pub fn of(&self, i: usize) -> Interval {
        match self {
            Self::Same(interval) => *interval,
            Self::Each(intervals) => intervals[i],
        }
    }
}

impl FromIterator<Interval> for Bounds {
    fn from_iter<I: IntoIterator<Item = Interval>>(intervals: I) -> Self {
        Self::Each(intervals.into_iter().collect())
    }
}

impl SimpleTerm for Bounds {
    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn prox(&self, x: &mut [f64], _: f64) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.of(i).nearest(*x);
        }
    }

    fn face(&self, x: &[f64], gradient: &[f64]) -> Face {
        let moves = |(i, (x, g)): (usize, (&f64, &f64))| !self.of(i).blocks(*x, -g);
        let free: Vec<bool> = x.iter().zip(gradient).enumerate().map(moves).collect();
        let slope = gradient
            .iter()
            .zip(&free)
            .map(|(g, free)| if *free { *g } else { 0.0 })
            .collect();
        Face {
            slope,
            free,
            ties: Vec::new(),
        }
    }

    fn retract(&self, _: &[f64], _: &Face, x: &mut [f64]) {
        self.prox(x, 1.0);
    }
}
