//! Splits on one feature each, chosen greedily as in CART: where thresholds rule the classes, random
//! directions rarely find them.
//!
//! Class masses are counted in bins of the scaled features, so the start depends on the weighted
//! distribution of the rows alone, as a random one does.

use crate::data::{ClassificationRows, add_to};
use crate::passes::BinCounts;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};
use rand::{Rng, RngExt};

/// Bins of a feature. Finer thresholds than 1/512 of its range mean little to a split of finite γ.
const BINS: usize = 512;

/// Levels from the root that are grown greedily; the number of histograms doubles with each.
const LEVELS: usize = 4;

/// Counts held at once; more features than fit are looked at in several passes.
const MAX_COUNTS: usize = 1 << 20;

/// A split "scaled feature ≥ threshold goes left".
#[derive(Clone, Copy)]
struct AxisSplit {
    feature: usize,
    threshold: f64,
}

/// Writes greedy splits into `theta`, each the best of a random `share` of the features by the
/// decrease of Gini's index; returns the nodes left without, where no split helps or too deep.
///
/// `importance` weighs the classes.
pub(crate) fn greedy_splits(
    data: &ClassificationRows<'_>,
    topology: &Topology,
    importance: &[f64],
    share: f64,
    theta: &mut [f64],
    rng: &mut impl Rng,
) -> Result<Vec<bool>, Interrupted> {
    let p = data.features();
    let mut splits: Vec<Option<AxisSplit>> = vec![None; topology.branches()];
    for d in 0..topology.depth().min(LEVELS) {
        let nodes: Vec<usize> = topology.branches_of_level(d).collect();
        let allowed: Vec<bool> = (0..nodes.len() * p)
            .map(|_| share >= 1.0 || rng.random_range(0.0..1.0) < share)
            .collect();
        let level = Level {
            data,
            topology,
            importance,
            splits: &splits,
            nodes: &nodes,
        };
        let best = level.best_splits(&allowed)?;
        for (t, split) in nodes.iter().zip(best) {
            splits[*t] = split;
        }
    }
    let layout = ParameterLayout::new(topology, p);
    for (t, split) in splits.iter().enumerate() {
        if let Some(split) = split {
            let a = &mut theta[layout.coefficients(t)];
            a.fill(0.0);
            a[split.feature] = 1.0;
            theta[layout.intercept(t)] = split.threshold / p as f64;
        }
    }
    Ok(splits.iter().map(Option::is_none).collect())
}

/// The nodes of one level, and the splits above them.
struct Level<'a, 'd> {
    data: &'a ClassificationRows<'d>,
    topology: &'a Topology,
    importance: &'a [f64],
    splits: &'a [Option<AxisSplit>],
    nodes: &'a [usize],
}

impl Level<'_, '_> {
    /// The best split of each node on a feature `allowed` there, if any lowers Gini's index.
    fn best_splits(&self, allowed: &[bool]) -> Result<Vec<Option<AxisSplit>>, Interrupted> {
        let (p, k) = (self.data.features(), self.data.target.count());
        let group = (MAX_COUNTS / (self.nodes.len() * BINS * k)).clamp(1, p);
        let mut best: Vec<(f64, Option<AxisSplit>)> = vec![(0.0, None); self.nodes.len()];
        for first in (0..p).step_by(group) {
            let features = first..p.min(first + group);
            let counts = self.count(features.clone())?;
            let mut histograms = counts.chunks_exact(BINS * k);
            for (n, best) in best.iter_mut().enumerate() {
                for feature in features.clone() {
                    let histogram = histograms.next().expect("one for each node and feature");
                    if !allowed[n * p + feature] {
                        continue;
                    }
                    if let Some((gain, threshold)) = best_threshold(histogram, k)
                        && gain > best.0
                    {
                        *best = (gain, Some(AxisSplit { feature, threshold }));
                    }
                }
            }
        }
        Ok(best.into_iter().map(|(_, split)| split).collect())
    }

    /// Weight of every class in every bin: nodes × features × BINS × K.
    fn count(&self, features: std::ops::Range<usize>) -> Result<Vec<f64>, Interrupted> {
        self.data.rows.sum(&BinCounts {
            classes: self.data.target.clone(),
            importance: self.importance,
            nodes: self.nodes.len(),
            features,
            bins: BINS,
            reached: |value: &dyn Fn(usize) -> f64| self.reached(value),
        })
    }

    /// Position among the nodes of this level where a row ends, None if above it.
    fn reached(&self, value: impl Fn(usize) -> f64) -> Option<usize> {
        let mut t = 0;
        while t < self.nodes[0] {
            let split = self.splits[t]?;
            t = if value(split.feature) >= split.threshold {
                self.topology.left(t)
            } else {
                self.topology.right(t)
            };
        }
        Some(t - self.nodes[0])
    }
}

/// The threshold of the largest decrease of Gini's index (times the weight) and that decrease; halfway
/// between the occupied bins it parts.
fn best_threshold(histogram: &[f64], k: usize) -> Option<(f64, f64)> {
    // Negligible beside rounding in the sums.
    const RELATIVE: f64 = 1e-9;
    let mut above = vec![0.0; k];
    histogram
        .chunks_exact(k)
        .for_each(|bin| add_to(&mut above, bin));
    let mut below = vec![0.0; k];
    let purity = |masses: &[f64]| {
        let total: f64 = masses.iter().sum();
        if total > 0.0 {
            // In units of a power of two, which changes no digit: squares may overflow.
            let unit = total.log2().floor().exp2();
            let squares = masses.iter().map(|m| (m / unit) * (m / unit));
            squares.sum::<f64>() / (total / unit) * unit
        } else {
            0.0
        }
    };
    let whole = purity(&above);
    let mut best: Option<(f64, f64)> = None;
    let occupied: Vec<usize> = (0..BINS)
        .filter(|b| histogram[b * k..][..k].iter().any(|m| *m > 0.0))
        .collect();
    for pair in occupied.windows(2) {
        for (class, mass) in histogram[pair[0] * k..][..k].iter().enumerate() {
            below[class] += mass;
            above[class] = (above[class] - mass).max(0.0);
        }
        let gain = purity(&below) + purity(&above) - whole;
        if gain > RELATIVE * whole && best.is_none_or(|(most, _)| gain > most) {
            let threshold = (pair[0] + 1 + pair[1]) as f64 / (2 * BINS) as f64;
            best = Some((gain, threshold));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_threshold_parts_the_classes() {
        let mut histogram = vec![0.0; 2 * BINS];
        (histogram[0], histogram[2 * 3], histogram[2 * 9 + 1]) = (1.0, 2.0, 4.0);
        let (gain, threshold) = best_threshold(&histogram, 2).unwrap();
        assert!((gain - (7.0 - (9.0 + 16.0) / 7.0)).abs() < 1e-12);
        assert_eq!(threshold, 13.0 / (2 * BINS) as f64);
        assert_eq!(best_threshold(&histogram[..2].repeat(BINS), 2), None);
    }
}
