//! The smallest penalties under which the tree that uses no feature, a = 0, is stationary.

use super::PenaltySettings;
use crate::data::ClassificationRows;
use crate::passes::ClassSums;
use crate::stop::Interrupted;
use crate::tree::second_moments::SecondMoments;
use std::collections::BTreeMap;

/// Bounds on λ_L and λ_G.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaMax {
    /// With λ_L at least this (and λ_G = 0) a = 0 is stationary whatever intercepts and labels are
    /// (theorem 3.2; for concave shapes divided by φ′(0), proposition 1 of the ℓ0 paper).
    pub local: f64,
    /// The same for λ_G (and λ_L = 0).
    pub global: f64,
    /// For D = 1 and K = 2, λ_L from which a = 0 with μ = ±1 is stationary (theorem 3.3 with the 1/p
    /// of its proof): there the splits are saturated, so this is far smaller.
    pub at_bounds: Option<f64>,
}

impl LambdaMax {
    /// Computes them for a tree of this depth and steepness, with K × K costs.
    ///
    /// At a = 0 every row reaches node t with the same probability R_t and goes left with the same p_t,
    /// so ∂g/∂a_jt = (γ/p) R_t p_t(1 − p_t) (v_left − v_right), where v is a mean over leaves of S_kj =
    /// (1/W) Σ_i w_i x_ij cost(y_i, k). Hence |∂g/∂a_jt| ≤ (γ/4p) (max_k S_kj − min_k S_kj), attained at
    /// the root. Over all t, R_t p_t(1 − p_t)|v_left − v_right| sums up to half the mean variation of a
    /// martingale of D steps within that range, which is at most √D/4 of it by Cauchy–Schwarz.
    pub(crate) fn of(
        data: &ClassificationRows<'_>,
        costs: &[f64],
        depth: usize,
        gamma: f64,
        penalty: &PenaltySettings,
    ) -> Result<Self, Interrupted> {
        let (p, k) = (data.features(), data.target.count());
        let sums = data.rows.sum(&ClassSums {
            classes: data.target.clone(),
            features: p,
        })?;
        let range = |j: usize| {
            let mean_cost = |label: usize| -> f64 {
                let terms = (0..k).map(|y| costs[y * k + label] * sums[y * p + j]);
                terms.sum::<f64>() / sums[k * p]
            };
            let (low, high) = (0..k)
                .map(mean_cost)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| {
                    (low.min(s), high.max(s))
                });
            high - low
        };
        let ranges: Vec<f64> = (0..p).map(range).collect();
        let steepness = gamma / p as f64 / penalty.shape.slope(0.0);
        let (widest, widest_group) = largest(&ranges, penalty);
        // p(1 − p) at μ = ±1.
        let saturated = 1.0 / (2.0 + 2.0 * gamma.cosh());
        Ok(Self {
            local: 0.25 * steepness * widest,
            global: 0.25 * (depth as f64).sqrt() * steepness * widest_group,
            at_bounds: (depth == 1 && k == 2).then_some(saturated * steepness * widest),
        })
    }

    /// The same for a mixture of linear models, from the moments of all rows around no point (u, y, 1), y of
    /// mean 0: proposition 4.2 of the thesis.
    ///
    /// Where nothing is used every leaf predicts ȳ, so that the objective has no slope in splits, and the slope
    /// −2 P_t cov(u_j, y) in β_jt, P_t being the share of every row that leaf t gets. The P_t sum to 1: a group
    /// under the ℓ∞ norm has the slopes 2 |cov(u_j, y)| in all, a single coefficient at most that, where all
    /// rows are in one leaf.
    pub(crate) fn of_mixture(
        moments: &SecondMoments,
        features: usize,
        penalty: &PenaltySettings,
    ) -> Self {
        let p = features;
        let moment = |j: usize, k: usize| moments.at(j, k);
        let weight = moment(p + 1, p + 1);
        let around = |j: usize| moment(j, p) - moment(j, p + 1) * (moment(p, p + 1) / weight);
        let slopes: Vec<f64> = (0..p).map(|j| 2.0 * around(j).abs() / weight).collect();
        let (local, global) = largest(&slopes, penalty);
        let slope = penalty.shape.slope(0.0);
        Self {
            local: local / slope,
            global: global / slope,
            at_bounds: None,
        }
    }
}

