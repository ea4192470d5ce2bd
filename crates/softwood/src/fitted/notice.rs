//! What a user ought to know of a fitted tree before relying on it.

use super::ConstraintKind;
use crate::status::SolveStatus;
use serde::{Deserialize, Serialize};

/// A fact about a fit that is likely to be unwanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Notice {
    /// The tree predicts one class for all training rows. More starts, deeper trees, weights for the
    /// classes or weaker penalties may help.
    OneClass {
        /// Position of the class.
        class: usize,
    },
    /// Penalties have put all coefficients to 0: the tree uses no feature. Weaker ones keep some; see
    /// `lambda_max`.
    NoFeatures,
    /// No training row reaches these leaves: what they say rests on nothing. A smaller depth does without
    /// them.
    EmptyLeaves {
        /// The leaves, counted from left to right.
        leaves: Vec<usize>,
        /// How many leaves the tree has.
        of: usize,
    },
    /// A class is recognized less often than asked for. A lower rate, a deeper tree or more starts may
    /// help.
    RateMissed {
        /// Position of the class.
        class: usize,
        /// The rate asked for.
        asked: f64,
        /// The rate reached.
        reached: f64,
    },
    /// A bound on a group of rows is not kept. A larger one, a deeper tree or more starts may help.
    BoundMissed {
        /// What is bounded.
        kind: ConstraintKind,
        /// The group.
        group: String,
        /// Position of the class, if it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        class: Option<usize>,
        /// The bound asked for.
        asked: f64,
        /// What was reached.
        reached: f64,
    },
    /// Row selection has kept all rows, and only cost time. A larger tolerance selects fewer.
    AllRowsSelected {
        /// How many.
        rows: usize,
    },
    /// Rows of a class were too few for as many folds as asked for.
    FewerFolds {
        /// Folds asked for.
        asked: usize,
        /// Folds of the root's rows; 1 if none could be held out.
        folds: usize,
    },
    /// A limit ended the fit before it was done.
    LimitReached {
        /// Which: [`SolveStatus::TimeLimit`] or [`SolveStatus::IterationLimit`].
        status: SolveStatus,
    },
}
