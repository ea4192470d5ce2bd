//! How much of each class, or cell, of rows is decided to be of each class.

use crate::data::{Classes, ClassificationRows, Pass, WeightedBlock, add_to};
use crate::fitted::Decision;
use crate::stop::Interrupted;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::leaf_sums::mix_values;
use crate::tree::splits::Splits;

impl ClassificationRows<'_> {
    /// Weight of the rows of each target for which each of `classes` is decided on, as [`Decision::LeafLabels`]
    /// does in a tree with these labels at the leaves.
    pub(crate) fn decided_at(
        &self,
        splits: Splits,
        labels: &[u32],
        classes: usize,
    ) -> Result<Vec<f64>, Interrupted> {
        let mut values = vec![0.0; labels.len() * classes];
        for (label, values) in labels.iter().zip(values.chunks_exact_mut(classes)) {
            values[*label as usize] = 1.0;
        }
        self.rows.sum(&DecidedMasses {
            splits,
            values,
            classes,
            targets: self.target.clone(),
        })
    }
}

struct DecidedMasses<'a> {
    splits: Splits,
    /// For each leaf 1 at its label, 0 elsewhere.
    values: Vec<f64>,
    /// K.
    classes: usize,
    targets: Classes<'a>,
}

struct Scratch {
    block: BlockScratch,
    columns: Vec<f64>,
    masses: Vec<f64>,
}

impl Pass for DecidedMasses<'_> {
    type Scratch = Scratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Scratch {
        Scratch {
            block: BlockScratch::new(&self.splits.topology, stride),
            columns: vec![0.0; self.classes * stride],
            masses: vec![0.0; self.targets.count() * self.classes],
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        block_pass::leaf_probabilities(&self.splits, block.tile, &mut scratch.block);
        let columns = &mut scratch.columns;
        mix_values(&scratch.block, &self.values, columns);
        let decided = Decision::LeafLabels.classes(columns, block.stride());
        let rows = self.targets.of_block(block).iter().zip(block.weights);
        for ((target, weight), class) in rows.zip(decided) {
            scratch.masses[*target as usize * self.classes + class as usize] += weight;
        }
    }

    fn finish(&self, scratch: Scratch) -> Vec<f64> {
        scratch.masses
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
