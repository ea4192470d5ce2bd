//! The splits of a fitted tree with all that is needed to route a row of the user's.

use super::predict::LinearSplits;
use super::{FittedTree, Rule, SplitExplanation};
use crate::InputError;
use crate::data::{Encoding, Rows, Scaling};
use crate::tree::{ParameterLayout, Shape, Topology};
use std::borrow::Cow;

/// Names of the columns, if there are any, and how they become features, if they are not features.
pub(crate) type ColumnsOf<'a> = (Option<&'a [String]>, Option<&'a Encoding>);

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
    /// Whether names were given; features without names are called x0, x1, ….
    pub named: bool,
    /// How the columns of a table become these features; None if they are the columns of X themselves.
    pub encoding: Option<Encoding>,
}

impl SoftTree {
    /// The tree of θ = (a, μ).
    pub(crate) fn of(
        topology: &Topology,
        gamma: f64,
        theta: &[f64],
        scaling: &Scaling,
        (names, encoding): ColumnsOf<'_>,
    ) -> Self {
        let layout = ParameterLayout::new(topology, scaling.features.len());
        let (coefficients, intercepts) = layout.split(theta);
        let splits = (coefficients.to_vec(), intercepts.to_vec());
        Self::new(
            topology.shape().clone(),
            gamma,
            splits,
            scaling,
            (names, encoding),
        )
    }

    /// The tree of a shape with coefficients and intercepts of its splits.
    pub(crate) fn new(
        shape: Shape,
        gamma: f64,
        (coefficients, intercepts): (Vec<f64>, Vec<f64>),
        scaling: &Scaling,
        (names, encoding): ColumnsOf<'_>,
    ) -> Self {
        let numbered = || {
            (0..scaling.features.len())
                .map(|j| format!("x{j}"))
                .collect()
        };
        let mut scaling = scaling.clone();
        if let Some(encoding) = encoding {
            // Indicators are typical together: those of the typical level.
            scaling.typical = encoding.typical_row();
        }
        let of_columns = || names.map_or_else(numbered, <[String]>::to_vec);
        Self {
            shape,
            gamma,
            coefficients,
            intercepts,
            scaling,
            feature_names: encoding.map_or_else(of_columns, Encoding::feature_names),
            named: names.is_some(),
            encoding: encoding.cloned(),
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

impl FittedTree for SoftTree {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn features(&self) -> usize {
        self.features()
    }

    fn feature_names(&self) -> Cow<'_, [String]> {
        Cow::Borrowed(&self.feature_names)
    }

    fn is_named(&self) -> bool {
        self.named
    }

    fn encoding(&self) -> Option<&Encoding> {
        self.encoding.as_ref()
    }

    fn typical(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(&self.scaling.typical)
    }

    fn rule(&self, node: usize) -> Option<Rule> {
        self.rule(node)
    }

    fn leaf_indices<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.leaf_indices(rows)
    }

    fn explain_path<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<Vec<SplitExplanation>>, InputError> {
        self.explain_path(rows)
    }
}
