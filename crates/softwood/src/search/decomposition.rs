//! Node-based decomposition (NB-DEC, algorithm 1 of paper 1): working sets of nodes move in turn, the rest is held.
//!
//! With labels held, node t alone minimizes Σ_i d_i F(z_it) plus its penalty, d_i = w_i R_it (V_left − V_right) being
//! what is at stake for row i there. Rows with next to nothing at stake are left out: however they go, the
//! objective changes by no more than the sum of their |d_i|, and its gradient by no more than γ/4 of that, so that
//! sum is kept below a share of the tolerance. What a step finds is kept only if the objective of all rows, labels
//! revised or not, does not rise (23).

use super::continuation::Stage;
use super::descent::{Descent, shortfall};
use super::working_sets::WorkingSet;
use crate::data::{ClassificationRows, WeightedRows};
use crate::objective::{BlockCost, CellRows, Penalty, expected_cost};
use crate::passes::{LeafLabels, Routes};
use crate::solver::{LbfgsSettings, Majorized, Multipliers, Outcome, Work, minimize_by_tangents};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};
use crate::vectors::AlignedBuffer;

/// Share of the tolerance by which rows that are left out may move the gradient.
const LEFT_OUT: f64 = 0.1;

/// From this share of the rows on they are not gathered.
const NEARLY_ALL: f64 = 0.75;

/// A tree whose nodes move a few at a time, within one stage.
pub(crate) struct Decomposition<'a, 'b, 'd> {
    descent: &'a Descent<'b, 'd>,
    stage: &'a Stage,
    /// As strong as in the stage.
    penalty: Penalty,
    multipliers: &'a mut Multipliers,
    /// While single nodes move.
    routes: Option<Routes>,
    at: Point,
    pub work: Work,
}

/// Where it is.
#[derive(Clone)]
pub(crate) struct Point {
    pub theta: Vec<f64>,
    pub labels: Vec<u32>,
    /// Of cells in leaves, C × L.
    masses: Vec<f64>,
    /// The worst excess of a bound that is not kept.
    shortfall: f64,
    /// Loss plus penalty.
    pub objective: f64,
}

impl Point {
    /// Whether it is no worse than another one that it is `change` away from.
    fn is_no_worse(&self, other: &Self, change: f64) -> bool {
        let order = self.shortfall.total_cmp(&other.shortfall);
        order.is_lt() || (order.is_eq() && self.objective + change <= other.objective)
    }
}

impl<'a, 'b, 'd> Decomposition<'a, 'b, 'd> {
    /// At θ, with the labels that suit it.
    pub fn at(
        descent: &'a Descent<'b, 'd>,
        stage: &'a Stage,
        theta: Vec<f64>,
        multipliers: &'a mut Multipliers,
    ) -> Result<Self, Interrupted> {
        let penalty = descent.penalty_of(stage);
        let masses = descent.cells.masses(&descent.splits(&theta, stage))?;
        let labels = descent.label(&masses, stage, multipliers);
        let mut decomposition = Self {
            descent,
            stage,
            penalty,
            multipliers,
            routes: None,
            at: Point {
                theta,
                labels,
                masses,
                shortfall: 0.0,
                objective: 0.0,
            },
            work: Work::default(),
        };
        decomposition.at = decomposition.assessed(decomposition.at.clone())?;
        Ok(decomposition)
    }

    /// Where it is.
    pub fn point(&self) -> &Point {
        &self.at
    }

    /// Gives up all but the point.
    pub fn into_point(self) -> Point {
        self.at
    }

    /// Moves a working set; tells how the solver ended.
    pub fn step(&mut self, set: &WorkingSet, iterations: u64) -> Result<SolveStatus, Interrupted> {
        match set {
            WorkingSet::Leaves => {
                self.revise_labels()?;
                Ok(SolveStatus::Converged)
            }
            WorkingSet::Node(t) => {
                let status = self.move_node(*t, iterations)?;
                self.revise_labels()?;
                Ok(status)
            }
            WorkingSet::AllBranches | WorkingSet::Together(_) => self.move_all(iterations),
            WorkingSet::Ties => match self.penalty.tied(&self.at.theta).is_empty() {
                true => Ok(SolveStatus::Converged),
                false => self.move_all(iterations),
            },
        }
    }

