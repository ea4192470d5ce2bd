//! Single-leaf prediction (paper 2): down the likelier branches to one leaf, and its linear model.

use super::SrtModel;
use crate::InputError;
use crate::data::{Rows, ScaledRows};
use crate::stop::Stop;
use crate::tree::Parallelism;
use crate::tree::parallel_pass::fill_by_chunks;

impl SrtModel {
    /// The response of each row: D dot products down to a leaf and one for its model.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let p = self.tree.features();
        let slopes = transposed(&self.leaf_slopes, p);
        let leaves = self.tree.topology.leaves();
        self.at_leaves(rows.into(), |tile, stride, leaf, out: &mut [f64]| {
            for (out, leaf) in out.iter_mut().zip(leaf) {
                *out = self.leaf_intercepts[*leaf as usize];
            }
            for j in 0..p {
                let slopes = &slopes[j * leaves..][..leaves];
                let column = &tile[j * stride..][..stride];
                for ((out, leaf), x) in out.iter_mut().zip(leaf).zip(column) {
                    *out += slopes[*leaf as usize] * x;
                }
            }
            for out in out {
                *out = self.response.invert(*out);
            }
        })
    }

    /// The leaf each row is predicted by, 0…L−1 from left to right.
    pub fn leaf_indices<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.at_leaves(rows.into(), |_, _, leaf, out: &mut [u32]| {
            out.copy_from_slice(&leaf[..out.len()]);
        })
    }

    /// Runs `fill(tile, stride, leaves of the block, out)` on every block.
    fn at_leaves<T: Clone + Default + Send>(
        &self,
        rows: Rows<'_>,
        fill: impl Fn(&[f64], usize, &[u32], &mut [T]) + Sync,
    ) -> Result<Vec<T>, InputError> {
        let p = self.tree.features();
        let branches = self.tree.topology.branches();
        let coefficients = transposed(&self.tree.coefficients, p);
        // z · p, whose sign is all that counts.
        let offsets: Vec<f64> = self
            .tree
            .intercepts
            .iter()
            .map(|mu| -mu * p as f64)
            .collect();
        self.tree
            .check_rows_then(&rows, |parallelism: Parallelism| {
                let scaled = ScaledRows::passing_once(rows.reborrow(), &self.tree.scaling);
                let stride = scaled.stride();
                let mut out = vec![T::default(); rows.len()];
                if out.is_empty() {
                    return out;
                }
                let fill_chunk = |chunk: usize, out: &mut [T]| {
                    let first = scaled.chunk_rows(chunk).start;
                    let mut node = vec![0u32; stride];
                    let mut z = vec![0.0; stride];
                    scaled.visit_chunk(chunk, &Stop::default(), |block| {
                        node.fill(0);
                        for _ in 0..self.tree.topology.depth() {
                            for (z, node) in z.iter_mut().zip(&node) {
                                *z = offsets[*node as usize];
                            }
                            for j in 0..p {
                                let a = &coefficients[j * branches..][..branches];
                                let column = &block.tile.values[j * stride..][..stride];
                                for ((z, node), x) in z.iter_mut().zip(&node).zip(column) {
                                    *z += a[*node as usize] * x;
                                }
                            }
                            for (node, z) in node.iter_mut().zip(&z) {
                                *node = 2 * *node + if *z >= 0.0 { 1 } else { 2 };
                            }
                        }
                        for node in &mut node {
                            *node -= branches as u32;
                        }
                        let out = &mut out[block.rows.start - first..][..block.rows.len()];
                        fill(block.tile.values, stride, &node, out);
                    })
                };
                fill_by_chunks(&scaled, parallelism, &mut out, 1, &fill_chunk)
                    .expect("nothing stops a prediction");
                out
            })
    }
}

/// Rows of `p` values as columns, so that one feature's coefficients stand side by side.
fn transposed(values: &[f64], p: usize) -> Vec<f64> {
    let rows = values.len() / p;
    (0..p)
        .flat_map(|j| (0..rows).map(move |t| values[t * p + j]))
        .collect()
}
