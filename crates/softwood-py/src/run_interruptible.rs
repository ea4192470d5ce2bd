//! The doorway to long work: GIL released, Ctrl-C heard, progress passed on, no thread left behind.

use crate::exceptions::{from_fit_error, no_threads};
use pyo3::prelude::*;
use softwood::{Control, FitError};
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the calling thread looks up from waiting.
const SLICE: Duration = Duration::from_millis(50);

/// Runs `job` on a thread of its own. The calling thread waits without the GIL and, in slices,
/// calls `progress(starts_done, starts, iterations, best_objective or None, seconds)` and checks
/// signals (Python delivers them to its main thread; elsewhere the check does nothing). A signal or
/// an exception in the callback stops the job and is raised once the job has ended.
pub fn run_interruptible<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&Control) -> Result<T, FitError> + Send,
) -> PyResult<T> {
    let began = Instant::now();
    let control = Control::default();
    let look_up = |py: Python<'_>| -> PyResult<()> {
        if let Some(callback) = progress {
            let now = control.progress.snapshot();
            let seconds = began.elapsed().as_secs_f64();
            callback.call1(
                py,
                (
                    now.starts_done,
                    now.starts,
                    now.iterations,
                    now.best_objective,
                    seconds,
                ),
            )?;
        }
        py.check_signals()
    };
    let outcome = py.detach(|| {
        thread::scope(|scope| {
            let (done, outcome) = sync_channel(1);
            let worker = control.clone();
            let handle = thread::Builder::new()
                .name("softwood-fit".into())
                // The receiver is gone only if the outcome is not wanted any more.
                .spawn_scoped(scope, move || drop(done.send(job(&worker))))
                .map_err(no_threads)?;
            loop {
                match outcome.recv_timeout(SLICE) {
                    Ok(outcome) => return outcome.map_err(from_fit_error),
                    Err(RecvTimeoutError::Timeout) => {
                        // None while the interpreter shuts down: nobody waits for a model any more.
                        let looked = Python::try_attach(look_up);
                        if !matches!(looked, Some(Ok(()))) {
                            control.stop.raise();
                        }
                        looked.unwrap_or(Ok(()))?;
                    }
                    Err(RecvTimeoutError::Disconnected) => match handle.join() {
                        Err(panic) => resume_unwind(panic),
                        Ok(()) => unreachable!("the worker sends before it ends"),
                    },
                }
            }
        })
    })?;
    look_up(py)?;
    Ok(outcome)
}
