//! p = σ(γz) of many rows at once, apart from the sweeps through a tree.

use super::register_tiles::rows_mut;
use crate::vectors::{VECTOR_TILE, saturation, sigmoid_pairs};
use pulp::{Arch, Simd, WithSimd};

/// Turns γz, whole blocks of rows, into the probability of going left, as the kernel does in a tree of this depth.
pub(crate) fn left_probabilities(values: &mut [f64], depth: usize) {
    let saturation = saturation(depth);
    Arch::new().dispatch(LeftProbabilities { values, saturation });
}

struct LeftProbabilities<'a> {
    values: &'a mut [f64],
    saturation: f64,
}

impl WithSimd for LeftProbabilities<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for first in (0..self.values.len()).step_by(S::F64_LANES * VECTOR_TILE) {
            let values = rows_mut::<S>(self.values, first);
            *values = sigmoid_pairs(simd, *values, self.saturation).0;
        }
    }
}
