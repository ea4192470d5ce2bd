//! The splits of a fitted tree with all that is needed to route a row of the user's.

use crate::data::{FeatureMap, Scaling};
use crate::tree::Topology;

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

/// One split in the user's units: a row goes left with probability above one half where
/// Σ_j weight_j · f_j(x_j) > threshold; f_j is x_j itself for features scaled linearly, else the
/// feature's quantile level.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The split.
    pub node: usize,
    /// (feature, weight) for every feature with a coefficient other than 0.
    pub terms: Vec<(usize, f64)>,
    /// The threshold.
    pub threshold: f64,
    /// γ times this times (Σ − threshold) is the log-odds of going left: 1 by construction of the
    /// weights, which carry the scaling.
    pub steepness: f64,
}

impl SoftTree {
    /// p.
    pub fn features(&self) -> usize {
        self.feature_names.len()
    }

    /// Coefficients of node `t`.
    pub fn node_coefficients(&self, t: usize) -> &[f64] {
        &self.coefficients[t * self.features()..][..self.features()]
    }

    /// Split `t` in the user's units; see [`Rule`].
    pub fn rule(&self, t: usize) -> Rule {
        let p = self.features() as f64;
        let mut threshold = self.intercepts[t];
        let mut terms = Vec::new();
        for (j, (a, map)) in self.node_coefficients(t).iter().zip(&self.scaling.features).enumerate() {
            match map {
                FeatureMap::Constant => {}
                _ if *a == 0.0 => {}
                FeatureMap::Linear { min, max } => {
                    // a u/p with u = (x − min)/(max − min): weight on x, the rest to the threshold.
                    let weight = a / p / (max - min);
                    threshold += weight * min;
                    terms.push((j, weight));
                }
                FeatureMap::Knots { .. } => terms.push((j, a / p)),
            }
        }
        Rule { node: t, terms, threshold, steepness: self.gamma }
    }

    /// θ in the layout of training.
    pub(crate) fn theta(&self) -> Vec<f64> {
        [self.coefficients.as_slice(), self.intercepts.as_slice()].concat()
    }
}
