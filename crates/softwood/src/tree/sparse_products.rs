//! The two matrix products of the kernel for sparse blocks: their cost follows what is stored.
//!
//! With u = background + stored, Σ_j slope_tj u_j is one number for each node and a sum over what is
//! stored; Σ_i d_it u_ij likewise is background_j Σ_i d_it and a sum over what is stored.

use super::splits::Splits;
use crate::data::SparseTile;

/// Nodes whose sums are formed at a time: as many as stay in registers.
const NODES: usize = 8;

/// Runs `$work::<n>($args, t)` on tiles of n ≤ [`NODES`] nodes from t, together 0…`$count` − 1. Plain
/// loops and matches: a closure would not inherit the instruction set.
macro_rules! in_node_tiles {
    ($count:expr, $work:ident($($arg:expr),*)) => {
        for t in (0..$count).step_by(NODES) {
            match $count - t {
                1 => $work::<1>($($arg),*, t),
                2 => $work::<2>($($arg),*, t),
                3 => $work::<3>($($arg),*, t),
                4 => $work::<4>($($arg),*, t),
                5 => $work::<5>($($arg),*, t),
                6 => $work::<6>($($arg),*, t),
                7 => $work::<7>($($arg),*, t),
                _ => $work::<NODES>($($arg),*, t),
            }
        }
    };
}

/// Σ_j slope_tj background_j − offset_t for all nodes.
pub(super) fn at_background(splits: &Splits, background: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = splits.offsets.iter().map(|offset| -offset).collect();
    let slopes = splits.slopes.chunks_exact(values.len().max(1));
    for (u, slopes) in background.iter().zip(slopes).filter(|(u, _)| **u != 0.0) {
        for (value, slope) in values.iter_mut().zip(slopes) {
            *value += slope * u;
        }
    }
    values
}

/// z[t] = Σ_j slope_tj u_j − offset_t for all nodes, given its values at the background; padding is
/// there.
#[inline(always)]
pub(super) fn multiply_by_slopes(
    splits: &Splits,
    tile: SparseTile<'_>,
    at_background: &[f64],
    stride: usize,
    z: &mut [f64],
) {
    for (z, value) in z.chunks_exact_mut(stride).zip(at_background) {
        z[tile.rows()..].fill(*value);
    }
    in_node_tiles!(
        splits.offsets.len(),
        slope_tile(splits, tile, at_background, stride, z)
    );
}

#[inline(always)]
fn slope_tile<const N: usize>(
    splits: &Splits,
    tile: SparseTile<'_>,
    at_background: &[f64],
    stride: usize,
    z: &mut [f64],
    t: usize,
) {
    let width = splits.offsets.len();
    let first: &[f64; N] = at_background[t..].first_chunk().expect("a tile of nodes");
    for i in 0..tile.rows() {
        let mut sum = *first;
        let (columns, values) = tile.row(i);
        for (column, value) in columns.iter().zip(values) {
            let slopes = &splits.slopes[*column as usize * width + t..];
            let slopes: &[f64; N] = slopes.first_chunk().expect("a tile of nodes");
            for n in 0..N {
                sum[n] += value * slopes[n];
            }
        }
        for n in 0..N {
            z[(t + n) * stride + i] = sum[n];
        }
    }
}

/// slopes[j, t] += Σ_i d_it stored_ij for all features and nodes; d is B × stride.
#[inline(always)]
pub(super) fn add_products(
    branches: usize,
    tile: SparseTile<'_>,
    stride: usize,
    d: &[f64],
    slopes: &mut [f64],
) {
    in_node_tiles!(branches, product_tile(branches, tile, stride, d, slopes));
}

#[inline(always)]
fn product_tile<const N: usize>(
    branches: usize,
    tile: SparseTile<'_>,
    stride: usize,
    d: &[f64],
    slopes: &mut [f64],
    t: usize,
) {
    for i in 0..tile.rows() {
        let mut of_row = [0.0; N];
        for n in 0..N {
            of_row[n] = d[(t + n) * stride + i];
        }
        if of_row.iter().all(|d| *d == 0.0) {
            continue; // a row that does not weigh
        }
        let (columns, values) = tile.row(i);
        for (column, value) in columns.iter().zip(values) {
            let slopes = &mut slopes[*column as usize * branches + t..];
            let slopes: &mut [f64; N] = slopes.first_chunk_mut().expect("a tile of nodes");
            for n in 0..N {
                slopes[n] += of_row[n] * value;
            }
        }
    }
}
