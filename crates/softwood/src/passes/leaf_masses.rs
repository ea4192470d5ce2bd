//! How much of each class ends in each leaf.

use crate::data::{Classes, ClassificationRows, Pass, WeightedBlock, add_to};
use crate::stop::Interrupted;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::leaf_sums::add_leaf_masses;
use crate::tree::splits::Splits;
use crate::vectors::AlignedBuffer;

/// Up to so many classes are added up one after the other, by vectors; more of them row by row.
const MANY_CLASSES: usize = 16;

impl ClassificationRows<'_> {
    /// Probability mass of class k in leaf t, Σ_{i: y_i = k} w_i P_it, as K × L.
    pub fn leaf_masses(
        &self,
        topology: &Topology,
        theta: &[f64],
        gamma: f64,
    ) -> Result<Vec<f64>, Interrupted> {
        let splits = Splits::new(topology, self.features(), theta, gamma);
        self.masses_of(splits)
    }

    /// The same for splits that are laid out already.
    pub(crate) fn masses_of(&self, splits: Splits) -> Result<Vec<f64>, Interrupted> {
        self.rows.sum(&LeafMasses {
            splits,
            classes: self.target.clone(),
        })
    }
}

struct LeafMasses<'a> {
    splits: Splits,
    classes: Classes<'a>,
}

struct Scratch {
    block: BlockScratch,
    column: AlignedBuffer,
    masses: Vec<f64>,
}

impl Pass for LeafMasses<'_> {
    type Scratch = Scratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Scratch {
        let topology = &self.splits.topology;
        Scratch {
            block: BlockScratch::new(topology, stride),
            column: AlignedBuffer::zeros(stride),
            masses: vec![0.0; self.classes.count() * topology.leaves()],
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        block_pass::leaf_probabilities(&self.splits, block.tile, &mut scratch.block);
        let rows = self.classes.of_block(block).iter().zip(block.weights);
        if self.classes.count() > MANY_CLASSES {
            let width = self.splits.topology.leaves();
            let leaves = scratch.block.leaf_probabilities();
            for (l, leaf) in leaves.chunks_exact(block.stride()).enumerate() {
                for ((code, w), p) in rows.clone().zip(leaf) {
                    scratch.masses[*code as usize * width + l] += w * p;
                }
            }
            return;
        }
        // One sum of vectors a class: adding row by row would wait for each sum in turn.
        for (class, masses) in scratch
            .masses
            .chunks_exact_mut(self.splits.topology.leaves())
            .enumerate()
        {
            scratch.column.fill(0.0);
            for (weight, (code, w)) in scratch.column.iter_mut().zip(rows.clone()) {
                if *code as usize == class {
                    *weight = *w;
                }
            }
            add_leaf_masses(&scratch.column, &scratch.block, masses);
        }
    }

    fn finish(&self, scratch: Scratch) -> Vec<f64> {
        scratch.masses
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Parallelism, Part, RowSource, ScaledRows, Scaling, ScalingKind, merge_parts,
    };
    use crate::stop::Stop;
    use ndarray::{Array2, s};

    /// Rows held in two places, sums sent as text: the same bits as of all rows in one place.
    #[test]
    fn rows_held_in_two_places_give_the_same_bits() {
        let x = Array2::from_shape_fn((20_000, 3), |(i, j)| ((i * 7 + j * 13) as f64).sin());
        let codes: Vec<u32> = (0..20_000).map(|i| i % 3).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let topology = Topology::complete(2);
        let theta: Vec<f64> = (0..12).map(|k| (k as f64 * 0.7).cos()).collect();
        let rows = |from: usize, to: usize| {
            let source = ScaledRows::new(x.slice(s![from..to, ..]).into(), &scaling).shared();
            let classes = Classes::new(&codes[from..to], 3);
            ClassificationRows::new(source, classes, None, Parallelism::Rows, Stop::default())
        };
        let pass = |data: &ClassificationRows<'_>| LeafMasses {
            splits: Splits::new(&topology, 3, &theta, 20.0),
            classes: Classes::new(&codes[..data.len()], 3),
        };
        let whole = rows(0, 20_000);
        let expected = whole.leaf_masses(&topology, &theta, 20.0).unwrap();
        let source = ScaledRows::new(x.view().into(), &scaling);
        let (chunk, chunks) = (source.chunk_len(), source.chunks());
        for held_here in 1..chunks {
            let cut = held_here * chunk;
            let mut parts: Vec<Part<Vec<f64>>> = Vec::new();
            for (from, to, first) in [(cut, 20_000, held_here), (0, cut, 0)] {
                let data = rows(from, to);
                let pass = LeafMasses {
                    classes: data.target.clone(),
                    ..pass(&data)
                };
                let sums = data.rows.partial_sums(&pass, first, chunks).unwrap();
                let sent = serde_json::to_string(&sums).unwrap();
                parts.extend(serde_json::from_str::<Vec<_>>(&sent).unwrap());
            }
            let merge = |a: &mut Vec<f64>, b: Vec<f64>| add_to(a, &b);
            assert_eq!(
                merge_parts(0..chunks, &mut parts, &merge),
                Ok(expected.clone())
            );
        }
    }
}
