//! The fused pass over one block of rows: splits → leaf probabilities → gradient of the splits.
//!
//! Every array is laid out with the rows of the block innermost, `stride` of them (a multiple of
//! [`ROW_MULTIPLE`]), so that each loop runs over whole vectors of rows. The kernels are written
//! once over pulp's vectors, which picks AVX-512, AVX2 or NEON at run time.

use super::Topology;
use super::register_tiles::{
    add_products, multiply_by_slopes, product_steps, rows, rows_mut, slope_steps,
};
use super::sparse_products;
use super::split_gradient::{Slopes, SplitGradient};
use super::splits::Splits;
use crate::data::{SparseTile, Tile};
use crate::vectors::prefetch::Ahead;
use crate::vectors::{
    AlignedBuffer, MAX_LANES, ROW_MULTIPLE, VECTOR_TILE, saturation, sigmoid_pairs,
};
use pulp::{Arch, Simd, WithSimd};

/// What a node of a register tile of rows costs on the way down, in steps of the matrix products.
const UNITS_DOWN: usize = 10;

/// Working memory for one block; made once and reused for block after block.
pub(crate) struct BlockScratch {
    stride: usize,
    /// What to ask memory for while working on this block.
    ahead: Ahead,
    /// γz where a row of a sparse block has nothing of its own; B, once such a block was seen.
    at_background: Vec<f64>,
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
    /// Expected cost of a row at each branch node; B × stride.
    values: AlignedBuffer,
}

impl BlockScratch {
    pub fn new(topology: &Topology, stride: usize) -> Self {
        assert!(stride.is_multiple_of(ROW_MULTIPLE));
        let (b, l) = (topology.branches(), topology.leaves());
        Self {
            stride,
            ahead: Ahead::NOTHING,
            at_background: Vec::new(),
            left: AlignedBuffer::zeros(b * stride),
            spread: AlignedBuffer::zeros(b * stride),
            reach: AlignedBuffer::zeros((b + l) * stride),
            leaf_costs: AlignedBuffer::zeros(l * stride),
            cost_columns: (0..l).collect(),
            values: AlignedBuffer::zeros(b * stride),
        }
    }

    /// Room for the values of `count` linear functions.
    pub fn for_values(count: usize, stride: usize) -> Self {
        Self {
            stride,
            ahead: Ahead::NOTHING,
            at_background: Vec::new(),
            left: AlignedBuffer::zeros(count * stride),
            spread: AlignedBuffer::zeros(0),
            reach: AlignedBuffer::zeros(0),
            leaf_costs: AlignedBuffer::zeros(0),
            cost_columns: Vec::new(),
            values: AlignedBuffer::zeros(0),
        }
    }

    /// γz of all nodes; memory ahead is asked for in the course of `units` of work, here and in what
    /// follows.
    #[inline(always)]
    fn set_split_values<S: Simd>(
        &mut self,
        simd: S,
        splits: &Splits,
        tile: Tile<'_>,
        units: usize,
    ) {
        match tile {
            Tile::Dense(tile) => {
                self.ahead = tile.ahead.over(units);
                let Self { left, ahead, .. } = self;
                multiply_by_slopes(simd, splits, self.stride, tile.values, left, ahead);
            }
            Tile::Sparse(tile) => {
                self.see_background(splits, tile);
                let base = &self.at_background;
                sparse_products::multiply_by_slopes(
                    splits,
                    tile,
                    base,
                    self.stride,
                    &mut self.left,
                );
            }
        }
    }

    /// The values of all functions where a row has nothing of its own. They are those of the first
    /// block: a scratch sees the blocks of one source, and always the same splits.
    pub fn see_background(&mut self, splits: &Splits, tile: SparseTile<'_>) -> &[f64] {
        if self.at_background.is_empty() {
            self.at_background = sparse_products::at_background(splits, tile.background);
        }
        &self.at_background
    }

    /// P_it of the block last seen by [`leaf_probabilities`], leaf after leaf.
    pub fn leaf_probabilities(&self) -> &[f64] {
        &self.reach[self.left.len()..]
    }

    /// P_it as above, and the columns of [`Self::leaf_costs`] to be filled.
    pub fn probabilities_and_costs(&mut self) -> (&[f64], &mut [f64]) {
        (&self.reach[self.left.len()..], &mut self.leaf_costs)
    }

