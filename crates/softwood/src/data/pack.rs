//! Packs a block: transposes rows and maps their features linearly, in one sweep.

use crate::vectors::MAX_LANES;
use crate::vectors::prefetch::Ahead;
use crate::vectors::transpose::{COLUMNS, Eight, Value, four_columns, one_column};
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

    /// The map as it is within the limit, for a half of 1.
    #[inline(always)]
    fn apply_within(&self, x: f64) -> f64 {
        (x - self.origin) * self.slope
    }

    /// The same for vectors.
    #[inline(always)]
    fn apply_to_vectors<S: Simd, const GROUPS: usize>(
        &self,
        simd: S,
        x: [S::f64s; GROUPS],
    ) -> [S::f64s; GROUPS] {
        let (origin, slope) = (simd.splat_f64s(self.origin), simd.splat_f64s(self.slope));
        let mut u = x;
        for u in &mut u {
            *u = simd.mul_f64s(simd.sub_f64s(*u, origin), slope);
        }
        u
    }
}

/// While the sum of a block's squares is below this, no value is NaN, infinite or at a limit, and
/// holding each of them within its limit is saved. The square of the least limit.
const SQUARES_WITHIN: f64 = FAR_OUTSIDE * FAR_OUTSIDE;

/// Of so many parts of the memory ahead, one is asked for while packing.
const PARTS_AHEAD: usize = 3;

/// Fills `tile` (p × stride, rows innermost) with the mapped rows of `view`; the rest of each column
/// repeats its last value, so that every value in the tile is one of the data. Returns whether all of
/// them are finite. Some of the memory ahead is asked for on the way.
pub(super) fn pack<T: Value>(
    view: ArrayView2<'_, T>,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
    ahead: &mut Ahead,
) -> bool {
    let count = view.nrows();
    let within = PackWithin {
        view,
        stride,
        maps,
        tile: &mut *tile,
        ahead,
    };
    let finite = Arch::new().dispatch(within) || pack_held(view, stride, maps, tile);
    if count < stride {
        for column in tile.chunks_exact_mut(stride) {
            let last = column[count - 1];
            column[count..].fill(last);
        }
    }
    finite
}

/// Packs any rows, each value held within its limit; tells whether all are finite.
fn pack_held<T: Value>(
    view: ArrayView2<'_, T>,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
) -> bool {
    let mut finite = true;
    for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
        for (out, x) in column.iter_mut().zip(view.column(j)) {
            let x: f64 = (*x).into();
            *out = map.apply(x);
            finite &= x.is_finite();
        }
    }
    finite
}

/// Packs rows in C or Fortran order whose values stay within the limits; false for all others, which
/// are rare.
struct PackWithin<'a, T> {
    view: ArrayView2<'a, T>,
    stride: usize,
    maps: &'a [LinearMap],
    tile: &'a mut [f64],
    ahead: &'a mut Ahead,
}

impl<T: Value> WithSimd for PackWithin<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self {
            view,
            stride,
            maps,
            tile,
            ahead,
        } = self;
        if maps.iter().any(|map| map.half != 1.0) {
            return false;
        }
        let squares = match (view.as_slice(), view.strides()) {
            (Some(values), _) => match MAX_LANES / S::F64_LANES {
                1 => pack_rows::<S, T, 1>(simd, values, stride, maps, tile, ahead),
                2 => pack_rows::<S, T, 2>(simd, values, stride, maps, tile, ahead),
                4 => pack_rows::<S, T, 4>(simd, values, stride, maps, tile, ahead),
                _ => pack_rows::<S, T, 8>(simd, values, stride, maps, tile, ahead),
            },
            // Fortran order: whole columns.
            (None, [1, _]) => {
                let mut squares = 0.0;
                for (j, (column, map)) in tile.chunks_exact_mut(stride).zip(maps).enumerate() {
                    let values = view.column(j);
                    let values = values.to_slice().expect("a column of stride 1");
                    squares += pack_column(simd, values, map, column);
                }
                squares
            }
            _ => return false,
        };
        squares < SQUARES_WITHIN
    }
}

