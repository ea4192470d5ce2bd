//! The fused pass over one block of rows: splits → leaf probabilities → gradient of the splits.
//!
//! Every array is laid out with the rows of the block innermost, `stride` of them (a multiple of
//! [`ROW_MULTIPLE`]), so that each loop runs over whole vectors of rows. The kernels are written
//! once over pulp's vectors, which picks AVX-512, AVX2 or NEON at run time.

use super::sigmoid::{VECTORS, saturation, sigmoid_pairs};
use super::{ParameterLayout, Topology};
use crate::data::aligned::AlignedBuffer;
use crate::data::blocks::Tile;
use crate::data::prefetch::Ahead;
use pulp::{Arch, Simd, WithSimd};

// Register tiles of the two matrix products: 3 nodes × 4 vectors of rows, 3 nodes × 4 features.
// Twelve accumulators keep two multiply-add units busy within the 16 registers of AVX2.
const NODE_TILE: usize = 3;
const VECTOR_TILE: usize = VECTORS;
const FEATURE_TILE: usize = 4;

/// Doubles in the widest vector.
pub(crate) const MAX_LANES: usize = 8;

/// Blocks hold a multiple of this many rows, the last one padded.
pub(crate) const ROW_MULTIPLE: usize = MAX_LANES * VECTOR_TILE;

/// The splits of a tree with steepness and 1/p folded in: γ z_it = Σ_j slope_tj u_ij − offset_t.
#[derive(Clone, Debug)]
pub(crate) struct Splits {
    pub topology: Topology,
    /// Slopes of `NODE_TILE` nodes (fewer at the end) feature by feature, then of the next nodes.
    slopes: Vec<f64>,
    offsets: Vec<f64>,
    features: usize,
}

impl Splits {
    /// Folds γ into θ = (a, μ).
    pub fn new(topology: Topology, features: usize, theta: &[f64], gamma: f64) -> Self {
        let (a, mu) = ParameterLayout::new(topology, features).split(theta);
        let factor = gamma / features as f64;
        let slopes: Vec<f64> = a.iter().map(|a| a * factor).collect();
        Self {
            topology,
            slopes: in_node_tiles(&slopes, features),
            offsets: mu.iter().map(|mu| mu * gamma).collect(),
            features,
        }
    }

    /// Any number of linear functions Σ_j slope_nj u_j − offset_n, for [`split_values`] alone.
    pub fn linear_functions(features: usize, slopes: &[f64], offsets: Vec<f64>) -> Self {
        Self {
            topology: Topology::complete(1),
            slopes: in_node_tiles(slopes, features),
            offsets,
            features,
        }
    }
}

/// Slopes node after node, as the first matrix product reads them: feature by feature within a tile.
fn in_node_tiles(slopes: &[f64], features: usize) -> Vec<f64> {
    let tiles = slopes.chunks(NODE_TILE * features);
    tiles
        .flat_map(|nodes| (0..features).flat_map(move |j| nodes[j..].iter().step_by(features)))
        .copied()
        .collect()
}

/// Working memory for one block; made once and reused for block after block.
pub(crate) struct BlockScratch {
    stride: usize,
    /// What to ask memory for while working on this block.
    ahead: Ahead,
    /// γz, then the probability p of going left, then ∂/∂(γz); B × stride.
    left: AlignedBuffer,
    /// R p (1 − p), by which γz moves rows from one child to the other; B × stride.
    spread: AlignedBuffer,
    /// Probability R of reaching each node, branch nodes first; (B + L) × stride.
    reach: AlignedBuffer,
    /// Columns of ∂loss_i/∂P_it, filled by the objective; up to L × stride.
    pub leaf_costs: AlignedBuffer,
    /// Which of the columns is whose: leaf t has column `cost_columns[t]`, at first column t.
    pub cost_columns: Vec<usize>,
    /// Expected cost of a row at each branch node; B × the rows of a register tile.
    values: AlignedBuffer,
}

impl BlockScratch {
    pub fn new(topology: Topology, stride: usize) -> Self {
        assert!(stride.is_multiple_of(ROW_MULTIPLE));
        let (b, l) = (topology.branches(), topology.leaves());
        Self {
            stride,
            ahead: Ahead::NOTHING,
            left: AlignedBuffer::zeros(b * stride),
            spread: AlignedBuffer::zeros(b * stride),
            reach: AlignedBuffer::zeros((b + l) * stride),
            leaf_costs: AlignedBuffer::zeros(l * stride),
            cost_columns: (0..l).collect(),
            values: AlignedBuffer::zeros(b * ROW_MULTIPLE),
        }
    }

