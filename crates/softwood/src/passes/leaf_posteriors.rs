//! How much of each class belongs to each leaf, given the frequencies of classes there.

use crate::data::{Classes, ClassificationRows, Pass, WeightedBlock, add_to};
use crate::stop::Interrupted;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::splits::Splits;

impl ClassificationRows<'_> {
    /// Σ_{i: y_i = k} w_i r_it with r_it = P_it f_tk / Σ_s P_is f_sk for leaf t and class k, L × K, and then
    /// Σ_i w_i log Σ_t P_it f_t,y_i: the E-step for the frequencies f of classes in leaves, L × K and
    /// positive.
    pub(crate) fn leaf_posteriors(
        &self,
        splits: &Splits,
        frequencies: &[f64],
    ) -> Result<Vec<f64>, Interrupted> {
        self.rows.sum(&LeafPosteriors {
            splits,
            frequencies,
            classes: self.target.clone(),
        })
    }
}

struct LeafPosteriors<'a> {
    splits: &'a Splits,
    frequencies: &'a [f64],
    classes: Classes<'a>,
}

struct Scratch {
    block: BlockScratch,
    /// Σ_t P_it f_t,y_i of each row.
    evidence: Vec<f64>,
    sums: Vec<f64>,
}

impl Pass for LeafPosteriors<'_> {
    type Scratch = Scratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Scratch {
        Scratch {
            block: BlockScratch::new(&self.splits.topology, stride),
            evidence: vec![0.0; stride],
            sums: vec![0.0; self.frequencies.len() + 1],
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        let Scratch {
            block: tree,
            evidence,
            sums,
        } = scratch;
        block_pass::leaf_probabilities(self.splits, block.tile, tree);
        let (codes, k) = (self.classes.of_block(block), self.classes.count());
        let probabilities = tree.leaf_probabilities().chunks_exact(block.stride());
        let leaves = || probabilities.clone().zip(self.frequencies.chunks_exact(k));
        evidence.fill(0.0);
        for (leaf, frequencies) in leaves() {
            for ((evidence, reach), code) in evidence.iter_mut().zip(leaf).zip(codes) {
                *evidence += reach * frequencies[*code as usize];
            }
        }
        let (of_leaves, likelihood) = sums.split_at_mut(self.frequencies.len());
        for ((leaf, frequencies), sums) in leaves().zip(of_leaves.chunks_exact_mut(k)) {
            let rows = leaf.iter().zip(block.weights);
            for (((reach, weight), evidence), code) in rows.zip(&*evidence).zip(codes) {
                let class = *code as usize;
                sums[class] += weight * (reach * frequencies[class] / evidence);
            }
        }
        for (weight, evidence) in block.weights.iter().zip(&*evidence).take(codes.len()) {
            likelihood[0] += weight * evidence.ln();
        }
    }

    fn finish(&self, scratch: Scratch) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
