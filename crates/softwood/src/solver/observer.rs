//! Counts the iterations of a solver for those who watch a fit.

use crate::progress::Progress;
use argmin::core::observers::Observe;
use argmin::core::{Error, KV};
use std::sync::Arc;

/// Tells the counters about every iteration of a solver.
pub(crate) struct CountIterations(pub Arc<Progress>);

impl<I> Observe<I> for CountIterations {
    fn observe_iter(&mut self, _: &I, _: &KV) -> Result<(), Error> {
        self.0.count_iteration();
        Ok(())
    }
}
