//! The doorway to long work: GIL released, Ctrl-C heard, progress passed on, no thread left behind.

use crate::exceptions::from_fit_error;
use pyo3::prelude::*;
use softwood::{Control, FitError};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often the calling thread looks up from waiting.
const SLICE: Duration = Duration::from_millis(50);

/// Runs `job` on a thread of its own. The calling thread waits without the GIL and, in slices,
/// checks signals and calls `progress(starts_done, starts, iterations, best_objective or None)`.
/// A signal or an exception in the callback stops the job and is raised once it has ended.
pub fn run_interruptible<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&Control) -> Result<T, FitError> + Send,
) -> PyResult<T> {
    let control = Control::default();
    let tell = || -> PyResult<()> {
        Python::attach(|py| {
            if let Some(callback) = progress {
                let now = control.progress.snapshot();
                callback.call1(py, (now.starts_done, now.starts, now.iterations, now.best_objective))?;
            }
            py.check_signals()
        })
    };
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, outcome) = sync_channel(1);
            let worker = control.clone();
            scope.spawn(move || done.send(job(&worker)));
            loop {
                match outcome.recv_timeout(SLICE) {
                    Ok(outcome) => return outcome.map_err(from_fit_error),
                    // The worker panicked; leaving the scope passes the panic on.
                    Err(RecvTimeoutError::Disconnected) => return Err(from_fit_error(FitError::Cancelled)),
                    Err(RecvTimeoutError::Timeout) => tell().inspect_err(|_| control.stop.raise())?,
                }
            }
        })
    })?;
    tell()?;
    Ok(outcome)
}
