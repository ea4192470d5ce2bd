//! What the caller holds while a fit runs, and how a fit can fail.

use crate::progress::Progress;
use crate::{InputError, StopFlag};
use std::sync::Arc;

/// Handles on a running fit: clone it, keep one, pass the other.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Raise it to cancel.
    pub stop: StopFlag,
    /// Read it to see how far the fit has come.
    pub progress: Arc<Progress>,
}

/// Why there is no model. Reaching a limit is not an error: see the report's status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The input cannot be fitted.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The stop flag was raised.
    #[error("the fit was cancelled")]
    Cancelled,
    /// The threads asked for could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