/// A column that lies in one piece.
#[inline(always)]
fn pack_column<S: Simd, T: Value>(_: S, values: &[T], map: &LinearMap, column: &mut [f64]) -> f64 {
    const PART: usize = 4 * MAX_LANES;
    let mut squares = [0.0; PART]; // in lanes, so that sums need not wait for each other
    let (parts, rest) = values.as_chunks::<PART>();
    let (out, out_of_rest) = column.split_at_mut(values.len() - rest.len());
    for (out, part) in out.as_chunks_mut::<PART>().0.iter_mut().zip(parts) {
        for k in 0..PART {
            out[k] = map.apply_within(part[k].into());
            squares[k] += out[k] * out[k];
        }
    }
    for (out, x) in out_of_rest.iter_mut().zip(rest) {
        *out = map.apply_within((*x).into());
        squares[0] += *out * *out;
    }
    squares.iter().sum()
}

/// C order: eight rows at a time, which are `GROUPS` vectors, memory in order.
#[inline(always)]
fn pack_rows<S: Simd, T: Value, const GROUPS: usize>(
    simd: S,
    values: &[T],
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
    ahead: &mut Ahead,
) -> f64 {
    let p = maps.len();
    *ahead = ahead.over(PARTS_AHEAD * (values.len() / (MAX_LANES * p)));
    // A sum for each column of four, so that they need not wait for each other.
    let mut squares = [[simd.splat_f64s(0.0); GROUPS]; COLUMNS];
    let whole = values.chunks_exact(MAX_LANES * p);
    let rest = whole.remainder();
    for (i, rows) in whole.enumerate() {
        let mut remaining = rows;
        let mut rows: Eight<&[T]> = [&[]; MAX_LANES];
        for row in &mut rows {
            (*row, remaining) = remaining.split_at(p);
        }
        ahead.work(simd, 1);
        let vectors = stride / S::F64_LANES;
        let out = S::as_mut_simd_f64s(tile)
            .0
            .chunks_exact_mut(COLUMNS * vectors);
        for (q, (maps, out)) in maps.chunks_exact(COLUMNS).zip(out).enumerate() {
            let four = |row: &[T]| *row[q * COLUMNS..].first_chunk().expect("four columns");
            let rows = rows.map(four);
            let mut columns = [[simd.splat_f64s(0.0); COLUMNS]; GROUPS];
            for (group, columns) in columns.iter_mut().enumerate() {
                *columns = four_columns(simd, rows, group * S::F64_LANES);
            }
            for k in 0..COLUMNS {
                let u = maps[k].apply_to_vectors(simd, columns.map(|columns| columns[k]));
                put(
                    simd,
                    &mut out[k * vectors..][i * GROUPS..],
                    u,
                    &mut squares[k],
                );
            }
        }
        for (j, map) in maps.iter().enumerate().skip(p - p % COLUMNS) {
            let values = rows.map(|row| row[j].into());
            let mut x = [simd.splat_f64s(0.0); GROUPS];
            for (group, x) in x.iter_mut().enumerate() {
                *x = one_column(simd, values, group * S::F64_LANES);
            }
            let u = map.apply_to_vectors(simd, x);
            let out = &mut S::as_mut_simd_f64s(tile).0[j * vectors..];
            put(simd, &mut out[i * GROUPS..], u, &mut squares[0]);
        }
    }
    let squares = squares.as_flattened().iter();
    let sum = squares.map(|v| simd.reduce_sum_f64s(*v)).sum();
    let first = values.len() / p - rest.len() / p;
    pack_last_rows(rest, first, stride, maps, tile, sum)
}

