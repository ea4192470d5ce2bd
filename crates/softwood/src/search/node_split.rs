//! One split by itself, searched among the rows that reach it: soft first, then ever sharper.

use crate::data::ClassificationRows;
use crate::objective::{ExpectedCost, LeafEntropy, Penalty, entropy_costs};
use crate::progress::Progress;
use crate::solver::{LbfgsSettings, Work, minimize_by_tangents};
use crate::start::{greedy_splits, splits_through_the_data};
use crate::stop::Interrupted;
use crate::tree::Topology;
use rand::Rng;
use std::sync::Arc;

/// Steepness from stage to stage, in units of the spread of the rows along the split.
const STEEPNESS: [f64; 3] = [2.0, 8.0, 32.0];

/// Iterations of a stage.
const ITERATIONS: u64 = 30;

/// Random directions tried for a new split.
const RANDOM_DIRECTIONS: usize = 3;

/// The rows at a node, and how splits of them are searched.
pub(super) struct NodeSearch<'a, 'd> {
    pub data: &'a ClassificationRows<'d>,
    /// q_k of each class.
    pub importance: &'a [f64],
    /// On one split, in units of these rows' mean loss, at steepness `gamma`.
    pub penalty: Penalty,
    pub gamma: f64,
    pub tol: f64,
    pub progress: &'a Arc<Progress>,
}

/// What a split is to do.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// Part the classes, whichever they are.
    Purity,
    /// Send class 0 left and class 1 right.
    Sides,
}

impl NodeSearch<'_, '_> {
    /// The split of least entropy that is found, if any lowers it; and the work it took. Stopped, it is the best so
    /// far, if there is one.
    pub fn new_split(&self, rng: &mut impl Rng) -> Result<(Option<Vec<f64>>, Work), Interrupted> {
        let (stump, p) = (Topology::complete(1), self.data.features());
        let mut work = Work::default();
        let mut best: Option<(f64, Vec<f64>)> = None;
        let unsplit = self.entropy(&self.data.class_weights());
        let mut axis = vec![0.0; p + 1];
        let free = greedy_splits(self.data, &stump, self.importance, 1.0, &mut axis, rng)?;
        let mut starts = Vec::new();
        if !free[0] {
            self.keep_better(Goal::Purity, axis.clone(), &mut best)?;
            starts.push(axis);
        }
        for _ in 0..RANDOM_DIRECTIONS {
            let mut split = vec![0.0; p + 1];
            let (rows, gamma) = (&self.data.rows, self.gamma);
            splits_through_the_data(rows, &stump, gamma, &mut split, &[true], rng)?;
            starts.push(split);
        }
        for start in starts {
            let tried = self.sharpened(Goal::Purity, start, &STEEPNESS);
            let tried = tried.and_then(|(split, took)| {
                work += took;
                self.keep_better(Goal::Purity, split, &mut best)
            });
            match tried {
                Err(Interrupted::TimeLimit | Interrupted::Cancelled) if best.is_some() => break,
                tried => tried?,
            }
        }
        let better = best.filter(|(entropy, _)| *entropy < unsplit * (1.0 - 1e-9));
        Ok((better.map(|(_, split)| split), work))
    }

    /// The better of a present split, what it leads to, and a new one; and the work this took.
    pub fn better_sides(
        &self,
        present: Vec<f64>,
        rng: &mut impl Rng,
    ) -> Result<(Vec<f64>, Work), Interrupted> {
        let (stump, p) = (Topology::complete(1), self.data.features());
        let mut best = None;
        self.keep_better(Goal::Sides, present.clone(), &mut best)?;
        let (split, mut work) = self.sharpened(Goal::Sides, present, &STEEPNESS[1..])?;
        let soft = split.clone();
        self.keep_better(Goal::Sides, split, &mut best)?;
        let (split, took) = self.sharpened(Goal::Sides, soft, &STEEPNESS)?;
        work += took;
        self.keep_better(Goal::Sides, split, &mut best)?;
        let mut axis = vec![0.0; p + 1];
        let free = greedy_splits(self.data, &stump, self.importance, 1.0, &mut axis, rng)?;
        if !free[0] {
            for axis in [axis.clone(), axis.iter().map(|a| -a).collect()] {
                self.keep_better(Goal::Sides, axis, &mut best)?;
            }
        }
        Ok((best.expect("the present one").1, work))
    }

