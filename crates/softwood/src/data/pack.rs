//! Packs a block: transposes rows and maps their features linearly, in one sweep.

use super::Rows;
use super::finite::all_finite;
use super::rows::with_view;
use super::transpose::{COLUMNS, Few, Value, four_columns, one_column};
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

    /// Whether half and limit are those of every plain map.
    pub fn is_plain(&self) -> bool {
        self.half == 1.0 && self.limit == FAR_OUTSIDE
    }

    /// The map, in fewer steps if it is known to be plain.
    #[inline(always)]
    fn apply_to_vectors<S: Simd, const PLAIN: bool>(
        &self,
        simd: S,
        x: [S::f64s; GROUPS],
    ) -> [S::f64s; GROUPS] {
        let (origin, slope) = (simd.splat_f64s(self.origin), simd.splat_f64s(self.slope));
        let limit = if PLAIN { FAR_OUTSIDE } else { self.limit };
        let (limit, minus_limit) = (simd.splat_f64s(limit), simd.splat_f64s(-limit));
        let mut u = x;
        for u in &mut u {
            if !PLAIN {
                *u = simd.mul_f64s(*u, simd.splat_f64s(self.half));
            }
            *u = simd.mul_f64s(simd.sub_f64s(*u, origin), slope);
            *u = simd.max_f64s(simd.min_f64s(*u, limit), minus_limit);
        }
        u
    }
}

/// Vectors of rows packed side by side: they share the constants of a map.
const GROUPS: usize = 2;

/// Fills `tile` (p × stride, rows innermost) with mapped rows `first..first+count`; the rest of each
/// column repeats its last value, so that every value in the tile is one of the data. Returns whether
/// all of them are finite.
pub(crate) fn pack(
    rows: &Rows<'_>,
    first: usize,
    count: usize,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
) -> bool {
    let finite = with_view!(rows, view => {
        let view = view.slice(ndarray::s![first..first + count, ..]);
        Arch::new().dispatch(Pack { view, stride, maps, tile: &mut *tile })
    });
    if count < stride {
        for column in tile.chunks_exact_mut(stride) {
            let last = column[count - 1];
            column[count..].fill(last);
        }
    }
    finite
}

struct Pack<'a, T> {
    view: ArrayView2<'a, T>,
    stride: usize,
    maps: &'a [LinearMap],
    tile: &'a mut [f64],
}

impl<T: Value> WithSimd for Pack<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self {
            view,
            stride,
            maps,
            tile,
        } = self;
        let p = view.ncols();
        match (view.as_slice(), view.strides()) {
            (Some(values), _) if maps.iter().all(LinearMap::is_plain) => {
                pack_rows::<_, _, true>(simd, values, p, stride, maps, tile)
            }
            (Some(values), _) => pack_rows::<_, _, false>(simd, values, p, stride, maps, tile),
            // Fortran order: whole columns.
            (None, [1, _]) => {
                let mut finite = true;
                for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
                    let values = view.column(j);
                    let values = values.to_slice().expect("a column of stride 1");
                    for (out, x) in column.iter_mut().zip(values) {
                        *out = map.apply((*x).into());
                    }
                    finite &= all_finite(simd, values);
                }
                finite
            }
            // Any other strides.
            _ => {
                let mut nothing = 0.0;
                for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
                    for (out, x) in column.iter_mut().zip(view.column(j)) {
                        *out = map.apply((*x).into());
                        nothing += (*x).into() * 0.0;
                    }
                }
                nothing == 0.0
            }
        }
    }
}

/// C order: two vectors' worth of rows at a time, memory in order.
#[inline(always)]
fn pack_rows<S: Simd, T: Value, const PLAIN: bool>(
    simd: S,
    values: &[T],
    p: usize,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
) -> bool {
    // x · 0 is 0 for finite x and NaN for all others, and a NaN stays in a sum.
    let zero = simd.splat_f64s(0.0);
    let mut nothing = [zero; GROUPS];
    let whole = values.chunks_exact(p * GROUPS * S::F64_LANES);
    let rest = whole.remainder();
    for (i, block) in whole.enumerate() {
        let mut rows: [Few<'_, T>; GROUPS] = [[&block[..p]; MAX_LANES]; GROUPS];
        let quads = p / COLUMNS;
        let mut in_quads = rows.map(|rows| rows.map(|row| &row.as_chunks().0[..quads]));
        for g in 0..GROUPS {
            for k in 0..S::F64_LANES {
                rows[g][k] = &block[(g * S::F64_LANES + k) * p..][..p];
                in_quads[g][k] = &rows[g][k].as_chunks().0[..quads];
            }
        }
        let first = i * GROUPS * S::F64_LANES;
        let out = tile.chunks_exact_mut(COLUMNS * stride);
        for ((out, maps), q) in out.zip(maps.chunks_exact(COLUMNS)).zip(0..quads) {
            let columns = in_quads.map(|rows| four_columns(simd, rows, q));
            for k in 0..COLUMNS {
                let x = [columns[0][k], columns[1][k]];
                for g in 0..GROUPS {
                    nothing[g] = simd.mul_add_e_f64s(x[g], zero, nothing[g]);
                }
                let u = maps[k].apply_to_vectors::<S, PLAIN>(simd, x);
                put::<S>(out, k * stride + first, u);
            }
        }
        for (j, map) in maps.iter().enumerate().skip(quads * COLUMNS) {
            let x = rows.map(|rows| one_column(simd, rows, j));
            for g in 0..GROUPS {
                nothing[g] = simd.mul_add_e_f64s(x[g], zero, nothing[g]);
            }
            put::<S>(
                tile,
                j * stride + first,
                map.apply_to_vectors::<S, PLAIN>(simd, x),
            );
        }
    }
    let mut sum = nothing
        .iter()
        .map(|v| simd.reduce_sum_f64s(*v))
        .sum::<f64>();
    let first = values.len() / p - rest.len() / p;
    for (i, row) in rest.chunks_exact(p).enumerate() {
        for ((column, map), x) in tile.chunks_exact_mut(stride).zip(maps).zip(row) {
            column[first + i] = map.apply((*x).into());
            sum += (*x).into() * 0.0;
        }
    }
    sum == 0.0
}

/// Writes two vectors to `tile` from position `at`.
#[inline(always)]
fn put<S: Simd>(tile: &mut [f64], at: usize, u: [S::f64s; GROUPS]) {
    let out = S::as_mut_simd_f64s(&mut tile[at..][..GROUPS * S::F64_LANES]).0;
    out.copy_from_slice(&u);
}
