//! Fitted models: what they predict, how they explain it, and the file they are kept in.

mod explain;
mod file;
mod orct_model;
mod predict;
mod render;
mod rule;
mod soft_tree;

pub use file::ModelFileError;
pub use orct_model::{ClassRate, CvCandidate, Importance, OrctModel, OrctReport, Selection};
pub(crate) use predict::{class_probabilities, most_probable};
pub use rule::{Measure, Rule, Term};
pub use soft_tree::SoftTree;

#[doc = include_str!("../../MODEL_FORMAT.md")]
pub mod file_format {}
