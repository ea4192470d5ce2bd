//! Fitted models: what they predict, how they explain it, and the file they are kept in.

mod class_rate;
mod curve;
mod cv_table;
mod explain;
mod file;
mod importance;
mod leaf_model;
mod notice;
mod orct_model;
mod predict;
mod render;
mod report;
mod rule;
mod selection_report;
mod single_leaf;
mod soft_tree;
mod srt_model;

pub use class_rate::ClassRate;
pub use curve::{Curve, CurvePoints};
pub use cv_table::{CvCandidate, CvTable};
pub use file::{Model, ModelFileError};
pub use importance::Importance;
pub(crate) use importance::{global_sparsity, local_sparsity};
pub use leaf_model::LeafModel;
pub use notice::Notice;
pub use orct_model::OrctModel;
pub(crate) use predict::{class_probabilities, most_probable};
pub use report::FitReport;
pub use rule::{Measure, Rule, Term};
pub use selection_report::{SelectionReport, SelectionRound, SelectionStep};
pub use soft_tree::SoftTree;
pub use srt_model::SrtModel;

#[doc = include_str!("../../MODEL_FORMAT.md")]
pub mod file_format {}
