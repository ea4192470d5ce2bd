//! Scaled rows handed out block by block, transposed so that the kernel runs over vectors of rows.

use super::aligned::AlignedBuffer;
use super::gather::{gather_rows, gather_tiles};
use super::pack::{LinearMap, pack};
use super::prefetch::Ahead;
use super::rows::with_view;
use super::{FeatureMap, Rows, Scaling};
use crate::stop::{Stop, Stopped};
use crate::tree::block_pass::ROW_MULTIPLE;
use rayon::prelude::*;
use std::ops::Range;

/// Blocks in a chunk, the unit of parallel work: partial sums are formed chunk by chunk, in an order
/// that depends on the number of rows alone.
pub(crate) const BLOCKS_PER_CHUNK: usize = 32;

/// Data sets up to this many bytes once scaled are scaled once and kept; larger ones are scaled
/// anew, in cache, at every evaluation, and never copied as a whole.
const KEEP_BELOW_BYTES: usize = 96 << 20;

/// The training rows behind their scaling.
pub struct ScaledRows<'a> {
    rows: Rows<'a>,
    scaling: &'a Scaling,
    linear_maps: Vec<LinearMap>,
    stride: usize,
    kept: Option<AlignedBuffer>,
    /// Which of `rows`, in which order; all of them as they stand if None.
    selected: Option<Vec<u32>>,
}

/// One block; rows beyond `rows.end` are padding.
pub(crate) struct Block<'t> {
    pub rows: Range<usize>,
    /// Whether the rows are free of NaN and infinities; looked at only when they are passed over once.
    pub finite: bool,
    pub tile: Tile<'t>,
}

/// The scaled features of a block and the memory of the rows that follow it.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'t> {
    /// p × stride, rows innermost.
    pub values: &'t [f64],
    pub ahead: Ahead,
}

impl<'a> ScaledRows<'a> {
    /// Rows to be passed over many times; `scaling` must have as many features as they.
    pub fn new(rows: Rows<'a>, scaling: &'a Scaling) -> Self {
        let mut scaled = Self::passing_once(rows, scaling);
        scaled.keep_if_small();
        scaled
    }

    /// Some of these rows, each position of `selected` less than [`Self::len`]; scaled values that
    /// are kept are copied, others are scaled anew from the user's.
    pub(crate) fn select(&self, selected: &[u32]) -> Self {
        let original = |i: &u32| self.selected.as_ref().map_or(*i, |own| own[*i as usize]);
        let mut some = Self {
            rows: self.rows,
            scaling: self.scaling,
            linear_maps: self.linear_maps.clone(),
            stride: self.stride,
            kept: None,
            selected: Some(selected.iter().map(original).collect()),
        };
        match &self.kept {
            Some(kept) => {
                let mut copied = AlignedBuffer::zeros(some.blocks() * some.tile_len());
                gather_tiles(kept, selected, self.features(), self.stride, &mut copied);
                some.kept = Some(copied);
            }
            None => some.keep_if_small(),
        }
        some
    }

    fn keep_if_small(&mut self) {
        let doubles = self.blocks() * self.tile_len();
        if doubles.saturating_mul(8) <= KEEP_BELOW_BYTES {
            let mut kept = AlignedBuffer::zeros(doubles);
            kept.par_chunks_exact_mut(self.tile_len())
                .enumerate()
                .with_min_len(BLOCKS_PER_CHUNK)
                .for_each(|(block, tile)| {
                    let mut ahead = Ahead::NOTHING;
                    self.scale_into(block, tile, &mut ahead);
                });
            self.kept = Some(kept);
        }
    }

    /// Rows to be passed over once, as in prediction: nothing is kept.
    pub fn passing_once(rows: Rows<'a>, scaling: &'a Scaling) -> Self {
        // A block of X and what the tree adds to it should stay in the first two caches.
        let stride = match rows.features() {
            0..=64 => 128,
            65..=256 => 64,
            _ => ROW_MULTIPLE,
        };
        let linear_maps = scaling
            .features
            .iter()
            .map(FeatureMap::linear_part)
            .collect();
        Self {
            rows,
            scaling,
            linear_maps,
            stride,
            kept: None,
            selected: None,
        }
    }

    /// N.
    pub fn len(&self) -> usize {
        self.selected.as_ref().map_or(self.rows.len(), Vec::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// p.
    pub fn features(&self) -> usize {
        self.rows.features()
    }

    /// Rows in a block, padding included.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    fn tile_len(&self) -> usize {
        self.features() * self.stride
    }

    /// Number of blocks, the last one padded.
    pub(crate) fn blocks(&self) -> usize {
        self.len().div_ceil(self.stride)
    }

    /// Number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.blocks().div_ceil(BLOCKS_PER_CHUNK)
    }

    /// Rows of chunk `chunk`.
    pub(crate) fn chunk_rows(&self, chunk: usize) -> Range<usize> {
        let rows = self.stride * BLOCKS_PER_CHUNK;
        chunk * rows..self.len().min((chunk + 1) * rows)
    }

    fn rows_of(&self, block: usize) -> Range<usize> {
        self.len().min(block * self.stride)..self.len().min((block + 1) * self.stride)
    }

    /// Fills the tile of a block; false if it holds a NaN or an infinity.
    fn scale_into(&self, block: usize, tile: &mut [f64], ahead: &mut Ahead) -> bool {
        let rows = self.rows_of(block);
        let finite = match &self.selected {
            Some(selected) => {
                gather_rows(
                    &self.rows,
                    &selected[rows],
                    self.stride,
                    &self.linear_maps,
                    tile,
                );
                true // training rows, checked before
            }
            None => pack(
                &self.rows,
                rows.start,
                rows.len(),
                self.stride,
                &self.linear_maps,
                tile,
                ahead,
            ),
        };
        for (column, map) in tile
            .chunks_exact_mut(self.stride)
            .zip(&self.scaling.features)
        {
            if let FeatureMap::Knots { .. } = map {
                map.apply_to(column);
            }
        }
        finite
    }

    fn memory_of(&self, block: usize) -> Ahead {
        let rows = self.rows_of(block);
        with_view!(self.rows, view => Ahead::of(view.slice(ndarray::s![rows, ..])))
    }

    /// Visits the blocks of one chunk in order, polling `stop` before each.
    pub(crate) fn visit_chunk(
        &self,
        chunk: usize,
        stop: &Stop,
        mut visit: impl FnMut(Block<'_>),
    ) -> Result<(), Stopped> {
        let blocks = chunk * BLOCKS_PER_CHUNK..self.blocks().min((chunk + 1) * BLOCKS_PER_CHUNK);
        let mut scratch = AlignedBuffer::zeros(if self.kept.is_some() {
            0
        } else {
            self.tile_len()
        });
        for block in blocks {
            stop.check()?;
            let (mut finite, mut ahead) = (true, Ahead::NOTHING);
            if self.kept.is_none() {
                ahead = self.memory_of(block + 1);
                finite = self.scale_into(block, &mut scratch, &mut ahead);
            }
            let values = match &self.kept {
                Some(kept) => &kept[block * self.tile_len()..][..self.tile_len()],
                None => &scratch,
            };
            visit(Block {
                rows: self.rows_of(block),
                finite,
                tile: Tile { values, ahead },
            });
        }
        Ok(())
    }
}
