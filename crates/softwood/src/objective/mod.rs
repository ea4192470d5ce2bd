//! What is minimized: smooth functions of θ that know data and tree.

mod class_rates;
mod group_bounds;
mod lambda_max;
mod leaf_entropy;
mod leaf_error;
mod logistic;
mod misclassification;
mod mixture_error;
mod penalty;
mod penalty_shape;

pub(crate) use class_rates::{ClassRates, RateConstrainedCost, expected_cost};
pub(crate) use group_bounds::{BoundedMixture, GroupBound, GroupBounds, GroupMeasure};
pub use lambda_max::LambdaMax;
pub(crate) use leaf_entropy::{LeafEntropy, entropy_costs};
pub(crate) use leaf_error::RowCosts;
pub use leaf_error::SoftRegressionError;
pub(crate) use logistic::Logistic;
pub use misclassification::ExpectedCost;
pub use mixture_error::{MixtureError, ProjectedMixtureError};
pub(crate) use penalty::Penalty;
pub use penalty::PenaltySettings;
pub use penalty_shape::PenaltyShape;
