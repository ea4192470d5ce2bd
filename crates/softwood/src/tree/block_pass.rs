//! The fused pass over one block of rows: splits → leaf probabilities → gradient of the splits.
//!
//! Every array is laid out with the rows of the block innermost, `stride` of them (a multiple of
//! [`ROW_MULTIPLE`]), so that each loop runs over whole vectors of rows. The kernels are written
//! once over pulp's vectors, which picks AVX-512, AVX2 or NEON at run time.

use super::sigmoid::{mul_add, saturation, sigmoid_pairs};
use super::{ParameterLayout, Topology};
use crate::data::aligned::AlignedBuffer;
use pulp::{Arch, Simd, WithSimd};

// Register tiles of the two matrix products: 3 nodes × 4 vectors of rows, 3 nodes × 4 features.
// Twelve accumulators keep two multiply-add units busy within the 16 registers of AVX2.
const NODE_TILE: usize = 3;
const VECTOR_TILE: usize = 4;
const FEATURE_TILE: usize = 4;

/// Doubles in the widest vector.
const MAX_LANES: usize = 8;

/// Blocks hold a multiple of this many rows, the last one padded.
pub(crate) const ROW_MULTIPLE: usize = MAX_LANES * VECTOR_TILE;

/// The splits of a tree with steepness and 1/p folded in: γ z_it = Σ_j slope_tj u_ij − offset_t.
#[derive(Clone, Debug)]
pub(crate) struct Splits {
    pub topology: Topology,
    slopes: Vec<f64>,
    offsets: Vec<f64>,
    features: usize,
}

impl Splits {
    /// Folds γ into θ = (a, μ).
    pub fn new(topology: Topology, features: usize, theta: &[f64], gamma: f64) -> Self {
        let (a, mu) = ParameterLayout::new(topology, features).split(theta);
        let factor = gamma / features as f64;
        Self {
            topology,
            slopes: a.iter().map(|a| a * factor).collect(),
            offsets: mu.iter().map(|mu| mu * gamma).collect(),
            features,
        }
    }

    /// Any number of linear functions Σ_j slope_nj u_j − offset_n, for [`split_values`] alone.
    pub fn linear_functions(features: usize, slopes: Vec<f64>, offsets: Vec<f64>) -> Self {
        Self {
            topology: Topology::complete(1),
            slopes,
            offsets,
            features,
        }
    }
}

/// Working memory for one block; made once and reused for block after block.
pub(crate) struct BlockScratch {
    stride: usize,
    /// Probability of going left, then ∂/∂(γz); B × stride.
    left: AlignedBuffer,
    /// Probability of going right; B × stride.
    right: AlignedBuffer,
    /// Probability of reaching each node, branch nodes first; (B + L) × stride.
    reach: AlignedBuffer,
    /// ∂loss_i/∂P_it, filled by the objective; L × stride.
    pub leaf_costs: AlignedBuffer,
}

impl BlockScratch {
    pub fn new(topology: Topology, stride: usize) -> Self {
        assert!(stride.is_multiple_of(ROW_MULTIPLE));
        let (b, l) = (topology.branches(), topology.leaves());
        Self {
            stride,
            left: AlignedBuffer::zeros(b * stride),
            right: AlignedBuffer::zeros(b * stride),
            reach: AlignedBuffer::zeros((b + l) * stride),
            leaf_costs: AlignedBuffer::zeros(l * stride),
        }
    }

    /// Room for the values of `count` linear functions.
    pub fn for_values(count: usize, stride: usize) -> Self {
        Self {
            stride,
            left: AlignedBuffer::zeros(count * stride),
            right: AlignedBuffer::zeros(0),
            reach: AlignedBuffer::zeros(0),
            leaf_costs: AlignedBuffer::zeros(0),
        }
    }

    /// P_it of the block last seen by [`leaf_probabilities`], leaf after leaf.
    pub fn leaf_probabilities(&self) -> &[f64] {
        &self.reach[self.left.len()..]
    }

