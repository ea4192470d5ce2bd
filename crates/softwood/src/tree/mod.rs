//! The soft tree itself: shape, parameters, and the pass over rows that every objective shares.

pub(crate) mod block_pass;
pub(crate) mod feature_gradient;
pub(crate) mod function_gradient;
pub(crate) mod label_regions;
pub(crate) mod leaf_sums;
pub(crate) mod left_probabilities;
pub(crate) mod model_mixture;
pub(crate) mod moments;
mod parameters;
mod register_tiles;
pub(crate) mod second_moments;
mod shape;
mod sparse_products;
pub(crate) mod split_gradient;
pub(crate) mod splits;
pub(crate) mod subtree;
mod topology;
mod vc_dimension;

pub use parameters::ParameterLayout;
pub use shape::{Child, Shape};
pub use subtree::RegressionParameters;
pub use topology::Topology;
pub use vc_dimension::{VcBounds, vc_bounds};
