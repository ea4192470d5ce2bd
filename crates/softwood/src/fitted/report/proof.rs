//! What is proven of a tree: how far from the best one it can be.

use super::fit::null_as_infinity;
use serde::{Deserialize, Serialize};

/// Bound and margin of a tree that was searched for exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProofReport {
    /// No tree of this depth with this margin has less weight of training rows wrong, rows within the
    /// margin counted as wrong.
    pub bound: f64,
    /// (objective − bound) / objective; 0 if the tree is proven to be best.
    pub gap: f64,
    /// ε: a row counts as right only if |g − h·x| ≥ ε at every split on its way, where the largest
    /// |g − h·x| of all rows is 1.
    pub margin: f64,
    /// The smallest |g − h·x| of the rows that are right, over all splits; at least ε. Infinite (null in
    /// files) if none is right at any split.
    #[serde(deserialize_with = "null_as_infinity")]
    pub reached_margin: f64,
    /// Σ_b ‖h_b‖₁.
    pub norm: f64,
    /// Nodes of the search.
    pub nodes: u64,
    /// Distinct rows.
    pub distinct_rows: usize,
    /// Incumbent and bound over time.
    pub course: Vec<ProofMoment>,
}

/// Incumbent and bound at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProofMoment {
    /// Since the search began.
    pub seconds: f64,
    /// Weight wrong in the best tree so far.
    pub objective: f64,
    /// What was proven.
    pub bound: f64,
}