    /// Room for the values of `count` linear functions.
    pub fn for_values(count: usize, stride: usize) -> Self {
        Self {
            stride,
            ahead: Ahead::NOTHING,
            left: AlignedBuffer::zeros(count * stride),
            spread: AlignedBuffer::zeros(0),
            reach: AlignedBuffer::zeros(0),
            leaf_costs: AlignedBuffer::zeros(0),
            cost_columns: Vec::new(),
            values: AlignedBuffer::zeros(0),
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
pub(crate) fn split_values(splits: &Splits, tile: Tile<'_>, scratch: &mut BlockScratch) {
    Arch::new().dispatch(SplitValues {
        splits,
        tile,
        scratch,
    });
}

/// R_it for the block, into [`BlockScratch::reach`], and P_it into
/// [`BlockScratch::leaf_probabilities`].
pub(crate) fn leaf_probabilities(splits: &Splits, tile: Tile<'_>, scratch: &mut BlockScratch) {
    Arch::new().dispatch(Down {
        splits,
        tile,
        scratch,
        parents: splits.topology.branches(),
    });
}

/// R_it at the branch nodes alone: all that [`add_gradient`] needs if the costs are known already.
pub(crate) fn node_probabilities(splits: &Splits, tile: Tile<'_>, scratch: &mut BlockScratch) {
    Arch::new().dispatch(Down {
        splits,
        tile,
        scratch,
        parents: splits.topology.branches() / 2,
    });
}

/// Adds the block's part of the gradient, given its probabilities and [`BlockScratch::leaf_costs`].
pub(crate) fn add_gradient(
    splits: &Splits,
    tile: Tile<'_>,
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

/// columns[k] = Σ_{t: label_t = k} P_it for the block last seen by [`leaf_probabilities`].
pub(crate) fn sum_leaves_by_label(scratch: &BlockScratch, labels: &[u32], columns: &mut [f64]) {
    Arch::new().dispatch(LeavesByLabel {
        scratch,
        labels,
        columns,
    });
}

struct LeavesByLabel<'a> {
    scratch: &'a BlockScratch,
    labels: &'a [u32],
    columns: &'a mut [f64],
}

impl WithSimd for LeavesByLabel<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let stride = self.scratch.stride;
        self.columns.fill(0.0);
        let leaves = self.scratch.leaf_probabilities().chunks_exact(stride);
        for (leaf, label) in leaves.zip(self.labels) {
            let column = &mut self.columns[*label as usize * stride..][..stride];
            for (sum, p) in column.iter_mut().zip(leaf) {
                *sum += p;
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
    tile: Tile<'a>,
    scratch: &'a mut BlockScratch,
}

impl WithSimd for SplitValues<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let loops = slope_loops::<S>(self.splits, self.scratch);
        multiply_by_slopes(simd, self.splits, self.tile, loops, self.scratch);
    }
}

struct Down<'a> {
    splits: &'a Splits,
    tile: Tile<'a>,
    scratch: &'a mut BlockScratch,
    /// Nodes whose children's R is wanted.
    parents: usize,
}

impl WithSimd for Down<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let mut loops = slope_loops::<S>(self.splits, self.scratch);
        if self.parents < self.splits.topology.branches() {
            loops += product_loops(self.splits); // the gradient follows
        }
        multiply_by_slopes(simd, self.splits, self.tile, loops, self.scratch);
        let (stride, topology) = (self.scratch.stride, self.splits.topology);
        let saturation = saturation(topology.depth());
        // All nodes for a few rows at a time, which stay in the first cache.
        for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
            sweep_down(
                simd,
                topology.branches(),
                self.parents,
                saturation,
                first,
                self.scratch,
            );
        }
    }
}

/// p, R p (1 − p) and the children's R at every node, for a register tile of rows from `first`.
#[inline(always)]
fn sweep_down<S: Simd>(
    simd: S,
    branches: usize,
    parents: usize,
    saturation: f64,
    first: usize,
    scratch: &mut BlockScratch,
) {
    let stride = scratch.stride;
    *rows_mut::<S>(&mut scratch.reach, first) = [simd.splat_f64s(1.0); VECTOR_TILE];
    for t in 0..branches {
        let at = t * stride + first;
        let left = rows_mut::<S>(&mut scratch.left, at);
        let (p, q) = sigmoid_pairs(simd, *left, saturation);
        *left = p;
        let reach = *rows::<S>(&scratch.reach, at);
        let spread = rows_mut::<S>(&mut scratch.spread, at);
        for v in 0..VECTOR_TILE {
            spread[v] = simd.mul_f64s(reach[v], simd.mul_f64s(p[v], q[v]));
        }
        if t < parents {
            let at = (2 * t + 1) * stride + first;
            let to_left = rows_mut::<S>(&mut scratch.reach, at);
            for v in 0..VECTOR_TILE {
                to_left[v] = simd.mul_f64s(reach[v], p[v]);
            }
            let to_right = rows_mut::<S>(&mut scratch.reach, at + stride);
            for v in 0..VECTOR_TILE {
                to_right[v] = simd.mul_f64s(reach[v], q[v]);
            }
        }
    }
}

