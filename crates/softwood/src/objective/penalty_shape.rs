//! The shape φ of a sparsity penalty: the norm itself, or a concave stand-in for counting.

use crate::InputError;
use std::str::FromStr;

/// φ, a function of u ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PenaltyShape {
    /// u.
    Norm,
    /// 1 − e^{−αu}, α > 0.
    Exp {
        /// α.
        alpha: f64,
    },
    /// (u + ε)^q, 0 < q < 1.
    Power {
        /// q.
        q: f64,
        /// ε.
        epsilon: f64,
    },
    /// −(u + ε)^{−q}, q ≥ 1.
    Inverse {
        /// q.
        q: f64,
        /// ε.
        epsilon: f64,
    },
    /// ln(u + ε).
    Log {
        /// ε.
        epsilon: f64,
    },
}

impl FromStr for PenaltyShape {
    type Err = InputError;

    /// The shape of this name with its default parameters.
    fn from_str(name: &str) -> Result<Self, InputError> {
        const EPSILON: f64 = 1e-2;
        match name {
            "norm" => Ok(Self::Norm),
            "exp" => Ok(Self::Exp { alpha: 5.0 }),
            "power" => Ok(Self::Power {
                q: 0.5,
                epsilon: EPSILON,
            }),
            "inverse" => Ok(Self::Inverse {
                q: 1.0,
                epsilon: 0.1,
            }),
            "log" => Ok(Self::Log { epsilon: EPSILON }),
            _ => Err(InputError::Setting {
                name: "penalty_shape",
                expected: "\"norm\", \"exp\", \"power\", \"inverse\" or \"log\"",
                got: format!("{name:?}"),
            }),
        }
    }
}

impl PenaltyShape {
    /// The same shape with some of its parameters changed, named α `alpha`, `q` and ε `epsilon`.
    pub fn with_parameters(mut self, parameters: &[(String, f64)]) -> Result<Self, InputError> {
        for (name, value) in parameters {
            let place = match (&mut self, name.as_str()) {
                (Self::Exp { alpha }, "alpha") => alpha,
                (Self::Power { q, .. } | Self::Inverse { q, .. }, "q") => q,
                (
                    Self::Power { epsilon, .. }
                    | Self::Inverse { epsilon, .. }
                    | Self::Log { epsilon },
                    "epsilon",
                ) => epsilon,
                _ => {
                    return Err(InputError::Setting {
                        name: "penalty_parameters",
                        expected: "alpha for \"exp\", q and epsilon for \"power\" and \"inverse\", epsilon for \"log\", none for \"norm\"",
                        got: name.clone(),
                    });
                }
            };
            *place = *value;
        }
        self.validate()?;
        Ok(self)
    }

    /// φ(u).
    pub fn value(self, u: f64) -> f64 {
        match self {
            Self::Norm => u,
            Self::Exp { alpha } => -(-alpha * u).exp_m1(),
            Self::Power { q, epsilon } => (u + epsilon).powf(q),
            Self::Inverse { q, epsilon } => -(u + epsilon).powf(-q),
            Self::Log { epsilon } => (u + epsilon).ln(),
        }
    }

    /// φ(u) − φ(0): what a coefficient costs beside none, so that trees of different sizes compare.
    pub fn rise(self, u: f64) -> f64 {
        self.value(u) - self.value(0.0)
    }

    /// φ′(u).
    pub fn slope(self, u: f64) -> f64 {
        match self {
            Self::Norm => 1.0,
            Self::Exp { alpha } => alpha * (-alpha * u).exp(),
            Self::Power { q, epsilon } => q * (u + epsilon).powf(q - 1.0),
            Self::Inverse { q, epsilon } => q * (u + epsilon).powf(-q - 1.0),
            Self::Log { epsilon } => 1.0 / (u + epsilon),
        }
    }

    /// Whether a penalty of this shape is its own tangent.
    pub fn is_norm(self) -> bool {
        self == Self::Norm
    }

    /// Checks the parameters.
    pub fn validate(self) -> Result<(), InputError> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let bad = |name, expected, got: f64| {
            Err(InputError::Setting {
                name,
                expected,
                got: got.to_string(),
            })
        };
        match self {
            Self::Exp { alpha } if !positive(alpha) => bad("alpha", "a positive number", alpha),
            Self::Power { q, .. } if !(q > 0.0 && q < 1.0) => {
                bad("q", "a number between 0 and 1, both excluded", q)
            }
            Self::Inverse { q, .. } if !(q.is_finite() && q >= 1.0) => {
                bad("q", "a number of at least 1", q)
            }
            Self::Norm | Self::Exp { .. } => Ok(()),
            // φ′(0) decides about zeros: it must be a number.
            Self::Power { epsilon, .. } | Self::Inverse { epsilon, .. } | Self::Log { epsilon } => {
                if positive(epsilon) && self.slope(0.0).is_finite() {
                    Ok(())
                } else {
                    let expected = "a positive number that leaves a finite slope at 0";
                    bad("epsilon", expected, epsilon)
                }
            }
        }
    }
}

/// One of each.
#[cfg(test)]
pub(super) const EVERY_SHAPE: [PenaltyShape; 5] = [
    PenaltyShape::Norm,
    PenaltyShape::Exp { alpha: 5.0 },
    PenaltyShape::Power {
        q: 0.5,
        epsilon: 1e-2,
    },
    PenaltyShape::Inverse {
        q: 1.0,
        epsilon: 0.1,
    },
    PenaltyShape::Log { epsilon: 1e-2 },
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_give_these_shapes() {
        let names = ["norm", "exp", "power", "inverse", "log"];
        for (name, shape) in names.into_iter().zip(EVERY_SHAPE) {
            assert_eq!(name.parse(), Ok(shape));
            assert_eq!(shape.validate(), Ok(()));
        }
        assert!("l2".parse::<PenaltyShape>().is_err());
    }

    proptest! {
        #[test]
        fn slopes_are_derivatives(u in 0.01..1.0f64, shape in 0usize..5) {
            let shape = EVERY_SHAPE[shape];
            let h = 1e-6;
            let difference = (shape.value(u + h) - shape.value(u - h)) / (2.0 * h);
            prop_assert!((shape.slope(u) - difference).abs() < 1e-6 * (1.0 + shape.slope(u)));
        }
    }
}