    /// ‖prox(θ − ∇f(θ)) − θ‖∞.
    pub fn optimality(&self) -> Result<f64, Interrupted> {
        let limits = self.descent.limits(0);
        let theta = self.at.theta.clone();
        let mut multipliers = self.multipliers.clone();
        let (labels, all) = (&self.at.labels, None);
        let run =
            (self.descent).move_splits(self.stage, labels, theta, all, &limits, &mut multipliers);
        Ok(run?.optimality)
    }

    /// The same point with its shortfall and objective.
    fn assessed(&self, mut point: Point) -> Result<Point, Interrupted> {
        let (descent, cells) = (self.descent, self.patient_cells());
        let costs = cells.costs(&self.stage.costs);
        let cost = expected_cost(&point.masses, &costs, &point.labels);
        let splits = descent.splits(&point.theta, self.stage);
        let reached = (descent.bounds).reached(&cells, &splits, &point.masses, &point.labels)?;
        point.shortfall = shortfall(&reached);
        point.objective = cost / descent.total_weight()
            + self.penalty.value(&point.theta)
            + descent.split_cost(&point.labels);
        Ok(point)
    }

    /// The rows in cells, without the time limit: what a step has found is assessed to its end.
    fn patient_cells(&self) -> CellRows<'d> {
        let stop = &self.descent.data.rows.stop;
        self.descent.cells.with_stop(&stop.without_deadline())
    }

    /// The exact label step, unless that asks for more than it saves.
    fn revise_labels(&mut self) -> Result<(), Interrupted> {
        let labels = (self.descent).label(&self.at.masses, self.stage, self.multipliers);
        let changed = labels.iter().zip(&self.at.labels).filter(|(a, b)| a != b);
        // (ψ/2)‖C_t − C_t^s‖² is ψ for another label.
        let change = self.descent.proximal_weight * changed.count() as f64;
        let revised = self.assessed(Point {
            labels,
            ..self.at.clone()
        })?;
        if revised.is_no_worse(&self.at, change) {
            self.at = revised;
        }
        Ok(())
    }

    /// All branch nodes at once.
    fn move_all(&mut self, iterations: u64) -> Result<SolveStatus, Interrupted> {
        let limits = self.descent.limits(iterations);
        let (theta, labels) = (self.at.theta.clone(), &self.at.labels);
        let run =
            (self.descent).move_splits(self.stage, labels, theta, None, &limits, self.multipliers);
        let outcome = run?;
        self.work += outcome.work;
        let splits = self.descent.splits(&outcome.x, self.stage);
        let moved = self.assessed(Point {
            theta: outcome.x,
            masses: self.patient_cells().masses(&splits)?,
            ..self.at.clone()
        })?;
        if moved.is_no_worse(&self.at, 0.0) {
            self.at = moved;
            self.routes = None;
        }
        Ok(outcome.status)
    }

    /// Node `t` alone.
    fn move_node(&mut self, t: usize, iterations: u64) -> Result<SolveStatus, Interrupted> {
        let descent = self.descent;
        let layout = ParameterLayout::new(&descent.topology, descent.data.features());
        let places: Vec<usize> = layout
            .coefficients(t)
            .chain([layout.intercept(t)])
            .collect();
        let limits = descent.limits(iterations);
        let routes = match self.routes.take() {
            Some(routes) => routes,
            None => Routes::of(
                &descent.data.rows,
                &descent.topology,
                &self.at.theta,
                self.stage.gamma,
            )?,
        };
        let outcome = match descent.bounds.is_empty() {
            true => self.minimize_stakes(&routes, t, &places, &limits),
            false => {
                let (theta, labels) = (self.at.theta.clone(), &self.at.labels);
                let places = Some(places.as_slice());
                descent.move_splits(self.stage, labels, theta, places, &limits, self.multipliers)
            }
        };
        let mut routes = routes;
        let status = outcome.and_then(|outcome| {
            self.work += outcome.work;
            self.take_split(&mut routes, t, &outcome.x)?;
            Ok(outcome.status)
        });
        self.routes = Some(routes);
        status
    }

    /// Minimizes what is at stake at node `t`.
    fn minimize_stakes(
        &self,
        routes: &Routes,
        t: usize,
        places: &[usize],
        limits: &LbfgsSettings,
    ) -> Result<Outcome, Interrupted> {
        let (descent, gamma) = (self.descent, self.stage.gamma);
        let total = descent.total_weight();
        let leaves = LeafLabels {
            costs: &self.stage.costs,
            labels: &self.at.labels,
        };
        let stakes = routes.stakes(&descent.data, t, leaves);
        // Where |∂F/∂z| ≤ γ/4.
        let spared = LEFT_OUT * limits.projected_gradient_tol * (4.0 / gamma).min(1.0);
        let picked = at_stake(&stakes[..descent.data.len()], spared * total);
        let here = Stakes::gather(&descent.data, &stakes, picked);
        let block = BlockCost {
            rows: &here.rows,
            topology: Topology::complete(1),
            gamma,
            costs: &here.costs,
            scale: 1.0 / total,
            constant: 0.0,
        };
        let start: Vec<f64> = places.iter().map(|i| self.at.theta[*i]).collect();
        let penalty = self.penalty.on_places(&self.at.theta, places);
        let block = descent.pulled(block, &start);
        let runs = self.penalty.tangents(self.stage.soft);
        minimize_by_tangents(&block, &penalty, start, runs, limits, descent.progress)
    }

    /// Gives node `t` another split unless the objective rises.
    fn take_split(
        &mut self,
        routes: &mut Routes,
        t: usize,
        split: &[f64],
    ) -> Result<(), Interrupted> {
        let descent = self.descent;
        let (data, topology) = (descent.data.without_deadline(), &descent.topology);
        let mut theta = self.at.theta.clone();
        ParameterLayout::new(topology, data.features()).set_node(&mut theta, t, split);
        if theta == self.at.theta {
            return Ok(());
        }
        let (stump, gamma) = (Topology::complete(1), self.stage.gamma);
        let column = (data.rows).left_probabilities(&stump, split, gamma, topology.depth())?;
        let before = routes.column(t);
        routes.set_column(t, &column);
        let masses = match descent.bounds.is_empty() {
            true => self.masses_with_column(routes, &data, t),
            // Cells may be more than the classes, and not all of them training rows'.
            false => (self.patient_cells()).masses(&descent.splits(&theta, self.stage))?,
        };
        let moved = self.assessed(Point {
            theta,
            masses,
            ..self.at.clone()
        })?;
        match moved.is_no_worse(&self.at, 0.0) {
            true => self.at = moved,
            false => routes.set_column(t, &before),
        }
        Ok(())
    }

    /// The masses of classes in leaves, those below node `t` taken from new routes.
    fn masses_with_column(
        &self,
        routes: &Routes,
        data: &ClassificationRows<'_>,
        t: usize,
    ) -> Vec<f64> {
        let topology = &self.descent.topology;
        let (below, leaves) = (topology.leaves_below(t), topology.leaves());
        let of_below = routes.masses_below(data, t);
        let mut masses = self.at.masses.clone();
        for (own, found) in masses
            .chunks_exact_mut(leaves)
            .zip(of_below.chunks_exact(below.len()))
        {
            own[below.clone()].copy_from_slice(found);
        }
        masses
    }
}