    /// γ z_it of the block last seen by [`split_values`], node after node.
    pub fn split_values(&self) -> &[f64] {
        &self.left
    }

    /// As [`Self::split_values`], to be turned into something else in place.
    pub fn split_values_mut(&mut self) -> &mut [f64] {
        &mut self.left
    }

    /// R_it for node `t`.
    pub fn reach(&self, t: usize) -> &[f64] {
        &self.reach[t * self.stride..][..self.stride]
    }
}

/// Σ_i Σ_t P_it cost_it and Σ_i ∂loss_i/∂(γ z_it) · (u_i, −1), in vector lanes until the last block
/// is in.
pub(crate) struct SplitGradient {
    /// MAX_LANES.
    value: AlignedBuffer,
    /// B × p × MAX_LANES.
    slopes: AlignedBuffer,
    /// B × MAX_LANES.
    offsets: AlignedBuffer,
}

impl SplitGradient {
    pub fn zero(topology: Topology, features: usize) -> Self {
        Self {
            value: AlignedBuffer::zeros(MAX_LANES),
            slopes: AlignedBuffer::zeros(topology.branches() * features * MAX_LANES),
            offsets: AlignedBuffer::zeros(topology.branches() * MAX_LANES),
        }
    }

    /// Adds up the lanes: the value, and a gradient in θ's layout (before γ and 1/p).
    pub fn sum_lanes(&self) -> (f64, Vec<f64>) {
        let sum = |lanes: &[f64]| lanes.iter().sum::<f64>();
        let slopes = self.slopes.chunks_exact(MAX_LANES).map(sum);
        let offsets = self
            .offsets
            .chunks_exact(MAX_LANES)
            .map(|lanes| -sum(lanes));
        (sum(&self.value), slopes.chain(offsets).collect())
    }
}

/// γ z_it for the block, into [`BlockScratch::split_values`]. `tile` is p × stride.
pub(crate) fn split_values(splits: &Splits, tile: &[f64], scratch: &mut BlockScratch) {
    Arch::new().dispatch(SplitValues {
        splits,
        tile,
        scratch,
    });
}

/// P_it for the block, into [`BlockScratch::leaf_probabilities`].
pub(crate) fn leaf_probabilities(splits: &Splits, tile: &[f64], scratch: &mut BlockScratch) {
    Arch::new().dispatch(Down {
        splits,
        tile,
        scratch,
    });
}

/// Adds the block's part of the gradient, given its probabilities and [`BlockScratch::leaf_costs`].
pub(crate) fn add_gradient(
    splits: &Splits,
    tile: &[f64],
    scratch: &mut BlockScratch,
    gradient: &mut SplitGradient,
) {
    Arch::new().dispatch(Up {
        splits,
        tile,
        scratch,
        gradient,
    });
}

/// masses[t] += Σ_rows weight · P_it for the block last seen by [`leaf_probabilities`].
pub(crate) fn add_leaf_masses(weights: &[f64], scratch: &BlockScratch, masses: &mut [f64]) {
    Arch::new().dispatch(LeafMasses {
        weights,
        scratch,
        masses,
    });
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
        let leaves = self
            .scratch
            .leaf_probabilities()
            .chunks_exact(self.scratch.stride);
        for (mass, column) in self.masses.iter_mut().zip(leaves) {
            let mut sum = simd.splat_f64s(0.0);
            for (w, p) in weights.iter().zip(S::as_simd_f64s(column).0) {
                sum = simd.mul_add_e_f64s(*w, *p, sum);
            }
            *mass += simd.reduce_sum_f64s(sum);
        }
    }
}

struct SplitValues<'a> {
    splits: &'a Splits,
    tile: &'a [f64],
    scratch: &'a mut BlockScratch,
}

impl WithSimd for SplitValues<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        multiply_by_slopes(simd, self.splits, self.tile, self.scratch);
    }
}

struct Down<'a> {
    splits: &'a Splits,
    tile: &'a [f64],
    scratch: &'a mut BlockScratch,
}