    /// γ z_it of the block last seen by [`split_values`], node after node.
    pub fn split_values(&self) -> &[f64] {
        &self.left
    }

    /// As [`Self::split_values`], to be turned into something else in place.
    pub fn split_values_mut(&mut self) -> &mut [f64] {
        &mut self.left
    }

    /// Rows of a block, padding included.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// R_it for node `t`.
    pub fn reach(&self, t: usize) -> &[f64] {
        &self.reach[t * self.stride..][..self.stride]
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
        leaves_wanted: true,
        gradient_follows: false,
    });
}

/// The same, and what [`add_gradient`] needs.
pub(crate) fn leaf_probabilities_for_gradient(
    splits: &Splits,
    tile: Tile<'_>,
    scratch: &mut BlockScratch,
) {
    Arch::new().dispatch(Down {
        splits,
        tile,
        scratch,
        leaves_wanted: true,
        gradient_follows: true,
    });
}

/// R_it at the branch nodes alone: all that [`add_gradient`] needs if the costs are known already.
pub(crate) fn node_probabilities(splits: &Splits, tile: Tile<'_>, scratch: &mut BlockScratch) {
    Arch::new().dispatch(Down {
        splits,
        tile,
        scratch,
        leaves_wanted: false,
        gradient_follows: true,
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

struct SplitValues<'a> {
    splits: &'a Splits,
    tile: Tile<'a>,
    scratch: &'a mut BlockScratch,
}

impl WithSimd for SplitValues<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let units = slope_steps::<S>(self.splits, self.scratch.stride);
        self.scratch
            .set_split_values(simd, self.splits, self.tile, units);
    }
}

struct Down<'a> {
    splits: &'a Splits,
    tile: Tile<'a>,
    scratch: &'a mut BlockScratch,
    /// Whether R is wanted at the leaves, too.
    leaves_wanted: bool,
    /// Whether p and R p (1 − p) are wanted, too.
    gradient_follows: bool,
}

impl WithSimd for Down<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (stride, topology) = (self.scratch.stride, &self.splits.topology);
        let sweep_steps = topology.branches() * (stride / (S::F64_LANES * VECTOR_TILE));
        let mut units = slope_steps::<S>(self.splits, stride) + UNITS_DOWN * sweep_steps;
        if self.gradient_follows {
            units += product_steps::<S>(self.splits, stride);
        }
        self.scratch
            .set_split_values(simd, self.splits, self.tile, units);
        sweep_down(
            simd,
            topology,
            self.leaves_wanted,
            self.gradient_follows,
            self.scratch,
        );
    }
}

/// The children's R, from the root to the last node, and p and R p (1 − p) for the way up.
#[inline(always)]
fn sweep_down<S: Simd>(
    simd: S,
    topology: &Topology,
    leaves_wanted: bool,
    gradient_follows: bool,
    scratch: &mut BlockScratch,
) {
    let (stride, branches) = (scratch.stride, topology.branches());
    let saturation = saturation(topology.depth());
    scratch.reach[..stride].fill(1.0);
    for (t, children) in topology.children().iter().enumerate() {
        let children_wanted = leaves_wanted || children.iter().any(|child| *child < branches);
        let left = &mut scratch.left[t * stride..][..stride];
        let spread = &mut scratch.spread[t * stride..][..stride];
        let (reach, below) = scratch.reach.split_at_mut((t + 1) * stride);
        let reach = &reach[t * stride..][..stride];
        let columns = children.map(|child| (child - t - 1) * stride..(child - t) * stride);
        let [to_left, to_right] = below
            .get_disjoint_mut(columns)
            .expect("children are two nodes below");
        for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
            scratch.ahead.work(simd, UNITS_DOWN);
            let left = rows_mut::<S>(left, first);
            let (p, q) = sigmoid_pairs(simd, *left, saturation);
            let reach = rows::<S>(reach, first);
            if gradient_follows {
                *left = p;
                let spread = rows_mut::<S>(spread, first);
                for v in 0..VECTOR_TILE {
                    spread[v] = simd.mul_f64s(reach[v], simd.mul_f64s(p[v], q[v]));
                }
            }
            if children_wanted {
                let to_left = rows_mut::<S>(to_left, first);
                for v in 0..VECTOR_TILE {
                    to_left[v] = simd.mul_f64s(reach[v], p[v]);
                }
                let to_right = rows_mut::<S>(to_right, first);
                for v in 0..VECTOR_TILE {
                    to_right[v] = simd.mul_f64s(reach[v], q[v]);
                }
            }
        }
    }
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
        let (topology, stride) = (&self.splits.topology, self.scratch.stride);
        sweep_up(simd, topology, self.scratch, self.gradient);
        self.gradient.prepare(self.tile);
        let BlockScratch { ahead, left, .. } = self.scratch;
        match (self.tile, &mut self.gradient.slopes) {
            (Tile::Dense(tile), Slopes::Dense(slopes)) => {
                add_products(simd, self.splits, stride, left, tile.values, slopes, ahead);
            }
            (Tile::Sparse(tile), Slopes::Sparse(slopes, _)) => {
                sparse_products::add_products(topology.branches(), tile, stride, left, slopes);
            }
            _ => panic!("the blocks of a source are dense, or they are sparse"),
        }
    }
}

