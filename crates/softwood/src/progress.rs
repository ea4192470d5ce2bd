//! How far a fit has come, readable from any thread while it runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Counters a running fit keeps up to date.
#[derive(Debug, Default)]
pub struct Progress {
    starts: AtomicUsize,
    starts_done: AtomicUsize,
    iterations: AtomicU64,
    best: Mutex<Option<f64>>,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressSnapshot {
    /// Starts to run in all.
    pub starts: usize,
    /// Starts that have ended.
    pub starts_done: usize,
    /// Solver iterations so far, over all starts.
    pub iterations: u64,
    /// Least objective among the starts that have ended.
    pub best_objective: Option<f64>,
}

impl Progress {
    /// The counters now.
    pub fn snapshot(&self) -> ProgressSnapshot {
        ProgressSnapshot {
            starts: self.starts.load(Ordering::Relaxed),
            starts_done: self.starts_done.load(Ordering::Relaxed),
            iterations: self.iterations.load(Ordering::Relaxed),
            best_objective: *self.best.lock().expect("no panic holds the lock"),
        }
    }

    pub(crate) fn expect_starts(&self, count: usize) {
        self.starts.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn count_iteration(&self) {
        self.iterations.fetch_add(1, Ordering::Relaxed);
    }

    /// A start has ended, with this objective if it counts for the final model.
    pub(crate) fn finish_start(&self, objective: Option<f64>) {
        self.starts_done.fetch_add(1, Ordering::Relaxed);
        if let Some(objective) = objective {
            let mut best = self.best.lock().expect("no panic holds the lock");
            *best = Some(best.map_or(objective, |best| best.min(objective)));
        }
    }
}
