//! Packs a block: transposes rows and maps their features linearly, in one sweep.

use super::Rows;
use super::rows::with_view;
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
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            view,
            stride,
            maps,
            tile,
        } = self;
        let p = view.ncols();
        match (view.as_slice(), view.strides()) {
            // C order: transpose by plain stores into the cache, then map whole columns.
            (Some(values), _) => {
                for (i, row) in values.chunks_exact(p).enumerate() {
                    for (column, x) in tile.chunks_exact_mut(stride).zip(row) {
                        column[i] = (*x).into();
                    }
                }
                for (column, map) in tile.chunks_exact_mut(stride).zip(maps) {
                    for x in column {
                        *x = map.apply(*x);
                    }
                }
            }
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
