//! How a model goes over new rows: checked once, block by block or row by row, on the threads there are.

use super::SoftTree;
use crate::InputError;
use crate::data::finite::check_finite;
use crate::data::{Parallelism, RowSource, Rows, Tile, fill_by_chunks, scaled_once};
use crate::stop::Stop;
use crate::threads::in_pool;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows from which a prediction is worth a pool of threads.
const ROWS_FOR_A_POOL: usize = 20_000;

impl SoftTree {
    /// Does `job` on scaled rows that fit the model, in a pool of threads if they are many; it tells
    /// whether all of them are finite.
    pub(super) fn pass_once(
        &self,
        rows: Rows<'_>,
        mut job: impl FnMut(&dyn RowSource<'_>, Parallelism) -> bool + Send,
    ) -> Result<(), InputError> {
        self.check_features(&rows)?;
        let scaled = scaled_once(rows.reborrow(), &self.scaling);
        if in_pool_if_many(&rows, |parallelism| job(&*scaled, parallelism)) {
            return Ok(());
        }
        rows.check_finite(0..rows.len())?;
        Err(InputError::RowsChanged)
    }

    fn check_features(&self, rows: &Rows<'_>) -> Result<(), InputError> {
        if rows.features() == self.features() {
            return Ok(());
        }
        Err(InputError::FeatureMismatch {
            expected: self.features(),
            got: rows.features(),
        })
    }

    /// `width` values for each row, written by `fill(scratch, row number, row, out)` once all rows are
    /// known to fit the model and to be finite.
    pub(super) fn fill_rows<W>(
        &self,
        rows: &Rows<'_>,
        width: usize,
        scratch: impl Fn() -> W + Send + Sync,
        fill: impl Fn(&mut W, usize, &[f64], &mut [f64]) + Send + Sync,
    ) -> Result<Vec<f64>, InputError> {
        self.check_features(rows)?;
        let scratch = || (scratch(), vec![0.0; self.features()]);
        let fill = |(scratch, x): &mut (W, Vec<f64>), i: usize, out: &mut [f64]| {
            rows.copy_row(i, x);
            fill(scratch, i, x, out);
        };
        in_pool_if_many(rows, |parallelism| {
            let mut out = vec![0.0; rows.len() * width];
            match parallelism {
                Parallelism::Rows => {
                    check_finite(rows)?;
                    out.par_chunks_mut(width)
                        .enumerate()
                        .for_each_init(scratch, |scratch, (i, out)| fill(scratch, i, out));
                }
                Parallelism::None => {
                    rows.check_finite(0..rows.len())?;
                    let mut scratch = scratch();
                    let rows = out.chunks_mut(width).enumerate();
                    rows.for_each(|(i, out)| fill(&mut scratch, i, out));
                }
            }
            Ok(out)
        })
    }
}

/// Does `job` in a pool of threads if the rows are many: the caller's if this is called in one.
pub(super) fn in_pool_if_many<T: Send>(
    rows: &Rows<'_>,
    mut job: impl FnMut(Parallelism) -> T + Send,
) -> T {
    if rows.len() < ROWS_FOR_A_POOL {
        return job(Parallelism::None);
    }
    if rayon::current_thread_index().is_some() {
        return job(Parallelism::Rows); // the caller's pool
    }
    // If no pool can be had (no more threads on the system), one thread does it as well.
    in_pool(None, || job(Parallelism::Rows)).unwrap_or_else(|_| job(Parallelism::None))
}

/// `width` values a row, filled block by block; false if a row is not finite.
pub(super) fn fill_by_blocks<T: Send, W>(
    rows: &dyn RowSource<'_>,
    parallelism: Parallelism,
    width: usize,
    scratch: impl Fn() -> W + Sync,
    fill: impl Fn(&mut W, Tile<'_>, &mut [T]) + Sync,
    out: &mut [T],
) -> bool {
    let finite = AtomicBool::new(true);
    let fill_chunk = |chunk: usize, out: &mut [T]| {
        let mut scratch = scratch();
        let blocks = rows.chunk_blocks(chunk);
        let first = rows.block_rows(blocks.start).start;
        rows.visit(blocks, &Stop::default(), &mut |block| {
            let out = &mut out[(block.rows.start - first) * width..][..block.rows.len() * width];
            fill(&mut scratch, block.tile, out);
            if !block.finite {
                finite.store(false, Ordering::Relaxed);
            }
        })
    };
    let chunk = rows.chunk_len() * width;
    fill_by_chunks(out, chunk, parallelism, &fill_chunk).expect("nothing stops a prediction");
    finite.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::random_tree::{maps, random_model};
    use ndarray::Array2;
    use std::collections::HashSet;
    use std::sync::{Condvar, Mutex};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn many_rows_are_explained_on_several_threads() {
        let model = random_model(1, 2, 2, 8.0, maps());
        let p = model.tree.features();
        let x: Array2<f64> = Array2::zeros((ROWS_FOR_A_POOL, p));
        let (seen, met) = (Mutex::new(HashSet::new()), Condvar::new());
        // The first thread waits for a second one, which never comes if rows go one by one.
        let fill = |(): &mut (), _: usize, _: &[f64], _: &mut [f64]| {
            let mut threads = seen.lock().unwrap();
            threads.insert(thread::current().id());
            met.notify_all();
            let patience = Duration::from_secs(20);
            drop(met.wait_timeout_while(threads, patience, |threads| threads.len() < 2));
        };
        let rows = x.view().into();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        pool.install(|| model.tree.fill_rows(&rows, 1, || (), fill))
            .unwrap();
        assert_eq!(seen.lock().unwrap().len(), 2);
    }
}
