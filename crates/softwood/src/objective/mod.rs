//! What is minimized: smooth functions of θ that know data and tree.

mod block_cost;
mod cell_rows;
mod group_bounds;
mod lambda_max;
mod leaf_entropy;
mod leaf_error;
mod leaf_ridge;
mod logistic;
mod misclassification;
mod mixture_error;
mod moving_cost;
mod moving_mixture;
mod moving_tree;
mod penalty;
mod penalty_shape;
mod rate_bounds;

pub(crate) use block_cost::BlockCost;
pub(crate) use cell_rows::{CellRows, expected_cost};
pub(crate) use group_bounds::{BoundedMixture, GroupBound, GroupBounds, GroupMeasure};
pub use lambda_max::LambdaMax;
pub(crate) use leaf_entropy::{LeafEntropy, entropy_costs};
pub use leaf_error::SoftRegressionError;
pub use leaf_ridge::LeafRidge;
pub(crate) use leaf_ridge::LeastLeafRidge;
pub(crate) use logistic::Logistic;
pub use misclassification::ExpectedCost;
pub use mixture_error::{MixtureError, ProjectedMixtureError};
pub(crate) use moving_cost::MovingCost;
pub(crate) use moving_mixture::{MovingMixture, ProjectedMovingMixture, VARIANCE};
pub(crate) use moving_tree::{MovingTree, ORDERED_ENDS};
pub(crate) use penalty::Penalty;
pub use penalty::PenaltySettings;
pub use penalty_shape::PenaltyShape;
pub(crate) use rate_bounds::{
    BoundedCost, Limit, RateBound, RateBounds, RateReached, Share, Wanted,
};
