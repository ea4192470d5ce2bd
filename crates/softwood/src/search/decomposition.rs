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
            WorkingSet::AllBranches => self.move_all(iterations),
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
        point.objective = cost / descent.total_weight() + self.penalty.value(&point.theta);
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
