//! Feature generation: the worst case over all features and the master problem over those chosen, in turn.

use super::columns::NodeColumns;
use super::master::{Master, Point};
use super::packed::PackedRows;
use super::squared_hinge::{SquaredHinge, slopes};
use crate::stop::{Stop, Stopped};
use std::collections::BTreeSet;

/// Rounds without a fall of the objective that is worth it, after which no more features are generated.
const PATIENCE: usize = 1;

pub(super) struct Generation<'a, 'r> {
    pub columns: &'a NodeColumns<'r>,
    /// By what features are multiplied.
    pub factors: &'a [f64],
    pub hinge: &'a SquaredHinge<'a>,
    /// B: features chosen at a time.
    pub budget: usize,
    /// Features at most.
    pub most: usize,
    /// Whether a feature may be chosen.
    pub may: &'a (dyn Fn(usize) -> bool + Sync),
    /// Ends when a round lowers the objective by less than this share of its first value.
    pub tol: f64,
    pub stop: &'a Stop,
}

/// What generation came to.
pub(super) struct Generated {
    /// The features, in the order they were chosen, and how many of them each round has added.
    pub chosen: Vec<u32>,
    pub groups: Vec<usize>,
    pub rows: PackedRows,
    pub point: Point,
    /// Margins with biases after each round, n × blocks.
    pub paths: Vec<Vec<f64>>,
    /// Objective less a lower bound of it over all choices of features, by the objective without any.
    pub gap: f64,
    pub iterations: u64,
    pub stopped: Option<Stopped>,
}

impl Generation<'_, '_> {
    /// Rounds until the objective falls no more, `most` features are chosen, or time is up.
    pub fn run(&self) -> Generated {
        let blocks = self.hinge.blocks;
        let n = self.columns.len();
        let nothing = vec![0.0; n * blocks];
        let at = self.hinge.at(&nothing, &vec![0.0; blocks]);
        let mut found = Generated {
            chosen: Vec::new(),
            groups: Vec::new(),
            rows: self.columns.pack(&[], self.factors),
            point: Point {
                w: Vec::new(),
                z: nothing,
                biases: at.biases,
                alphas: at.alphas,
                objective: at.loss,
                step: 0.0,
                iterations: 0,
            },
            paths: Vec::new(),
            gap: f64::INFINITY,
            iterations: 0,
            stopped: None,
        };
        let first = found.point.objective;
        let mut idle = 0;
        loop {
            let scores = self.scores(&found.point);
            let chosen: BTreeSet<u32> = found.chosen.iter().copied().collect();
            let best = best_features(&scores, self.budget + chosen.len(), |_| true);
            found.gap = found
                .gap
                .min(self.gap(&found.point, &scores, &best) / first);
            let room = self.budget.min(self.most.saturating_sub(chosen.len()));
            let may = |j: &u32| (self.may)(*j as usize) && !chosen.contains(j);
            let next: Vec<u32> = match best.iter().all(|j| (self.may)(*j as usize)) {
                true => best.iter().copied().filter(may).take(room).collect(),
                false => best_features(&scores, room, |j| may(&(j as u32))),
            };
            if next.is_empty() || idle >= PATIENCE || found.gap <= self.tol {
                return found;
            }
            found.chosen.extend(&next);
            found.groups.push(next.len());
            found.rows = self.columns.pack(&found.chosen, self.factors);
            let before = found.point.objective;
            self.solve(&mut found, &next);
            if found.stopped.is_some() {
                return found;
            }
            let fall = before - found.point.objective;
            idle = if fall >= self.tol * first {
                0
            } else {
                idle + 1
            };
        }
    }

    /// The master problem with the new group at 0.
    fn solve(&self, found: &mut Generated, next: &[u32]) {
        let blocks = self.hinge.blocks;
        let mut start = found.point.clone();
        start.w.resize(found.chosen.len() * blocks, 0.0);
        if start.step == 0.0 {
            start.step = self.first_step(next);
        }
        start.step *= 2.0; // backtracking finds what it must be
        let master = Master {
            rows: &found.rows,
            hinge: self.hinge,
            groups: &found.groups,
            stop: self.stop,
        };
        let before = start.iterations;
        let (point, stopped) = master.minimize(start);
        found.iterations += point.iterations - before;
        let margins = point.z.chunks_exact(blocks);
        let biased = margins.flat_map(|z| z.iter().zip(&point.biases).map(|(z, b)| z + b));
        found.paths.push(biased.collect());
        (found.point, found.stopped) = (point, stopped);
    }

    /// One over the curvature along the mean feature of a group.
    fn first_step(&self, group: &[u32]) -> f64 {
        let mut curvature = 0.0;
        let largest = self.hinge.costs.iter().fold(0.0, |a: f64, c| a.max(*c));
        for j in group {
            let factor = self.factors[*j as usize];
            self.columns
                .visit(*j as usize, |_, x| curvature += (x * factor).powi(2));
        }
        let curvature = largest * curvature / group.len() as f64;
        if curvature > 0.0 && curvature.is_finite() {
            1.0 / curvature
        } else {
            1.0
        }
    }

