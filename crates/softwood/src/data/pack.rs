//! Packs a block: transposes rows and maps their features linearly, in one sweep.

use super::Rows;
use super::rows::with_view;
use super::transpose::{COLUMNS, Few, four_columns, one_column};
use crate::tree::block_pass::MAX_LANES;
use ndarray::ArrayView2;
use pulp::{Arch, Simd, WithSimd};

/// Scaled values of new rows are held within ± this, so that no sum of them overflows.
pub(crate) const FAR_OUTSIDE: f64 = 1e100;

/// u = (x · half − origin) · slope, held within ± limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinearMap {
    /// 1, or ½ where max − min would overflow.
    pub half: f64,
    pub origin: f64,
    pub slope: f64,
    pub limit: f64,
}

impl LinearMap {
    /// Leaves finite values as they are.
    pub const IDENTITY: Self = Self {
        half: 1.0,
        origin: 0.0,
        slope: 1.0,
        limit: f64::MAX,
    };

    #[inline(always)]
    pub fn apply(self, x: f64) -> f64 {
        // Comparisons rather than f64::max and min: one instruction each, as no NaN gets here.
        let u = (x * self.half - self.origin) * self.slope;
        let u = if u < self.limit { u } else { self.limit };
        if u > -self.limit { u } else { -self.limit }
    }

    #[inline(always)]
    fn apply_to_vector<S: Simd>(&self, simd: S, x: S::f64s) -> S::f64s {
        let x = simd.mul_f64s(x, simd.splat_f64s(self.half));
        let u = simd.sub_f64s(x, simd.splat_f64s(self.origin));
        let u = simd.mul_f64s(u, simd.splat_f64s(self.slope));
        let limit = simd.splat_f64s(self.limit);
        simd.max_f64s(simd.min_f64s(u, limit), simd.neg_f64s(limit))
    }
}

/// Fills `tile` (p × stride, rows innermost) with mapped rows `first..first+count`; the rest of each
/// column repeats its last value, so that every value in the tile is one of the data.
pub(crate) fn pack(
    rows: &Rows<'_>,
    first: usize,
    count: usize,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
) {
    with_view!(rows, view => {
        let view = view.slice(ndarray::s![first..first + count, ..]);
        Arch::new().dispatch(Pack { view, stride, maps, tile: &mut *tile });
    });
    if count < stride {
        for column in tile.chunks_exact_mut(stride) {
            let last = column[count - 1];
            column[count..].fill(last);
        }
    }
}

struct Pack<'a, T> {
    view: ArrayView2<'a, T>,
    stride: usize,
    maps: &'a [LinearMap],
    tile: &'a mut [f64],
}

impl<T: Copy + Into<f64>> WithSimd for Pack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            view,
            stride,
            maps,
            tile,
        } = self;
        let p = view.ncols();
        match (view.as_slice(), view.strides()) {
            (Some(values), _) => pack_rows(simd, values, p, stride, maps, tile),
            // Fortran order: whole columns.
            (None, [1, _]) => {
                for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
                    let values = view.column(j);
                    let values = values.to_slice().expect("a column of stride 1");
                    for (out, x) in column.iter_mut().zip(values) {
                        *out = map.apply((*x).into());
                    }
                }
            }
            // Any other strides.
            _ => {
                for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
                    for (out, x) in column.iter_mut().zip(view.column(j)) {
                        *out = map.apply((*x).into());
                    }
                }
            }
        }
    }
}

/// C order: a vector's worth of rows at a time, memory in order.
#[inline(always)]
fn pack_rows<S: Simd, T: Copy + Into<f64>>(
    simd: S,
    values: &[T],
    p: usize,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
) {
    let whole = values.chunks_exact(p * S::F64_LANES);
    let rest = whole.remainder();
    for (i, block) in whole.enumerate() {
        let mut rows: Few<'_, T> = [&block[..p]; MAX_LANES];
        for k in 0..S::F64_LANES {
            rows[k] = &block[k * p..][..p];
        }
        let first = i * S::F64_LANES;
        let turned = p - p % COLUMNS;
        let out = tile.chunks_exact_mut(COLUMNS * stride);
        for ((out, maps), j) in out
            .zip(maps.chunks_exact(COLUMNS))
            .zip((0..).step_by(COLUMNS))
        {
            let columns = four_columns(simd, rows, j);
            for k in 0..COLUMNS {
                let u = maps[k].apply_to_vector(simd, columns[k]);
                put::<S>(out, k * stride + first, u);
            }
        }
        for (j, map) in maps.iter().enumerate().skip(turned) {
            let u = map.apply_to_vector(simd, one_column(simd, rows, j));
            put::<S>(tile, j * stride + first, u);
        }
    }
    let first = values.len() / p - rest.len() / p;
    for (i, row) in rest.chunks_exact(p).enumerate() {
        for ((column, map), x) in tile.chunks_exact_mut(stride).zip(maps).zip(row) {
            column[first + i] = map.apply((*x).into());
        }
    }
}

/// Writes a vector to `tile` from position `at`.
#[inline(always)]
fn put<S: Simd>(tile: &mut [f64], at: usize, u: S::f64s) {
    S::as_mut_simd_f64s(&mut tile[at..][..S::F64_LANES]).0[0] = u;
}
