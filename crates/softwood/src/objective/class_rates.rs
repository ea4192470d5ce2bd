//! Bounds on the recall of classes (2.9), by an augmented Lagrangian around the expected cost.
//!
//! The rate of class k, (1/W_k) Σ_{i: y_i = k} w_i Σ_t P_it C_kt, is to be at least ρ_k. With c_k = ρ_k
//! − rate_k, multipliers λ ≥ 0 and a weight σ > 0,
//!
//! L(θ) = cost(θ) + Σ_k (η_k² − λ_k²)/(2σ),  η_k = max(0, λ_k + σ c_k),
//!
//! is minimized over θ, then λ ← η. ∇L is the gradient of an expected cost whose diagonal is lowered
//! by η_k/W_k, so that a second pass over the rows gives it.

use super::{ExpectedCost, Objective};
use crate::data::ClassificationRows;
use crate::stop::Stopped;
use crate::tree::Topology;

/// The weight σ of the first round: a rate short by 0.1 then costs as much as a tenth of the rows
/// wrongly classed does by default.
const FIRST_WEIGHT: f64 = 10.0;

/// Growth of σ where a round has not halved the worst shortfall, and its limit: beyond it the problem
/// is too stiff to move.
const GROWTH: f64 = 4.0;
const MAX_WEIGHT: f64 = 1e5;

/// Bounds, multipliers and weight between rounds.
#[derive(Clone, Debug)]
pub(crate) struct RateMultipliers {
    /// (k, ρ_k).
    pub bounds: Vec<(usize, f64)>,
    /// λ_k of each bound.
    pub multipliers: Vec<f64>,
    weight: f64,
    worst: f64,
}

impl RateMultipliers {
    /// Before the first round.
    pub fn new(bounds: &[(usize, f64)]) -> Self {
        Self {
            bounds: bounds.to_vec(),
            multipliers: vec![0.0; bounds.len()],
            weight: FIRST_WEIGHT,
            worst: f64::INFINITY,
        }
    }

    /// Begins anew with the first weight, for another stage; the multipliers stay.
    pub fn relax(&mut self) {
        self.weight = FIRST_WEIGHT;
        self.worst = f64::INFINITY;
    }

    /// η_k of each bound, from the rates reached.
    fn slopes(&self, rates: &[f64]) -> Vec<f64> {
        self.bounds
            .iter()
            .zip(rates)
            .zip(&self.multipliers)
            .map(|(((_, bound), rate), multiplier)| {
                (multiplier + self.weight * (bound - rate)).max(0.0)
            })
            .collect()
    }

    /// λ ← η for the next round; σ grows where the shortfall does not fall fast enough.
    pub fn update(&mut self, rates: &[f64]) {
        self.multipliers = self.slopes(rates);
        let worst = self.shortfall(rates);
        if worst > 0.5 * self.worst {
            self.weight = (self.weight * GROWTH).min(MAX_WEIGHT);
        }
        self.worst = worst;
    }

    /// max_k (ρ_k − rate_k)⁺.
    pub fn shortfall(&self, rates: &[f64]) -> f64 {
        self.bounds
            .iter()
            .zip(rates)
            .fold(0.0f64, |worst, ((_, bound), rate)| worst.max(bound - rate))
    }

    /// max_k λ_k (rate_k − ρ_k)⁺: what bounds with room to spare still ask for.
    pub fn slackness(&self, rates: &[f64]) -> f64 {
        self.bounds
            .iter()
            .zip(rates)
            .zip(&self.multipliers)
            .fold(0.0f64, |worst, (((_, bound), rate), multiplier)| {
                worst.max(multiplier * (rate - bound))
            })
    }

    /// The costs that the Lagrangian at the present multipliers puts on predictions.
    pub fn lagrangian_costs(&self, costs: &[f64], class_weights: &[f64]) -> Vec<f64> {
        self.lowered(costs, class_weights, &self.multipliers)
    }

    /// Costs with the diagonal of the bounded classes lowered by slope · W/W_k.
    fn lowered(&self, costs: &[f64], class_weights: &[f64], slopes: &[f64]) -> Vec<f64> {
        let total: f64 = class_weights.iter().sum();
        let k = class_weights.len();
        let mut costs = costs.to_vec();
        for ((class, _), slope) in self.bounds.iter().zip(slopes) {
            costs[class * k + class] -= slope * total / class_weights[*class];
        }
        costs
    }

    /// rate_k of each bound, from the masses of classes in leaves.
    pub fn rates(&self, masses: &[f64], labels: &[u32]) -> Vec<f64> {
        let leaves = labels.len();
        self.bounds
            .iter()
            .map(|(class, _)| {
                let masses = &masses[class * leaves..][..leaves];
                let right: f64 = masses
                    .iter()
                    .zip(labels)
                    .filter(|(_, label)| **label as usize == *class)
                    .map(|(mass, _)| mass)
                    .sum();
                right / masses.iter().sum::<f64>()
            })
            .collect()
    }
}

/// L(θ) for fixed labels, multipliers and weight.
pub(crate) struct RateConstrainedCost<'a, 'd> {
    pub data: ClassificationRows<'d>,
    pub topology: Topology,
    pub gamma: f64,
    pub costs: &'a [f64],
    pub labels: &'a [u32],
    pub multipliers: &'a RateMultipliers,
    /// Total weight of each class.
    pub class_weights: &'a [f64],
}

impl Objective for RateConstrainedCost<'_, '_> {
    fn dim(&self) -> usize {
        crate::tree::ParameterLayout::new(self.topology, self.data.features()).dim()
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped> {
        let masses = self.data.leaf_masses(self.topology, theta, self.gamma)?;
        let slopes = self
            .multipliers
            .slopes(&self.multipliers.rates(&masses, self.labels));
        let costs = self
            .multipliers
            .lowered(self.costs, self.class_weights, &slopes);
        let total: f64 = self.class_weights.iter().sum();
        let lowered = ExpectedCost::with_total_weight(
            self.data.clone(),
            self.topology,
            self.gamma,
            &costs,
            self.labels.to_vec(),
            total,
        );
        lowered.value_and_gradient(theta, gradient)?;
        let cost = expected_cost(&masses, self.costs, self.labels) / total;
        let lagrangian: f64 = slopes
            .iter()
            .zip(&self.multipliers.multipliers)
            .map(|(slope, multiplier)| slope * slope - multiplier * multiplier)
            .sum();
        Ok(cost + lagrangian / (2.0 * self.multipliers.weight))
    }
}

/// Σ_y Σ_t masses_yt cost(y, label_t).
pub(crate) fn expected_cost(masses: &[f64], costs: &[f64], labels: &[u32]) -> f64 {
    let leaves = labels.len();
    let k = masses.len() / leaves;
    masses
        .chunks_exact(leaves)
        .enumerate()
        .flat_map(|(y, row)| {
            row.iter()
                .zip(labels)
                .map(move |(mass, label)| mass * costs[y * k + *label as usize])
        })
        .sum()
}
