//! The rows of a cross-validation's table.

use crate::fitted::{ClassFigures, CvCandidate, Scoring, TriedSettings};
use crate::search::race::Standing;

/// The row of a candidate with this standing.
pub(super) fn candidate_row(
    scoring: Scoring,
    settings: TriedSettings,
    standing: &Standing,
    figures: Option<ClassFigures>,
) -> CvCandidate {
    CvCandidate {
        settings,
        score: scoring.of_loss(standing.mean),
        standard_error: standing.standard_error,
        folds: standing.folds,
        figures,
    }
}
