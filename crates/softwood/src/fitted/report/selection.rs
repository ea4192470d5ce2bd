//! What a fit to selected rows tells of the selection.

use serde::{Deserialize, Serialize};

/// How the rows to train on were selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectionReport {
    /// Rows the model was trained on.
    pub rows: usize,
    /// Their share of all rows.
    pub share: f64,
    /// Share of all rows, by weight, whose class the model predicts.
    pub accuracy: f64,
    /// Every tree that was fitted, in order.
    pub rounds: Vec<SelectionRound>,
}

/// One of the trees fitted on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectionRound {
    /// Where its rows came from.
    pub step: SelectionStep,
    /// Rows it was trained on.
    pub rows: usize,
    /// Share of all rows, by weight, whose class it predicts.
    pub accuracy: f64,
    /// Whether it took the place of the tree before: its accuracy is no lower.
    pub accepted: bool,
}

/// Where the rows of a round came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectionStep {
    /// A random sample of each class.
    Sample,
    /// From each class in each leaf of the tree before (algorithm 1).
    Clusters,
    /// The mistakes of the tree before, and the extreme points of what each leaf gets right
    /// (algorithm 3).
    Mistakes,
}

impl SelectionStep {
    /// The name used in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Clusters => "clusters",
            Self::Mistakes => "mistakes",
        }
    }
}
