//! Fitted models: what they predict, how they explain it, and the file they are kept in.

mod curve;
mod decision;
mod effects;
mod explain;
mod file;
mod fitted_tree;
mod frequencies;
mod functional_model;
mod hard_tree;
mod importance;
mod leaf_model;
mod leaf_texts;
mod model;
mod notice;
mod orct_model;
mod orrt_model;
mod passing;
mod path;
mod predict;
#[cfg(test)]
mod random_tree;
mod reached;
mod render;
mod report;
mod row_texts;
mod rule;
mod set_back;
mod single_leaf;
mod soft_tree;
mod spdt_model;
mod srt_model;
mod svm1_odt_model;

pub use curve::{Curve, CurvePoints};
pub use decision::{Decision, Routing};
pub use file::ModelFileError;
pub use fitted_tree::FittedTree;
pub(crate) use frequencies::smoothed_frequencies;
pub use functional_model::{FunctionalModel, FunctionalOrctModel, FunctionalOrrtModel, OnMeans};
pub use hard_tree::{HardSplit, HardTree, UsedFeature};
pub use importance::Importance;
pub(crate) use importance::{global_sparsity, local_sparsity};
pub use leaf_model::LeafModel;
pub use model::{FittedModel, Model};
pub use notice::Notice;
pub use orct_model::OrctModel;
pub use orrt_model::OrrtModel;
pub use path::{Contribution, SplitExplanation};
pub(crate) use predict::{LinearSplits, most_probable};
pub use report::{
    ClassFigures, ClassScoring, ConstraintKind, ConstraintReport, CvCandidate, CvTable, FitReport,
    FunctionalCandidate, OrctCandidate, OrrtCandidate, ProofMoment, ProofReport, ResponseScoring,
    Scoring, SelectionReport, SelectionRound, SelectionStep, SpdtCandidate, SrtCandidate,
    Svm1OdtCandidate, Svm1OdtTree, TriedSettings,
};
pub use rule::{Measure, Rule, Term};
pub use soft_tree::SoftTree;
pub use spdt_model::SpdtModel;
pub(crate) use spdt_model::probabilities_at;
pub use srt_model::SrtModel;
pub use svm1_odt_model::Svm1OdtModel;

#[doc = include_str!("../../MODEL_FORMAT.md")]
pub mod file_format {}
