//! Where rows come from: anything that hands out blocks of scaled rows, in any order, many times.

use super::sparse_tile::SparseTile;
use crate::stop::{Interrupted, Stop};
use crate::vectors::prefetch::Ahead;
use std::ops::Range;
use std::sync::Arc;

/// Blocks in a chunk, the unit of parallel work: partial sums are formed chunk by chunk, in an order
/// that depends on the number of rows alone.
pub(crate) const BLOCKS_PER_CHUNK: usize = 32;

/// Rows that can be passed over block by block. Dense rows are [`ScaledRows`](super::ScaledRows), sparse
/// ones [`SparseRows`](super::SparseRows); curves whose features move, or rows kept elsewhere implement
/// the same.
pub trait RowSource<'a>: Send + Sync {
    /// N.
    fn len(&self) -> usize;

    /// p.
    fn features(&self) -> usize;

    /// Rows in a block, padding included: a multiple of the rows that vector code takes at a time.
    fn stride(&self) -> usize;

    /// Hands the blocks numbered `blocks` to `visit` in order, polling `stop` before each.
    fn visit(
        &self,
        blocks: Range<usize>,
        stop: &Stop,
        visit: &mut dyn FnMut(Block<'_>),
    ) -> Result<(), Interrupted>;

    /// Some of these rows, each position of `picked` less than [`Self::len`], in that order.
    fn select(&self, picked: &[u32]) -> Source<'a>;

    /// What moves their features, if anything does.
    fn moving(&self) -> Option<&dyn MovingFeatures> {
        None
    }

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of blocks, the last one padded.
    fn blocks(&self) -> usize {
        self.len().div_ceil(self.stride())
    }

    /// Number of chunks.
    fn chunks(&self) -> usize {
        self.blocks().div_ceil(BLOCKS_PER_CHUNK)
    }

    /// Rows of every chunk but perhaps the last.
    fn chunk_len(&self) -> usize {
        BLOCKS_PER_CHUNK * self.stride()
    }

    /// Blocks of chunk `chunk`.
    fn chunk_blocks(&self, chunk: usize) -> Range<usize> {
        chunk * BLOCKS_PER_CHUNK..self.blocks().min((chunk + 1) * BLOCKS_PER_CHUNK)
    }

    /// Rows of block `block`, without padding.
    fn block_rows(&self, block: usize) -> Range<usize> {
        self.len().min(block * self.stride())..self.len().min((block + 1) * self.stride())
    }
}

/// Features that depend on parameters, such as the ends of intervals.
pub trait MovingFeatures: Sync {
    /// p.
    fn features(&self) -> usize;

    /// Number of parameters.
    fn moves(&self) -> usize;

    /// Adds to `out`, one for each parameter, what the rows of a block contribute to a gradient, given that by
    /// their features, p × stride with 0 for padding.
    fn add_moves(&self, rows: &Range<usize>, by_feature: &[f64], out: &mut [f64]);
}

/// Rows shared by all who pass over them.
pub type Source<'a> = Arc<dyn RowSource<'a> + 'a>;

/// One block; rows beyond `rows.end` are padding.
pub struct Block<'t> {
    /// Which rows.
    pub rows: Range<usize>,
    /// Whether the rows are free of NaN and infinities; looked at only when they are passed over once.
    pub(crate) finite: bool,
    /// Their features.
    pub(crate) tile: Tile<'t>,
}

impl<'t> Block<'t> {
    /// Rows whose features, p × stride, are finite.
    pub(crate) fn dense(rows: Range<usize>, values: &'t [f64]) -> Self {
        let ahead = Ahead::NOTHING;
        Self {
            rows,
            finite: true,
            tile: Tile::Dense(DenseTile { values, ahead }),
        }
    }
}

/// The scaled features of a block.
#[derive(Clone, Copy)]
pub(crate) enum Tile<'t> {
    Dense(DenseTile<'t>),
    Sparse(SparseTile<'t>),
}

/// All features of all rows, and the memory of the rows that follow them.
#[derive(Clone, Copy)]
pub(crate) struct DenseTile<'t> {
    /// p × stride, rows innermost.
    pub values: &'t [f64],
    pub ahead: Ahead,
}

impl<'t> Tile<'t> {
    /// All features, p × stride, for those who ask for dense blocks of any rows
    /// ([`ScaledRows`](super::ScaledRows)).
    pub fn columns(self) -> &'t [f64] {
        match self {
            Self::Dense(tile) => tile.values,
            Self::Sparse(_) => panic!("dense blocks are asked for, not any"),
        }
    }
}
