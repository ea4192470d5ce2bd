//! The splits of a fitted tree with all that is needed to route a row of the user's.

use crate::data::Scaling;
use crate::tree::{ParameterLayout, Topology};

/// Split t sends a row left with probability 1/(1 + exp(−γ(Σ_j a_tj u_j/p − μ_t))), u = scaled row.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftTree {
    /// Shape.
    pub topology: Topology,
    /// γ.
    pub gamma: f64,
    /// a, B × p, node after node.
    pub coefficients: Vec<f64>,
    /// μ, one a node.
    pub intercepts: Vec<f64>,
    /// Maps of the features to [0, 1].
    pub scaling: Scaling,
    /// Names of the features.
    pub feature_names: Vec<String>,
}

impl SoftTree {
    /// The tree of θ = (a, μ); features without names are called x0, x1, ….
    pub(crate) fn of(
        topology: Topology,
        gamma: f64,
        theta: &[f64],
        scaling: &Scaling,
        names: Option<&[String]>,
    ) -> Self {
        let features = scaling.features.len();
        let (coefficients, intercepts) = ParameterLayout::new(topology, features).split(theta);
        let numbered = || (0..features).map(|j| format!("x{j}")).collect();
        Self {
            topology,
            gamma,
            coefficients: coefficients.to_vec(),
            intercepts: intercepts.to_vec(),
            scaling: scaling.clone(),
            feature_names: names.map_or_else(numbered, <[String]>::to_vec),
        }
    }

    /// p.
    pub fn features(&self) -> usize {
        self.feature_names.len()
    }

    /// Coefficients of node `t`.
    pub fn node_coefficients(&self, t: usize) -> &[f64] {
        &self.coefficients[t * self.features()..][..self.features()]
    }

    /// θ in the layout of training.
    pub(crate) fn theta(&self) -> Vec<f64> {
        [self.coefficients.as_slice(), self.intercepts.as_slice()].concat()
    }
}
