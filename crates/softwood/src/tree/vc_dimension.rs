//! How many points a tree can shatter: bounds on its Vapnik–Chervonenkis dimension.

use crate::InputError;
use crate::tree::Topology;

/// Bounds on the VC dimension of randomized trees with oblique splits and two classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VcBounds {
    /// The dimension is at least this.
    pub lower: f64,
    /// The dimension is at most a constant times this; at depth 1 at most this.
    pub upper_order: f64,
}

/// Bounds for depth D and p features (section 5 of the ℓ0 paper): p + 1 exactly at D = 1, where the
/// tree is a perceptron; at least 2(p + 1) at D = 2 (proposition 2); at least 2^{D−1}(p − D + 3) where
/// 3 ≤ D ≤ p + 2 and p − D ≤ 2^{p−D+1} − 3 (proposition 3); at most O(2^{4(D−1)} p²) (proposition 4). A
/// deeper tree can do what a shallower one does, so the largest lower bound up to D holds.
pub fn vc_bounds(depth: usize, features: usize) -> Result<VcBounds, InputError> {
    if !(1..=Topology::MAX_DEPTH).contains(&depth) {
        return Err(InputError::Setting {
            name: "depth",
            expected: "1, 2, …, 12",
            got: depth.to_string(),
        });
    }
    if features == 0 {
        return Err(InputError::Setting {
            name: "features",
            expected: "at least 1",
            got: "0".into(),
        });
    }
    let p = features as f64;
    let at = |d: usize| match d {
        1 => p + 1.0,
        2 => 2.0 * (p + 1.0),
        _ => {
            let (d, powers) = (d as f64, f64::powi(2.0, d as i32 - 1));
            if d <= p + 2.0 && p - d <= (p - d + 1.0).exp2() - 3.0 {
                powers * (p - d + 3.0)
            } else {
                0.0
            }
        }
    };
    let lower = (1..=depth).map(at).fold(0.0, f64::max);
    let upper_order = if depth == 1 {
        p + 1.0
    } else {
        f64::powi(2.0, 4 * (depth as i32 - 1)) * p * p
    };
    Ok(VcBounds { lower, upper_order })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_the_propositions() {
        let lower = |depth, features| vc_bounds(depth, features).unwrap().lower;
        assert_eq!(lower(1, 10), 11.0);
        assert_eq!(lower(2, 10), 22.0);
        assert_eq!(lower(3, 10), 40.0);
        assert_eq!(lower(4, 10), 72.0);
        // Proposition 3 needs D ≤ p + 2: what depth 4 can do at p = 2 holds on.
        assert_eq!(lower(6, 2), lower(4, 2));
        assert_eq!(vc_bounds(1, 10).unwrap().upper_order, 11.0);
        assert_eq!(vc_bounds(3, 10).unwrap().upper_order, 25600.0);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(vc_bounds(0, 3).is_err());
        assert!(vc_bounds(13, 3).is_err());
        assert!(vc_bounds(2, 0).is_err());
    }
}
