//! The one place that knows where a split's coefficients and intercept sit in the flat vector.

use super::Topology;
use std::ops::Range;

/// Layout of θ = (a_0, …, a_{B−1}, μ_0, …, μ_{B−1}), each a_t with p entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterLayout {
    branches: usize,
    features: usize,
}

impl ParameterLayout {
    /// The layout for a tree and a number of features.
    pub fn new(topology: &Topology, features: usize) -> Self {
        Self {
            branches: topology.branches(),
            features,
        }
    }

    /// Length of θ.
    pub fn dim(self) -> usize {
        self.branches * (self.features + 1)
    }

    /// Where the coefficients of node `t` are.
    pub fn coefficients(self, t: usize) -> Range<usize> {
        t * self.features..(t + 1) * self.features
    }

    /// Where the intercept of node `t` is.
    pub fn intercept(self, t: usize) -> usize {
        self.branches * self.features + t
    }

    /// Which coordinate of its node (a_t, μ_t) coordinate `i` of θ is.
    pub fn within_node(self, i: usize) -> usize {
        let slopes = self.branches * self.features;
        if i < slopes {
            i % self.features
        } else {
            self.features
        }
    }

    /// (a_t, μ_t) of node `t`.
    pub fn node(self, theta: &[f64], t: usize) -> Vec<f64> {
        [
            &theta[self.coefficients(t)],
            &theta[self.intercept(t)..][..1],
        ]
        .concat()
    }

    /// Gives node `t` the split (a, μ).
    pub fn set_node(self, theta: &mut [f64], t: usize, split: &[f64]) {
        theta[self.coefficients(t)].copy_from_slice(&split[..self.features]);
        theta[self.intercept(t)] = split[self.features];
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
