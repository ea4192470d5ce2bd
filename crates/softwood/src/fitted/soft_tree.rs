//! The splits of a fitted tree with all that is needed to route a row of the user's.

use super::predict::LinearSplits;
use crate::data::Scaling;
use crate::tree::{ParameterLayout, Shape, Topology};

/// Split t sends a row left with probability 1/(1 + exp(−γ(Σ_j a_tj u_j/p − μ_t))), u = scaled row.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftTree {
    /// Which nodes split.
    pub shape: Shape,
    /// γ.
    pub gamma: f64,
    /// a, p values a split, split after split.
    pub coefficients: Vec<f64>,
    /// μ, one a split.
    pub intercepts: Vec<f64>,
    /// Maps of the features to [0, 1].
    pub scaling: Scaling,
    /// Names of the features.
    pub feature_names: Vec<String>,
    /// Whether these names were given; features without names are called x0, x1, ….
    pub named: bool,
}

impl SoftTree {
    /// The complete tree of θ = (a, μ).
    pub(crate) fn of(
        topology: Topology,
        gamma: f64,
        theta: &[f64],
        scaling: &Scaling,
        names: Option<&[String]>,
    ) -> Self {
        let layout = ParameterLayout::new(topology, scaling.features.len());
        let (coefficients, intercepts) = layout.split(theta);
        let splits = (coefficients.to_vec(), intercepts.to_vec());
        Self::new(
            Shape::complete(topology.depth()),
            gamma,
            splits,
            scaling,
            names,
        )
    }

    /// The tree of a shape with coefficients and intercepts of its splits.
    pub(crate) fn new(
        shape: Shape,
        gamma: f64,
        (coefficients, intercepts): (Vec<f64>, Vec<f64>),
        scaling: &Scaling,
        names: Option<&[String]>,
    ) -> Self {
        let numbered = || {
            (0..scaling.features.len())
                .map(|j| format!("x{j}"))
                .collect()
        };
        Self {
            shape,
            gamma,
            coefficients,
            intercepts,
            scaling: scaling.clone(),
            feature_names: names.map_or_else(numbered, <[String]>::to_vec),
            named: names.is_some(),
        }
    }

    /// p.
    pub fn features(&self) -> usize {
        self.feature_names.len()
    }

    /// Coefficients of the split at position `split`.
    pub fn split_coefficients(&self, split: usize) -> &[f64] {
        &self.coefficients[split * self.features()..][..self.features()]
    }

    /// The splits as they are evaluated.
    pub(super) fn linear_splits(&self) -> LinearSplits<'_> {
        LinearSplits {
            shape: &self.shape,
            features: self.features(),
            coefficients: &self.coefficients,
            intercepts: &self.intercepts,
            gamma: self.gamma,
        }
    }
}
