//! Class counts in bins of single features, for each of some nodes: what greedy splits are chosen by.

use crate::data::{Classes, Pass, SparseTile, Tile, WeightedBlock, add_to};
use std::ops::Range;

/// Weight that is left of a class by less than this share is left by rounding.
const ROUNDING: f64 = 1e-12;

/// Weight of every class in every bin of [0, 1]: nodes × features × bins × K.
pub(crate) struct BinCounts<'a, F> {
    pub classes: Classes<'a>,
    /// Factor of each class's weight.
    pub importance: &'a [f64],
    pub nodes: usize,
    pub features: Range<usize>,
    pub bins: usize,
    /// Which node a row counts at, given its features; None for none.
    pub reached: F,
}

/// Counts of a chunk.
pub(crate) struct Counts {
    bins: Vec<f64>,
    sparse: Option<SparseCounts>,
}

/// What is told of all rows of sparse blocks at once: where they hold nothing they are at the background.
struct SparseCounts {
    /// The bins of the features' background.
    background: Vec<usize>,
    /// Weight of the classes at each node, nodes × K…
    all: Vec<f64>,
    /// …and of that what is stored of each feature, nodes × features × K.
    stored: Vec<f64>,
}

impl<F: Fn(&dyn Fn(usize) -> f64) -> Option<usize> + Sync> BinCounts<'_, F> {
    fn bin(&self, u: f64) -> usize {
        ((u * self.bins as f64) as usize).min(self.bins - 1)
    }

    /// Runs `count(row, node, class, weight)` on the rows that count, `feature(i, j)` being u_ij.
    fn count_rows(
        &self,
        block: &WeightedBlock<'_>,
        feature: impl Fn(usize, usize) -> f64,
        mut count: impl FnMut(usize, usize, usize, f64),
    ) {
        let rows = self.classes.of_block(block).iter().zip(block.weights);
        for (i, (class, weight)) in rows.enumerate().filter(|(_, (_, w))| **w > 0.0) {
            if let Some(node) = (self.reached)(&|j: usize| feature(i, j)) {
                let class = *class as usize;
                count(i, node, class, weight * self.importance[class]);
            }
        }
    }

    fn see_sparse(&self, block: &WeightedBlock<'_>, tile: SparseTile<'_>, counts: &mut Counts) {
        let (k, features) = (self.classes.count(), self.features.len());
        let Counts { bins, sparse } = counts;
        let sparse = sparse.get_or_insert_with(|| SparseCounts {
            background: tile.background[self.features.clone()]
                .iter()
                .map(|u| self.bin(*u))
                .collect(),
            all: vec![0.0; self.nodes * k],
            stored: vec![0.0; self.nodes * features * k],
        });
        let feature = |i: usize, j: usize| tile.feature(i, j);
        self.count_rows(block, feature, |i, node, class, weight| {
            sparse.all[node * k + class] += weight;
            let (columns, values) = tile.row(i);
            let first = columns.partition_point(|j| (*j as usize) < self.features.start);
            for (j, value) in columns.iter().zip(values).skip(first) {
                let j = *j as usize;
                if j >= self.features.end {
                    break;
                }
                let place = node * features + j - self.features.start;
                let bin = self.bin(tile.background[j] + value);
                bins[(place * self.bins + bin) * k + class] += weight;
                sparse.stored[place * k + class] += weight;
            }
        });
    }
}

impl<F: Fn(&dyn Fn(usize) -> f64) -> Option<usize> + Sync> Pass for BinCounts<'_, F> {
    type Scratch = Counts;
    type Sum = Vec<f64>;

    fn begin(&self, _: usize) -> Counts {
        let count = self.nodes * self.features.len() * self.bins * self.classes.count();
        Counts {
            bins: vec![0.0; count],
            sparse: None,
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, counts: &mut Counts) {
        let values = match block.tile {
            Tile::Dense(tile) => tile.values,
            Tile::Sparse(tile) => return self.see_sparse(block, tile, counts),
        };
        let (stride, k) = (block.stride(), self.classes.count());
        let feature = |i: usize, j: usize| values[j * stride + i];
        self.count_rows(block, feature, |i, node, class, weight| {
            for (place, j) in self.features.clone().enumerate() {
                let place = node * self.features.len() + place;
                let bin = self.bin(feature(i, j));
                counts.bins[(place * self.bins + bin) * k + class] += weight;
            }
        });
    }

    fn finish(&self, counts: Counts) -> Vec<f64> {
        let Counts { mut bins, sparse } = counts;
        let (k, features) = (self.classes.count(), self.features.len());
        let Some(sparse) = sparse else { return bins };
        for (place, stored) in sparse.stored.chunks_exact(k).enumerate() {
            let all = &sparse.all[place / features * k..][..k];
            let bin = place * self.bins + sparse.background[place % features];
            for (class, (all, stored)) in all.iter().zip(stored).enumerate() {
                let others = all - stored;
                if others > ROUNDING * all {
                    bins[bin * k + class] += others;
                }
            }
        }
        bins
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
