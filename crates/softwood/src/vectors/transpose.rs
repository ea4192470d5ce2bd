//! Columns of a few C-ordered rows as vectors, turned in registers rather than through memory.

use super::MAX_LANES;
use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use {
    pulp::x86::{V3, V4},
    std::any::Any,
    std::arch::x86_64::{__m256d, __m512d},
};

/// Something of each of as many rows as the widest vector has lanes.
pub(crate) type Eight<X> = [X; MAX_LANES];

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

/// Four columns of `S::F64_LANES` rows from row `first` on, of which these are four values each.
#[inline(always)]
pub(crate) fn four_columns<S: Simd, T: Value>(
    simd: S,
    rows: Eight<Quad<T>>,
    first: usize,
) -> [S::f64s; COLUMNS] {
    #[cfg(target_arch = "x86_64")]
    {
        let any: &dyn Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            return bytemuck::cast(four_columns_v4(*v4, rows));
        }
        if let Some(v3) = any.downcast_ref::<V3>() {
            return bytemuck::cast(four_columns_v3(*v3, rows, first));
        }
    }
    let mut columns = [simd.splat_f64s(0.0); COLUMNS];
    let lanes: &mut [f64] = bytemuck::cast_slice_mut(&mut columns);
    for i in 0..S::F64_LANES {
        for (k, x) in rows[first + i].into_iter().enumerate() {
            lanes[k * S::F64_LANES + i] = x.into();
        }
    }
    columns
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_columns_v4<T: Value>(simd: V4, rows: Eight<Quad<T>>) -> [__m512d; COLUMNS] {
    // Such that the exchanges below end with the rows in order.
    let a = side_by_side(simd, rows[0], rows[2]);
    let b = side_by_side(simd, rows[1], rows[3]);
    let c = side_by_side(simd, rows[4], rows[6]);
    let d = side_by_side(simd, rows[5], rows[7]);
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
fn four_columns_v3<T: Value>(simd: V3, rows: Eight<Quad<T>>, first: usize) -> [__m256d; COLUMNS] {
    let a = T::load(simd, rows[first]);
    let b = T::load(simd, rows[first + 1]);
    let c = T::load(simd, rows[first + 2]);
    let d = T::load(simd, rows[first + 3]);
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

/// A column of `S::F64_LANES` rows from row `first` on, of which these are the values.
#[inline(always)]
pub(crate) fn one_column<S: Simd>(simd: S, x: Eight<f64>, first: usize) -> S::f64s {
    #[cfg(target_arch = "x86_64")]
    {
        // An array on its way to a vector would pass through memory and stall the load.
        let any: &dyn Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            return bytemuck::cast(
                v4.avx512f
                    ._mm512_set_pd(x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[0]),
            );
        }
        if let Some(v3) = any.downcast_ref::<V3>() {
            let x = [x[first], x[first + 1], x[first + 2], x[first + 3]];
            return bytemuck::cast(v3.avx._mm256_set_pd(x[3], x[2], x[1], x[0]));
        }
    }
    let mut column = simd.splat_f64s(0.0);
    let lanes: &mut [f64] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut column));
    lanes.copy_from_slice(&x[first..][..S::F64_LANES]);
    column
}
