//! Scaled rows handed out in dense blocks, transposed so that the kernel runs over vectors of rows.

use super::gather::{gather_rows, gather_tiles};
use super::pack::pack;
use super::picked::Picked;
use super::rows::with_view;
use super::source::{BLOCKS_PER_CHUNK, Block, DenseTile, RowSource, Source, Tile};
use super::value_maps::ValueMaps;
use super::{Rows, Scaling};
use crate::stop::{Interrupted, Stop};
use crate::vectors::prefetch::Ahead;
use crate::vectors::{AlignedBuffer, ROW_MULTIPLE};
use ndarray::Axis;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Data sets up to this many bytes once scaled are scaled once and kept; larger ones are scaled
/// anew, in cache, at every evaluation, and never copied as a whole.
pub(super) const KEEP_BELOW_BYTES: usize = 96 << 20;

/// The rows behind their scaling, in dense blocks even if they are sparse.
pub struct ScaledRows<'a> {
    rows: Rows<'a>,
    maps: ValueMaps<'a>,
    stride: usize,
    kept: Option<AlignedBuffer>,
    picked: Picked,
}

impl<'a> ScaledRows<'a> {
    /// Rows to be passed over many times; `scaling` must have as many features as they.
    pub fn new(rows: Rows<'a>, scaling: &'a Scaling) -> Self {
        let mut scaled = Self::passing_once(rows, scaling);
        scaled.keep_if_small();
        scaled
    }

    /// The same, to be shared by all who pass over them.
    pub fn shared(self) -> Source<'a> {
        Arc::new(self)
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
        Self {
            rows,
            maps: ValueMaps::new(scaling),
            stride,
            kept: None,
            picked: Picked::all(rows.len()),
        }
    }

    fn tile_len(&self) -> usize {
        self.features() * self.stride
    }

    /// Fills the tile of a block; false if it holds a NaN or an infinity.
    fn scale_into(&self, block: usize, tile: &mut [f64], ahead: &mut Ahead) -> bool {
        let rows = self.block_rows(block);
        let (stride, maps) = (self.stride, &self.maps);
        let gathered = |tile: &mut [f64]| {
            let picked = rows.clone().map(|position| self.picked.original(position));
            gather_rows(&self.rows, picked, stride, maps, tile)
        };
        if !self.picked.are_all() {
            return gathered(tile);
        }
        with_view!(
            &self.rows,
            view => {
                let view = view.slice_axis(Axis(0), rows.clone().into());
                let finite = pack(view, stride, &maps.linear, tile, ahead);
                maps.apply_knots(tile, stride);
                finite
            },
            _csr => gathered(tile)
        )
    }

    fn memory_of(&self, block: usize) -> Ahead {
        let rows = self.block_rows(block);
        with_view!(
            self.rows,
            view => Ahead::of(view.slice_axis(Axis(0), rows.into())),
            _csr => Ahead::NOTHING
        )
    }
}

impl<'a> RowSource<'a> for ScaledRows<'a> {
    fn len(&self) -> usize {
        self.picked.len()
    }

    fn features(&self) -> usize {
        self.rows.features()
    }

    fn stride(&self) -> usize {
        self.stride
    }

    fn visit(
        &self,
        blocks: Range<usize>,
        stop: &Stop,
        visit: &mut dyn FnMut(Block<'_>),
    ) -> Result<(), Interrupted> {
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
                rows: self.block_rows(block),
                finite,
                tile: Tile::Dense(DenseTile { values, ahead }),
            });
        }
        Ok(())
    }

    /// Scaled values that are kept are copied, others are scaled anew from the user's.
    fn select(&self, picked: &[u32]) -> Source<'a> {
        let mut some = Self {
            rows: self.rows,
            maps: self.maps.clone(),
            stride: self.stride,
            kept: None,
            picked: self.picked.pick(picked),
        };
        match &self.kept {
            Some(kept) => {
                let mut copied = AlignedBuffer::zeros(some.blocks() * some.tile_len());
                gather_tiles(kept, picked, self.features(), self.stride, &mut copied);
                some.kept = Some(copied);
            }
            None => some.keep_if_small(),
        }
        Arc::new(some)
    }
}
