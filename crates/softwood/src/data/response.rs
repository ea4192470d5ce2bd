//! The response of a regression, standardized for training.

use serde::{Deserialize, Serialize};

/// y = mean + scale · s: s has weighted mean 0 and variance 1, or is 0 for a constant response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standardization {
    /// Weighted mean.
    pub mean: f64,
    /// Weighted standard deviation; 1 for a constant response.
    pub scale: f64,
}

impl Standardization {
    /// Learns mean and deviation of finite values, also where their squares or their sum overflow;
    /// rows of weight 0 do not count.
    pub fn learn(y: &[f64], weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let heaviest = (0..y.len()).map(weight).fold(0.0, f64::max);
        let counted = || (0..y.len()).filter(|i| weight(*i) > 0.0);
        let (low, high) = counted().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), i| {
            (low.min(y[i]), high.max(y[i]))
        });
        // Halves, as high − low may overflow; then shares of the range, which are of moderate size.
        let half_range = 0.5 * high - 0.5 * low;
        if half_range < f64::MIN_POSITIVE {
            return Self {
                mean: low,
                scale: 1.0,
            };
        }
        let middle = 0.5 * low + 0.5 * high;
        let share = |y: f64| (0.5 * y - 0.5 * middle) / half_range;
        let total: f64 = counted().map(|i| weight(i) / heaviest).sum();
        let mean = counted()
            .map(|i| weight(i) / heaviest * share(y[i]))
            .sum::<f64>()
            / total;
        let variance = counted()
            .map(|i| weight(i) / heaviest * (share(y[i]) - mean).powi(2))
            .sum::<f64>()
            / total;
        let scale = 2.0 * (half_range * variance.sqrt());
        Self {
            mean: middle + 2.0 * (half_range * mean),
            // A range of a few subnormal steps, or one row far from the rest, leaves no deviation.
            scale: if scale > 0.0 {
                scale.min(f64::MAX)
            } else {
                1.0
            },
        }
    }

    /// s for a y.
    pub fn apply(&self, y: f64) -> f64 {
        (0.5 * y - 0.5 * self.mean) / (0.5 * self.scale)
    }

    /// Slopes of s as slopes of y.
    pub(crate) fn scaled(&self, slopes: &[f64]) -> Vec<f64> {
        slopes.iter().map(|slope| slope * self.scale).collect()
    }

    /// y for an s; the largest double where it would overflow.
    pub fn invert(&self, s: f64) -> f64 {
        let y = self.mean + self.scale * s;
        if y.is_finite() {
            return y;
        }
        // Halves: the product may overflow where the sum does not. Half of the least scale would be 0.
        (2.0 * (0.5 * self.mean + self.scale * (0.5 * s))).clamp(-f64::MAX, f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_magnitude_has_mean_zero_and_variance_one() {
        for unit in [1e-300, 1e-5, 1.0, 1e300, 4e307] {
            let y: Vec<f64> = [-4.0, 1.0, 2.5, 4.0, -1.5].map(|y| y * unit).to_vec();
            let weights = [1.0, 2.0, 0.0, 0.5, 3.0];
            let standard = Standardization::learn(&y, Some(&weights));
            let s: Vec<f64> = y.iter().map(|y| standard.apply(*y)).collect();
            let sum = |f: &dyn Fn(f64) -> f64| {
                s.iter().zip(weights).map(|(s, w)| w * f(*s)).sum::<f64>() / 6.5
            };
            assert!(sum(&|s| s).abs() < 1e-14, "{unit:e}");
            assert!((sum(&|s| s * s) - 1.0).abs() < 1e-14, "{unit:e}");
            for (y, s) in y.iter().zip(s) {
                // To rounding of the largest value, which the mean is of the order of.
                assert!((standard.invert(s) / unit - y / unit).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn what_overflows_is_the_largest_double_for_any_scale() {
        for scale in [5e-324, 1.0, f64::MAX] {
            let standard = Standardization { mean: 3.0, scale };
            for sign in [1.0, -1.0] {
                assert_eq!(standard.invert(sign * f64::INFINITY), sign * f64::MAX);
            }
        }
        let widest = Standardization {
            mean: -f64::MAX,
            scale: f64::MAX,
        };
        assert!((widest.invert(1.5) / (0.5 * f64::MAX) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_constant_is_its_own_mean() {
        let standard = Standardization::learn(&[7.5, 7.5, 9.0], Some(&[1.0, 2.0, 0.0]));
        assert_eq!(
            (standard.mean, standard.apply(7.5), standard.invert(0.0)),
            (7.5, 0.0, 7.5)
        );
    }
}