/// A register tile of rows of a column.
#[inline(always)]
fn rows<S: Simd>(columns: &[f64], at: usize) -> &[S::f64s; VECTOR_TILE] {
    let rows = &columns[at..][..S::F64_LANES * VECTOR_TILE];
    S::as_simd_f64s(rows).0.first_chunk().unwrap()
}

#[inline(always)]
fn rows_mut<S: Simd>(columns: &mut [f64], at: usize) -> &mut [S::f64s; VECTOR_TILE] {
    let rows = &mut columns[at..][..S::F64_LANES * VECTOR_TILE];
    S::as_mut_simd_f64s(rows).0.first_chunk_mut().unwrap()
}

struct Up<'a> {
    splits: &'a Splits,
    tile: Tile<'a>,
    scratch: &'a mut BlockScratch,
    gradient: &'a mut SplitGradient,
}

impl WithSimd for Up<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (b, p) = (self.splits.topology.branches(), self.splits.features);
        let stride = self.scratch.stride;
        for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
            sweep_up(simd, b, first, self.scratch, self.gradient);
        }
        let BlockScratch { ahead, left, .. } = self.scratch;
        let (tile, slopes) = (self.tile.values, &mut self.gradient.slopes);
        for t in (0..b).step_by(NODE_TILE) {
            match b - t {
                1 => add_products::<S, 1>(simd, t, p, stride, left, tile, slopes, ahead),
                2 => add_products::<S, 2>(simd, t, p, stride, left, tile, slopes, ahead),
                _ => add_products::<S, NODE_TILE>(simd, t, p, stride, left, tile, slopes, ahead),
            }
        }
    }
}

/// V_t = p V_left + (1 − p) V_right and ∂/∂(γz_t) = p (1 − p) R_t (V_left − V_right) from the last
/// node to the root, for a register tile of rows from `first`.
#[inline(always)]
fn sweep_up<S: Simd>(
    simd: S,
    branches: usize,
    first: usize,
    scratch: &mut BlockScratch,
    gradient: &mut SplitGradient,
) {
    let (stride, width) = (scratch.stride, S::F64_LANES * VECTOR_TILE);
    for t in (0..branches).rev() {
        let child = 2 * t + 1;
        let (to_left, to_right) = if child < branches {
            let children = rows::<S>(&scratch.values, child * width);
            (*children, *rows::<S>(&scratch.values, (child + 1) * width))
        } else {
            let columns = &scratch.cost_columns[child - branches..][..2];
            let at = |k: usize| columns[k] * stride + first;
            let (left, right) = (at(0), at(1));
            let costs = &scratch.leaf_costs;
            (*rows::<S>(costs, left), *rows::<S>(costs, right))
        };
        let at = t * stride + first;
        let left = rows_mut::<S>(&mut scratch.left, at);
        let spread = rows::<S>(&scratch.spread, at);
        let value = rows_mut::<S>(&mut scratch.values, t * width);
        for v in 0..VECTOR_TILE {
            let difference = simd.sub_f64s(to_left[v], to_right[v]);
            value[v] = simd.mul_add_e_f64s(left[v], difference, to_right[v]);
            left[v] = simd.mul_f64s(spread[v], difference);
        }
        add_rows(simd, left, &mut gradient.offsets, t);
    }
    // V_root = Σ_t P_it cost_it.
    let values = rows::<S>(&scratch.values, 0);
    add_rows(simd, values, &mut gradient.value, 0);
}

/// The `k`-th sum in lanes, plus a register tile of rows.
#[inline(always)]
fn add_rows<S: Simd>(simd: S, x: &[S::f64s; VECTOR_TILE], sums: &mut [f64], k: usize) {
    let sum = &mut S::as_mut_simd_f64s(&mut sums[k * MAX_LANES..][..MAX_LANES]).0[0];
    let (x01, x23) = (simd.add_f64s(x[0], x[1]), simd.add_f64s(x[2], x[3]));
    *sum = simd.add_f64s(*sum, simd.add_f64s(x01, x23));
}

/// Inner loops of [`multiply_by_slopes`].
#[inline(always)]
fn slope_loops<S: Simd>(splits: &Splits, scratch: &BlockScratch) -> usize {
    let node_tiles = splits.offsets.len().div_ceil(NODE_TILE);
    node_tiles * (scratch.stride / (S::F64_LANES * VECTOR_TILE))
}

/// Inner loops of [`add_products`] over all nodes.
#[inline(always)]
fn product_loops(splits: &Splits) -> usize {
    let node_tiles = splits.topology.branches().div_ceil(NODE_TILE);
    node_tiles * splits.features.div_ceil(FEATURE_TILE)
}

