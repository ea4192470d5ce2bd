//! Every pass over the rows, a small value each: what it needs of the tree, and what it adds up.

mod bin_counts;
mod decided_masses;
mod expected_error;
mod leaf_masses;
mod leaf_moments;
mod leaf_posteriors;
mod mixture;
mod moves;
mod projections;
mod reach;
mod routes;
mod row_sums;
mod value_and_gradient;

pub(crate) use bin_counts::BinCounts;
pub(crate) use leaf_moments::ColumnMoments;
pub(crate) use mixture::SumWeights;
pub(crate) use projections::{projection_quantiles, weighted_quantile};
pub(crate) use routes::{LeafLabels, Routes};
pub(crate) use row_sums::{ClassSums, GroupSpreads, GroupSums, LeftSums};
pub(crate) use value_and_gradient::{LeafCosts, value_and_gradient};
