//! Starts of a regression tree: hierarchical 2-means as in paper 2 (section 5.4), or random splits.

use crate::data::WeightedRows;
use crate::objective::Logistic;
use crate::passes::{GroupSpreads, GroupSums, LeftSums, weighted_quantile};
use crate::progress::Progress;
use crate::solver::{Bounds, CountIterations, LbfgsSettings, Objective, Outcome, minimize};
use crate::stop::Interrupted;
use crate::tree::{RegressionParameters, Topology};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// r: partitions of which the best is taken.
const REPETITIONS: usize = 3;

/// Rounds of 2-means at most.
const MAX_ROUNDS: usize = 8;

/// Partitions whose indices differ by less than this share are as good as each other.
const SAME_INDEX: f64 = 1e-9;

/// Iterations of a logistic regression.
const LOGISTIC_ITERATIONS: u64 = 20;

/// A split (a, μ), and which rows it sends left.
struct Partition {
    theta: Vec<f64>,
    goes_left: Vec<bool>,
}

/// The best by Davies and Bouldin's index of three hierarchical 2-means partitions; each
/// split by logistic regression towards its partition.
pub(crate) fn clustered_splits(
    data: &WeightedRows<'_>,
    topology: Topology,
    progress: &Arc<Progress>,
    rng: &mut impl Rng,
) -> Result<RegressionParameters, Interrupted> {
    let mut best: Option<(f64, Vec<Partition>, Vec<Vec<u32>>)> = None;
    for _ in 0..REPETITIONS {
        let mut members: Vec<Vec<u32>> = vec![(0..data.len() as u32).collect()];
        let mut partitions = Vec::with_capacity(topology.branches());
        for t in 0..topology.branches() {
            let here = data.select(&members[t]);
            let partition = two_means(&here, rng)?;
            let side = |left: bool| -> Vec<u32> {
                let rows = members[t].iter().zip(&partition.goes_left);
                rows.filter(|(_, l)| **l == left).map(|(i, _)| *i).collect()
            };
            let (left, right) = (side(true), side(false));
            members.extend([left, right]);
            partitions.push(partition);
        }
        let index = davies_bouldin(data, &members[topology.branches()..])?;
        // The same partition found again, perhaps mirrored, differs by rounding alone.
        let is_less = |least: f64| index < (1.0 - SAME_INDEX) * least;
        if best.as_ref().is_none_or(|(least, ..)| is_less(*least)) {
            best = Some((index, partitions, members));
        }
    }
    let (_, partitions, members) = best.expect("at least one repetition");
    let mut parameters = RegressionParameters::zero(topology, data.features());
    for (t, partition) in partitions.iter().enumerate() {
        let here = data.select(&members[t]);
        let found = split_towards(&here, &partition.goes_left, false, None, progress)?;
        parameters.set_subtree_theta(t, &found.map_or_else(|| partition.theta.clone(), |f| f.x));
    }
    Ok(parameters)
}

/// Random directions, each with its hyperplane at a random quantile of the rows that reach it.
pub(crate) fn random_splits(
    data: &WeightedRows<'_>,
    topology: Topology,
    rng: &mut impl Rng,
) -> Result<RegressionParameters, Interrupted> {
    let mut parameters = RegressionParameters::zero(topology, data.features());
    let mut members: Vec<Vec<u32>> = vec![(0..data.len() as u32).collect()];
    for t in 0..parameters.topology.branches() {
        let here = data.select(&members[t]);
        let theta = random_split(&here, rng)?;
        let z = here.linear_values(&theta)?;
        let side = |left: bool| -> Vec<u32> {
            let rows = members[t].iter().zip(&z);
            rows.filter(|(_, z)| (**z >= 0.0) == left)
                .map(|(i, _)| *i)
                .collect()
        };
        let (left, right) = (side(true), side(false));
        members.extend([left, right]);
        parameters.set_subtree_theta(t, &theta);
    }
    Ok(parameters)
}

/// A random direction with its hyperplane at a random quantile of the rows, steep enough to part
/// most of them clearly.
pub(crate) fn random_split(
    data: &WeightedRows<'_>,
    rng: &mut impl Rng,
) -> Result<Vec<f64>, Interrupted> {
    const STEEPNESS: f64 = 10.0;
    // Nothing but rounding tells rows apart that are nearer to the hyperplane on average.
    const LEAST_SPREAD: f64 = 1e-12;
    let p = data.features();
    let mut theta: Vec<f64> = (0..p).map(|_| rng.random_range(-1.0..=1.0)).collect();
    theta.push(0.0);
    let level = rng.random_range(0.2..0.8);
    if data.is_empty() {
        return Ok(theta);
    }
    let z = data.linear_values(&theta)?;
    theta[p] = weighted_quantile(&z, data.weights(), level);
    let total = data.total_weight();
    let spread: f64 = z
        .iter()
        .zip(data.weights())
        .map(|(z, w)| w * (z - theta[p]).abs())
        .sum();
    if spread > LEAST_SPREAD * total {
        let factor = STEEPNESS * total / spread;
        theta.iter_mut().for_each(|x| *x *= factor);
    }
    Ok(theta)
}

