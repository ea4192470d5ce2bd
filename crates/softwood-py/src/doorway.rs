//! The doorway to the core: GIL released, errors and panics turned into exceptions, long work
//! interruptible and watched, no thread left behind.

use crate::exceptions::{CoreError, from_panic, no_threads};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::{Control, FitError};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the calling thread looks up from waiting.
const SLICE: Duration = Duration::from_millis(50);

/// A call of a function on rows, as it is told should it panic.
pub struct Call<'a> {
    function: &'a str,
    rows: usize,
    features: usize,
}

impl<'a> Call<'a> {
    pub fn on(rows: &Rows<'_>, function: &'a str) -> Self {
        Self {
            function,
            rows: rows.len(),
            features: rows.features(),
        }
    }
}

impl fmt::Display for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, features) = (self.rows, self.features);
        write!(f, "{} on X of shape ({rows}, {features})", self.function)
    }
}

/// Runs `job` in the calling thread without the GIL; `call` is named if it panics.
pub fn enter<T: Send, E: Into<CoreError> + Send>(
    py: Python<'_>,
    call: impl fmt::Display + Sync,
    job: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    // What a panic may have left half done is dropped with the job, never looked at again.
    match py.detach(|| catch_unwind(AssertUnwindSafe(job))) {
        Ok(outcome) => Ok(outcome.map_err(Into::into)?),
        Err(panic) => Err(from_panic(&call, &*panic)),
    }
}

/// Runs a fit on a thread of its own. The calling thread waits without the GIL and, in slices,
/// calls `progress(starts_done, starts, iterations, best_objective or None, seconds)` and checks
/// signals (Python delivers them to its main thread; elsewhere the check does nothing). A signal or
/// an exception in the callback stops the fit and is raised once it has ended, with the best it had
/// until then, as `show` makes it, in the attribute `partial`: None if there is nothing yet.
pub fn run_fit<'py, T: Send, S: IntoPyObject<'py>>(
    py: Python<'py>,
    call: impl fmt::Display + Sync,
    progress: Option<&Py<PyAny>>,
    fit: impl FnOnce(&Control) -> Result<T, FitError> + Send,
    show: impl FnOnce(T) -> S,
) -> PyResult<S> {
    let ended = watch(py, call, progress, fit)?;
    let Some(interruption) = ended.interruption else {
        return ended.outcome.map(show);
    };
    // An exception that takes no attributes is raised without.
    let partial = ended.outcome.ok().map(show);
    let _ = interruption.value(py).setattr("partial", partial);
    Err(interruption)
}

/// Runs other work in the same way; interrupted, it has nothing to show.
pub fn run_interruptible<T: Send>(
    py: Python<'_>,
    call: impl fmt::Display + Sync,
    job: impl FnOnce(&Control) -> Result<T, FitError> + Send,
) -> PyResult<T> {
    let ended = watch(py, call, None, job)?;
    ended.interruption.map_or(ended.outcome, Err)
}

/// How a job ended, and what stopped it if anything did.
struct Ended<T> {
    outcome: PyResult<T>,
    interruption: Option<PyErr>,
}

fn watch<T: Send>(
    py: Python<'_>,
    call: impl fmt::Display + Sync,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&Control) -> Result<T, FitError> + Send,
) -> PyResult<Ended<T>> {
    let began = Instant::now();
    let control = Control::default();
    let look_up = |py: Python<'_>| -> PyResult<()> {
        if let Some(callback) = progress {
            tell(py, callback, &control, began)?;
        }
        py.check_signals()
    };
    let mut ended = py.detach(|| {
        thread::scope(|scope| {
            let (done, outcome) = sync_channel(1);
            let worker = control.clone();
            let guarded = move || catch_unwind(AssertUnwindSafe(|| job(&worker)));
            thread::Builder::new()
                .name("softwood-fit".into())
                // The receiver is gone only if the outcome is not wanted any more.
                .spawn_scoped(scope, move || drop(done.send(guarded())))
                .map_err(no_threads)?;
            let mut interruption = None;
            let outcome = loop {
                match outcome.recv_timeout(SLICE) {
                    Ok(Ok(outcome)) => break outcome.map_err(|e| CoreError::from(e).into()),
                    Ok(Err(panic)) => break Err(from_panic(&call, &*panic)),
                    Err(RecvTimeoutError::Timeout) if interruption.is_none() => {
                        // None while the interpreter shuts down: nobody waits for a model any more.
                        let looked = Python::try_attach(look_up);
                        if !matches!(looked, Some(Ok(()))) {
                            control.stop.raise();
                        }
                        interruption = looked.and_then(Result::err);
                    }
                    Err(RecvTimeoutError::Timeout) => {} // it ends within moments
                    Err(RecvTimeoutError::Disconnected) => {
                        break Err(from_panic(&call, &"a thread ended without an answer"));
                    }
                }
            };
            Ok::<_, PyErr>(Ended {
                outcome,
                interruption,
            })
        })
    })?;
    if ended.outcome.is_ok() && ended.interruption.is_none() {
        ended.interruption = look_up(py).err();
    }
    Ok(ended)
}

/// Tells the callback how far a fit has come.
fn tell(py: Python<'_>, callback: &Py<PyAny>, control: &Control, began: Instant) -> PyResult<()> {
    let process = process::id();
    let now = control.progress.snapshot();
    let seconds = began.elapsed().as_secs_f64();
    let starts = (now.starts_done, now.starts, now.iterations);
    let state = (starts.0, starts.1, starts.2, now.best_objective, seconds);
    let called = callback.call1(py, state);
    if process::id() != process {
        end_forked_child(py);
    }
    called.map(drop)
}

/// Ends a child that a callback has forked and that came back from it: the thread of the fit has stayed with the
/// parent, and nothing could be returned here without it.
fn end_forked_child(py: Python<'_>) -> ! {
    let text = "a process forked in a progress callback cannot go on with the fit, \
                whose threads stayed behind: it must end within the callback, by os._exit";
    PyRuntimeError::new_err(text).write_unraisable(py, None);
    let _ = py
        .import("os")
        .and_then(|os| os.call_method1("_exit", (1,)));
    process::abort()
}