/// The rows from `first` on, fewer than eight, one value at a time; adds their squares to `sum`.
#[inline(always)]
fn pack_last_rows<T: Value>(
    rest: &[T],
    first: usize,
    stride: usize,
    maps: &[LinearMap],
    tile: &mut [f64],
    mut sum: f64,
) -> f64 {
    for (i, row) in rest.chunks_exact(maps.len()).enumerate() {
        for ((column, map), x) in tile.chunks_exact_mut(stride).zip(maps).zip(row) {
            let u = map.apply_within((*x).into());
            column[first + i] = u;
            sum += u * u;
        }
    }
    sum
}

/// Writes vectors to the beginning of `out` and adds their squares.
#[inline(always)]
fn put<S: Simd, const GROUPS: usize>(
    simd: S,
    out: &mut [S::f64s],
    u: [S::f64s; GROUPS],
    squares: &mut [S::f64s; GROUPS],
) {
    out[..GROUPS].copy_from_slice(&u);
    for g in 0..GROUPS {
        squares[g] = simd.mul_add_e_f64s(u[g], u[g], squares[g]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::AlignedBuffer;
    use ndarray::Array2;
    use pulp::Scalar;

    const STRIDE: usize = 64;

    /// The packed rows and whether they are said to be within the limits, by every width of vectors
    /// that this machine has.
    fn by_every_width<T: Value>(
        view: ArrayView2<'_, T>,
        maps: &[LinearMap],
    ) -> Vec<(bool, Vec<f64>)> {
        let mut packed = Vec::new();
        let mut pack_by = |run: &dyn Fn(PackWithin<'_, T>) -> bool| {
            let mut tile = AlignedBuffer::zeros(maps.len() * STRIDE);
            let within = run(PackWithin {
                view,
                stride: STRIDE,
                maps,
                tile: &mut tile,
                ahead: &mut { Ahead::NOTHING },
            });
            packed.push((within, tile.to_vec()));
        };
        pack_by(&|pack| pack.with_simd(Scalar));
        pack_by(&|pack| Arch::new().dispatch(pack));
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new() {
            pack_by(&|pack| Simd::vectorize(v3, pack));
        }
        packed
    }

    fn maps(p: usize) -> Vec<LinearMap> {
        let map = |j: usize| LinearMap {
            origin: j as f64 - 2.0,
            slope: 1.0 / (j + 1) as f64,
            limit: FAR_OUTSIDE,
            ..LinearMap::IDENTITY
        };
        (0..p).map(map).collect()
    }

    fn check<T: Value>(value: impl Fn(usize) -> T) {
        for p in [1, 3, 4, 5, 8, 9, 25] {
            for rows in [1, 7, 8, 9, 40, STRIDE] {
                let x = Array2::from_shape_fn((rows, p), |(i, j)| value(i * 31 + j * 7));
                let fortran = x.t().to_owned();
                let maps = maps(p);
                let mut expected = vec![0.0; p * STRIDE];
                assert!(pack_held(x.view(), STRIDE, &maps, &mut expected));
                for view in [x.view(), fortran.t()] {
                    for (within, packed) in by_every_width(view, &maps) {
                        assert!(within);
                        assert_eq!(packed, expected, "{rows} × {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_width_of_vectors_packs_the_same() {
        check(|k| (k % 97) as f64 * 0.37 - 11.0);
        check(|k| (k % 97) as f32 * 0.37 - 11.0);
    }

    #[test]
    fn a_value_that_must_be_held_is_noticed_wherever_it_stands() {
        let maps = maps(5);
        for bad in [f64::NAN, f64::INFINITY, -1e300, 1e120] {
            for at in 0..5 * 19 {
                let mut x = Array2::from_elem((19, 5), 0.5);
                x[(at / 5, at % 5)] = bad;
                let fortran = x.t().to_owned();
                for view in [x.view(), fortran.t()] {
                    for (within, _) in by_every_width(view, &maps) {
                        assert!(!within, "{bad} at {at}");
                    }
                }
            }
        }
    }
}