impl WithSimd for Down<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        multiply_by_slopes(simd, self.splits, self.tile, self.scratch);
        let BlockScratch {
            stride,
            left,
            right,
            reach,
            ..
        } = self.scratch;
        let stride = *stride;
        sigmoid_pairs::<S>(left, right, saturation(self.splits.topology.depth()));
        reach[..stride].fill(1.0);
        for t in 0..self.splits.topology.branches() {
            // The children of t stand behind t in `reach`, side by side.
            let (above, below) = reach.split_at_mut((2 * t + 1) * stride);
            let here = &above[t * stride..][..stride];
            let (to_left, to_right) = below[..2 * stride].split_at_mut(stride);
            let p = &left[t * stride..][..stride];
            let q = &right[t * stride..][..stride];
            for i in 0..stride {
                to_left[i] = here[i] * p[i];
                to_right[i] = here[i] * q[i];
            }
        }
    }
}

struct Up<'a> {
    splits: &'a Splits,
    tile: &'a [f64],
    scratch: &'a mut BlockScratch,
    gradient: &'a mut SplitGradient,
}

impl WithSimd for Up<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let topology = self.splits.topology;
        let BlockScratch {
            stride,
            left,
            right,
            reach,
            leaf_costs: values,
        } = self.scratch;
        let stride = *stride;
        // V_t = p V_left + q V_right and ∂/∂(γz_t) = p q R_t (V_left − V_right), level by level
        // upwards; node k of a level overwrites slot k, which its children 2k, 2k+1 no longer need.
        for d in (0..topology.depth()).rev() {
            for k in 0..1 << d {
                let t = topology.level_start(d) + k;
                let p = &mut left[t * stride..][..stride];
                let q = &right[t * stride..][..stride];
                let r = &reach[t * stride..][..stride];
                if k == 0 {
                    let (v, v_right) = values[..2 * stride].split_at_mut(stride);
                    for i in 0..stride {
                        let difference = v[i] - v_right[i];
                        v[i] = mul_add::<S>(p[i], difference, v_right[i]);
                        p[i] = p[i] * q[i] * (r[i] * difference);
                    }
                } else {
                    let (above, below) = values.split_at_mut(2 * k * stride);
                    let v = &mut above[k * stride..][..stride];
                    let (v_left, v_right) = below[..2 * stride].split_at(stride);
                    for i in 0..stride {
                        let difference = v_left[i] - v_right[i];
                        v[i] = mul_add::<S>(p[i], difference, v_right[i]);
                        p[i] = p[i] * q[i] * (r[i] * difference);
                    }
                }
            }
        }
        let slopes = &mut self.gradient.slopes;
        let (b, p) = (topology.branches(), self.splits.features);
        for t in (0..b).step_by(NODE_TILE) {
            match b - t {
                1 => add_products::<S, 1>(simd, t, p, stride, left, self.tile, slopes),
                2 => add_products::<S, 2>(simd, t, p, stride, left, self.tile, slopes),
                _ => add_products::<S, NODE_TILE>(simd, t, p, stride, left, self.tile, slopes),
            }
        }
        for t in 0..b {
            let lanes = &mut self.gradient.offsets[t * MAX_LANES..];
            add_rows(simd, &left[t * stride..][..stride], lanes);
        }
        // The upward sweep left V_root = Σ_t P_it cost_it in the first slot.
        add_rows(simd, &values[..stride], &mut self.gradient.value);
    }
}

/// lanes += Σ_rows of a column.
#[inline(always)]
fn add_rows<S: Simd>(simd: S, column: &[f64], lanes: &mut [f64]) {
    let lanes = &mut S::as_mut_simd_f64s(lanes).0[0];
    for x in S::as_simd_f64s(column).0 {
        *lanes = simd.add_f64s(*lanes, *x);
    }
}

