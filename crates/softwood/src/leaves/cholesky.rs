//! Cholesky's method for positive definite matrices: all sums run along rows, so that they are
//! vectors, which matters where curves bring hundreds of unknowns.

use crate::stop::{Stop, Stopped};
use pulp::{Arch, Simd, WithSimd};

/// Of so many rows of a factor the stop is polled once: milliseconds, where there are thousands.
const ROWS_BETWEEN_POLLS: usize = 64;

/// F with F Fᵀ = A, lower triangle, row after row. A pivot that is rounding alone is infinite: its
/// unknown comes out as 0.
pub(super) struct CholeskyFactor {
    n: usize,
    rows: Vec<f64>,
}

impl CholeskyFactor {
    /// Of A (n × n, lower triangle), overwritten.
    pub fn of(mut a: Vec<f64>, n: usize, stop: &Stop) -> Result<Self, Stopped> {
        let largest = (0..n).map(|j| a[j * n + j]).fold(0.0, f64::max);
        let negligible = largest * n as f64 * f64::EPSILON;
        Arch::new().dispatch(Factorize {
            a: &mut a,
            n,
            negligible,
            stop,
        })?;
        Ok(Self { n, rows: a })
    }

    /// x with A x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (n, f) = (self.n, &self.rows);
        let mut x = b.to_vec();
        self.solve_lower(&mut x);
        for i in (0..n).rev() {
            let row = &f[i * n..][..n];
            x[i] /= row[i];
            let solved = x[i];
            x[..i]
                .iter_mut()
                .zip(row)
                .for_each(|(x, f)| *x -= f * solved);
        }
        x
    }

    /// ln det A, directions left out not counted.
    pub fn log_determinant(&self) -> f64 {
        let pivots = (0..self.n).map(|i| self.rows[i * self.n + i]);
        let kept = pivots.filter(|pivot| pivot.is_finite());
        2.0 * kept.map(f64::ln).sum::<f64>()
    }

    /// The diagonal of A⁻¹.
    pub fn inverse_diagonal(&self, stop: &Stop) -> Result<Vec<f64>, Stopped> {
        Arch::new().dispatch(InverseDiagonal(self, stop))
    }

    /// F⁻¹ B, B being given by its rows.
    pub fn solve_lower_rows(&self, b: &[Vec<f64>], stop: &Stop) -> Result<Vec<Vec<f64>>, Stopped> {
        let mut solved: Vec<Vec<f64>> = Vec::with_capacity(b.len());
        for (row, factor) in b.iter().zip(self.rows.chunks_exact(self.n)) {
            stop.check()?;
            let (known, mut x) = (solved.len(), row.clone());
            for (before, f) in solved.iter().zip(factor) {
                x.iter_mut().zip(before).for_each(|(x, b)| *x -= f * b);
            }
            x.iter_mut().for_each(|x| *x /= factor[known]);
            solved.push(x);
        }
        Ok(solved)
    }

    /// F⁻¹ x in place.
    fn solve_lower(&self, x: &mut [f64]) {
        let (n, f) = (self.n, &self.rows);
        for i in 0..n {
            let row = &f[i * n..][..n];
            let known: f64 = row[..i].iter().zip(&*x).map(|(f, x)| f * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
    }
}

struct Factorize<'a> {
    a: &'a mut [f64],
    n: usize,
    negligible: f64,
    stop: &'a Stop,
}

impl WithSimd for Factorize<'_> {
    type Output = Result<(), Stopped>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self {
            a,
            n,
            negligible,
            stop,
        } = self;
        for i in 0..n {
            if (i + 1).is_multiple_of(ROWS_BETWEEN_POLLS) {
                stop.check()?;
            }
            let (above, from) = a.split_at_mut(i * n);
            let row = &mut from[..n];
            for j in 0..i {
                let other = &above[j * n..][..n];
                row[j] = (row[j] - product(simd, &row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - product(simd, &row[..i], &row[..i]);
            row[i] = if pivot > negligible {
                pivot.sqrt()
            } else {
                f64::INFINITY
            };
        }
        Ok(())
    }
}

/// Squared columns of F⁻¹, summed.
struct InverseDiagonal<'a>(&'a CholeskyFactor, &'a Stop);

impl WithSimd for InverseDiagonal<'_> {
    type Output = Result<Vec<f64>, Stopped>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self(CholeskyFactor { n, rows }, stop) = self;
        let mut column = vec![0.0; *n];
        let of_column = |first: usize| {
            if (first + 1).is_multiple_of(ROWS_BETWEEN_POLLS) {
                stop.check()?;
            }
            for k in first..*n {
                let row = &rows[k * n..][..*n];
                let known = product(simd, &row[first..k], &column[first..k]);
                let unit = if k == first { 1.0 } else { 0.0 };
                column[k] = (unit - known) / row[k];
            }
            Ok(product(simd, &column[first..], &column[first..]))
        };
        (0..*n).map(of_column).collect()
    }
}

