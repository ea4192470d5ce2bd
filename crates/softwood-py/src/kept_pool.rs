//! Threads kept between calls, and made anew in a forked child.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use softwood::FitError;
use std::collections::BTreeMap;
use std::mem::forget;
use std::process;
use std::sync::{Arc, Mutex};

/// A pool of threads, started at the first call.
pub struct KeptPool {
    threads: usize,
    /// The pool and the process it belongs to: a forked child inherits the pool without its threads.
    kept: Mutex<Option<(u32, Arc<ThreadPool>)>>,
}

impl KeptPool {
    /// `threads` threads, all cores if None.
    pub fn new(threads: Option<usize>) -> Self {
        let threads =
            threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Self {
            threads,
            kept: Mutex::new(None),
        }
    }

    /// Runs `job` in the pool; its rayon calls stay inside.
    pub fn run<T: Send>(&self, job: impl FnOnce() -> T + Send) -> Result<T, ThreadPoolBuildError> {
        Ok(self.pool()?.install(job))
    }

    /// The error that the pool could not be started, as fits say it.
    pub fn not_started(&self, error: &ThreadPoolBuildError) -> FitError {
        FitError::Threads {
            threads: self.threads,
            reason: error.to_string(),
        }
    }

    fn pool(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let mut kept = self.kept.lock().expect("no panic holds the lock");
        match &*kept {
            Some((process, pool)) if *process == process::id() => return Ok(pool.clone()),
            _ => {}
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|i| format!("softwood-{i}"))
            .build()?;
        let pool = Arc::new(pool);
        // Ending a pool whose threads do not exist could wait for them: a parent's is left alone.
        forget(kept.replace((process::id(), pool.clone())));
        Ok(pool)
    }
}

impl Drop for KeptPool {
    fn drop(&mut self) {
        let kept = self.kept.get_mut().expect("no panic holds the lock").take();
        match kept {
            Some((process, _)) if process != process::id() => forget(kept),
            _ => {}
        }
    }
}

/// Runs `job` in a pool of `threads` threads, all cores if None, which is kept for the next call.
pub fn in_kept_pool<T: Send>(
    threads: Option<usize>,
    job: impl FnOnce() -> T + Send,
) -> Result<T, ThreadPoolBuildError> {
    static POOLS: Mutex<BTreeMap<Option<usize>, Arc<KeptPool>>> = Mutex::new(BTreeMap::new());
    let new = || Arc::new(KeptPool::new(threads));
    // Forked while another thread held the lock, a child would wait for ever: it takes a new pool.
    let pool = POOLS.try_lock().map_or_else(
        |_| new(),
        |mut pools| pools.entry(threads).or_insert_with(new).clone(),
    );
    pool.run(job)
}
