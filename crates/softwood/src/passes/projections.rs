//! Quantiles of the projections aₜᵀx/p of the rows that reach a node, from histograms.

use crate::data::{Pass, WeightedBlock, WeightedRows, add_to};
use crate::stop::Interrupted;
use crate::tree::Topology;
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::splits::Splits;

use super::reach::TRACE;

/// Bins of the histograms from which quantiles are read: no column of N projections is stored.
const BINS: usize = 1024;

/// For each of `nodes` the `levels`-quantile of aₜᵀx/p, rows weighted by their chance of being there.
pub(crate) fn projection_quantiles(
    rows: &WeightedRows<'_>,
    topology: &Topology,
    theta: &[f64],
    gamma: f64,
    nodes: &[usize],
    levels: &[f64],
) -> Result<Vec<f64>, Interrupted> {
    let projections = Projections {
        splits: Splits::new(topology, rows.features(), theta, gamma),
        gamma,
        nodes,
    };
    let extremes = rows.sum(&Extremes(&projections))?;
    let ranges: Vec<(f64, f64)> = extremes.chunks_exact(2).map(|e| (-e[0], e[1])).collect();
    let histograms = rows.sum(&Histograms {
        projections: &projections,
        ranges: &ranges,
    })?;
    let histograms = histograms.chunks_exact(BINS);
    let quantile = |((range, histogram), level): ((&(f64, f64), &[f64]), &f64)| match *range {
        (low, high) if low <= high => low + (high - low) * quantile_share(histogram, *level),
        _ => 0.0, // no row reaches the node
    };
    Ok(ranges
        .iter()
        .zip(histograms)
        .zip(levels)
        .map(quantile)
        .collect())
}

/// The projections on some nodes.
struct Projections<'a> {
    splits: Splits,
    gamma: f64,
    nodes: &'a [usize],
}

struct Scratch {
    block: BlockScratch,
    reach: Vec<f64>,
    sums: Vec<f64>,
}

impl Projections<'_> {
    fn begin(&self, stride: usize, sums: Vec<f64>) -> Scratch {
        Scratch {
            block: BlockScratch::new(&self.splits.topology, stride),
            reach: vec![0.0; self.nodes.len() * stride],
            sums,
        }
    }

    /// Runs `see(sums, position of the node, projection, weight)` over every row at every node.
    fn see(
        &self,
        block: &WeightedBlock<'_>,
        scratch: &mut Scratch,
        mut see: impl FnMut(&mut [f64], usize, f64, f64),
    ) {
        let stride = block.stride();
        let Scratch {
            block: passed,
            reach,
            sums,
        } = scratch;
        block_pass::leaf_probabilities(&self.splits, block.tile, passed);
        for (reach, node) in reach.chunks_exact_mut(stride).zip(self.nodes) {
            reach.copy_from_slice(passed.reach(*node));
        }
        block_pass::split_values(&self.splits, block.tile, passed);
        for (t, node) in self.nodes.iter().enumerate() {
            let values = &passed.split_values()[node * stride..][..stride];
            let reach = &reach[t * stride..][..stride];
            for ((value, reach), weight) in values.iter().zip(reach).zip(block.weights) {
                let weight = weight * reach;
                if *reach > TRACE && weight > 0.0 {
                    see(sums, t, value / self.gamma, weight);
                }
            }
        }
    }
}

/// (−min, max) of each node's projections.
struct Extremes<'a>(&'a Projections<'a>);

impl Pass for Extremes<'_> {
    type Scratch = Scratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Scratch {
        let none = vec![f64::MIN; 2 * self.0.nodes.len()];
        self.0.begin(stride, none)
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        self.0.see(block, scratch, |sums, t, value, _| {
            sums[2 * t] = sums[2 * t].max(-value);
            sums[2 * t + 1] = sums[2 * t + 1].max(value);
        });
    }

    fn finish(&self, scratch: Scratch) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        sum.iter_mut().zip(later).for_each(|(a, b)| *a = a.max(b));
    }
}

/// A histogram of each node's projections over its range.
struct Histograms<'a> {
    projections: &'a Projections<'a>,
    ranges: &'a [(f64, f64)],
}

impl Pass for Histograms<'_> {
    type Scratch = Scratch;
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Scratch {
        let empty = vec![0.0; BINS * self.ranges.len()];
        self.projections.begin(stride, empty)
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        self.projections
            .see(block, scratch, |sums, t, value, weight| {
                let bin = bin_of(value, self.ranges[t], BINS);
                sums[t * BINS + bin] += weight;
            });
    }

    fn finish(&self, scratch: Scratch) -> Vec<f64> {
        scratch.sums
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}

fn bin_of(value: f64, (low, high): (f64, f64), bins: usize) -> usize {
    let share = if high > low {
        (value - low) / (high - low)
    } else {
        0.0
    };
    ((share * bins as f64) as usize).min(bins - 1)
}

/// The value with `level` of the weight below it, by a histogram: it depends on the weighted
/// distribution alone, not on the order of the rows.
pub(crate) fn weighted_quantile(
    values: &[f64],
    weights: impl Iterator<Item = f64> + Clone,
    level: f64,
) -> f64 {
    let counted = || {
        values
            .iter()
            .copied()
            .zip(weights.clone())
            .filter(|(_, w)| *w > 0.0)
    };
    let (low, high) = counted().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (x, _)| {
        (low.min(x), high.max(x))
    });
    if low >= high {
        return if low.is_finite() { low } else { 0.0 };
    }
    let mut bins = vec![0.0; BINS];
    for (x, w) in counted() {
        bins[bin_of(x, (low, high), BINS)] += w;
    }
    low + (high - low) * quantile_share(&bins, level)
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
