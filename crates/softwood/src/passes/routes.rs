//! Where every row stands with every split, kept while splits move one at a time.
//!
//! With p_it kept for all rows and nodes, what node t chooses between takes a pass over the ways to t and below it,
//! O(N · depth) on average over the nodes, and no look at the features. That takes 8 N B bytes: a row's ways
//! through soft splits may lead anywhere, and which of them matter changes with every move.

use crate::data::{ClassificationRows, WeightedRows, fill_by_chunks};
use crate::stop::Interrupted;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::left_probabilities::left_probabilities;
use crate::tree::splits::Splits;
use crate::vectors::AlignedBuffer;

/// p_it of all rows, padding included, and nodes, in blocks of B × stride.
pub(crate) struct Routes {
    topology: Topology,
    stride: usize,
    left: AlignedBuffer,
}

/// What predictions cost: K × K, and the class that each leaf predicts.
#[derive(Clone, Copy)]
pub(crate) struct LeafLabels<'a> {
    pub costs: &'a [f64],
    pub labels: &'a [u32],
}

impl WeightedRows<'_> {
    /// p_i of the splits θ of a tree of this shape, in blocks of B × stride; as in a tree of depth `depth`.
    pub(crate) fn left_probabilities(
        &self,
        topology: &Topology,
        theta: &[f64],
        gamma: f64,
        depth: usize,
    ) -> Result<AlignedBuffer, Interrupted> {
        let splits = Splits::new(topology, self.features(), theta, gamma);
        self.fill_columns(
            topology.branches(),
            |stride| BlockScratch::for_values(topology.branches(), stride),
            |scratch, block, out| {
                block_pass::split_values(&splits, block.tile, scratch);
                out.copy_from_slice(scratch.split_values());
                left_probabilities(out, depth);
            },
        )
    }
}

impl Routes {
    /// Of a tree.
    pub fn of(
        rows: &WeightedRows<'_>,
        topology: &Topology,
        theta: &[f64],
        gamma: f64,
    ) -> Result<Self, Interrupted> {
        Ok(Self {
            left: rows.left_probabilities(topology, theta, gamma, topology.depth())?,
            topology: topology.clone(),
            stride: rows.stride(),
        })
    }

    /// p of node `t` for the rows of a block.
    fn left(&self, block: usize, t: usize) -> &[f64] {
        let place = (block * self.topology.branches() + t) * self.stride;
        &self.left[place..][..self.stride]
    }

    /// p of node `t`, row after row.
    pub fn column(&self, t: usize) -> Vec<f64> {
        let blocks = 0..self.blocks();
        blocks
            .flat_map(|block| self.left(block, t).iter().copied())
            .collect()
    }

    /// Gives node `t` other probabilities, row after row.
    pub fn set_column(&mut self, t: usize, column: &[f64]) {
        let width = self.topology.branches() * self.stride;
        let blocks = self.left.chunks_exact_mut(width);
        for (block, column) in blocks.zip(column.chunks_exact(self.stride)) {
            block[t * self.stride..][..self.stride].copy_from_slice(column);
        }
    }

    fn blocks(&self) -> usize {
        self.left.len() / (self.topology.branches() * self.stride)
    }

    /// w_i R_it of the rows of a block, 0 for padding.
    fn reach(&self, data: &ClassificationRows<'_>, block: usize, t: usize, out: &mut [f64]) {
        let first = block * self.stride;
        let rows = data.len().min(first + self.stride) - first;
        for (i, out) in out[..rows].iter_mut().enumerate() {
            *out = data.rows.weight(first + i);
        }
        out[rows..].fill(0.0);
        let some_leaf = self.topology.leaves_below(t).start;
        let way = self.topology.path(some_leaf);
        for (above, turns_left) in way.take_while(|(above, _)| *above != t) {
            let p = self.left(block, above);
            match turns_left {
                true => out.iter_mut().zip(p).for_each(|(out, p)| *out *= p),
                false => out.iter_mut().zip(p).for_each(|(out, p)| *out *= 1.0 - p),
            }
        }
    }

