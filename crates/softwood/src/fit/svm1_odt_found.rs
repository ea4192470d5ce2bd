//! What a search for a hard oblique tree has found, by whichever way.

use crate::exact::Solution;

/// What was found.
pub(super) struct Found {
    pub solution: Solution,
    /// What was minimized, if it is not the count alone: hyperplanes then stay as they are.
    pub objective: Option<f64>,
}
