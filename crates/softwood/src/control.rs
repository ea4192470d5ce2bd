//! What the caller holds while a fit runs.

use crate::progress::Progress;
use crate::stop::StopFlag;
use std::sync::Arc;

/// Handles on a running fit: clone it, keep one, pass the other.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Raise it to cancel: the fit returns the best tree so far, if there is one.
    pub stop: StopFlag,
    /// Read it to see how far the fit has come.
    pub progress: Arc<Progress>,
}