    /// d_i = w_i R_it (V_left − V_right): what sending row i left at node `t` costs beyond sending it right.
    pub fn stakes(
        &self,
        data: &ClassificationRows<'_>,
        t: usize,
        leaves: LeafLabels<'_>,
    ) -> AlignedBuffer {
        let mut stakes = AlignedBuffer::zeros(self.blocks() * self.stride);
        let fill = |block: usize, out: &mut [f64]| -> Result<(), Interrupted> {
            self.reach(data, block, t, out);
            if out.iter().all(|reach| *reach == 0.0) {
                return Ok(());
            }
            let mut spare = vec![0.0; (self.topology.depth() + 2) * self.stride];
            let (left, rest) = spare.split_at_mut(self.stride);
            let (right, rest) = rest.split_at_mut(self.stride);
            let below = Below {
                routes: self,
                block,
                codes: data.target.codes_from(block * self.stride, self.stride),
                classes: data.target.count(),
                leaves,
            };
            below.expected_costs(self.topology.left(t), left, rest);
            below.expected_costs(self.topology.right(t), right, rest);
            for ((out, left), right) in out.iter_mut().zip(left).zip(right) {
                *out *= *left - *right;
            }
            Ok(())
        };
        let parallelism = data.rows.parallelism;
        fill_by_chunks(&mut stakes, self.stride, parallelism, &fill)
            .expect("nothing that can be interrupted");
        stakes
    }

    /// Σ_{i: y_i = k} w_i P_it of the leaves below node `t`, K × as many, added up in the order of the rows.
    pub fn masses_below(&self, data: &ClassificationRows<'_>, t: usize) -> Vec<f64> {
        let leaves = self.topology.leaves_below(t);
        let mut masses = vec![0.0; data.target.count() * leaves.len()];
        let mut reach = vec![0.0; (self.topology.depth() + 2) * self.stride];
        for block in 0..self.blocks() {
            let codes = data.target.codes_from(block * self.stride, self.stride);
            let (first, rest) = reach.split_at_mut(self.stride);
            self.reach(data, block, t, first);
            let mut add = |leaf: usize, reach: &[f64]| {
                let place = leaf - leaves.start;
                for (class, reach) in codes.iter().zip(reach) {
                    masses[*class as usize * leaves.len() + place] += reach;
                }
            };
            self.visit_leaves(block, t, first, rest, &mut add);
        }
        masses
    }

    /// Runs `see(leaf, reach)` over the leaves below `node`, which rows reach with `reach`.
    fn visit_leaves(
        &self,
        block: usize,
        node: usize,
        reach: &[f64],
        spare: &mut [f64],
        see: &mut impl FnMut(usize, &[f64]),
    ) {
        if let Some(leaf) = self.topology.as_leaf(node) {
            see(leaf, reach);
            return;
        }
        if reach.iter().all(|reach| *reach == 0.0) {
            return;
        }
        let (below, spare) = spare.split_at_mut(self.stride);
        let p = self.left(block, node);
        for (below, (reach, p)) in below.iter_mut().zip(reach.iter().zip(p)) {
            *below = reach * p;
        }
        self.visit_leaves(block, self.topology.left(node), below, spare, see);
        for (below, (reach, p)) in below.iter_mut().zip(reach.iter().zip(p)) {
            *below = reach * (1.0 - p);
        }
        self.visit_leaves(block, self.topology.right(node), below, spare, see);
    }
}

/// Expected costs below nodes, for the rows of a block.
struct Below<'a> {
    routes: &'a Routes,
    block: usize,
    codes: &'a [u32],
    classes: usize,
    leaves: LeafLabels<'a>,
}

impl Below<'_> {
    /// V of `node`.
    fn expected_costs(&self, node: usize, out: &mut [f64], spare: &mut [f64]) {
        let topology = &self.routes.topology;
        let labels = &self.leaves.labels[topology.leaves_below(node)];
        let label = labels[0];
        if labels.iter().all(|other| *other == label) {
            for (out, class) in out.iter_mut().zip(self.codes) {
                *out = self.leaves.costs[*class as usize * self.classes + label as usize];
            }
            return;
        }
        self.expected_costs(topology.left(node), out, spare);
        let (right, spare) = spare.split_at_mut(out.len());
        self.expected_costs(topology.right(node), right, spare);
        let p = self.routes.left(self.block, node);
        for ((out, right), p) in out.iter_mut().zip(right).zip(p) {
            *out = p * (*out - *right) + *right;
        }
    }
}
