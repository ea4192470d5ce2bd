//! A fitted soft regression tree.

use super::rule::per_unit;
use super::{FitReport, SoftTree};
use crate::data::{FeatureMap, Standardization};

/// Splits, leaf models and the report of the fit. The tree's steepness is 1 and its intercepts are
/// −ω_0 of paper 2.
#[derive(Clone, Debug, PartialEq)]
pub struct SrtModel {
    /// The splits.
    pub tree: SoftTree,
    /// β without the intercepts, L × p, on scaled features and the standardized response.
    pub leaf_slopes: Vec<f64>,
    /// β_0, one a leaf, for the standardized response.
    pub leaf_intercepts: Vec<f64>,
    /// From the standardized response back to the user's.
    pub response: Standardization,
    /// How the fit went.
    pub report: FitReport,
}
