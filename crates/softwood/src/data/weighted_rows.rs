//! Rows with their weights and how to pass over them: all that training sees of X.

use super::ordered_sum::{Part, fill_by_chunks, nodes_within, sum_over};
use super::pass::{Pass, WeightedBlock};
use super::source::Source;
use super::{Parallelism, RowSource};
use crate::stop::{Interrupted, Stop};
use crate::vectors::AlignedBuffer;
use std::ops::Range;
use std::sync::Arc;

/// Rows, weights, and whether passes run in parallel and when they stop.
#[derive(Clone)]
pub struct WeightedRows<'a> {
    source: Source<'a>,
    weights: RowWeights,
    pub(crate) parallelism: Parallelism,
    pub(crate) stop: Stop,
}

/// w_i of every row and their sum, laid out as the blocks of a source are. Clones share them.
#[derive(Clone)]
pub struct RowWeights {
    values: Weights,
    total: f64,
}

/// All 1 takes no memory to speak of.
#[derive(Clone)]
enum Weights {
    /// Those of a whole block, and of the last one.
    One(Arc<[AlignedBuffer; 2]>),
    /// Padded with 0 to whole blocks.
    Each(Arc<AlignedBuffer>),
}

impl<'a> WeightedRows<'a> {
    /// Rows, and weights unless all are 1.
    pub fn new(
        source: impl RowSource<'a> + 'a,
        weights: Option<&[f64]>,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        let weights = RowWeights::new(&source, weights);
        Self::of(Arc::new(source), weights, parallelism, stop)
    }

    /// The same for rows that are shared, with weights made for a source of as many rows and the same
    /// stride.
    pub fn of(
        source: Source<'a>,
        weights: RowWeights,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        Self {
            source,
            weights,
            parallelism,
            stop,
        }
    }

    /// N.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// p.
    pub fn features(&self) -> usize {
        self.source.features()
    }

    /// Where they come from.
    pub(crate) fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// Rows in a block, padding included.
    pub(crate) fn stride(&self) -> usize {
        self.source.stride()
    }

    /// Their weights.
    pub(crate) fn row_weights(&self) -> &RowWeights {
        &self.weights
    }

    /// w_i.
    pub fn weight(&self, row: usize) -> f64 {
        match &self.weights.values {
            Weights::One(_) => 1.0,
            Weights::Each(weights) => weights[row],
        }
    }