/// The rows that have something at stake at a node, as a block problem takes them.
struct Stakes<'d> {
    rows: WeightedRows<'d>,
    /// d_i of going left and 0 of going right, in blocks of 2 × stride.
    costs: AlignedBuffer,
}

impl<'d> Stakes<'d> {
    fn gather(data: &ClassificationRows<'d>, stakes: &[f64], picked: Vec<u32>) -> Self {
        let all = picked.len() as f64 >= NEARLY_ALL * data.len() as f64;
        let rows = match all {
            true => data.rows.clone(),
            false => data.rows.select(&picked),
        };
        let stride = rows.stride();
        let mut costs = AlignedBuffer::zeros(2 * rows.len().div_ceil(stride) * stride);
        for place in 0..rows.len() {
            let row = if all { place } else { picked[place] as usize };
            costs[place / stride * 2 * stride + place % stride] = stakes[row];
        }
        Self { rows, costs }
    }
}

/// The rows with the largest stakes, those left out having no more than `spared` at stake together: cut between
/// powers of two, so that no sorting is needed.
fn at_stake(stakes: &[f64], spared: f64) -> Vec<u32> {
    // Bits of the exponent: 0 for 0.
    let power = |d: f64| (d.abs().to_bits() >> 52) as usize;
    let mut sums = vec![0.0; 1 << 11];
    for d in stakes {
        sums[power(*d)] += d.abs();
    }
    let mut left_out = 0.0;
    let cut = sums.iter().position(|sum| {
        left_out += sum;
        left_out > spared
    });
    let cut = cut.unwrap_or(sums.len());
    let weighty = stakes.iter().enumerate().filter(|(_, d)| power(**d) >= cut);
    weighty.map(|(row, _)| row as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::super::descent::RATE_SEARCH;
    use super::super::small_problem::{Data, FEATURES, GAMMA};
    use super::super::working_sets::WorkingSets;
    use super::*;
    use crate::objective::{ExpectedCost, PenaltySettings, PenaltyShape};
    use crate::solver::{Held, Objective};
    use crate::tree::Shape;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn random_splits(topology: &Topology, rng: &mut Pcg64) -> Vec<f64> {
        let dim = ParameterLayout::new(topology, FEATURES).dim();
        (0..dim).map(|_| rng.random_range(-0.5..0.5)).collect()
    }

    fn trees() -> [Topology; 4] {
        let comb = Shape::of_splits(vec![0, 2, 5]).unwrap();
        let ragged = Shape::of_splits(vec![0, 1, 2, 4, 9]).unwrap();
        [
            Topology::complete(2),
            Topology::complete(3),
            Topology::of(comb),
            Topology::of(ragged),
        ]
    }

    fn penalty(local: f64, global: f64, shape: PenaltyShape) -> PenaltySettings {
        PenaltySettings {
            local: Some(local),
            global,
            shape,
            ..PenaltySettings::default()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// A node's block problem is the whole one with everything else held, value and gradient, within what the
        /// rows left out have at stake.
        #[test]
        fn blocks_are_the_whole_problem_with_the_rest_held(
            seed in any::<u64>(), rows in 2usize..400, tree in 0usize..4, spared in prop::sample::select(vec![0.0, 1e-4, 1e-2]),
        ) {
            let mut rng = Pcg64::seed_from_u64(seed);
            let data = Data::new(rows, &mut rng);
            prop_assume!(data.weights.iter().sum::<f64>() > 0.0);
            let topology = trees()[tree].clone();
            let descent = data.descent(topology.clone(), &PenaltySettings::none(), WorkingSets::Nodes);
            let stage = &descent.stages[descent.stages.len() - 1];
            let theta = random_splits(&topology, &mut rng);
            let labels: Vec<u32> = (0..topology.leaves()).map(|_| rng.random_range(0..3)).collect();
            let routes = Routes::of(&descent.data.rows, &topology, &theta, GAMMA).unwrap();
            let leaves = LeafLabels { costs: &stage.costs, labels: &labels };
            let whole = ExpectedCost::new(
                descent.data.clone(), topology.clone(), GAMMA, &stage.costs, labels.clone(),
            );
            let layout = ParameterLayout::new(&topology, FEATURES);
            let total = descent.total_weight();
            for t in 0..topology.branches() {
                let places: Vec<usize> = layout.coefficients(t).chain([layout.intercept(t)]).collect();
                let held = Held { problem: &whole, point: &theta, places: &places };
                let stakes = routes.stakes(&descent.data, t, leaves);
                let picked = at_stake(&stakes[..rows], spared * total);
                let left_out: f64 = (0..rows as u32)
                    .filter(|i| !picked.contains(i))
                    .map(|i| stakes[i as usize].abs() / total)
                    .sum();
                prop_assert!(left_out <= spared * (1.0 + 1e-12));
                let here = Stakes::gather(&descent.data, &stakes, picked);
                let block = BlockCost {
                    rows: &here.rows,
                    topology: Topology::complete(1),
                    gamma: GAMMA,
                    costs: &here.costs,
                    scale: 1.0 / total,
                    constant: 0.0,
                };
                let start: Vec<f64> = places.iter().map(|i| theta[*i]).collect();
                let other: Vec<f64> = start.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
                let mut found = [vec![0.0; 4], vec![0.0; 4]];
                let mut wanted = found.clone();
                let mut values = [[0.0; 2]; 2];
                for (k, x) in [&start, &other].into_iter().enumerate() {
                    values[0][k] = block.value_and_gradient(x, &mut found[k]).unwrap();
                    values[1][k] = held.value_and_gradient(x, &mut wanted[k]).unwrap();
                    for (found, wanted) in found[k].iter().zip(&wanted[k]) {
                        prop_assert!((found - wanted).abs() <= 0.25 * GAMMA * left_out + 1e-11);
                    }
                }
                let change = |k: usize| values[k][1] - values[k][0];
                prop_assert!((change(0) - change(1)).abs() <= left_out + 1e-12);
            }
        }

        /// (23): whatever moves, the objective never rises, and it is what it is said to be.
        #[test]
        fn no_step_raises_the_objective(
            seed in any::<u64>(), rows in 20usize..200, tree in 0usize..4, soft in any::<bool>(),
            pull in prop::sample::select(vec![0.0, 0.1]), weight in prop::sample::select(vec![0.0, 0.003]),
            concave in any::<bool>(), rule in 0usize..2,
        ) {
            let mut rng = Pcg64::seed_from_u64(seed);
            let data = Data::new(rows, &mut rng);
            prop_assume!((0..3).all(|k| data.codes.contains(&k)));
            let topology = trees()[tree].clone();
            let shape = if concave { PenaltyShape::Exp { alpha: 5.0 } } else { PenaltyShape::Norm };
            let rule = [WorkingSets::Nodes, WorkingSets::Convergent][rule];
            let mut descent = data.descent(topology.clone(), &penalty(weight, weight, shape), rule);
            descent.proximal_weight = pull;
            let stage = &descent.stages[if soft { 0 } else { descent.stages.len() - 1 }];
            let theta = random_splits(&topology, &mut rng);
            let mut multipliers = Multipliers::at(Vec::new(), &RATE_SEARCH);
            let mut tree = Decomposition::at(&descent, stage, theta, &mut multipliers).unwrap();
            let mut trace = vec![tree.point().objective];
            for number in 0..3 {
                let first = [WorkingSet::Together(5), WorkingSet::Leaves];
                for set in first.into_iter().chain(rule.of_macro_iteration(&topology, 7, number)) {
                    tree.step(&set, rule.iterations(set, 15)).unwrap();
                    trace.push(tree.point().objective);
                }
            }
            prop_assert!(trace.is_sorted_by(|a, b| a >= b), "{trace:?}");
            let point = tree.into_point();
            let masses = descent.data.leaf_masses(&topology, &point.theta, stage.gamma).unwrap();
            let loss = expected_cost(&masses, &stage.costs, &point.labels) / descent.total_weight();
            let objective = loss + descent.penalty_of(stage).value(&point.theta);
            prop_assert!((objective - trace[trace.len() - 1]).abs() < 1e-12);
        }
    }

    /// Two nodes at the largest coefficient of a feature that is not worth it: alone neither lowers it.
    #[test]
    fn ties_are_lowered_together() {
        let mut rng = Pcg64::seed_from_u64(1);
        let data = Data::new(200, &mut rng);
        let topology = Topology::complete(2);
        let settings = penalty(0.0, 0.5, PenaltyShape::Norm);
        let descent = data.descent(topology.clone(), &settings, WorkingSets::Nodes);
        let stage = &descent.stages[descent.stages.len() - 1];
        let mut theta = vec![0.0; 12];
        for t in 0..2 {
            theta[t * FEATURES] = 0.5;
        }
        let mut multipliers = Multipliers::at(Vec::new(), &RATE_SEARCH);
        let mut tree = Decomposition::at(&descent, stage, theta, &mut multipliers).unwrap();
        let largest = |tree: &Decomposition<'_, '_, '_>| {
            let theta = &tree.point().theta;
            (0..3)
                .map(|t| theta[t * FEATURES].abs())
                .fold(0.0, f64::max)
        };
        for t in 0..2 {
            tree.step(&WorkingSet::Node(t), 40).unwrap();
        }
        assert!(largest(&tree) >= 0.5 - 1e-12);
        tree.step(&WorkingSet::Ties, 40).unwrap();
        assert!(largest(&tree) < 0.4, "{}", largest(&tree));
    }

    #[test]
    fn rows_are_left_out_by_what_they_have_at_stake() {
        let stakes = [0.5, -1e-9, 0.0, 3e-10, -0.25, 1e-3];
        assert_eq!(at_stake(&stakes, 0.0), [0, 1, 3, 4, 5]);
        assert_eq!(at_stake(&stakes, 1e-8), [0, 4, 5]);
        assert_eq!(at_stake(&stakes, 0.01), [0, 4]);
        assert!(at_stake(&stakes, 1.0).is_empty());
    }
}