/// V_t = p V_left + (1 − p) V_right and ∂/∂(γz_t) = p (1 − p) R_t (V_left − V_right) from the last
/// node to the root.
#[inline(always)]
fn sweep_up<S: Simd>(
    simd: S,
    topology: &Topology,
    scratch: &mut BlockScratch,
    gradient: &mut SplitGradient,
) {
    let (stride, branches) = (scratch.stride, topology.branches());
    for (t, children) in topology.children().iter().enumerate().rev() {
        let (values, below) = scratch.values.split_at_mut((t + 1) * stride);
        let value = &mut values[t * stride..][..stride];
        let [to_left, to_right] = children.map(|child| match child.checked_sub(branches) {
            None => &below[(child - t - 1) * stride..][..stride],
            Some(leaf) => &scratch.leaf_costs[scratch.cost_columns[leaf] * stride..][..stride],
        });
        let left = &mut scratch.left[t * stride..][..stride];
        let spread = &scratch.spread[t * stride..][..stride];
        for first in (0..stride).step_by(S::F64_LANES * VECTOR_TILE) {
            let (to_left, to_right) = (rows::<S>(to_left, first), rows::<S>(to_right, first));
            let (left, spread) = (rows_mut::<S>(left, first), rows::<S>(spread, first));
            let value = rows_mut::<S>(value, first);
            for v in 0..VECTOR_TILE {
                let difference = simd.sub_f64s(to_left[v], to_right[v]);
                value[v] = simd.mul_add_e_f64s(left[v], difference, to_right[v]);
                left[v] = simd.mul_f64s(spread[v], difference);
            }
            add_rows(simd, left, &mut gradient.offsets, t);
            if t == 0 {
                // V_root = Σ_t P_it cost_it.
                add_rows(simd, value, &mut gradient.value, 0);
            }
        }
    }
}

