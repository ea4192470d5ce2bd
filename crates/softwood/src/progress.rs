//! How far a fit has come, readable from any thread while it runs.
//!
//! The total is known from the beginning: a fit announces all its starts at once, then goes through
//! phases of so many starts each. A phase that needs fewer than announced (candidates that fall behind,
//! rounds that are not worth it) is done as a whole when the next one begins.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters a running fit keeps up to date.
#[derive(Debug, Default)]
pub struct Progress {
    starts: Mutex<Starts>,
    iterations: AtomicU64,
}

/// The starts of a fit.
#[derive(Clone, Copy, Debug, Default)]
struct Starts {
    /// In all.
    total: usize,
    done: usize,
    /// How many are done when the present phase is.
    phase_end: usize,
    best_objective: Option<f64>,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressSnapshot {
    /// Starts to run in all; it does not change while the fit runs.
    pub starts: usize,
    /// Starts that have ended, or are not needed after all.
    pub starts_done: usize,
    /// Solver iterations so far, over all starts.
    pub iterations: u64,
    /// Least objective among the starts that have ended.
    pub best_objective: Option<f64>,
}

impl Progress {
    /// The counters now.
    pub fn snapshot(&self) -> ProgressSnapshot {
        let starts = self.with_starts(|starts| *starts);
        ProgressSnapshot {
            starts: starts.total,
            starts_done: starts.done,
            iterations: self.iterations.load(Ordering::Relaxed),
            best_objective: starts.best_objective,
        }
    }

    /// Announces all the starts of a fit, before any work.
    pub(crate) fn announce(&self, total: usize) {
        self.with_starts(|starts| {
            *starts = Starts {
                total,
                ..Starts::default()
            };
        });
    }

    /// The next `count` starts; those of the phase before are over, run or not.
    pub(crate) fn begin_phase(&self, count: usize) {
        self.with_starts(|starts| {
            starts.done = starts.phase_end;
            starts.phase_end = (starts.phase_end + count).min(starts.total);
        });
    }

    /// All that was announced is done or not needed.
    pub(crate) fn complete(&self) {
        self.with_starts(|starts| {
            starts.phase_end = starts.total;
            starts.done = starts.total;
        });
    }

    /// A start has ended, with this objective if it counts for the final model.
    pub(crate) fn finish_start(&self, objective: Option<f64>) {
        self.with_starts(|starts| starts.done = starts.phase_end.min(starts.done + 1));
        if let Some(objective) = objective {
            self.reach(objective);
        }
    }

    /// The final model will have an objective no larger than this.
    pub(crate) fn reach(&self, objective: f64) {
        self.with_starts(|starts| {
            let best = starts.best_objective;
            starts.best_objective = Some(best.map_or(objective, |best| best.min(objective)));
        });
    }

    pub(crate) fn count_iteration(&self) {
        self.iterations.fetch_add(1, Ordering::Relaxed);
    }

    fn with_starts<T>(&self, act: impl FnOnce(&mut Starts) -> T) -> T {
        act(&mut self.starts.lock().expect("no panic holds the lock"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(progress: &Progress) -> (usize, usize) {
        let now = progress.snapshot();
        (now.starts_done, now.starts)
    }

    #[test]
    fn the_total_stays_whatever_phases_need() {
        let progress = Progress::default();
        progress.announce(10);
        progress.begin_phase(4);
        progress.finish_start(None);
        assert_eq!(counts(&progress), (1, 10));
        progress.begin_phase(3); // three of the four were not needed
        assert_eq!(counts(&progress), (4, 10));
        (0..5).for_each(|_| progress.finish_start(Some(2.0))); // two more than announced
        assert_eq!(counts(&progress), (7, 10));
        progress.begin_phase(3);
        progress.complete();
        assert_eq!(counts(&progress), (10, 10));
        assert_eq!(progress.snapshot().best_objective, Some(2.0));
    }
}
