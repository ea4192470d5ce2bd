//! The one place that knows where a split's coefficients and intercept sit in the flat vector.

use super::Topology;

/// Layout of θ = (a_0, …, a_{B−1}, μ_0, …, μ_{B−1}), each a_t with p entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterLayout {
    branches: usize,
    features: usize,
}

impl ParameterLayout {
    /// The layout for a tree and a number of features.
    pub fn new(topology: Topology, features: usize) -> Self {
        Self {
            branches: topology.branches(),
            features,
        }
    }

    /// Length of θ.
    pub fn dim(self) -> usize {
        self.branches * (self.features + 1)
    }

    /// All coefficients, node after node, and all intercepts.
    pub fn split(self, theta: &[f64]) -> (&[f64], &[f64]) {
        theta.split_at(self.branches * self.features)
    }

    /// As [`Self::split`], mutable.
    pub fn split_mut(self, theta: &mut [f64]) -> (&mut [f64], &mut [f64]) {
        theta.split_at_mut(self.branches * self.features)
    }
}