/// The `k`-th sum in lanes, plus a register tile of rows.
#[inline(always)]
pub(super) fn add_rows<S: Simd>(simd: S, x: &[S::f64s; VECTOR_TILE], sums: &mut [f64], k: usize) {
    let sum = &mut S::as_mut_simd_f64s(&mut sums[k * MAX_LANES..][..MAX_LANES]).0[0];
    let (x01, x23) = (simd.add_f64s(x[0], x[1]), simd.add_f64s(x[2], x[3]));
    *sum = simd.add_f64s(*sum, simd.add_f64s(x01, x23));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DenseTile;
    use crate::tree::Shape;
    use approx::assert_relative_eq;
    use pulp::Scalar;

    /// R_it, the value and the gradient of a block, by the vectors that `down` and `up` choose.
    fn pass(
        topology: &Topology,
        features: usize,
        down: impl Fn(Down<'_>),
        up: impl Fn(Up<'_>),
    ) -> (Vec<f64>, f64, Vec<f64>) {
        const STRIDE: usize = 2 * ROW_MULTIPLE;
        let wave = |k: usize, step: f64| (k as f64 * step).sin();
        let parameters = (features + 1) * topology.branches();
        let theta: Vec<f64> = (0..parameters).map(|k| wave(k, 1.7)).collect();
        let splits = Splits::new(topology, features, &theta, 30.0);
        let mut values = AlignedBuffer::zeros(features * STRIDE);
        for (k, value) in values.iter_mut().enumerate() {
            *value = wave(k, 0.9).abs();
        }
        let tile = Tile::Dense(DenseTile {
            values: &values,
            ahead: Ahead::NOTHING,
        });
        let mut scratch = BlockScratch::new(topology, STRIDE);
        down(Down {
            splits: &splits,
            tile,
            scratch: &mut scratch,
            leaves_wanted: true,
            gradient_follows: true,
        });
        let reach = scratch.reach.to_vec();
        for (k, cost) in scratch.leaf_costs.iter_mut().enumerate() {
            *cost = wave(k, 2.3).abs();
        }
        let mut gradient = SplitGradient::zero(topology, features);
        up(Up {
            splits: &splits,
            tile,
            scratch: &mut scratch,
            gradient: &mut gradient,
        });
        let (value, gradient) = gradient.sum_lanes();
        (reach, value, gradient)
    }

    /// Complete ones, a comb to the right, and a ragged one.
    fn trees() -> impl Iterator<Item = Topology> {
        let ragged = [vec![0, 2, 6, 14], vec![0, 1, 2, 4, 9, 20]];
        let ragged = ragged.map(|splits| Topology::of(Shape::of_splits(splits).unwrap()));
        (1..=5).map(Topology::complete).chain(ragged)
    }

    #[test]
    fn a_tree_of_any_shape_gives_products_along_its_paths() {
        const STRIDE: usize = 2 * ROW_MULTIPLE;
        let wave = |k: usize, step: f64| (k as f64 * step).sin();
        for topology in trees() {
            let (features, b) = (3, topology.branches());
            let (reach, value, _) = pass(
                &topology,
                features,
                |down| Arch::new().dispatch(down),
                |up| Arch::new().dispatch(up),
            );
            let mut sum = 0.0;
            for i in 0..STRIDE {
                let left = |t: usize| {
                    let term =
                        |j: usize| wave(t * features + j, 1.7) * wave(j * STRIDE + i, 0.9).abs();
                    let z: f64 = (0..features).map(term).sum::<f64>() / features as f64;
                    1.0 / (1.0 + (-30.0 * (z - wave(b * features + t, 1.7))).exp())
                };
                for leaf in 0..topology.leaves() {
                    let turns = topology.path(leaf);
                    let turns =
                        turns.map(|(t, is_left)| if is_left { left(t) } else { 1.0 - left(t) });
                    let product: f64 = turns.product();
                    let found = reach[(b + leaf) * STRIDE + i];
                    assert_relative_eq!(found, product, epsilon = 1e-15, max_relative = 1e-9);
                    sum += product * wave(leaf * STRIDE + i, 2.3).abs();
                }
            }
            assert_relative_eq!(value, sum, max_relative = 1e-12);
        }
    }

    #[test]
    fn every_width_of_vectors_gives_the_same_probabilities_and_gradient() {
        for topology in trees() {
            for features in [1, 3, 4, 6, 25] {
                let expected = pass(
                    &topology,
                    features,
                    |down| down.with_simd(Scalar),
                    |up| up.with_simd(Scalar),
                );
                let widest = pass(
                    &topology,
                    features,
                    |down| Arch::new().dispatch(down),
                    |up| Arch::new().dispatch(up),
                );
                let mut found = vec![widest];
                #[cfg(target_arch = "x86_64")]
                if let Some(v3) = pulp::x86::V3::try_new() {
                    found.push(pass(
                        &topology,
                        features,
                        |down| Simd::vectorize(v3, down),
                        |up| Simd::vectorize(v3, up),
                    ));
                }
                for (reach, value, gradient) in found {
                    assert_relative_eq!(value, expected.1, max_relative = 1e-13);
                    for (found, expected) in reach.iter().zip(&expected.0) {
                        assert_relative_eq!(*found, *expected, max_relative = 1e-12);
                    }
                    for (found, expected) in gradient.iter().zip(&expected.2) {
                        assert_relative_eq!(
                            *found,
                            *expected,
                            epsilon = 1e-13,
                            max_relative = 1e-11
                        );
                    }
                }
            }
        }
    }
}
