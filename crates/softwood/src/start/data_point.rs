//! Random directions with intercepts inside the data.
//!
//! At γ = 512 a split whose hyperplane misses the data has no gradient. Here μ_t is the weighted
//! u-quantile of aₜᵀx/p with u uniform: the start depends on the weighted distribution of the rows
//! alone, not on their order or on how weights are spread over repeated rows.

use crate::objective::ClassificationRows;
use crate::stop::Stopped;
use crate::tree::block_pass::{self, BlockScratch, Splits};
use crate::tree::parallel_pass::{add_to, sum_over_chunks};
use crate::tree::{ParameterLayout, Topology};
use rand::{Rng, RngExt};

/// Bins of the histograms from which quantiles are read: no column of N projections is stored.
const BINS: usize = 1024;

/// θ with a uniform in [−1, 1] and each hyperplane through the data.
pub(crate) fn splits_through_the_data(
    data: &ClassificationRows<'_>,
    topology: Topology,
    rng: &mut impl Rng,
) -> Result<Vec<f64>, Stopped> {
    let layout = ParameterLayout::new(topology, data.rows.features());
    let mut theta = vec![0.0; layout.dim()];
    let (a, mu) = layout.split_mut(&mut theta);
    a.fill_with(|| rng.random_range(-1.0..=1.0));
    // The wanted levels; the quantiles take their place below.
    mu.fill_with(|| rng.random_range(0.0..1.0));
    let levels = mu.to_vec();
    mu.fill(0.0);
    let quantiles = projection_quantiles(data, topology, &theta, &levels)?;
    layout.split_mut(&mut theta).1.copy_from_slice(&quantiles);
    Ok(theta)
}

/// For each node t the weighted `levels[t]`-quantile of aₜᵀx/p.
fn projection_quantiles(
    data: &ClassificationRows<'_>,
    topology: Topology,
    theta: &[f64],
    levels: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let splits = Splits::new(topology, data.rows.features(), theta, 1.0);
    let (stride, b) = (data.rows.stride(), topology.branches());
    // Runs `see(sums, node, value, weight)` over every weighted row and node.
    let sum = |zero: &(dyn Fn() -> Vec<f64> + Sync),
               see: &(dyn Fn(&mut [f64], usize, f64, f64) + Sync),
               merge: &(dyn Fn(&mut Vec<f64>, Vec<f64>) + Sync)| {
        let chunk = |c| {
            let mut sums = zero();
            let mut scratch = BlockScratch::new(topology, stride);
            data.rows.visit_chunk(c, &data.stop, |block| {
                block_pass::split_values(&splits, block.tile, &mut scratch);
                for (t, column) in scratch.split_values().chunks_exact(stride).enumerate() {
                    for (value, row) in column.iter().zip(block.rows.clone()) {
                        let weight = data.weights.map_or(1.0, |w| w[row]);
                        if weight > 0.0 {
                            see(&mut sums, t, *value, weight);
                        }
                    }
                }
            })?;
            Ok(sums)
        };
        sum_over_chunks(data.rows, data.parallelism, &chunk, &|a, b| merge(a, b))
    };
    // First pass: (−min, max) of each node's projections.
    let extremes = sum(
        &|| vec![f64::NEG_INFINITY; 2 * b],
        &|sums, t, value, _| {
            sums[2 * t] = sums[2 * t].max(-value);
            sums[2 * t + 1] = sums[2 * t + 1].max(value);
        },
        &|a, b| a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b)),
    )?;
    let range = |t: usize| (-extremes[2 * t], extremes[2 * t + 1]);
    // Second pass: a histogram for each node.
    let histograms = sum(
        &|| vec![0.0; BINS * b],
        &|sums, t, value, weight| {
            let (low, high) = range(t);
            let share = if high > low { (value - low) / (high - low) } else { 0.0 };
            let bin = ((share * BINS as f64) as usize).min(BINS - 1);
            sums[t * BINS + bin] += weight;
        },
        &|a, b| add_to(a, &b),
    )?;
    Ok((0..b)
        .map(|t| {
            let (low, high) = range(t);
            low + (high - low) * quantile_share(&histograms[t * BINS..][..BINS], levels[t])
        })
        .collect())
}

/// Where in [0, 1] the histogram has `level` of its weight to the left.
fn quantile_share(histogram: &[f64], level: f64) -> f64 {
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
