//! Sums of the probabilities of a block's leaves: over its rows, or over leaves with values.

use super::block_pass::BlockScratch;
use super::register_tiles::{rows, rows_mut};
use crate::vectors::VECTOR_TILE;
use pulp::{Arch, Simd, WithSimd};

/// masses[t] += Σ_rows weight · P_it for each leaf t, for the block last seen by
/// [`leaf_probabilities`](super::block_pass::leaf_probabilities).
pub(crate) fn add_leaf_masses(weights: &[f64], scratch: &BlockScratch, masses: &mut [f64]) {
    Arch::new().dispatch(LeafMasses {
        weights,
        scratch,
        masses,
    });
}

/// columns[k] = Σ_t P_it · value_tk over the leaves, each with a value for every column, for the block
/// last seen by [`leaf_probabilities`](super::block_pass::leaf_probabilities).
pub(crate) fn mix_values(scratch: &BlockScratch, values: &[f64], columns: &mut [f64]) {
    Arch::new().dispatch(MixValues {
        scratch,
        values,
        columns,
    });
}

struct MixValues<'a> {
    scratch: &'a BlockScratch,
    values: &'a [f64],
    columns: &'a mut [f64],
}

impl WithSimd for MixValues<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let stride = self.scratch.stride();
        let width = self.columns.len() / stride;
        let leaves = self.scratch.leaf_probabilities().chunks_exact(stride);
        for (k, column) in self.columns.chunks_exact_mut(stride).enumerate() {
            for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
                let mut sum = [simd.splat_f64s(0.0); VECTOR_TILE];
                for (leaf, values) in leaves.clone().zip(self.values.chunks_exact(width)) {
                    // Leaves with labels have one value of 1 among zeros.
                    if values[k] != 0.0 {
                        let value = simd.splat_f64s(values[k]);
                        let reach = rows::<S>(leaf, first);
                        for v in 0..VECTOR_TILE {
                            sum[v] = simd.mul_add_e_f64s(reach[v], value, sum[v]);
                        }
                    }
                }
                *rows_mut::<S>(column, first) = sum;
            }
        }
    }
}

struct LeafMasses<'a> {
    weights: &'a [f64],
    scratch: &'a BlockScratch,
    masses: &'a mut [f64],
}

impl WithSimd for LeafMasses<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let weights = S::as_simd_f64s(self.weights).0;
        let stride = self.scratch.stride();
        let leaves = self.scratch.leaf_probabilities().chunks_exact(stride);
        for (mass, column) in self.masses.iter_mut().zip(leaves) {
            let mut sum = simd.splat_f64s(0.0);
            for (w, p) in weights.iter().zip(S::as_simd_f64s(column).0) {
                sum = simd.mul_add_e_f64s(*w, *p, sum);
            }
            *mass += simd.reduce_sum_f64s(sum);
        }
    }
}