    /// Σ_v (Σ_i α_iv y_i x_ij)² of each feature, scaled.
    fn scores(&self, point: &Point) -> Vec<f64> {
        let r = slopes(&point.alphas, self.hinge.signs, self.hinge.blocks);
        let mut scores = self.columns.scores(&r, self.hinge.blocks);
        for (score, factor) in scores.iter_mut().zip(self.factors) {
            *score *= factor * factor;
            if !score.is_finite() {
                *score = 0.0;
            }
        }
        scores
    }

    /// The objective less the dual's value at t α, t the best: (Σ α)²/(2(S_B + Σ α²/c)), S_B being the sum
    /// of the B largest scores, those of the first of `best`. The dual of the convex relaxation of (5) with
    /// squared hinge losses and biases is max Σ α − ½ S_B(α) − Σ α²/(2c) over α ≥ 0 with Σ_i α_iv y_i = 0.
    fn gap(&self, point: &Point, scores: &[f64], best: &[u32]) -> f64 {
        let best = best.iter().take(self.budget);
        let largest: f64 = best.map(|j| scores[*j as usize]).sum();
        let (mut sum, mut square) = (0.0, 0.0);
        for (alpha, cost) in point.alphas.iter().zip(self.hinge.costs) {
            if *cost > 0.0 {
                sum += alpha;
                square += alpha * alpha / cost;
            }
        }
        let bound = match largest + square > 0.0 {
            true => 0.5 * sum * (sum / (largest + square)),
            false => 0.0,
        };
        (point.objective - bound).max(0.0)
    }
}

/// Up to `count` features of the largest positive scores, among those allowed; the first ones on a tie.
fn best_features(scores: &[f64], count: usize, may: impl Fn(usize) -> bool) -> Vec<u32> {
    if count == 0 {
        return Vec::new();
    }
    let allowed =
        |(j, score): (usize, &f64)| (*score > 0.0 && may(j)).then_some((j as u32, *score));
    let mut all: Vec<(u32, f64)> = scores.iter().enumerate().filter_map(allowed).collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if all.len() > count {
        all.select_nth_unstable_by(count - 1, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all.into_iter().map(|(j, _)| j).collect()
}

#[cfg(test)]
mod tests {
    use super::super::refit::refit;
    use super::*;
    use crate::data::Rows;
    use crate::stop::StopFlag;
    use ndarray::Array2;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const ROWS: usize = 120;
    const COLUMNS: usize = 40;

    fn unlimited() -> Stop {
        Stop::new(&StopFlag::default(), None)
    }

    /// Rows whose class depends on three of the columns, with noise.
    fn rows() -> (Array2<f64>, Vec<f64>) {
        let mut rng = Pcg64::seed_from_u64(7);
        let x = Array2::from_shape_fn((ROWS, COLUMNS), |_| rng.random_range(-1.0..1.0));
        let sum = |i: usize| x[[i, 3]] - x[[i, 20]] + 0.5 * x[[i, 33]];
        let signs = (0..ROWS).map(|i| {
            let noise = rng.random_range(-0.5..0.5);
            if sum(i) + noise > 0.0 { 1.0 } else { -1.0 }
        });
        let signs = signs.collect();
        (x, signs)
    }

    fn generated(x: &Array2<f64>, hinge: &SquaredHinge<'_>, budget: usize) -> Generated {
        let (rows, members): (Rows<'_>, Vec<u32>) = (x.view().into(), (0..ROWS as u32).collect());
        let columns = NodeColumns::of(&rows, &members);
        let generation = Generation {
            columns: &columns,
            factors: &[1.0; COLUMNS],
            hinge,
            budget,
            most: COLUMNS,
            may: &|_| true,
            tol: 0.0,
            stop: &unlimited(),
        };
        generation.run()
    }

    #[test]
    fn one_group_of_all_features_is_the_ridge_problem_and_its_gap_closes() {
        let (x, signs) = rows();
        let hinge = SquaredHinge {
            signs: &signs,
            costs: &[0.5; ROWS],
            blocks: 1,
        };
        let all = generated(&x, &hinge, COLUMNS);
        let fitted = refit(&all.rows, &hinge, all.point.w.clone(), &unlimited());
        assert!(all.point.objective >= fitted.objective * (1.0 - 1e-9));
        assert!(all.point.objective <= fitted.objective * 1.01);
        assert!(all.gap < 0.02, "{}", all.gap);
    }

    #[test]
    fn the_gap_bounds_what_any_choice_of_features_could_gain() {
        let (x, signs) = rows();
        let hinge = SquaredHinge {
            signs: &signs,
            costs: &[0.5; ROWS],
            blocks: 1,
        };
        let first = hinge.at(&[0.0; ROWS], &[0.0]).loss;
        for budget in [1, 3, 8] {
            let found = generated(&x, &hinge, budget);
            let bound = found.point.objective - found.gap * first;
            // No classifier on `budget` features has an objective below the bound: not that on the first ones.
            let chosen = &found.chosen[..budget];
            let (rows, members): (Rows<'_>, Vec<u32>) =
                (x.view().into(), (0..ROWS as u32).collect());
            let packed = NodeColumns::of(&rows, &members).pack(chosen, &[1.0; COLUMNS]);
            let sparse = refit(&packed, &hinge, vec![0.0; budget], &unlimited());
            assert!(
                bound <= sparse.objective && bound > 0.0,
                "{budget}: {bound}"
            );
            let mut known = found.chosen.clone();
            known.sort_unstable();
            known.dedup();
            assert_eq!(known.len(), found.chosen.len(), "no feature twice");
        }
    }
}