/// The split that logistic regression (17) finds towards `goes_left`, None if all rows are wanted
/// on one side; `balanced` gives both sides the same weight.
pub(crate) fn split_towards(
    data: &WeightedRows<'_>,
    goes_left: &[bool],
    balanced: bool,
    start: Option<Vec<f64>>,
    progress: &Arc<Progress>,
) -> Result<Option<Outcome>, Interrupted> {
    let mut sides = [0.0; 2];
    for (left, w) in goes_left.iter().zip(data.weights()) {
        sides[usize::from(!left)] += w;
    }
    let total = sides[0] + sides[1];
    if sides[0] <= 0.0 || sides[1] <= 0.0 {
        return Ok(None);
    }
    let p = data.features() as f64;
    let objective = Logistic {
        rows: data,
        goes_left,
        side_weights: sides.map(|side| if balanced { 0.5 / side } else { 1.0 / total }),
        // As much as the customary ½‖coefficients‖² beside a summed loss.
        ridge: 1.0 / (total * p * p),
    };
    let limits = LbfgsSettings {
        projected_gradient_tol: 1e-6,
        stall_tol: 1e-4,
        max_iterations: LOGISTIC_ITERATIONS,
        ..LbfgsSettings::default()
    };
    let start = start.unwrap_or_else(|| vec![0.0; objective.dim()]);
    let observer = CountIterations(progress.clone());
    minimize(objective, Bounds::NONE, start, &limits, Some(observer)).map(Some)
}

/// Lloyd's algorithm from the means on both sides of a random split.
fn two_means(data: &WeightedRows<'_>, rng: &mut impl Rng) -> Result<Partition, Interrupted> {
    let mut theta = random_split(data, rng)?;
    if !data.is_empty() {
        let all = group_sums(data, &vec![0; data.len()], 1)?;
        for _ in 0..MAX_ROUNDS {
            let Some(means) = side_means(&all, &data.sum(&LeftSums::new(&theta))?) else {
                break;
            };
            // The same sides as before have the same means.
            let next = bisector(&means);
            if next == theta {
                break;
            }
            theta = next;
        }
    }
    let z = data.linear_values(&theta)?;
    Ok(Partition {
        goes_left: z.iter().map(|z| *z >= 0.0).collect(),
        theta,
    })
}

/// (a, μ) with z > 0 where the first mean is nearer.
fn bisector(means: &[Vec<f64>; 2]) -> Vec<f64> {
    let p = means[0].len() as f64;
    let squares = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    let difference = means[0]
        .iter()
        .zip(&means[1])
        .map(|(l, r)| 2.0 * p * (l - r));
    difference
        .chain([squares(&means[0]) - squares(&means[1])])
        .collect()
}

/// Means of the rows going left and of the others, from the sums of all and of those going left; None
/// if one side has no weight.
fn side_means(all: &[f64], left: &[f64]) -> Option<[Vec<f64>; 2]> {
    let (p, rounding) = (all.len() - 1, 1e-12);
    let right: Vec<f64> = all.iter().zip(left).map(|(all, left)| all - left).collect();
    let mean = |sums: &[f64]| -> Option<Vec<f64>> {
        let weighs = sums[p] > rounding * all[p];
        weighs.then(|| sums[..p].iter().map(|sum| sum / sums[p]).collect())
    };
    Some([mean(left)?, mean(&right)?])
}

/// Σ w u and Σ w of every group of rows, groups × (p + 1).
fn group_sums(
    data: &WeightedRows<'_>,
    groups: &[u32],
    count: usize,
) -> Result<Vec<f64>, Interrupted> {
    data.sum(&GroupSums {
        groups,
        count,
        features: data.features(),
    })
}

/// Davies and Bouldin's index of a partition: the mean over clusters of the largest ratio of
/// summed spreads to the distance from another cluster. Empty clusters do not count.
fn davies_bouldin(data: &WeightedRows<'_>, clusters: &[Vec<u32>]) -> Result<f64, Interrupted> {
    let p = data.features();
    let mut groups = vec![0; data.len()];
    for (k, cluster) in clusters.iter().enumerate() {
        cluster
            .iter()
            .for_each(|row| groups[*row as usize] = k as u32);
    }
    let sums = group_sums(data, &groups, clusters.len())?;
    let weight = |k: usize| sums[k * (p + 1) + p];
    // p × clusters.
    let centers: Vec<f64> = (0..p)
        .flat_map(|j| (0..clusters.len()).map(move |k| (j, k)))
        .map(|(j, k)| sums[k * (p + 1) + j] / weight(k))
        .collect();
    let spreads = data.sum(&GroupSpreads {
        groups: &groups,
        centers: &centers,
        count: clusters.len(),
    })?;
    let present: Vec<usize> = (0..clusters.len()).filter(|k| weight(*k) > 0.0).collect();
    let worst = |k: &usize| {
        let others = present.iter().filter(|l| *l != k);
        others
            .map(|l| {
                let distance = centers
                    .chunks_exact(clusters.len())
                    .map(|centers| (centers[*k] - centers[*l]).powi(2))
                    .sum::<f64>();
                (spreads[*k] / weight(*k) + spreads[*l] / weight(*l)) / distance.sqrt()
            })
            .fold(0.0, f64::max)
    };
    Ok(present.iter().map(worst).sum::<f64>() / present.len().max(1) as f64)
}
