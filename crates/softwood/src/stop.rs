//! What ends work early: cancellation from outside and the time limit, polled inside every pass over the
//! rows, and rows that cannot be had.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Who stopped work before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// Somebody called [`StopFlag::raise`].
    #[error("cancelled")]
    Cancelled,
    /// The time limit passed.
    #[error("time limit reached")]
    TimeLimit,
}

/// Rows that their source could not hand out: a file that ended, a machine that went away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SourceError {
    reason: Arc<str>,
}

impl SourceError {
    /// A failure for a reason that says what failed and where.
    pub fn new(reason: impl ToString) -> Self {
        Self {
            reason: reason.to_string().into(),
        }
    }
}

/// Why a pass over the rows, and all that rests on it, ended before it was done. The time limit is no
/// error where there is an answer already; the others always are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Interrupted {
    /// Somebody called [`StopFlag::raise`].
    #[error("cancelled")]
    Cancelled,
    /// The time limit passed.
    #[error("time limit reached")]
    TimeLimit,
    /// The source of the rows failed.
    #[error("the rows could not be read: {0}")]
    Source(#[from] SourceError),
}

impl From<Stopped> for Interrupted {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::TimeLimit => Self::TimeLimit,
        }
    }
}

/// A switch that any thread may raise to end a fit.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the work to stop; it does so within milliseconds.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a pass polls: the flag and the deadline.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    flag: StopFlag,
    deadline: Option<Instant>,
}

impl Stop {
    /// Stops when `flag` is raised or, if given, after `limit` from now.
    pub fn new(flag: &StopFlag, limit: Option<Duration>) -> Self {
        // A limit too long for the clock is no limit.
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self {
            flag: flag.clone(),
            deadline,
        }
    }

    /// The same flag without the deadline, for work that must be finished to have an answer at all.
    pub fn without_deadline(&self) -> Self {
        Self {
            flag: self.flag.clone(),
            deadline: None,
        }
    }

    /// The same flag with a deadline of its own.
    pub fn with_limit(&self, limit: Duration) -> Self {
        Self::new(&self.flag, Some(limit))
    }

    /// The same, but no later than `limit` from now.
    pub fn within(&self, limit: Duration) -> Self {
        let sooner = Self::new(&self.flag, Some(limit));
        let deadlines = [self.deadline, sooner.deadline];
        Self {
            deadline: deadlines.into_iter().flatten().min(),
            ..sooner
        }
    }

    /// The time until the deadline, if there is one.
    pub fn left(&self) -> Option<Duration> {
        let now = Instant::now();
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(now))
    }

    /// Err once stopped.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.flag.is_raised() {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::TimeLimit),
            _ => Ok(()),
        }
    }
}