    /// w_i of all rows, in order.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f64> + Clone {
        (0..self.len()).map(|row| self.weight(row))
    }

    /// Whether some weight may not be 1.
    pub(crate) fn are_weighted(&self) -> bool {
        matches!(self.weights.values, Weights::Each(_))
    }

    /// Σ_i w_i.
    pub(crate) fn total_weight(&self) -> f64 {
        self.weights.total
    }

    /// The same rows with other weights, padded as a column of [`Self::fill_columns`] is.
    pub(crate) fn with_weights(&self, weights: AlignedBuffer) -> Self {
        Self {
            weights: RowWeights::each(weights),
            ..self.clone()
        }
    }

    /// The same rows, polling another stop.
    pub(crate) fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self.clone()
        }
    }

    /// Some of the rows, by their positions.
    pub(crate) fn select(&self, picked: &[u32]) -> Self {
        let weights: Option<Vec<f64>> = self
            .are_weighted()
            .then(|| picked.iter().map(|i| self.weight(*i as usize)).collect());
        let source = self.source.select(picked);
        let weights = RowWeights::new(&*source, weights.as_deref());
        Self::of(source, weights, self.parallelism, self.stop.clone())
    }

    /// A value for each row, padded with 0 to whole blocks.
    pub(crate) fn padded(&self, values: &[f64]) -> AlignedBuffer {
        let mut column = AlignedBuffer::zeros(self.source.blocks() * self.stride());
        column[..values.len()].copy_from_slice(values);
        column
    }

    /// The sum of a pass over all rows.
    pub fn sum<P: Pass>(&self, pass: &P) -> Result<P::Sum, Interrupted> {
        if self.source.is_empty() {
            return Ok(pass.finish(pass.begin(self.stride())));
        }
        self.sum_chunks(pass, 0..self.source.chunks(), 0)
    }

    /// The sums that these rows, as chunks `first`… of `whole` chunks held in several places,
    /// contribute to a pass over all; [`merge_parts`](super::merge_parts) puts them together.
    pub fn partial_sums<P: Pass>(
        &self,
        pass: &P,
        first: usize,
        whole: usize,
    ) -> Result<Vec<Part<P::Sum>>, Interrupted> {
        let own = first..first + self.source.chunks();
        let part = |chunks: Range<usize>| {
            let sum = self.sum_chunks(pass, chunks.clone(), first)?;
            Ok(Part { chunks, sum })
        };
        let nodes = nodes_within(0..whole, &own);
        nodes.into_iter().map(part).collect()
    }

    fn sum_chunks<P: Pass>(
        &self,
        pass: &P,
        chunks: Range<usize>,
        first: usize,
    ) -> Result<P::Sum, Interrupted> {
        let chunk = |c: usize| {
            let mut scratch = pass.begin(self.stride());
            self.visit_chunk(c - first, |block| pass.see(&block, &mut scratch))?;
            Ok(pass.finish(scratch))
        };
        let merge = |sum: &mut P::Sum, later: P::Sum| pass.merge(sum, later);
        sum_over(chunks, self.parallelism, &chunk, &merge)
    }

    fn visit_chunk(
        &self,
        chunk: usize,
        mut visit: impl FnMut(WeightedBlock<'_>),
    ) -> Result<(), Interrupted> {
        let blocks = self.source.chunk_blocks(chunk);
        self.source.visit(blocks, &self.stop, &mut |block| {
            let weights = self.block_weights(&block.rows);
            visit(WeightedBlock {
                rows: block.rows,
                tile: block.tile,
                weights,
            });
        })
    }

    fn block_weights(&self, rows: &Range<usize>) -> &[f64] {
        match &self.weights.values {
            Weights::One(blocks) => &blocks[usize::from(rows.len() < self.stride())],
            Weights::Each(weights) => &weights[rows.start..][..self.stride()],
        }
    }

    /// Lets `fill(scratch, block, out)` write `width` columns of a stride for every block.
    pub(crate) fn fill_columns<S>(
        &self,
        width: usize,
        scratch: impl Fn(usize) -> S + Sync,
        fill: impl Fn(&mut S, &WeightedBlock<'_>, &mut [f64]) + Sync,
    ) -> Result<AlignedBuffer, Interrupted> {
        let stride = self.stride();
        let mut out = AlignedBuffer::zeros(self.source.blocks() * width * stride);
        let fill_chunk = |chunk: usize, out: &mut [f64]| {
            let mut scratch = scratch(stride);
            let mut blocks = out.chunks_exact_mut(width * stride);
            self.visit_chunk(chunk, |block| {
                let out = blocks.next().expect("as many stretches as blocks");
                fill(&mut scratch, &block, out);
            })
        };
        let chunk = self.source.chunk_len() * width;
        fill_by_chunks(&mut out, chunk, self.parallelism, &fill_chunk)?;
        Ok(out)
    }
}

impl RowWeights {
    /// The weights of the rows of `source`, all 1 if None.
    pub fn new<'a>(source: &(impl RowSource<'a> + ?Sized), weights: Option<&[f64]>) -> Self {
        let stride = source.stride();
        if let Some(weights) = weights {
            let mut each = AlignedBuffer::zeros(source.blocks() * stride);
            each[..weights.len()].copy_from_slice(weights);
            return Self::each(each);
        }
        let ones = |count: usize| {
            let mut ones = AlignedBuffer::zeros(stride);
            ones[..count].fill(1.0);
            ones
        };
        let blocks = [ones(stride), ones(source.len() % stride)];
        Self {
            values: Weights::One(Arc::new(blocks)),
            total: source.len() as f64,
        }
    }

    /// Weights padded with 0 to whole blocks.
    fn each(padded: AlignedBuffer) -> Self {
        Self {
            total: padded.iter().sum(),
            values: Weights::Each(Arc::new(padded)),
        }
    }

    /// Σ_i w_i.
    pub fn total(&self) -> f64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ScaledRows, Scaling, ScalingKind};
    use super::*;
    use ndarray::Array2;

    #[test]
    fn weights_laid_out_once_are_never_copied() {
        let x = Array2::from_shape_fn((300, 2), |(i, j)| (i + j) as f64);
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let source = ScaledRows::new(x.view().into(), &scaling).shared();
        let weights: Vec<f64> = (0..300).map(f64::from).collect();
        for given in [None, Some(weights.as_slice())] {
            let laid_out = RowWeights::new(&*source, given);
            let places = || {
                let stop = Stop::default();
                let rows = source.clone();
                let rows = WeightedRows::of(rows, laid_out.clone(), Parallelism::None, stop);
                assert_eq!(rows.total_weight(), given.map_or(300.0, |w| w.iter().sum()));
                let blocks = 0..source.blocks();
                let places = blocks.map(|b| rows.block_weights(&source.block_rows(b)).as_ptr());
                places.collect::<Vec<_>>()
            };
            assert_eq!(places(), places());
        }
    }
}
