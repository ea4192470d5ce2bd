//! The part h of a problem min f + h that a solver handles exactly: bounds, penalties with kinks.

/// A convex function h: Rⁿ → R ∪ {+∞} whose proximal map has a closed form.
///
/// A closed convex set is the case h = 0 on it and +∞ elsewhere; its proximal map is the projection.
pub trait SimpleTerm: Sync {
    /// h(x) for x in its domain.
    fn value(&self, x: &[f64]) -> f64;

    /// Replaces `x` by argmin_z h(z) + ‖z − x‖²/(2·step).
    fn prox(&self, x: &mut [f64], step: f64);

    /// The face of x: where h is smooth around x, and which way f + h falls from it.
    fn face(&self, x: &[f64], gradient: &[f64]) -> Face;

    /// Brings `x`, reached from `origin` by a step along its face, back into the closure of that
    /// face: what has crossed a kink stops on it.
    fn retract(&self, origin: &[f64], face: &Face, x: &mut [f64]);
}

/// What is borrowed is one as well.
impl<H: SimpleTerm> SimpleTerm for &H {
    fn value(&self, x: &[f64]) -> f64 {
        (**self).value(x)
    }

    fn prox(&self, x: &mut [f64], step: f64) {
        (**self).prox(x, step);
    }

    fn face(&self, x: &[f64], gradient: &[f64]) -> Face {
        (**self).face(x, gradient)
    }

    fn retract(&self, origin: &[f64], face: &Face, x: &mut [f64]) {
        (**self).retract(origin, face, x);
    }
}

/// A function that need not be convex, with simple terms that lie above it and touch it at a point.
pub(crate) trait Majorized {
    /// Such a term, up to a constant.
    type Tangent: SimpleTerm;

    /// Its value.
    fn value(&self, x: &[f64]) -> f64;

    /// The term that touches it at x.
    fn tangent(&self, x: &[f64]) -> Self::Tangent;
}

/// A simple term is its own tangent.
impl<H: SimpleTerm + Clone> Majorized for H {
    type Tangent = H;

    fn value(&self, x: &[f64]) -> f64 {
        SimpleTerm::value(self, x)
    }

    fn tangent(&self, _: &[f64]) -> H {
        self.clone()
    }
}

/// Around a point, the directions along which a [`SimpleTerm`] is smooth.
#[derive(Clone, Debug)]
pub struct Face {
    /// The shortest element of ∇f + ∂h: f + h falls fastest along its negative.
    pub slope: Vec<f64>,
    /// Coordinates that may move; the slope of the others is 0.
    pub free: Vec<bool>,
    /// Coordinates that move together, by the same amount; some may be empty.
    pub ties: Vec<Tie>,
}

/// Coordinates tied to one magnitude, each with its sign.
#[derive(Clone, Debug)]
pub struct Tie {
    /// (coordinate, ±1).
    pub members: Vec<(usize, f64)>,
}

impl Face {
    /// Whether all coordinates move on their own.
    pub(crate) fn is_whole(&self) -> bool {
        self.ties.iter().all(|tie| tie.members.is_empty()) && self.free.iter().all(|free| *free)
    }

    /// Projects `v` orthogonally on the directions of the face.
    pub(crate) fn project(&self, v: &mut [f64]) {
        for (v, free) in v.iter_mut().zip(&self.free) {
            *v *= f64::from(u8::from(*free));
        }
        for tie in &self.ties {
            let sum: f64 = tie.members.iter().map(|(i, sign)| sign * v[*i]).sum();
            let mean = sum / tie.members.len() as f64;
            for (i, sign) in &tie.members {
                v[*i] = sign * mean;
            }
        }
    }
}
