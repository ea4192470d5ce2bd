//! How rows to train on are selected, with defaults and ranges.

use crate::error::InputError;
use crate::selection::SelectionSettings;

/// How rows are selected for a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSelection {
    /// β₁ of algorithm 1, see [`SelectionSettings`].
    pub beta1: f64,
    /// β₂ of algorithm 1.
    pub beta2: f64,
    /// ε′, for features scaled to [0, 1].
    pub tolerance: f64,
    /// Rows of the random sample that the first tree is fitted to; a quarter of all rows at most.
    pub sample: usize,
    /// Rounds of selecting and fitting at most: the first by algorithm 1, the others by algorithm 3.
    pub rounds: usize,
}

impl Default for RowSelection {
    fn default() -> Self {
        let SelectionSettings {
            beta1,
            beta2,
            tolerance,
            ..
        } = SelectionSettings::default();
        Self {
            beta1,
            beta2,
            tolerance,
            sample: 2000,
            rounds: 3,
        }
    }
}

impl RowSelection {
    /// The same as selections take it.
    pub(super) fn settings(&self) -> SelectionSettings {
        SelectionSettings {
            beta1: self.beta1,
            beta2: self.beta2,
            tolerance: self.tolerance,
            n_threads: None,
        }
    }

    /// Checks it for so many features.
    pub(super) fn validate(&self, features: usize) -> Result<(), InputError> {
        if self.sample == 0 {
            return Err(InputError::Setting {
                name: "sample",
                expected: "at least 1",
                got: "0".into(),
            });
        }
        self.settings().validate(features)
    }
}
