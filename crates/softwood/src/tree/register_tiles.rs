//! The two matrix products of the kernel, in tiles of sums that stay in registers.

use super::splits::Splits;
use crate::vectors::prefetch::Ahead;
use crate::vectors::{MAX_LANES, VECTOR_TILE};
use pulp::Simd;

/// Features in a tile of the second product; the first has [`VECTOR_TILE`] vectors of rows.
const FEATURE_TILE: usize = 4;

/// Nodes in a tile at most: four sums for each, an operand for each and one more are 16 registers,
/// all that AVX2 has, or 26 of 32. The more nodes, the less often the rows are read.
#[inline(always)]
const fn node_tile<S: Simd>() -> usize {
    if S::REGISTER_COUNT < 32 { 3 } else { 5 }
}

/// Where the `k`-th of so many nearly equal parts of `0..count` begins.
#[inline(always)]
fn part(k: usize, parts: usize, count: usize) -> usize {
    k * count / parts
}

/// A register tile of rows of a column.
#[inline(always)]
pub(super) fn rows<S: Simd>(columns: &[f64], at: usize) -> &[S::f64s; VECTOR_TILE] {
    let rows = &columns[at..][..S::F64_LANES * VECTOR_TILE];
    S::as_simd_f64s(rows).0.first_chunk().unwrap()
}

#[inline(always)]
pub(super) fn rows_mut<S: Simd>(columns: &mut [f64], at: usize) -> &mut [S::f64s; VECTOR_TILE] {
    let rows = &mut columns[at..][..S::F64_LANES * VECTOR_TILE];
    S::as_mut_simd_f64s(rows).0.first_chunk_mut().unwrap()
}

/// Steps of the inner loops of [`multiply_by_slopes`].
#[inline(always)]
pub(super) fn slope_steps<S: Simd>(splits: &Splits, stride: usize) -> usize {
    let node_tiles = splits.offsets.len().div_ceil(node_tile::<S>());
    node_tiles * (stride / (S::F64_LANES * VECTOR_TILE)) * splits.features
}

/// Steps of the inner loops of [`add_products`].
#[inline(always)]
pub(super) fn product_steps<S: Simd>(splits: &Splits, stride: usize) -> usize {
    let node_tiles = splits.offsets.len().div_ceil(node_tile::<S>());
    node_tiles * splits.features.div_ceil(FEATURE_TILE) * (stride / S::F64_LANES)
}

/// z[t] = Σ_j slope_tj u_j − offset_t for all nodes.
#[inline(always)]
pub(super) fn multiply_by_slopes<S: Simd>(
    simd: S,
    splits: &Splits,
    stride: usize,
    tile: &[f64],
    z: &mut [f64],
    ahead: &mut Ahead,
) {
    let b = splits.offsets.len();
    let tiles = b.div_ceil(node_tile::<S>());
    // Plain loops and matches: a closure would not inherit the instruction set.
    for k in 0..tiles {
        let t = part(k, tiles, b);
        match part(k + 1, tiles, b) - t {
            1 => slope_tile::<S, 1>(simd, t, splits, stride, tile, z, ahead),
            2 => slope_tile::<S, 2>(simd, t, splits, stride, tile, z, ahead),
            3 => slope_tile::<S, 3>(simd, t, splits, stride, tile, z, ahead),
            4 => slope_tile::<S, 4>(simd, t, splits, stride, tile, z, ahead),
            _ => slope_tile::<S, 5>(simd, t, splits, stride, tile, z, ahead),
        }
    }
}

#[inline(always)]
fn slope_tile<S: Simd, const NODES: usize>(
    simd: S,
    t: usize,
    splits: &Splits,
    stride: usize,
    tile: &[f64],
    z: &mut [f64],
    ahead: &mut Ahead,
) {
    let height = S::F64_LANES * VECTOR_TILE;
    for first in (0..stride).step_by(height) {
        let mut sum = [[simd.splat_f64s(0.0); VECTOR_TILE]; NODES];
        for (sum, offset) in sum.iter_mut().zip(&splits.offsets[t..]) {
            *sum = [simd.splat_f64s(-offset); VECTOR_TILE];
        }
        let burst = ahead.burst(splits.features);
        let slopes = splits.slopes.chunks_exact(splits.offsets.len());
        for (j, (u, slopes)) in tile.chunks_exact(stride).zip(slopes).enumerate() {
            burst.step(simd, j);
            let (u, slopes) = (rows::<S>(u, first), &slopes[t..][..NODES]);
            let mut slope = [simd.splat_f64s(0.0); NODES];
            for n in 0..NODES {
                slope[n] = simd.splat_f64s(slopes[n]);
            }
            for v in 0..VECTOR_TILE {
                for n in 0..NODES {
                    sum[n][v] = simd.mul_add_e_f64s(slope[n], u[v], sum[n][v]);
                }
            }
        }
        for n in 0..NODES {
            let out = &mut z[(t + n) * stride + first..][..height];
            S::as_mut_simd_f64s(out).0.copy_from_slice(&sum[n]);
        }
    }
}

