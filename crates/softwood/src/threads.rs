//! A thread pool of its own for every call: no global state, nothing left behind, safe after fork.

use crate::error::FitError;

/// Runs `job` in a fresh pool of `threads` threads (all cores if None); its rayon calls stay inside.
pub(crate) fn in_pool<T: Send>(
    threads: Option<usize>,
    job: impl FnOnce() -> T + Send,
) -> Result<T, FitError> {
    let threads =
        threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("softwood-{i}"))
        .build()
        .map_err(|error| FitError::Threads {
            threads,
            reason: error.to_string(),
        })?;
    Ok(pool.install(job))
}
