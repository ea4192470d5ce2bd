//! Closed convex sets a solver can project onto.

/// A closed convex set in Rⁿ.
pub trait FeasibleSet: Sync {
    /// Replaces `x` by its nearest point in the set.
    fn project(&self, x: &mut [f64]);

    /// Says which coordinates may move from feasible `x` along −gradient: those not held by a bound.
    ///
    /// A set whose constraints couple coordinates leaves all of them free; the solver then relies
    /// on the projection alone.
    fn mark_free(&self, x: &[f64], gradient: &[f64], free: &mut [bool]);
}

/// lower ≤ x_i ≤ upper for every coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
}

impl Bounds {
    /// The whole of Rⁿ.
    pub const NONE: Self = Self {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };
}

impl FeasibleSet for Bounds {
    fn project(&self, x: &mut [f64]) {
        for x in x {
            *x = x.clamp(self.lower, self.upper);
        }
    }

    fn mark_free(&self, x: &[f64], gradient: &[f64], free: &mut [bool]) {
        for ((x, g), free) in x.iter().zip(gradient).zip(free) {
            let held = (*x <= self.lower && *g > 0.0) || (*x >= self.upper && *g < 0.0);
            *free = !held;
        }
    }
}