/// slopes[t, j] += Σ_rows d_t u_j, lane by lane, for all nodes (or functions) and features.
#[inline(always)]
pub(super) fn add_products<S: Simd>(
    simd: S,
    splits: &Splits,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
    ahead: &mut Ahead,
) {
    let (b, p) = (splits.offsets.len(), splits.features);
    let tiles = b.div_ceil(node_tile::<S>());
    for k in 0..tiles {
        let t = part(k, tiles, b);
        match part(k + 1, tiles, b) - t {
            1 => add_products_of::<S, 1>(simd, t, p, stride, d, tile, slopes, ahead),
            2 => add_products_of::<S, 2>(simd, t, p, stride, d, tile, slopes, ahead),
            3 => add_products_of::<S, 3>(simd, t, p, stride, d, tile, slopes, ahead),
            4 => add_products_of::<S, 4>(simd, t, p, stride, d, tile, slopes, ahead),
            _ => add_products_of::<S, 5>(simd, t, p, stride, d, tile, slopes, ahead),
        }
    }
}

/// The same for `NODES` nodes from `t`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // as below
fn add_products_of<S: Simd, const NODES: usize>(
    simd: S,
    t: usize,
    p: usize,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
    ahead: &mut Ahead,
) {
    let tiles = p.div_ceil(FEATURE_TILE);
    for k in 0..tiles {
        let j = part(k, tiles, p);
        match part(k + 1, tiles, p) - j {
            1 => product_tile::<S, NODES, 1>(simd, t, j, p, stride, d, tile, slopes, ahead),
            2 => product_tile::<S, NODES, 2>(simd, t, j, p, stride, d, tile, slopes, ahead),
            3 => product_tile::<S, NODES, 3>(simd, t, j, p, stride, d, tile, slopes, ahead),
            _ => product_tile::<S, NODES, FEATURE_TILE>(
                simd, t, j, p, stride, d, tile, slopes, ahead,
            ),
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)] // a micro-kernel: every argument is an index or an operand
fn product_tile<S: Simd, const NODES: usize, const FEATURES: usize>(
    simd: S,
    t: usize,
    j: usize,
    p: usize,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
    ahead: &mut Ahead,
) {
    // Slices of one known length each, so that no index below needs a check.
    let vectors = stride / S::F64_LANES;
    let mut d_of = [&S::as_simd_f64s(&d[..stride]).0[..vectors]; NODES];
    for n in 0..NODES {
        d_of[n] = &S::as_simd_f64s(&d[(t + n) * stride..][..stride]).0[..vectors];
    }
    let mut u_of = [&S::as_simd_f64s(&tile[..stride]).0[..vectors]; FEATURES];
    for f in 0..FEATURES {
        u_of[f] = &S::as_simd_f64s(&tile[(j + f) * stride..][..stride]).0[..vectors];
    }
    let mut sum = [[simd.splat_f64s(0.0); FEATURES]; NODES];
    let burst = ahead.burst(vectors);
    for i in 0..vectors {
        burst.step(simd, i);
        let mut d = [simd.splat_f64s(0.0); NODES];
        for n in 0..NODES {
            d[n] = d_of[n][i];
        }
        for f in 0..FEATURES {
            let u = u_of[f][i];
            for n in 0..NODES {
                sum[n][f] = simd.mul_add_e_f64s(d[n], u, sum[n][f]);
            }
        }
    }
    for n in 0..NODES {
        let sums = &mut slopes[((t + n) * p + j) * MAX_LANES..][..FEATURES * MAX_LANES];
        for (sums, sum) in sums.chunks_exact_mut(MAX_LANES).zip(sum[n]) {
            let lanes = &mut S::as_mut_simd_f64s(sums).0[0];
            *lanes = simd.add_f64s(*lanes, sum);
        }
    }
}