    /// Keeps the split if it is the best so far.
    fn keep_better(
        &self,
        goal: Goal,
        split: Vec<f64>,
        best: &mut Option<(f64, Vec<f64>)>,
    ) -> Result<(), Interrupted> {
        let masses = self.hard_masses(&split)?;
        let value = match goal {
            Goal::Purity => self.entropy(&masses),
            // Weight of class 0 on the right and of class 1 on the left.
            Goal::Sides => masses[1] * self.importance[0] + masses[2] * self.importance[1],
        };
        if best.as_ref().is_none_or(|(least, _)| value < *least) {
            *best = Some((value, split));
        }
        Ok(())
    }

    /// Weight of each class on either side, K × 2.
    fn hard_masses(&self, split: &[f64]) -> Result<Vec<f64>, Interrupted> {
        let z = self.data.rows.linear_values(split)?;
        let mut masses = vec![0.0; 2 * self.importance.len()];
        for (i, (z, weight)) in z.iter().zip(self.data.rows.weights()).enumerate() {
            masses[2 * self.data.target.of(i) + usize::from(*z < 0.0)] += weight;
        }
        Ok(masses)
    }

    /// Of classes in leaves, K × leaves; not divided by the weight of the rows.
    fn entropy(&self, masses: &[f64]) -> f64 {
        let costs = entropy_costs(masses, self.importance, 1.0);
        masses.iter().zip(costs).map(|(m, cost)| m * cost).sum()
    }

    /// Where a split goes as it is made steeper by and by.
    fn sharpened(
        &self,
        goal: Goal,
        mut split: Vec<f64>,
        steepness: &[f64],
    ) -> Result<(Vec<f64>, Work), Interrupted> {
        let mut work = Work::default();
        for steep in steepness {
            normalize(&mut split);
            let Some(spread) = self.spread(&split)? else {
                break;
            };
            let gamma = steep / spread;
            let limits = LbfgsSettings {
                projected_gradient_tol: self.tol,
                stall_tol: 1e-4 * self.tol,
                max_iterations: ITERATIONS,
                ..LbfgsSettings::default()
            };
            let penalty = self.penalty.clone().scaled(gamma / self.gamma);
            let outcome = self.minimized(goal, gamma, split, &penalty, &limits)?;
            work += outcome.1;
            split = outcome.0;
        }
        normalize(&mut split);
        Ok((split, work))
    }

    fn minimized(
        &self,
        goal: Goal,
        gamma: f64,
        split: Vec<f64>,
        penalty: &Penalty,
        limits: &LbfgsSettings,
    ) -> Result<(Vec<f64>, Work), Interrupted> {
        let topology = Topology::complete(1);
        let total = self.data.class_weights();
        let total = total.iter().zip(self.importance).map(|(w, q)| w * q).sum();
        let outcome = match goal {
            Goal::Purity => {
                let objective = LeafEntropy {
                    data: self.data,
                    topology,
                    gamma,
                    importance: self.importance,
                    total,
                };
                minimize_by_tangents(&objective, penalty, split, 1, limits, self.progress)?
            }
            Goal::Sides => {
                let k = self.importance.len();
                let mut costs = vec![0.0; k * k];
                (costs[1], costs[k]) = (self.importance[0], self.importance[1]);
                let data = self.data.clone();
                let labels = vec![0, 1];
                let objective =
                    ExpectedCost::with_total_weight(data, topology, gamma, &costs, labels, total);
                minimize_by_tangents(&objective, penalty, split, 1, limits, self.progress)?
            }
        };
        Ok((outcome.x, outcome.work))
    }

    /// Standard deviation of the rows along a split; None if there is none.
    fn spread(&self, split: &[f64]) -> Result<Option<f64>, Interrupted> {
        let z = self.data.rows.linear_values(split)?;
        let total = self.data.total_weight();
        let weighted = || z.iter().zip(self.data.rows.weights());
        let mean = weighted().map(|(z, w)| z * (w / total)).sum::<f64>();
        let variance = weighted().map(|(z, w)| (z - mean).powi(2) * (w / total));
        let spread = variance.sum::<f64>().sqrt();
        Ok((spread > 1e-9).then_some(spread))
    }
}

/// Makes the largest coefficient ±1: the split stays where it is, as steep as it can be.
fn normalize(split: &mut [f64]) {
    let (mu, a) = split.split_last_mut().expect("an intercept");
    let largest = a.iter().map(|a| a.abs()).fold(0.0, f64::max);
    if largest > 0.0 {
        a.iter_mut().for_each(|a| *a /= largest);
        *mu = (*mu / largest).clamp(-1.0, 1.0);
    }
}
