//! Sizes that all vector code agrees on.

/// Doubles in the widest vector.
pub(crate) const MAX_LANES: usize = 8;

/// Vectors of rows worked on at a time: enough for their operations not to wait for each other.
pub(crate) const VECTOR_TILE: usize = 4;

/// Blocks hold a multiple of this many rows, the last one padded.
pub(crate) const ROW_MULTIPLE: usize = MAX_LANES * VECTOR_TILE;