/// left[t] = Σ_j slope_tj u_j − offset_t for all nodes.
#[inline(always)]
fn multiply_by_slopes<S: Simd>(simd: S, splits: &Splits, tile: &[f64], scratch: &mut BlockScratch) {
    let (stride, z) = (scratch.stride, &mut scratch.left);
    let b = splits.offsets.len();
    // Plain loops and matches: a closure would not inherit the instruction set.
    for t in (0..b).step_by(NODE_TILE) {
        match b - t {
            1 => slope_tile::<S, 1>(simd, t, splits, stride, tile, z),
            2 => slope_tile::<S, 2>(simd, t, splits, stride, tile, z),
            _ => slope_tile::<S, NODE_TILE>(simd, t, splits, stride, tile, z),
        }
    }
}

#[inline(always)]
fn slope_tile<S: Simd, const NODES: usize>(
    simd: S,
    t: usize,
    splits: &Splits,
    stride: usize,
    tile: &[f64],
    z: &mut [f64],
) {
    let p = splits.features;
    let slopes = &splits.slopes[t * p..][..NODES * p];
    let rows = S::F64_LANES * VECTOR_TILE;
    for first in (0..stride).step_by(rows) {
        let mut sum = [[simd.splat_f64s(0.0); VECTOR_TILE]; NODES];
        for (sum, offset) in sum.iter_mut().zip(&splits.offsets[t..]) {
            *sum = [simd.splat_f64s(-offset); VECTOR_TILE];
        }
        for j in 0..p {
            let u = S::as_simd_f64s(&tile[j * stride + first..][..rows]).0;
            let u: &[S::f64s; VECTOR_TILE] = u.first_chunk().unwrap();
            for n in 0..NODES {
                let slope = simd.splat_f64s(slopes[n * p + j]);
                for v in 0..VECTOR_TILE {
                    sum[n][v] = simd.mul_add_e_f64s(slope, u[v], sum[n][v]);
                }
            }
        }
        for n in 0..NODES {
            let out = &mut z[(t + n) * stride + first..][..rows];
            S::as_mut_simd_f64s(out).0.copy_from_slice(&sum[n]);
        }
    }
}

/// slopes[t, j] += Σ_rows d_t u_j, lane by lane, for `NODES` nodes and all features.
#[inline(always)]
fn add_products<S: Simd, const NODES: usize>(
    simd: S,
    t: usize,
    p: usize,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
) {
    for j in (0..p).step_by(FEATURE_TILE) {
        match p - j {
            1 => product_tile::<S, NODES, 1>(simd, t, j, p, stride, d, tile, slopes),
            2 => product_tile::<S, NODES, 2>(simd, t, j, p, stride, d, tile, slopes),
            3 => product_tile::<S, NODES, 3>(simd, t, j, p, stride, d, tile, slopes),
            _ => product_tile::<S, NODES, FEATURE_TILE>(simd, t, j, p, stride, d, tile, slopes),
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)] // a micro-kernel: every argument is an index or an operand
fn product_tile<S: Simd, const NODES: usize, const FEATURES: usize>(
    simd: S,
    t: usize,
    j: usize,
    p: usize,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
) {
    let vectors = stride / S::F64_LANES;
    let d = &S::as_simd_f64s(&d[t * stride..][..NODES * stride]).0[..NODES * vectors];
    let u = &S::as_simd_f64s(&tile[j * stride..][..FEATURES * stride]).0[..FEATURES * vectors];
    let mut sum = [[simd.splat_f64s(0.0); FEATURES]; NODES];
    for i in 0..vectors {
        let mut u_i = [simd.splat_f64s(0.0); FEATURES];
        for f in 0..FEATURES {
            u_i[f] = u[f * vectors + i];
        }
        for n in 0..NODES {
            let d_i = d[n * vectors + i];
            for f in 0..FEATURES {
                sum[n][f] = simd.mul_add_e_f64s(d_i, u_i[f], sum[n][f]);
            }
        }
    }
    for n in 0..NODES {
        for f in 0..FEATURES {
            let lanes = &mut slopes[((t + n) * p + j + f) * MAX_LANES..][..MAX_LANES];
            let lanes = &mut S::as_mut_simd_f64s(lanes).0[0];
            *lanes = simd.add_f64s(*lanes, sum[n][f]);
        }
    }
}
