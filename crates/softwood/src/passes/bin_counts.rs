//! Class counts in bins of single features, for each of some nodes: what greedy splits are chosen by.

use crate::data::{Classes, Pass, WeightedBlock, add_to};
use std::ops::Range;

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

impl<F: Fn(&dyn Fn(usize) -> f64) -> Option<usize> + Sync> Pass for BinCounts<'_, F> {
    type Scratch = Vec<f64>;
    type Sum = Vec<f64>;

    fn begin(&self, _: usize) -> Vec<f64> {
        vec![0.0; self.nodes * self.features.len() * self.bins * self.classes.count()]
    }

    fn see(&self, block: &WeightedBlock<'_>, counts: &mut Vec<f64>) {
        let (stride, k) = (block.stride(), self.classes.count());
        let size = self.features.len() * self.bins * k;
        let rows = self.classes.of_block(block).iter().zip(block.weights);
        for (i, (class, weight)) in rows.enumerate() {
            let value = |feature: usize| block.tile.values[feature * stride + i];
            let Some(node) = (self.reached)(&value).filter(|_| *weight > 0.0) else {
                continue;
            };
            let class = *class as usize;
            let weight = weight * self.importance[class];
            for (place, feature) in self.features.clone().enumerate() {
                let bin = ((value(feature) * self.bins as f64) as usize).min(self.bins - 1);
                counts[node * size + (place * self.bins + bin) * k + class] += weight;
            }
        }
    }

    fn finish(&self, counts: Vec<f64>) -> Vec<f64> {
        counts
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
