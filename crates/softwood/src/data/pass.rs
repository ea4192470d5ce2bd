//! A pass over rows as a value: what it sees of a block, and how the sums of chunks are merged.

use super::source::Tile;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;

/// A sum over all rows. Its partial sums can be sent to and from another machine: rows held there
/// are passed over by the same code, and give the same bits for the same chunks.
pub trait Pass: Sync {
    /// What is held while the blocks of a chunk are seen.
    type Scratch;

    /// The sum over some chunks.
    type Sum: Send + Serialize + DeserializeOwned;

    /// At the beginning of a chunk whose blocks have `stride` rows.
    fn begin(&self, stride: usize) -> Self::Scratch;

    /// Takes in a block.
    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Self::Scratch);

    /// At the end of a chunk.
    fn finish(&self, scratch: Self::Scratch) -> Self::Sum;

    /// Adds the sum over later chunks.
    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum);
}

/// A block of rows with their weights.
pub struct WeightedBlock<'t> {
    /// Which rows.
    pub rows: Range<usize>,
    /// Their features.
    pub(crate) tile: Tile<'t>,
    /// Their weights, then 0 for padding.
    pub weights: &'t [f64],
}

impl WeightedBlock<'_> {
    /// Rows of the block, padding included.
    pub(crate) fn stride(&self) -> usize {
        self.weights.len()
    }

    /// The part of a padded column, a value for each row, that belongs to the block.
    pub(crate) fn part_of<'c>(&self, column: &'c [f64]) -> &'c [f64] {
        &column[self.rows.start..][..self.stride()]
    }

    /// The features one by one, of dense blocks.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.tile.columns().chunks_exact(self.stride())
    }
}
