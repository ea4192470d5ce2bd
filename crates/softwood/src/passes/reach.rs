//! Where rows go: the chance of reaching a node, the side of a split, the likeliest leaf.

use crate::data::WeightedRows;
use crate::stop::Interrupted;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::splits::Splits;
use crate::vectors::AlignedBuffer;

/// A row with less than this chance of reaching a node does not count there.
pub(crate) const TRACE: f64 = 1e-3;

impl WeightedRows<'_> {
    /// Probability R_it of reaching `node` from the root, for each row, padding included.
    pub(crate) fn reach(
        &self,
        topology: &Topology,
        theta: &[f64],
        gamma: f64,
        node: usize,
    ) -> Result<AlignedBuffer, Interrupted> {
        let splits = Splits::new(topology, self.features(), theta, gamma);
        self.fill_columns(
            1,
            |stride| BlockScratch::new(topology, stride),
            |scratch, block, out| {
                block_pass::leaf_probabilities(&splits, block.tile, scratch);
                out.copy_from_slice(scratch.reach(node));
            },
        )
    }

    /// w_i R_it for every row, 0 where R_it is a trace: what `node` sees of the data.
    pub(crate) fn weights_at(
        &self,
        topology: &Topology,
        theta: &[f64],
        gamma: f64,
        node: usize,
    ) -> Result<AlignedBuffer, Interrupted> {
        let splits = Splits::new(topology, self.features(), theta, gamma);
        self.fill_columns(
            1,
            |stride| BlockScratch::new(topology, stride),
            |scratch, block, out| {
                block_pass::leaf_probabilities(&splits, block.tile, scratch);
                let seen = scratch.reach(node).iter().zip(block.weights);
                for (out, (reach, weight)) in out.iter_mut().zip(seen) {
                    *out = if *reach > TRACE { weight * reach } else { 0.0 };
                }
            },
        )
    }

    /// z_i of one split (a, μ) of steepness 1 for each row.
    pub(crate) fn linear_values(&self, split: &[f64]) -> Result<Vec<f64>, Interrupted> {
        let stump = &Topology::complete(1);
        let splits = Splits::new(stump, self.features(), split, 1.0);
        let columns = self.fill_columns(
            1,
            |stride| BlockScratch::new(stump, stride),
            |scratch, block, out| {
                block_pass::split_values(&splits, block.tile, scratch);
                out.copy_from_slice(scratch.split_values());
            },
        )?;
        Ok(columns[..self.len()].to_vec())
    }

    /// The leaf reached by always taking the likelier branch (HBP path), for each row.
    pub(crate) fn likeliest_leaves(
        &self,
        topology: &Topology,
        theta: &[f64],
    ) -> Result<Vec<u32>, Interrupted> {
        let splits = Splits::new(topology, self.features(), theta, 1.0);
        let columns = self.fill_columns(
            1,
            |stride| BlockScratch::new(topology, stride),
            |scratch, block, out| {
                block_pass::split_values(&splits, block.tile, scratch);
                let (z, stride) = (scratch.split_values(), out.len());
                for (i, out) in out.iter_mut().enumerate() {
                    let mut at = 0;
                    let leaf = loop {
                        at = match topology.as_leaf(at) {
                            Some(leaf) => break leaf,
                            None if z[at * stride + i] >= 0.0 => topology.left(at),
                            None => topology.right(at),
                        };
                    };
                    *out = leaf as f64;
                }
            },
        )?;
        let leaves = columns[..self.len()].iter();
        Ok(leaves.map(|leaf| *leaf as u32).collect())
    }
}
