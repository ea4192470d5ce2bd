//! Random directions with intercepts inside the data.
//!
//! At γ = 512 a split whose hyperplane misses the data has no gradient. Here μ_t is the weighted
//! u-quantile of aₜᵀx/p with u uniform: the start depends on the weighted distribution of the rows
//! alone, not on their order or on how weights are spread over repeated rows.

use crate::data::WeightedRows;
use crate::passes::projection_quantiles;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};
use rand::{Rng, RngExt};

/// Gives the nodes marked `fresh` a random direction, uniform in [−1, 1]^p, and a hyperplane through
/// the rows that reach them; the other nodes keep their splits.
pub(crate) fn splits_through_the_data(
    rows: &WeightedRows<'_>,
    topology: &Topology,
    gamma: f64,
    theta: &mut [f64],
    fresh: &[bool],
    rng: &mut impl Rng,
) -> Result<(), Interrupted> {
    let layout = ParameterLayout::new(topology, rows.features());
    // From the root down, so that the rows reaching a node are those its ancestors send there.
    for d in 0..topology.depth() {
        let nodes: Vec<usize> = topology
            .branches_of_level(d)
            .filter(|t| fresh[*t])
            .collect();
        if nodes.is_empty() {
            continue;
        }
        for t in &nodes {
            theta[layout.coefficients(*t)].fill_with(|| rng.random_range(-1.0..=1.0));
            theta[layout.intercept(*t)] = 0.0;
        }
        let levels: Vec<f64> = nodes.iter().map(|_| rng.random_range(0.0..1.0)).collect();
        let quantiles = projection_quantiles(rows, topology, theta, gamma, &nodes, &levels)?;
        for (t, quantile) in nodes.iter().zip(quantiles) {
            theta[layout.intercept(*t)] = quantile;
        }
    }
    Ok(())
}
