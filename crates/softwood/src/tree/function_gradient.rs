//! The gradient of a sum over rows by the coefficients of linear functions of the rows.

use super::block_pass::add_rows;
use super::register_tiles::{add_products, rows};
use super::splits::Splits;
use crate::data::Tile;
use crate::vectors::prefetch::Ahead;
use crate::vectors::{AlignedBuffer, MAX_LANES, VECTOR_TILE};
use pulp::{Arch, Simd, WithSimd};

/// Σ_i d_in (u_i, 1), d_in being the derivative by the value of function n at row i; in vector lanes until
/// the last block is in.
pub(crate) struct FunctionGradient {
    /// Functions × p × MAX_LANES.
    slopes: AlignedBuffer,
    /// Functions × MAX_LANES.
    intercepts: AlignedBuffer,
}

impl FunctionGradient {
    pub fn zero(functions: usize, features: usize) -> Self {
        Self {
            slopes: AlignedBuffer::zeros(functions * features * MAX_LANES),
            intercepts: AlignedBuffer::zeros(functions * MAX_LANES),
        }
    }

    /// Adds a block, given d, functions × stride with 0 for padding.
    pub fn add(&mut self, functions: &Splits, tile: Tile<'_>, d: &[f64]) {
        Arch::new().dispatch(AddBlock {
            functions,
            tile,
            d,
            sum: self,
        });
    }

    /// Adds up the lanes: functions × p by slopes, then by intercepts.
    pub fn sum_lanes(&self) -> Vec<f64> {
        let lanes = self.slopes.chunks_exact(MAX_LANES);
        let lanes = lanes.chain(self.intercepts.chunks_exact(MAX_LANES));
        lanes.map(|lanes| lanes.iter().sum()).collect()
    }
}

struct AddBlock<'a> {
    functions: &'a Splits,
    tile: Tile<'a>,
    d: &'a [f64],
    sum: &'a mut FunctionGradient,
}

impl WithSimd for AddBlock<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            functions,
            tile,
            d,
            sum,
        } = self;
        let stride = d.len() / functions.offsets.len();
        for (n, column) in d.chunks_exact(stride).enumerate() {
            for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
                add_rows(simd, rows::<S>(column, first), &mut sum.intercepts, n);
            }
        }
        let mut nothing = Ahead::NOTHING;
        let slopes = &mut sum.slopes;
        add_products(
            simd,
            functions,
            stride,
            d,
            tile.columns(),
            slopes,
            &mut nothing,
        );
    }
}
