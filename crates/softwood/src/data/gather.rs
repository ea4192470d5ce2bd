//! Blocks of rows picked from anywhere, in the layout of [`pack`](super::pack).

use super::Rows;
use super::rows::with_view;
use super::source::BLOCKS_PER_CHUNK;
use super::value_maps::ValueMaps;
use rayon::prelude::*;

/// Fills `tile` (p × stride, rows innermost) with the rows `picked`, at least one; the rest of each
/// column repeats its last value. Tells whether all values are finite.
pub(super) fn gather_rows(
    rows: &Rows<'_>,
    picked: impl ExactSizeIterator<Item = usize>,
    stride: usize,
    maps: &ValueMaps<'_>,
    tile: &mut [f64],
) -> bool {
    let (count, mut finite) = (picked.len(), true);
    let mut put = |tile: &mut [f64], i: usize, j: usize, x: f64| {
        tile[j * stride + i] = maps.apply(j, x);
        finite &= x.is_finite();
    };
    with_view!(
        rows,
        view => for (i, row) in picked.enumerate() {
            for (j, x) in view.row(row).iter().enumerate() {
                put(tile, i, j, f64::from(*x));
            }
        },
        csr => {
            for (column, zero) in tile.chunks_exact_mut(stride).zip(maps.of_zeros()) {
                column.fill(zero);
            }
            for (i, row) in picked.enumerate() {
                csr.visit_row(row, |j, x| put(tile, i, j, x));
            }
        }
    );
    pad(tile, count, stride);
    finite
}

/// Copies the rows at positions `picked` of `tiles` (blocks of p × stride) to the blocks of `out`.
pub(crate) fn gather_tiles(
    tiles: &[f64],
    picked: &[u32],
    features: usize,
    stride: usize,
    out: &mut [f64],
) {
    let len = features * stride;
    let copy = |(tile, picked): (&mut [f64], &[u32])| {
        for (i, row) in picked.iter().enumerate() {
            let (block, place) = (*row as usize / stride, *row as usize % stride);
            for j in 0..features {
                tile[j * stride + i] = tiles[block * len + j * stride + place];
            }
        }
        pad(tile, picked.len(), stride);
    };
    let tiles_out = out.par_chunks_exact_mut(len).zip(picked.par_chunks(stride));
    tiles_out.with_min_len(BLOCKS_PER_CHUNK).for_each(copy);
}

fn pad(tile: &mut [f64], count: usize, stride: usize) {
    if count < stride {
        for column in tile.chunks_exact_mut(stride) {
            let last = column[count - 1];
            column[count..].fill(last);
        }
    }
}
