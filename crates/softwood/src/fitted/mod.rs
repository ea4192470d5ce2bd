//! Fitted models: what they predict, how they explain it, and the file they are kept in.

mod explain;
mod file;
mod orct_model;
mod predict;
mod render;
mod rule;
mod selection_report;
mod soft_tree;

pub use file::ModelFileError;
pub use orct_model::{Importance, OrctModel, OrctReport};
pub(crate) use predict::{class_probabilities, most_probable};
pub use rule::{Measure, Rule, Term};
pub use selection_report::{SelectionReport, SelectionRound, SelectionStep};
pub use soft_tree::SoftTree;

#[doc = include_str!("../../MODEL_FORMAT.md")]
pub mod file_format {}
