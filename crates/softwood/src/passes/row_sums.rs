//! Sums of weighted rows by class, by cluster and by side of a split.

use crate::data::{Classes, Pass, SparseTile, Tile, WeightedBlock, add_to};
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::splits::Splits;
use crate::vectors::dot;

/// Σ_{i: y_i = k} w_i u_ij, K × p, and Σ_i w_i at the end.
pub(crate) struct ClassSums<'a> {
    pub classes: Classes<'a>,
    pub features: usize,
}

impl ClassSums<'_> {
    fn add_sparse(&self, tile: SparseTile<'_>, codes: &[u32], weights: &[f64], sums: &mut [f64]) {
        let mut of_class = vec![0.0; self.classes.count()];
        for (i, (code, w)) in codes.iter().zip(weights).enumerate() {
            let sums = &mut sums[*code as usize * self.features..][..self.features];
            let (columns, values) = tile.row(i);
            for (j, x) in columns.iter().zip(values) {
                sums[*j as usize] += w * x;
            }
            of_class[*code as usize] += w;
        }
        for (sums, w) in sums.chunks_exact_mut(self.features).zip(of_class) {
            for (sum, x) in sums.iter_mut().zip(tile.background) {
                *sum += w * x;
            }
        }
    }
}

impl Pass for ClassSums<'_> {
    type Scratch = Vec<f64>;
    type Sum = Vec<f64>;

    fn begin(&self, _: usize) -> Vec<f64> {
        vec![0.0; self.classes.count() * self.features + 1]
    }

    fn see(&self, block: &WeightedBlock<'_>, sums: &mut Vec<f64>) {
        let codes = self.classes.of_block(block);
        match block.tile {
            Tile::Dense(_) => {
                for (j, column) in block.columns().enumerate() {
                    for ((code, w), x) in codes.iter().zip(block.weights).zip(column) {
                        sums[*code as usize * self.features + j] += w * x;
                    }
                }
            }
            Tile::Sparse(tile) => self.add_sparse(tile, codes, block.weights, sums),
        }
        let last = sums.len() - 1;
        sums[last] += block.weights.iter().sum::<f64>();
    }

    fn finish(&self, sums: Vec<f64>) -> Vec<f64> {
        sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}

/// Σ w u and Σ w of every group of rows, groups × (p + 1).
pub(crate) struct GroupSums<'a> {
    /// The group of each row.
    pub groups: &'a [u32],
    pub count: usize,
    pub features: usize,
}

/// Something of each row of a block, padding included, and sums.
pub(crate) struct InsideSums {
    inside: Vec<f64>,
    sums: Vec<f64>,
}

impl InsideSums {
    fn new(stride: usize, len: usize) -> Self {
        Self {
            inside: vec![0.0; stride],
            sums: vec![0.0; len],
        }
    }
}

/// sums += Σ inside · u, then Σ inside.
fn add_inside(block: &WeightedBlock<'_>, inside: &[f64], sums: &mut [f64]) {
    for (sum, column) in sums.iter_mut().zip(block.columns()) {
        *sum += dot(inside, column);
    }
    sums[sums.len() - 1] += inside.iter().sum::<f64>();
}

impl Pass for GroupSums<'_> {
    type Scratch = InsideSums;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> InsideSums {
        InsideSums::new(stride, self.count * (self.features + 1))
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut InsideSums) {
        let InsideSums { inside, sums } = scratch;
        let groups = &self.groups[block.rows.clone()];
        for (group, sums) in sums.chunks_exact_mut(self.features + 1).enumerate() {
            // Weights of the group's rows, then products of whole columns: no branches there.
            let rows = groups.iter().zip(block.weights);
            for (inside, (g, w)) in inside.iter_mut().zip(rows) {
                *inside = if *g as usize == group { *w } else { 0.0 };
            }
            inside[block.rows.len()..].fill(0.0);
            add_inside(block, inside, sums);
        }
    }

    fn finish(&self, scratch: InsideSums) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}

/// Σ w u and Σ w of the rows that a split sends left.
pub(crate) struct LeftSums {
    splits: Splits,
    features: usize,
}

impl LeftSums {
    /// Of the split (a, μ), steepness 1.
    pub fn new(split: &[f64]) -> Self {
        let features = split.len() - 1;
        Self {
            splits: Splits::new(&Topology::complete(1), features, split, 1.0),
            features,
        }
    }
}

impl Pass for LeftSums {
    type Scratch = (BlockScratch, InsideSums);
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Self::Scratch {
        (
            BlockScratch::new(&self.splits.topology, stride),
            InsideSums::new(stride, self.features + 1),
        )
    }

    fn see(&self, block: &WeightedBlock<'_>, (passed, scratch): &mut Self::Scratch) {
        block_pass::split_values(&self.splits, block.tile, passed);
        let InsideSums { inside, sums } = scratch;
        let rows = passed.split_values().iter().zip(block.weights);
        for (inside, (z, w)) in inside.iter_mut().zip(rows) {
            *inside = if *z >= 0.0 { *w } else { 0.0 };
        }
        add_inside(block, inside, sums);
    }

    fn finish(&self, (_, scratch): Self::Scratch) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}

/// Σ w |u − center| of every group of rows.
pub(crate) struct GroupSpreads<'a> {
    /// The group of each row.
    pub groups: &'a [u32],
    /// Centers of the groups, p × groups.
    pub centers: &'a [f64],
    pub count: usize,
}

impl Pass for GroupSpreads<'_> {
    type Scratch = InsideSums;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> InsideSums {
        InsideSums::new(stride, self.count)
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut InsideSums) {
        let InsideSums {
            inside: squares,
            sums: spreads,
        } = scratch;
        let groups = &self.groups[block.rows.clone()];
        squares.fill(0.0);
        for (column, centers) in block.columns().zip(self.centers.chunks_exact(self.count)) {
            for ((square, x), group) in squares.iter_mut().zip(column).zip(groups) {
                *square += (x - centers[*group as usize]).powi(2);
            }
        }
        for ((square, group), weight) in squares.iter().zip(groups).zip(block.weights) {
            if *weight > 0.0 {
                spreads[*group as usize] += weight * square.sqrt();
            }
        }
    }

    fn finish(&self, scratch: InsideSums) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
