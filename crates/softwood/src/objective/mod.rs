//! What is minimized: smooth functions of θ that know data and tree but no solver.

mod class_rates;
mod leaf_error;
mod logistic;
mod misclassification;
mod penalty;

pub(crate) use class_rates::{RateConstrainedCost, RateMultipliers, expected_cost};
pub(crate) use leaf_error::RowCosts;
pub use leaf_error::SoftRegressionError;
pub(crate) use logistic::Logistic;
pub use misclassification::ExpectedCost;
pub(crate) use penalty::Penalty;
pub use penalty::{PenaltySettings, PenaltyShape};

use crate::stop::Stopped;

/// A smooth function f: Rⁿ → R.
pub trait Objective: Sync {
    /// n.
    fn dim(&self) -> usize;

    /// Returns f(x) and overwrites `gradient` with ∇f(x), in one pass over the rows.
    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped>;
}
