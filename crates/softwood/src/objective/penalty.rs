//! Sparsity penalties on the coefficients: ℓ1, ℓ∞ and concave approximations of ℓ0, one mechanism.
//!
//! λ_L Σ_{j,t} φ(|a_jt|) + λ_G Σ_g φ(max_{j ∈ g, t} |a_jt|), where a group g is one feature or all the
//! dummy columns of one. Norms, φ(u) = u, are handled by the solver as they are (3.1); a concave φ
//! is replaced by its tangent at the current point, which lies above it, so that minimizing the
//! replacement lowers the true objective.

use crate::InputError;
use crate::solver::{Group, SparsityTerm};
use crate::tree::{ParameterLayout, Topology};
use std::str::FromStr;

/// Bound on every coefficient and intercept.
const BOUND: f64 = 1.0;

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

/// What is asked: weights, shape and groups.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltySettings {
    /// λ_L ≥ 0.
    pub local: f64,
    /// λ_G ≥ 0.
    pub global: f64,
    /// φ.
    pub shape: PenaltyShape,
    /// Group of each feature; each its own group if None.
    pub groups: Option<Vec<usize>>,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            local: 0.0,
            global: 0.0,
            shape: PenaltyShape::Norm,
            groups: None,
        }
    }
}

impl PenaltySettings {
    /// Checks all that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        for (name, value) in [
            ("local_penalty", self.local),
            ("global_penalty", self.global),
        ] {
            if !value.is_finite() || value < 0.0 {
                return Err(InputError::Setting {
                    name,
                    expected: "a number of at least 0",
                    got: value.to_string(),
                });
            }
        }
        self.shape.validate()
    }

    /// Checks the groups against the number of features.
    pub fn validate_groups(&self, features: usize) -> Result<(), InputError> {
        match &self.groups {
            Some(groups) if groups.len() != features => Err(InputError::Setting {
                name: "groups",
                expected: "one group for each column of X",
                got: format!("{} groups for {features} columns", groups.len()),
            }),
            _ => Ok(()),
        }
    }
}

/// The penalty on θ = (a, μ) of one tree.
#[derive(Clone, Debug)]
pub(crate) struct Penalty {
    local: f64,
    global: f64,
    shape: PenaltyShape,
    layout: ParameterLayout,
    /// Coordinates of θ under each ℓ∞ norm.
    groups: Vec<Vec<usize>>,
}

impl Penalty {
    /// The penalty `settings` on a tree.
    pub fn new(settings: &PenaltySettings, topology: Topology, features: usize) -> Self {
        let mut penalty = Self {
            local: settings.local,
            global: settings.global,
            shape: settings.shape,
            layout: ParameterLayout::new(topology, features),
            groups: Vec::new(),
        };
        if settings.global > 0.0 {
            let mut ids: Vec<usize> = settings
                .groups
                .clone()
                .unwrap_or_else(|| (0..features).collect());
            let mut distinct = ids.clone();
            distinct.sort_unstable();
            distinct.dedup();
            for id in &mut ids {
                *id = distinct.binary_search(id).expect("taken from the ids");
            }
            penalty.groups = vec![Vec::new(); distinct.len()];
            for t in 0..topology.branches() {
                for (j, id) in ids.iter().enumerate() {
                    penalty.groups[*id].push(t * features + j);
                }
            }
        }
        penalty
    }

    /// The same penalty, `factor` times as strong.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.local *= factor;
        self.global *= factor;
        self
    }

    /// The smaller of λ_L and λ_G that is not 0; infinite if both are.
    pub fn least_weight(&self) -> f64 {
        let given = [self.local, self.global].into_iter().filter(|w| *w > 0.0);
        given.fold(f64::INFINITY, f64::min)
    }

    /// Whether there is anything but the bounds.
    pub fn is_zero(&self) -> bool {
        self.local == 0.0 && self.global == 0.0
    }

    /// Whether the solver's term changes with the point of linearization.
    pub fn is_concave(&self) -> bool {
        !self.is_zero() && !self.shape.is_norm()
    }

    /// The penalty at θ.
    pub fn value(&self, theta: &[f64]) -> f64 {
        let (a, _) = self.layout.split(theta);
        let mut value = 0.0;
        if self.local > 0.0 {
            value += self.local * a.iter().map(|a| self.shape.value(a.abs())).sum::<f64>();
        }
        let global: f64 = self
            .groups
            .iter()
            .map(|members| self.shape.value(largest(theta, members)))
            .sum();
        if self.global > 0.0 {
            value += self.global * global;
        }
        value
    }

    /// The penalty's tangent at θ, up to a constant, with the bounds |θ| ≤ 1: what the solver takes.
    pub fn tangent(&self, theta: &[f64]) -> SparsityTerm {
        let (a, mu) = self.layout.split(theta);
        let mut local = vec![0.0; a.len() + mu.len()];
        if self.local > 0.0 {
            for (weight, a) in local.iter_mut().zip(a) {
                *weight = self.local * self.shape.slope(a.abs());
            }
        }
        let groups = self
            .groups
            .iter()
            .map(|members| Group {
                weight: self.global * self.shape.slope(largest(theta, members)),
                members: members.clone(),
            })
            .filter(|group| group.weight > 0.0)
            .collect();
        SparsityTerm {
            bound: BOUND,
            local,
            groups,
        }
    }
}

fn largest(theta: &[f64], members: &[usize]) -> f64 {
    members.iter().fold(0.0f64, |m, i| m.max(theta[*i].abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHAPES: [PenaltyShape; 5] = [
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

    #[test]
    fn names_give_these_shapes() {
        let names = ["norm", "exp", "power", "inverse", "log"];
        for (name, shape) in names.into_iter().zip(SHAPES) {
            assert_eq!(name.parse(), Ok(shape));
            assert_eq!(shape.validate(), Ok(()));
        }
        assert!("l2".parse::<PenaltyShape>().is_err());
    }

    proptest! {
        #[test]
        fn slopes_are_derivatives(u in 0.01..1.0f64, shape in 0usize..5) {
            let shape = SHAPES[shape];
            let h = 1e-6;
            let difference = (shape.value(u + h) - shape.value(u - h)) / (2.0 * h);
            prop_assert!((shape.slope(u) - difference).abs() < 1e-6 * (1.0 + shape.slope(u)));
        }

        /// The tangent lies above the penalty and touches it.
        #[test]
        fn tangents_majorize(
            at in prop::collection::vec(-1.0..1.0f64, 9),
            theta in prop::collection::vec(-1.0..1.0f64, 9),
            shape in 0usize..5,
        ) {
            use crate::solver::SimpleTerm;
            let settings = PenaltySettings {
                local: 0.3,
                global: 0.2,
                shape: SHAPES[shape],
                groups: Some(vec![7, 7]),
            };
            let penalty = Penalty::new(&settings, Topology::complete(2), 2);
            let term = penalty.tangent(&at);
            let above = |theta: &[f64]| penalty.value(&at) + term.value(theta) - term.value(&at);
            prop_assert!(above(&theta) >= penalty.value(&theta) - 1e-12);
        }
    }
}
