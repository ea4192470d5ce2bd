//! Penalties where none are asked for: weak ones first, then those of most evidence at a tree.

use super::srt_settings::SrtSettings;
use crate::data::RegressionRows;
use crate::leaves::{Groups, maximize_evidence, split_variances};
use crate::search::nodec_run::Ridges;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, RegressionParameters};

/// λ_ω W p² and λ_β W to begin with.
const FIRST_BRANCH_RIDGE: f64 = 3e-2;
const FIRST_LEAF_RIDGE: f64 = 0.1;

/// Variance of the errors at least: splits stay finite where all rows are fitted exactly.
const LEAST_ERROR_VARIANCE: f64 = 1e-6;

/// Bounds of the variance of a split's slopes.
const LEAST_SLOPE_VARIANCE: f64 = 1e-2;
const MOST_SLOPE_VARIANCE: f64 = 1e6;

/// λ_ω and λ_β as asked for or, where nothing is, weak.
pub(crate) fn first_ridges(data: &RegressionRows<'_>, settings: &SrtSettings) -> Ridges {
    let (w, p) = (data.total_weight(), data.features() as f64);
    let same = |ridge: f64| vec![ridge; data.features() + 1].into();
    let branches = FIRST_BRANCH_RIDGE / (w * p * p);
    Ridges {
        branches: same(settings.ridge_branches.unwrap_or(branches)),
        leaves: same(settings.ridge_leaves.unwrap_or(FIRST_LEAF_RIDGE / w)),
    }
}

/// Those of `first` that were not asked for, by evidence maximization at the tree `at`: W λ/2 = σ²/τ²,
/// σ² being the variance of the errors and τ² that of a feature's coefficients around 0.
pub(crate) fn ridges_of_most_evidence(
    data: &RegressionRows<'_>,
    at: &RegressionParameters,
    first: &Ridges,
    settings: &SrtSettings,
) -> Result<Ridges, Interrupted> {
    let p = data.features();
    let moments = data.leaf_moments(at, 0, None)?;
    let leaves = maximize_evidence(&moments, p, &Groups::of_features(p), &data.rows.stop)?;
    let twice_by_weight = 2.0 / data.total_weight();
    let mut ridges = first.clone();
    if settings.ridge_leaves.is_none() {
        let penalties = leaves.penalties.iter();
        ridges.leaves = penalties.map(|c| twice_by_weight * c).collect();
    }
    if settings.ridge_branches.is_none() {
        // z has slope ω_j/p in feature j. Slopes are as good as determined where splits matter.
        let (omega, intercepts) = ParameterLayout::new(&at.topology, p).split(&at.theta);
        let mut squares = vec![0.0; p + 1];
        for (t, omega) in omega.chunks_exact(p).enumerate() {
            let slopes = omega.iter().map(|omega| omega / p as f64);
            let coefficients = slopes.chain([intercepts[t]]);
            squares
                .iter_mut()
                .zip(coefficients)
                .for_each(|(s, c)| *s += c * c);
        }
        let determined = vec![at.topology.branches() as f64; p + 1];
        let error_variance = leaves.error_variance.max(LEAST_ERROR_VARIANCE);
        let ridge = |(j, variance): (usize, &f64)| {
            let unit = if j < p { p as f64 } else { 1.0 };
            twice_by_weight * error_variance
                / (variance.clamp(LEAST_SLOPE_VARIANCE, MOST_SLOPE_VARIANCE) * unit * unit)
        };
        ridges.branches = split_variances(&squares, &determined)
            .iter()
            .enumerate()
            .map(ridge)
            .collect();
    }
    Ok(ridges)
}
