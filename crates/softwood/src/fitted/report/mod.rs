//! What a model tells of its fit.

mod constraint;
mod cv_table;
mod fit;
mod proof;
mod scoring;
mod selection;

pub use constraint::{ConstraintKind, ConstraintReport};
pub use cv_table::{
    ClassFigures, CvCandidate, CvTable, FunctionalCandidate, OrctCandidate, OrrtCandidate,
    SpdtCandidate, SrtCandidate, Svm1OdtCandidate, Svm1OdtTree, TriedSettings,
};
pub use fit::FitReport;
pub use proof::{ProofMoment, ProofReport};
pub use scoring::{ClassScoring, ResponseScoring, Scoring};
pub use selection::{SelectionReport, SelectionRound, SelectionStep};
