//! The splits of a tree as the kernel reads them.

use super::{ParameterLayout, Topology};

/// The splits of a tree with steepness and 1/p folded in: γ z_it = Σ_j slope_tj u_ij − offset_t.
#[derive(Clone, Debug)]
pub(crate) struct Splits {
    pub topology: Topology,
    /// Slopes of the nodes, feature after feature.
    pub(super) slopes: Vec<f64>,
    pub(super) offsets: Vec<f64>,
    pub(super) features: usize,
}

impl Splits {
    /// Folds γ into θ = (a, μ).
    pub fn new(topology: &Topology, features: usize, theta: &[f64], gamma: f64) -> Self {
        let (a, mu) = ParameterLayout::new(topology, features).split(theta);
        let factor = gamma / features as f64;
        let slopes: Vec<f64> = a.iter().map(|a| a * factor).collect();
        Self {
            topology: topology.clone(),
            slopes: by_feature(&slopes, features),
            offsets: mu.iter().map(|mu| mu * gamma).collect(),
            features,
        }
    }

    /// Any number of linear functions Σ_j slope_nj u_j − offset_n, for [`super::block_pass::split_values`] alone.
    pub fn linear_functions(features: usize, slopes: &[f64], offsets: Vec<f64>) -> Self {
        Self {
            topology: Topology::complete(1),
            slopes: by_feature(slopes, features),
            offsets,
            features,
        }
    }
}

/// From node after node to feature after feature.
pub(crate) fn by_feature(slopes: &[f64], features: usize) -> Vec<f64> {
    (0..features)
        .flat_map(|j| slopes.iter().skip(j).step_by(features).copied())
        .collect()
}