/// Σ_i a_i b_i.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f64s(a), S::as_simd_f64s(b));
    let mut sums = [simd.splat_f64s(0.0); 4];
    let (a_fours, a_few) = a.as_chunks::<4>();
    let (b_fours, b_few) = b.as_chunks::<4>();
    for (a, b) in a_fours.iter().zip(b_fours) {
        for k in 0..4 {
            sums[k] = simd.mul_add_e_f64s(a[k], b[k], sums[k]);
        }
    }
    for (a, b) in a_few.iter().zip(b_few) {
        sums[0] = simd.mul_add_e_f64s(*a, *b, sums[0]);
    }
    let pairs = [0, 2].map(|k| simd.add_f64s(sums[k], sums[k + 1]));
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    simd.reduce_sum_f64s(simd.add_f64s(pairs[0], pairs[1])) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite matrix with entries of all sizes.
    fn matrix(n: usize) -> Vec<f64> {
        let value = |i: usize, j: usize| ((i * 7 + j * j * 3) % 13) as f64 - 5.0;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..n + 3).map(|k| value(i, k) * value(j, k + j % 2)).sum();
            }
        }
        // Symmetric and dominated by its diagonal.
        let sums: Vec<f64> = (0..n)
            .map(|i| 1.0 + a[i * n..][..n].iter().map(|x| x.abs()).sum::<f64>())
            .collect();
        (0..n * n)
            .map(|k| {
                let (i, j) = (k / n, k % n);
                let both = 0.5 * (a[i * n + j] + a[j * n + i]);
                both + if i == j { sums[i] } else { 0.0 }
            })
            .collect()
    }

    #[test]
    fn solutions_and_inverses_satisfy_their_equations() {
        for n in [1, 2, 7, 40, 65] {
            let a = matrix(n);
            let factor = CholeskyFactor::of(a.clone(), n, &Stop::default()).unwrap();
            let inverse_diagonal = factor.inverse_diagonal(&Stop::default()).unwrap();
            for column in [0, n / 2, n - 1] {
                let unit: Vec<f64> = (0..n).map(|k| f64::from(u8::from(k == column))).collect();
                let x = factor.solve(&unit);
                for (row, unit) in a.chunks_exact(n).zip(&unit) {
                    let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                    assert!((product - unit).abs() < 1e-12, "{n}: {product} for {unit}");
                }
                assert!((inverse_diagonal[column] / x[column] - 1.0).abs() < 1e-12);
            }
            // The last entry of A⁻¹ is the ratio of two determinants.
            let smaller = (0..n - 1).flat_map(|i| a[i * n..][..n - 1].to_vec());
            let smaller = CholeskyFactor::of(smaller.collect(), n - 1, &Stop::default()).unwrap();
            let ratio = smaller.log_determinant() - factor.log_determinant();
            assert!((ratio.exp() / inverse_diagonal[n - 1] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_direction_without_weight_comes_out_as_zero() {
        let factor = CholeskyFactor::of(
            vec![2.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 4.0],
            3,
            &Stop::default(),
        )
        .unwrap();
        let close = |found: Vec<f64>, wanted: [f64; 3]| {
            assert_eq!(found[1], 0.0);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-15, "{found} for {wanted}");
            }
        };
        close(factor.solve(&[2.0, 2.0, 8.0]), [1.0, 0.0, 2.0]);
        close(
            factor.inverse_diagonal(&Stop::default()).unwrap(),
            [0.5, 0.0, 0.25],
        );
    }
}
