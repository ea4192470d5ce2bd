//! What a model tells of its fit.

mod constraint;
mod cv_table;
mod fit;
mod selection;

pub use constraint::{ConstraintKind, ConstraintReport};
pub use cv_table::{CvCandidate, CvTable};
pub use fit::FitReport;
pub use selection::{SelectionReport, SelectionRound, SelectionStep};
