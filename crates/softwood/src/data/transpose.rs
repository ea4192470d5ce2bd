//! Columns of a few C-ordered rows as vectors, turned in registers rather than through memory.

use crate::tree::block_pass::MAX_LANES;
use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use {
    pulp::x86::{V3, V4},
    std::any::Any,
    std::arch::x86_64::{__m256d, __m512d},
};

/// As many rows as the widest vector has lanes; narrower ones use the first of them.
pub(crate) type Few<'a, T> = [&'a [T]; MAX_LANES];

/// Columns turned at a time.
pub(crate) const COLUMNS: usize = 4;

/// Four values of a row.
pub(crate) type Quad<T> = [T; COLUMNS];

/// A number that rows hold.
pub(crate) trait Value: Copy + Into<f64> {
    /// Four of them by one load. Taken one by one, the compiler would mix loading and turning into
    /// something several times as long.
    #[cfg(target_arch = "x86_64")]
    fn load(simd: V3, four: Quad<Self>) -> __m256d;
}

impl Value for f64 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn load(_: V3, four: Quad<Self>) -> __m256d {
        pulp::cast(four)
    }
}

impl Value for f32 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn load(simd: V3, four: Quad<Self>) -> __m256d {
        simd.avx._mm256_cvtps_pd(pulp::cast(four))
    }
}

/// The `q`-th four columns of `S::F64_LANES` rows.
#[inline(always)]
pub(crate) fn four_columns<S: Simd, T: Value>(
    simd: S,
    rows: Few<'_, Quad<T>>,
    q: usize,
) -> [S::f64s; COLUMNS] {
    #[cfg(target_arch = "x86_64")]
    {
        let any: &dyn Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            return bytemuck::cast(four_columns_v4(*v4, rows, q));
        }
        if let Some(v3) = any.downcast_ref::<V3>() {
            return bytemuck::cast(four_columns_v3(*v3, rows, q));
        }
    }
    let mut columns = [simd.splat_f64s(0.0); COLUMNS];
    let lanes: &mut [f64] = bytemuck::cast_slice_mut(&mut columns);
    for i in 0..S::F64_LANES {
        for (k, x) in rows[i][q].into_iter().enumerate() {
            lanes[k * S::F64_LANES + i] = x.into();
        }
    }
    columns
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_columns_v4<T: Value>(simd: V4, rows: Few<'_, Quad<T>>, q: usize) -> [__m512d; COLUMNS] {
    // Such that the exchanges below end with the rows in order.
    let a = side_by_side(simd, rows[0][q], rows[2][q]);
    let b = side_by_side(simd, rows[1][q], rows[3][q]);
    let c = side_by_side(simd, rows[4][q], rows[6][q]);
    let d = side_by_side(simd, rows[5][q], rows[7][q]);
    let f = simd.avx512f;
    let (even, even2) = (f._mm512_unpacklo_pd(a, b), f._mm512_unpacklo_pd(c, d));
    let (odd, odd2) = (f._mm512_unpackhi_pd(a, b), f._mm512_unpackhi_pd(c, d));
    [
        f._mm512_shuffle_f64x2::<0b10_00_10_00>(even, even2),
        f._mm512_shuffle_f64x2::<0b10_00_10_00>(odd, odd2),
        f._mm512_shuffle_f64x2::<0b11_01_11_01>(even, even2),
        f._mm512_shuffle_f64x2::<0b11_01_11_01>(odd, odd2),
    ]
}

/// Four values of one row beside those of another.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn side_by_side<T: Value>(simd: V4, row: Quad<T>, other: Quad<T>) -> __m512d {
    let (low, high) = (T::load(*simd, row), T::load(*simd, other));
    let low = simd.avx512f._mm512_castpd256_pd512(low);
    simd.avx512f._mm512_insertf64x4::<1>(low, high)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_columns_v3<T: Value>(simd: V3, rows: Few<'_, Quad<T>>, q: usize) -> [__m256d; COLUMNS] {
    let a = T::load(simd, rows[0][q]);
    let b = T::load(simd, rows[1][q]);
    let c = T::load(simd, rows[2][q]);
    let d = T::load(simd, rows[3][q]);
    let f = simd.avx;
    let (even, even2) = (f._mm256_unpacklo_pd(a, b), f._mm256_unpacklo_pd(c, d));
    let (odd, odd2) = (f._mm256_unpackhi_pd(a, b), f._mm256_unpackhi_pd(c, d));
    [
        f._mm256_permute2f128_pd::<0x20>(even, even2),
        f._mm256_permute2f128_pd::<0x20>(odd, odd2),
        f._mm256_permute2f128_pd::<0x31>(even, even2),
        f._mm256_permute2f128_pd::<0x31>(odd, odd2),
    ]
}

/// Column `j` of `S::F64_LANES` rows.
#[inline(always)]
pub(crate) fn one_column<S: Simd, T: Value>(simd: S, rows: Few<'_, T>, j: usize) -> S::f64s {
    #[cfg(target_arch = "x86_64")]
    {
        // An array on its way to a vector would pass through memory and stall the load.
        let any: &dyn Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            let low = quad_down(rows, 0, j);
            let high = quad_down(rows, 4, j);
            return bytemuck::cast(v4.avx512f._mm512_set_pd(
                high[3], high[2], high[1], high[0], low[3], low[2], low[1], low[0],
            ));
        }
        if let Some(v3) = any.downcast_ref::<V3>() {
            let x = quad_down(rows, 0, j);
            return bytemuck::cast(v3.avx._mm256_set_pd(x[3], x[2], x[1], x[0]));
        }
    }
    let mut column = simd.splat_f64s(0.0);
    let lanes: &mut [f64] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut column));
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = rows[i][j].into();
    }
    column
}

/// Column `j` of four rows.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn quad_down<T: Value>(rows: Few<'_, T>, first: usize, j: usize) -> [f64; 4] {
    [
        rows[first][j].into(),
        rows[first + 1][j].into(),
        rows[first + 2][j].into(),
        rows[first + 3][j].into(),
    ]
}
