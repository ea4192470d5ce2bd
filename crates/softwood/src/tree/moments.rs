//! Weighted second moments of the features and the response over blocks of rows.

use crate::vectors::AlignedBuffer;
use pulp::{Arch, Simd, WithSimd};

// Register tile: 3 weighted columns × 4 columns.
const LEFT_TILE: usize = 3;
const RIGHT_TILE: usize = 4;

/// A block's columns (u_1, …, u_p, y, 1), with zero columns up to whole tiles.
pub(crate) struct MomentColumns {
    /// p + 2.
    count: usize,
    stride: usize,
    plain: AlignedBuffer,
    weighted: AlignedBuffer,
}

impl MomentColumns {
    pub fn new(features: usize, stride: usize) -> Self {
        let count = features + 2;
        let padded = |tile: usize| count.next_multiple_of(tile) * stride;
        Self {
            count,
            stride,
            // A left tile may start up to two columns before the last right tile ends.
            plain: AlignedBuffer::zeros(padded(RIGHT_TILE) + RIGHT_TILE * stride),
            weighted: AlignedBuffer::zeros(padded(LEFT_TILE)),
        }
    }

    /// Takes a block: its tile (p × stride) and response.
    pub fn set_block(&mut self, tile: &[f64], response: &[f64]) {
        self.fill_block(response, |columns| columns.copy_from_slice(tile));
    }

    /// Takes a block whose p columns `fill` writes.
    pub fn fill_block(&mut self, response: &[f64], fill: impl FnOnce(&mut [f64])) {
        let (stride, features) = (self.stride, (self.count - 2) * self.stride);
        fill(&mut self.plain[..features]);
        self.plain[features..][..stride].copy_from_slice(response);
        self.plain[features + stride..][..stride].fill(1.0);
    }

    /// c_i of a row of the block, times a factor.
    pub fn scaled_row(&self, i: usize, factor: f64) -> Vec<f64> {
        let row = self.plain[i..].iter().step_by(self.stride);
        row.take(self.count).map(|c| factor * c).collect()
    }

    /// moments (p + 2)² += Σ_i w_i c_i c_iᵀ, upper triangle, c_i = (u_i, y_i, 1).
    pub fn add_moments(&mut self, weights: &[f64], moments: &mut [f64]) {
        Arch::new().dispatch(AddMoments {
            columns: self,
            weights,
            moments,
        });
    }
}

struct AddMoments<'a> {
    columns: &'a mut MomentColumns,
    weights: &'a [f64],
    moments: &'a mut [f64],
}

impl WithSimd for AddMoments<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let MomentColumns {
            count,
            stride,
            plain,
            weighted,
        } = self.columns;
        let (m, stride) = (*count, *stride);
        let weights = &self.weights[..stride];
        for j in 0..m {
            let from = &plain[j * stride..][..stride];
            let to = &mut weighted[j * stride..][..stride];
            for i in 0..stride {
                to[i] = weights[i] * from[i];
            }
        }
        let vectors = stride / S::F64_LANES;
        let left = S::as_simd_f64s(weighted).0;
        let right = S::as_simd_f64s(plain).0;
        for j in (0..m).step_by(LEFT_TILE) {
            for k in (j..m).step_by(RIGHT_TILE) {
                let a = &left[j * vectors..][..LEFT_TILE * vectors];
                let b = &right[k * vectors..][..RIGHT_TILE * vectors];
                let mut sum = [[simd.splat_f64s(0.0); RIGHT_TILE]; LEFT_TILE];
                for i in 0..vectors {
                    for (r, sum) in sum.iter_mut().enumerate() {
                        let a = a[r * vectors + i];
                        for (c, sum) in sum.iter_mut().enumerate() {
                            *sum = simd.mul_add_e_f64s(a, b[c * vectors + i], *sum);
                        }
                    }
                }
                for (r, sum) in sum.into_iter().enumerate().take(m - j) {
                    for (c, sum) in sum.into_iter().enumerate().take(m - k) {
                        if k + c >= j + r {
                            self.moments[(j + r) * m + k + c] += simd.reduce_sum_f64s(sum);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_plain_sums() {
        for p in 1..=9 {
            let stride = 32;
            let value = |i: usize, j: usize| ((i * 7 + j * 13) % 11) as f64 - 3.0;
            let tile: Vec<f64> = (0..p * stride)
                .map(|k| value(k % stride, k / stride))
                .collect();
            let response: Vec<f64> = (0..stride).map(|i| value(i, p)).collect();
            let weights: Vec<f64> = (0..stride).map(|i| (i % 5) as f64).collect();
            let m = p + 2;
            let mut moments = vec![1.0; m * m];
            let mut columns = MomentColumns::new(p, stride);
            columns.set_block(&tile, &response);
            columns.add_moments(&weights, &mut moments);
            let at = |i: usize, j: usize| if j <= p { value(i, j) } else { 1.0 };
            for j in 0..m {
                for k in 0..m {
                    let sum: f64 = (0..stride).map(|i| weights[i] * at(i, j) * at(i, k)).sum();
                    let expected = if k >= j { 1.0 + sum } else { 1.0 };
                    assert_eq!(moments[j * m + k], expected, "{p} {j} {k}");
                }
            }
        }
    }
}
