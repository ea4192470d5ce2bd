//! Optimization over an [`Objective`]; knows nothing of trees.

mod armijo;
mod augmented_lagrangian;
mod bounds;
mod curvature_pairs;
mod held;
mod objective;
mod observer;
mod ordered;
mod outcome;
mod projected_lbfgs;
mod proximal;
mod simple_term;
mod sparsity_term;
mod stacked;
mod tangents;

pub(crate) use armijo::reference_step;
pub(crate) use augmented_lagrangian::{
    AugmentedLagrangian, Constrained, Multipliers, minimize_constrained,
};
pub use bounds::{Bounds, Interval};
pub(crate) use held::Held;
pub use objective::Objective;
pub(crate) use observer::CountIterations;
pub use ordered::Ordered;
pub use outcome::{Outcome, Work};
pub use projected_lbfgs::{LbfgsSettings, ProjectedLbfgs, minimize};
pub(crate) use proximal::{Proximal, ProximalBounded};
pub(crate) use simple_term::Majorized;
pub use simple_term::{Face, SimpleTerm, Tie};
pub use sparsity_term::{Group, SparsityTerm};
pub(crate) use stacked::Stacked;
pub(crate) use tangents::minimize_by_tangents;
