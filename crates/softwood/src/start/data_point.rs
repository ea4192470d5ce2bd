//! Random directions with intercepts inside the data.
//!
//! At γ = 512 a split whose hyperplane misses the data has no gradient. Here μ_t is the weighted
//! u-quantile of aₜᵀx/p with u uniform: the start depends on the weighted distribution of the rows
//! alone, not on their order or on how weights are spread over repeated rows.

use crate::objective::{ClassificationRows, TRACE};
use crate::stop::Stopped;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::parallel_pass::{add_to, sum_over_chunks};
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, Topology};
use rand::{Rng, RngExt};

/// Bins of the histograms from which quantiles are read: no column of N projections is stored.
const BINS: usize = 1024;

/// Gives the nodes marked `fresh` a random direction, uniform in [−1, 1]^p, and a hyperplane through
/// the rows that reach them; the other nodes keep their splits.
pub(crate) fn splits_through_the_data(
    data: &ClassificationRows<'_>,
    topology: Topology,
    gamma: f64,
    theta: &mut [f64],
    fresh: &[bool],
    rng: &mut impl Rng,
) -> Result<(), Stopped> {
    let p = data.rows.features();
    let layout = ParameterLayout::new(topology, p);
    // From the root down, so that the rows reaching a node are those its ancestors send there.
    for d in 0..topology.depth() {
        let nodes: Vec<usize> = (topology.level_start(d)..topology.level_start(d + 1))
            .filter(|t| fresh[*t])
            .collect();
        if nodes.is_empty() {
            continue;
        }
        let (a, mu) = layout.split_mut(theta);
        for t in &nodes {
            a[t * p..][..p].fill_with(|| rng.random_range(-1.0..=1.0));
            mu[*t] = 0.0;
        }
        let levels: Vec<f64> = nodes.iter().map(|_| rng.random_range(0.0..1.0)).collect();
        let quantiles = projection_quantiles(data, topology, theta, gamma, &nodes, &levels)?;
        let mu = layout.split_mut(theta).1;
        for (t, quantile) in nodes.iter().zip(quantiles) {
            mu[*t] = quantile;
        }
    }
    Ok(())
}

/// For each of `nodes` the `levels`-quantile of aₜᵀx/p, rows weighted by their chance of being there.
fn projection_quantiles(
    data: &ClassificationRows<'_>,
    topology: Topology,
    theta: &[f64],
    gamma: f64,
    nodes: &[usize],
    levels: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let splits = Splits::new(topology, data.rows.features(), theta, gamma);
    let pass = ProjectionPass {
        data,
        splits,
        gamma,
        nodes,
    };
    let b = nodes.len();
    // First pass: (−min, max) of each node's projections.
    let extremes = pass.sum(
        || vec![f64::NEG_INFINITY; 2 * b],
        |sums, t, value, _| {
            sums[2 * t] = sums[2 * t].max(-value);
            sums[2 * t + 1] = sums[2 * t + 1].max(value);
        },
        |a, b| a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b)),
    )?;
    let range = |t: usize| (-extremes[2 * t], extremes[2 * t + 1]);
    // Second pass: a histogram for each node.
    let histograms = pass.sum(
        || vec![0.0; BINS * b],
        |sums, t, value, weight| {
            let (low, high) = range(t);
            let share = if high > low {
                (value - low) / (high - low)
            } else {
                0.0
            };
            let bin = ((share * BINS as f64) as usize).min(BINS - 1);
            sums[t * BINS + bin] += weight;
        },
        |a, b| add_to(a, &b),
    )?;
    Ok((0..b)
        .map(|t| match range(t) {
            (low, high) if low <= high => {
                low + (high - low) * quantile_share(&histograms[t * BINS..][..BINS], levels[t])
            }
            _ => 0.0, // no row reaches the node
        })
        .collect())
}

/// Passes over all rows that look at the projections aₜᵀx/p on some nodes.
struct ProjectionPass<'a, 'd> {
    data: &'a ClassificationRows<'d>,
    splits: Splits,
    gamma: f64,
    nodes: &'a [usize],
}

impl ProjectionPass<'_, '_> {
    /// Runs `see(sums, position of the node, projection, weight)` over every row at every node.
    fn sum(
        &self,
        zero: impl Fn() -> Vec<f64> + Sync,
        see: impl Fn(&mut [f64], usize, f64, f64) + Sync,
        merge: impl Fn(&mut Vec<f64>, Vec<f64>) + Sync,
    ) -> Result<Vec<f64>, Stopped> {
        let stride = self.data.rows.stride();
        let chunk = |c| {
            let mut sums = zero();
            let mut scratch = BlockScratch::new(self.splits.topology, stride);
            let mut reach = vec![0.0; self.nodes.len() * stride];
            self.data.rows.visit_chunk(c, &self.data.stop, |block| {
                block_pass::leaf_probabilities(&self.splits, block.tile, &mut scratch);
                for (reach, node) in reach.chunks_exact_mut(stride).zip(self.nodes) {
                    reach.copy_from_slice(scratch.reach(*node));
                }
                block_pass::split_values(&self.splits, block.tile, &mut scratch);
                for (t, node) in self.nodes.iter().enumerate() {
                    let values = &scratch.split_values()[node * stride..][..stride];
                    let reach = &reach[t * stride..][..stride];
                    for ((value, reach), row) in values.iter().zip(reach).zip(block.rows.clone()) {
                        let weight = self.data.weight(row) * reach;
                        if *reach > TRACE && weight > 0.0 {
                            see(&mut sums, t, value / self.gamma, weight);
                        }
                    }
                }
            })?;
            Ok(sums)
        };
        sum_over_chunks(self.data.rows, self.data.parallelism, &chunk, &merge)
    }
}

/// Where in [0, 1] the histogram has `level` of its weight to the left.
pub(super) fn quantile_share(histogram: &[f64], level: f64) -> f64 {
    let wanted = level * histogram.iter().sum::<f64>();
    let mut below = 0.0;
    for (bin, weight) in histogram.iter().enumerate() {
        if below + weight > wanted {
            return (bin as f64 + (wanted - below) / weight) / histogram.len() as f64;
        }
        below += weight;
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_share_interpolates() {
        assert_eq!(quantile_share(&[1.0, 1.0, 2.0, 0.0], 0.25), 0.25);
        assert_eq!(quantile_share(&[1.0, 1.0, 2.0, 0.0], 0.75), 0.625);
        assert_eq!(quantile_share(&[0.0, 2.0], 0.0), 0.5);
    }
}
