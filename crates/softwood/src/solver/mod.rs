//! Optimization over an [`Objective`](crate::objective::Objective); knows nothing of trees.

mod armijo;
mod curvature_pairs;
mod feasible_set;
mod outcome;
mod projected_lbfgs;

pub(crate) use armijo::reference_step;
pub(crate) use curvature_pairs::dot;
pub use feasible_set::{Bounds, FeasibleSet};
pub use outcome::{Outcome, SolveStatus};
pub use projected_lbfgs::{LbfgsSettings, ProjectedLbfgs, minimize};