/// left[t] = Σ_j slope_tj u_j − offset_t for all nodes; `loops` inner loops share the work of asking
/// for memory.
#[inline(always)]
fn multiply_by_slopes<S: Simd>(
    simd: S,
    splits: &Splits,
    tile: Tile<'_>,
    loops: usize,
    scratch: &mut BlockScratch,
) {
    let (stride, z) = (scratch.stride, &mut scratch.left);
    scratch.ahead = tile.ahead.in_parts(loops);
    let ahead = &mut scratch.ahead;
    let b = splits.offsets.len();
    // Plain loops and matches: a closure would not inherit the instruction set.
    for t in (0..b).step_by(NODE_TILE) {
        match b - t {
            1 => slope_tile::<S, 1>(simd, t, splits, stride, tile.values, z, ahead),
            2 => slope_tile::<S, 2>(simd, t, splits, stride, tile.values, z, ahead),
            _ => slope_tile::<S, NODE_TILE>(simd, t, splits, stride, tile.values, z, ahead),
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
    ahead: &mut Ahead,
) {
    let p = splits.features;
    let slopes = &splits.slopes[t * p..][..NODES * p];
    let rows = S::F64_LANES * VECTOR_TILE;
    for first in (0..stride).step_by(rows) {
        let mut sum = [[simd.splat_f64s(0.0); VECTOR_TILE]; NODES];
        for (sum, offset) in sum.iter_mut().zip(&splits.offsets[t..]) {
            *sum = [simd.splat_f64s(-offset); VECTOR_TILE];
        }
        let mut burst = ahead.take();
        for (u, slopes) in tile.chunks_exact(stride).zip(slopes.chunks_exact(NODES)) {
            burst.ask(simd);
            let u = self::rows::<S>(u, first);
            // The sums, a slope for each node and one u: sixteen registers, all that AVX2 has.
            let mut slope = [simd.splat_f64s(0.0); NODES];
            for n in 0..NODES {
                slope[n] = simd.splat_f64s(slopes[n]);
            }
            for v in 0..VECTOR_TILE {
                for n in 0..NODES {
                    sum[n][v] = simd.mul_add_e_f64s(slope[n], u[v], sum[n][v]);
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
#[allow(clippy::too_many_arguments)] // as below
fn add_products<S: Simd, const NODES: usize>(
    simd: S,
    t: usize,
    p: usize,
    stride: usize,
    d: &[f64],
    tile: &[f64],
    slopes: &mut [f64],
    ahead: &mut Ahead,
) {
    for j in (0..p).step_by(FEATURE_TILE) {
        match p - j {
            1 => product_tile::<S, NODES, 1>(simd, t, j, p, stride, d, tile, slopes, ahead),
            2 => product_tile::<S, NODES, 2>(simd, t, j, p, stride, d, tile, slopes, ahead),
            3 => product_tile::<S, NODES, 3>(simd, t, j, p, stride, d, tile, slopes, ahead),
            _ => product_tile::<S, NODES, FEATURE_TILE>(
                simd, t, j, p, stride, d, tile, slopes, ahead,
            ),
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
    ahead: &mut Ahead,
) {
    // Slices of one known length each, so that no index below needs a check.
    let vectors = stride / S::F64_LANES;
    let mut d_of = [&S::as_simd_f64s(&d[..stride]).0[..vectors]; NODES];
    for n in 0..NODES {
        d_of[n] = &S::as_simd_f64s(&d[(t + n) * stride..][..stride]).0[..vectors];
    }
    let mut u_of = [&S::as_simd_f64s(&tile[..stride]).0[..vectors]; FEATURES];
    for f in 0..FEATURES {
        u_of[f] = &S::as_simd_f64s(&tile[(j + f) * stride..][..stride]).0[..vectors];
    }
    let mut sum = [[simd.splat_f64s(0.0); FEATURES]; NODES];
    let mut burst = ahead.take();
    for i in 0..vectors {
        burst.ask(simd);
        // The sums, a d for each node and one u: sixteen registers, all that AVX2 has.
        let mut d = [simd.splat_f64s(0.0); NODES];
        for n in 0..NODES {
            d[n] = d_of[n][i];
        }
        for f in 0..FEATURES {
            let u = u_of[f][i];
            for n in 0..NODES {
                sum[n][f] = simd.mul_add_e_f64s(d[n], u, sum[n][f]);
            }
        }
    }
    for n in 0..NODES {
        let sums = &mut slopes[((t + n) * p + j) * MAX_LANES..][..FEATURES * MAX_LANES];
        for (sums, sum) in sums.chunks_exact_mut(MAX_LANES).zip(sum[n]) {
            let lanes = &mut S::as_mut_simd_f64s(sums).0[0];
            *lanes = simd.add_f64s(*lanes, sum);
        }
    }
}
