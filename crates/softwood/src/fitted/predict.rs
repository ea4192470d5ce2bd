//! Probabilities of leaves and classes for new rows.

use super::{OrctModel, SoftTree};
use crate::InputError;
use crate::data::finite::check_finite;
use crate::data::{Parallelism, RowSource, Rows, ScaledRows, Tile, fill_by_chunks};
use crate::stop::Stop;
use crate::threads::in_pool;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::label_regions::LabelRegions;
use crate::tree::leaf_sums::sum_by_label;
use crate::tree::splits::Splits;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows from which a prediction is worth a pool of threads.
const ROWS_FOR_A_POOL: usize = 20_000;

impl SoftTree {
    /// P_xt for each row, N × L.
    pub fn leaf_probabilities<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<f64>, InputError> {
        let (rows, leaves) = (rows.into(), self.topology.leaves());
        let identity: Vec<u32> = (0..leaves as u32).collect();
        let mut out = vec![0.0; rows.len() * leaves];
        self.labelled_probabilities(rows, &identity, leaves, &mut out)?;
        Ok(out)
    }

    /// Σ_{t: label_t = k} P_xt for each row and k < `classes`, into `out`.
    fn labelled_probabilities(
        &self,
        rows: Rows<'_>,
        labels: &[u32],
        classes: usize,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        let theta = self.theta();
        self.pass_once(rows, |scaled, parallelism| {
            class_probabilities(
                scaled,
                self.topology,
                &theta,
                self.gamma,
                labels,
                classes,
                parallelism,
                out,
            )
        })
    }

    /// Does `job` on scaled rows that fit the model, in a pool of threads if they are many; it tells
    /// whether all of them are finite.
    pub(super) fn pass_once(
        &self,
        rows: Rows<'_>,
        mut job: impl FnMut(&ScaledRows<'_>, Parallelism) -> bool + Send,
    ) -> Result<(), InputError> {
        self.check_features(&rows)?;
        let scaled = ScaledRows::passing_once(rows.reborrow(), &self.scaling);
        if !in_pool_if_many(&rows, |parallelism| job(&scaled, parallelism)) {
            rows.check_finite(0..rows.len())?;
            unreachable!("a row that is not finite is found again")
        }
        Ok(())
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

    /// Does `job` on rows that fit the model and are finite, in a pool of threads if they are many.
    pub(super) fn check_rows_then<T: Send>(
        &self,
        rows: &Rows<'_>,
        job: impl Fn(Parallelism) -> T + Sync,
    ) -> Result<T, InputError> {
        self.check_features(rows)?;
        in_pool_if_many(rows, |parallelism| {
            match parallelism {
                Parallelism::Rows => check_finite(rows)?,
                Parallelism::None => rows.check_finite(0..rows.len())?,
            }
            Ok(job(parallelism))
        })
    }
}

/// Does `job` in a pool of threads if the rows are many: the caller's if this is called in one.
fn in_pool_if_many<T: Send>(rows: &Rows<'_>, mut job: impl FnMut(Parallelism) -> T + Send) -> T {
    if rows.len() < ROWS_FOR_A_POOL {
        return job(Parallelism::None);
    }
    if rayon::current_thread_index().is_some() {
        return job(Parallelism::Rows); // the caller's pool
    }
    // If no pool can be had (no more threads on the system), one thread does it as well.
    in_pool(None, || job(Parallelism::Rows)).unwrap_or_else(|_| job(Parallelism::None))
}

impl OrctModel {
    /// Probability of each class for each row, N × K.
    pub fn predict_proba<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let rows = rows.into();
        let mut out = vec![0.0; rows.len() * self.classes.len()];
        self.predict_proba_into(rows, &mut out)?;
        Ok(out)
    }

    /// The same into memory of the caller's, which must have N × K places.
    pub fn predict_proba_into<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        let (rows, classes) = (rows.into(), self.classes.len());
        assert_eq!(out.len(), rows.len() * classes, "N × K places");
        self.tree
            .labelled_probabilities(rows, &self.leaf_classes, classes, out)
    }

    /// Position of the most probable class for each row; the first one on a tie.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        let probabilities = self.predict_proba(rows)?;
        Ok(probabilities
            .chunks_exact(self.classes.len())
            .map(most_probable)
            .collect())
    }
}

/// Position of the largest value, the first one on a tie.
pub(crate) fn most_probable(row: &[f64]) -> u32 {
    let mut best = 0;
    for k in 1..row.len() {
        if row[k] > row[best] {
            best = k;
        }
    }
    best as u32
}

/// N × K sums of leaf probabilities by label into `out`; false if a row is not finite.
#[allow(clippy::too_many_arguments)] // rows, a tree in its parts, and where to
pub(crate) fn class_probabilities(
    rows: &dyn RowSource<'_>,
    topology: Topology,
    theta: &[f64],
    gamma: f64,
    labels: &[u32],
    classes: usize,
    parallelism: Parallelism,
    out: &mut [f64],
) -> bool {
    // Of a deep tree often half of the splits part leaves of one class: they cost nothing.
    let LabelRegions { splits, ends } = LabelRegions::of(topology, labels);
    let splits = Splits::of_nodes(topology, rows.features(), theta, gamma, splits);
    let stride = rows.stride();
    let scratch = || {
        let columns = vec![0.0; classes * stride];
        (BlockScratch::new(topology, stride), columns)
    };
    let fill =
        |(scratch, columns): &mut (BlockScratch, Vec<f64>), tile: Tile<'_>, out: &mut [f64]| {
            block_pass::leaf_probabilities(&splits, tile, scratch);
            sum_by_label(scratch, &ends, columns);
            // Rounding may take a sum beyond 1.
            columns.iter_mut().for_each(|p| *p = p.min(1.0));
            match classes {
                2 => side_by_side::<2>(columns, stride, out),
                3 => side_by_side::<3>(columns, stride, out),
                4 => side_by_side::<4>(columns, stride, out),
                _ => {
                    for (i, row) in out.chunks_exact_mut(classes).enumerate() {
                        for (k, p) in row.iter_mut().enumerate() {
                            *p = columns[k * stride + i];
                        }
                    }
                }
            }
        };
    fill_by_blocks(rows, parallelism, classes, scratch, fill, out)
}

/// The rows of `K` columns, unrolled: it is done for every row predicted.
fn side_by_side<const K: usize>(columns: &[f64], stride: usize, out: &mut [f64]) {
    let rows = out.as_chunks_mut::<K>().0;
    let columns: [&[f64]; K] = std::array::from_fn(|k| &columns[k * stride..][..rows.len()]);
    for (i, row) in rows.iter_mut().enumerate() {
        *row = std::array::from_fn(|k| columns[k][i]);
    }
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
