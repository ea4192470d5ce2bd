//! Optimization over an [`Objective`](crate::objective::Objective); knows nothing of trees.

mod armijo;
mod curvature_pairs;
mod outcome;
mod projected_lbfgs;
mod simple_term;
mod sparsity_term;

pub(crate) use armijo::reference_step;
pub(crate) use curvature_pairs::dot;
pub use outcome::{Outcome, SolveStatus};
pub use projected_lbfgs::{LbfgsSettings, ProjectedLbfgs, minimize};
pub use simple_term::{Bounds, Face, SimpleTerm, Tie};
pub use sparsity_term::{Group, SparsityTerm};