/// The largest of the features' values, and of their sums over the groups of the penalty.
fn largest(of_features: &[f64], penalty: &PenaltySettings) -> (f64, f64) {
    let mut groups: BTreeMap<usize, f64> = BTreeMap::new();
    let ids = penalty.group_of_features(of_features.len());
    for (group, value) in ids.into_iter().zip(of_features) {
        *groups.entry(group).or_default() += value;
    }
    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    (
        max(&mut of_features.iter().copied()),
        max(&mut groups.into_values()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Parallelism, RegressionRows, ScaledRows, Scaling, ScalingKind, WeightedBlock,
    };
    use crate::objective::{LeafRidge, MixtureError, Penalty};
    use crate::passes::ColumnMoments;
    use crate::solver::{Majorized, Objective, SimpleTerm};
    use crate::stop::Stop;
    use crate::tree::Topology;
    use ndarray::Array2;

    /// Corollary 4.1 and proposition 4.2: at zero every tree predicts the mean, and it is stationary from λ_max on.
    #[test]
    fn from_lambda_max_on_the_tree_without_features_is_stationary() {
        let x = Array2::from_shape_fn((80, 3), |(i, j)| ((i * (j + 2)) as f64).sin());
        let raw: Vec<f64> = (0..80).map(|i| x[[i, 0]] - 0.4 * x[[i, 2]]).collect();
        let mean = raw.iter().sum::<f64>() / 80.0;
        let y: Vec<f64> = raw.iter().map(|y| y - mean).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let source = ScaledRows::new(x.view().into(), &scaling);
        let data = RegressionRows::new(source, &y, None, Parallelism::None, Stop::default());
        let moments = data.rows.sum(&ColumnMoments {
            rows: data.len(),
            count: 3,
            response: &data.target,
            fill: |block: &WeightedBlock<'_>, out: &mut [f64]| {
                out.copy_from_slice(block.tile.columns());
            },
        });
        let moments = moments.unwrap();
        for groups in [None, Some(vec![0, 1, 0])] {
            let with = |local: f64, global: f64| PenaltySettings {
                local: Some(local),
                global,
                groups: groups.clone(),
                ..PenaltySettings::none()
            };
            let max = LambdaMax::of_mixture(&moments, 3, &with(0.0, 0.0));
            // A split at the bound: nearly all rows in one leaf, as λ_L's bound supposes.
            for mu in [0.0, -1.0] {
                let error = MixtureError {
                    data: &data,
                    topology: Topology::complete(1),
                    gamma: 30.0,
                    centers: &[0.5; 3],
                    ridge: &LeafRidge::plain(0.0, &[1.0; 3], 2),
                };
                let mut at = vec![0.0; error.dim()];
                at[3] = mu;
                let mut gradient = at.clone();
                error.value_and_gradient(&at, &mut gradient).unwrap();
                let moves = |settings: PenaltySettings| {
                    let penalty = Penalty::on_splits_and_leaves(&settings, &error.topology, 3);
                    let mut moved: Vec<f64> =
                        at.iter().zip(&gradient).map(|(x, g)| x - g).collect();
                    penalty.tangent(&at).prox(&mut moved, 1.0);
                    moved.iter().zip(&at).any(|(m, x)| (m - x).abs() > 1e-12)
                };
                assert!(!moves(with(max.local * (1.0 + 1e-9), 0.0)));
                assert!(!moves(with(0.0, max.global * (1.0 + 1e-9))));
                assert!(moves(with(0.0, max.global * 0.999)));
                assert_eq!(moves(with(max.local * 0.999, 0.0)), mu != 0.0);
            }
        }
    }
}
