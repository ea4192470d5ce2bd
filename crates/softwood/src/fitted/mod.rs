//! Fitted models: what they predict, how they explain it, and the file they are kept in.

mod explain;
mod file;
mod orct_model;
mod predict;
mod render;
mod soft_tree;

pub use orct_model::{Importance, OrctModel, OrctReport};
pub(crate) use predict::class_probabilities;
pub use soft_tree::{Rule, SoftTree};
