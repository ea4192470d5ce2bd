//! NODEC-DR (paper 2, section 5.2): a regression tree improved node by node.
//!
//! A macro-iteration takes every branch node t in turn. Its working sets are t and the splits below
//! it, and the leaves below it; the root of a deeper tree moves alone. The branch-node (BN) step
//! finds new splits, the leaf-node (LN) step the best leaf models for them. Up to inner iteration
//! k₀ both look only at the rows whose likeliest path passes t and at the subtree alone, and
//! whatever is found is taken; later on they see (7) itself, and a candidate is taken only if it
//! does better than an Armijo step of steepest descent, (15), and moves no farther than it gains,
//! (16). Then the gradient tends to 0 (proposition 3). The best point seen is the result.

use super::ending::Ending;
use super::update_branch_node::{Balance, update_branch_node};
use crate::data::RegressionRows;
use crate::leaves::ridge;
use crate::objective::{RowCosts, SoftRegressionError};
use crate::progress::Progress;
use crate::solver::{Objective, Work};
use crate::status::SolveStatus;
use crate::stop::Stopped;
use crate::tree::RegressionParameters;
use std::sync::Arc;

/// θ_ω = θ_β: in inner iteration k a step is left out if its gradient is at most θ^k, k counted
/// from 1 at the first that must be accepted.
const THETA: f64 = 0.5;

/// Macro-iterations whose best point improves by less than this share are fruitless…
const MACRO_GAIN: f64 = 1e-3;
/// …and so many of them in a row end a run.
const PATIENCE: usize = 3;

/// Where a start ended, and the penalties it ended with.
#[derive(Clone, Debug)]
pub(crate) struct RegressionOutcome {
    pub parameters: RegressionParameters,
    pub ridges: Ridges,
    pub ending: Ending,
}

impl AsRef<Ending> for RegressionOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

/// A point and its value.
#[derive(Clone)]
struct Incumbent {
    parameters: RegressionParameters,
    objective: f64,
    loss: f64,
}

/// When a run takes which steps, and when it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodecRules {
    /// ε₁ > ε₂ and ε₃.
    pub imbalance: [f64; 3],
    /// k₀; steps need never be accepted if None.
    pub convergent_after: Option<u64>,
    /// A run whose steps must be accepted ends when ‖∇E‖∞ ≤ tol.
    pub tol: f64,
}

/// A start on its way.
pub(crate) struct Run<'a, 'd> {
    pub data: &'a RegressionRows<'d>,
    pub rules: &'a NodecRules,
    ridges: Ridges,
    pub progress: &'a Arc<Progress>,
    pub parameters: RegressionParameters,
    /// Leaf of each row's likeliest path.
    leaves: Vec<u32>,
    best: Incumbent,
    balance: Balance,
    macro_iterations: u64,
    /// Macro-iterations in a row that were not worthwhile.
    fruitless: usize,
    pub work: Work,
    /// Why it ended, if it has.
    status: Option<SolveStatus>,
}

/// λ_ω and λ_β of (7): one for the coefficients of each feature, then one for the intercepts.
#[derive(Clone, Debug)]
pub(crate) struct Ridges {
    pub branches: Arc<[f64]>,
    pub leaves: Arc<[f64]>,
}

impl<'a, 'd> Run<'a, 'd> {
    /// At `start`, whose leaf models need not be set.
    pub fn new(
        data: &'a RegressionRows<'d>,
        start: RegressionParameters,
        ridges: Ridges,
        rules: &'a NodecRules,
        progress: &'a Arc<Progress>,
    ) -> Result<Self, Stopped> {
        // Without a first point there is no answer, so the time limit waits for it.
        let patient = data.without_deadline();
        let mut run = Self {
            data,
            rules,
            ridges,
            progress,
            leaves: patient.rows.likeliest_leaves(&start, 0)?,
            best: Incumbent {
                parameters: start.clone(),
                objective: f64::INFINITY,
                loss: f64::INFINITY,
            },
            parameters: start,
            balance: Balance::new(rules.imbalance),
            macro_iterations: 0,
            fruitless: 0,
            work: Work::default(),
            status: None,
        };
        run.fit_leaves(&patient, 0, None)?;
        run.keep_if_best(&patient)?;
        Ok(run)
    }

    /// Goes on until so many macro-iterations have been made in all, or it ends by itself or is
    /// stopped.
    pub fn advance(&mut self, until: u64) {
        while self.status.is_none() && self.macro_iterations < until {
            match self.macro_iteration() {
                Ok(status) => self.status = status,
                Err(stopped) => self.end(stopped),
            }
        }
    }

    /// Goes on from its best point with other penalties; stopped, it stays with those it has.
    pub fn penalize(&mut self, ridges: &Ridges) -> Result<(), Stopped> {
        let patient = self.data.without_deadline();
        let before = std::mem::replace(&mut self.ridges, ridges.clone());
        let mut go_on = || {
            self.return_to_best()?;
            self.fit_leaves(&patient, 0, None)?;
            self.evaluate(&patient)
        };
        match go_on() {
            Ok(point) => self.best = point,
            Err(stopped) => {
                self.ridges = before;
                return Err(stopped);
            }
        }
        self.reopen();
        Ok(())
    }

    /// Goes on for some macro-iterations although it had ended.
    pub fn resume(&mut self, macro_iterations: u64) {
        self.reopen();
        self.advance(self.macro_iterations + macro_iterations);
    }

    /// Forgets that it had ended, unless it was stopped.
    fn reopen(&mut self) {
        self.fruitless = 0;
        self.status = self.status.filter(|status| status.is_stopped());
    }

    /// Puts another subtree in the place of that below `t`.
    pub fn graft(&mut self, t: usize, subtree: &RegressionParameters) -> Result<(), Stopped> {
        let patient = self.data.without_deadline();
        self.parameters.set_subtree(t, subtree);
        self.leaves = patient.rows.likeliest_leaves(&self.parameters, 0)?;
        self.keep_if_best(&patient)
    }

    /// Goes back to its best point.
    pub fn return_to_best(&mut self) -> Result<(), Stopped> {
        let patient = self.data.without_deadline();
        self.parameters = self.best.parameters.clone();
        self.leaves = patient.rows.likeliest_leaves(&self.parameters, 0)?;
        Ok(())
    }

    /// Ends it because it was stopped.
    pub fn end(&mut self, stopped: Stopped) {
        self.status = Some(stopped.into());
    }

    /// The rows whose likeliest path passes branch node `t`.
    pub fn members(&self, t: usize) -> Vec<u32> {
        let below = self.parameters.topology.leaves_below(t);
        (0..self.data.len() as u32)
            .filter(|i| below.contains(&(self.leaves[*i as usize] as usize)))
            .collect()
    }

    /// Penalties for a tree of some of the rows that weigh as much beside their errors.
    pub fn ridges_on(&self, here: &RegressionRows<'_>) -> Ridges {
        let factor = self.data.total_weight() / here.total_weight();
        let scaled = |ridges: &[f64]| ridges.iter().map(|ridge| factor * ridge).collect();
        Ridges {
            branches: scaled(&self.ridges.branches),
            leaves: scaled(&self.ridges.leaves),
        }
    }

    /// The best point so far.
    pub fn best(&self) -> &RegressionParameters {
        &self.best.parameters
    }

    /// E at the best point so far.
    pub fn objective(&self) -> f64 {
        self.best.objective
    }

    /// The best point, after a last LN step on all rows. Cancelled, it ends where it stands.
    pub fn finish(mut self) -> RegressionOutcome {
        let optimality = self.last_leaf_step().unwrap_or_else(|stopped| {
            self.end(stopped);
            f64::INFINITY
        });
        // Macro-iterations are planned, as starts are; a run that is to converge has missed its aim.
        let planned_end = match self.rules.convergent_after {
            None => SolveStatus::Completed,
            Some(_) => SolveStatus::IterationLimit,
        };
        RegressionOutcome {
            ending: Ending {
                optimality,
                work: self.work,
                status: self.status.unwrap_or(planned_end),
                objective: self.best.objective,
                loss: self.best.loss,
            },
            parameters: self.best.parameters,
            ridges: self.ridges,
        }
    }

    /// ‖∇E‖∞ at the best point, after an LN step there on all rows.
    fn last_leaf_step(&mut self) -> Result<f64, Stopped> {
        let patient = self.data.without_deadline();
        self.parameters = self.best.parameters.clone();
        self.fit_leaves(&patient, 0, None)?;
        self.keep_if_best(&patient)?;
        self.optimality(&patient, &self.best.parameters)
    }

    /// Every branch node in turn; a status if that was the last time.
    fn macro_iteration(&mut self) -> Result<Option<SolveStatus>, Stopped> {
        let branches = self.parameters.topology.branches();
        let free = self.rules.convergent_after.unwrap_or(u64::MAX);
        let before = self.best.objective;
        let balance = self.balance;
        for t in 0..branches {
            let k = self.macro_iterations * branches as u64 + t as u64;
            if k < free {
                self.free_step(t, &balance)?;
            } else {
                if k == free {
                    self.parameters = self.best.parameters.clone();
                }
                let exponent = i32::try_from(k - free + 1).unwrap_or(i32::MAX);
                self.accepted_step(t, &balance, THETA.powi(exponent))?;
            }
            self.keep_if_best(self.data)?;
        }
        self.macro_iterations += 1;
        self.balance.shrink();
        if self.macro_iterations * branches as u64 > free {
            let optimality = self.optimality(self.data, &self.parameters)?;
            return Ok((optimality <= self.rules.tol).then_some(SolveStatus::Converged));
        }
        self.fruitless = if self.best.objective < (1.0 - MACRO_GAIN) * before {
            0
        } else {
            self.fruitless + 1
        };
        // A run that is to converge goes on to the steps that make it.
        let settled = self.fruitless >= PATIENCE && free == u64::MAX;
        Ok(settled.then_some(SolveStatus::Converged))
    }

    /// Both steps at `t` for k ≤ k₀, on the rows that pass t and its subtree.
    fn free_step(&mut self, t: usize, balance: &Balance) -> Result<(), Stopped> {
        let topology = self.parameters.topology;
        let root_alone = t == 0 && topology.depth() > 1;
        let members = self.members(t);
        if members.is_empty() {
            return Ok(());
        }
        let selected = (t > 0).then(|| self.data.select(&members));
        let here = selected.as_ref().unwrap_or(self.data);
        let theta = update_branch_node(self, here, t, root_alone, balance, None)?;
        self.parameters.set_subtree_theta(t, &theta);
        if !root_alone {
            self.fit_leaves(here, t, None)?;
        }
        let leaves = here.rows.likeliest_leaves(&self.parameters, t)?;
        for (row, leaf) in members.iter().zip(leaves) {
            self.leaves[*row as usize] = leaf;
        }
        Ok(())
    }

    /// (7) as a function of the splits at or below `t`, the rest held fixed.
    pub fn block_problem<'b, 'r>(
        &self,
        here: &'b RegressionRows<'r>,
        t: usize,
        root_alone: bool,
        costs: &'b [f64],
        scale: f64,
    ) -> RowCosts<'b, 'r> {
        let topology = self.parameters.topology;
        let height = if root_alone {
            1
        } else {
            topology.depth() - topology.level(t)
        };
        RowCosts {
            rows: &here.rows,
            topology: crate::tree::Topology::complete(height),
            costs,
            total_weight: self.data.total_weight(),
            ridge: self.ridges.branches.clone(),
            scale,
        }
    }

    /// The LN step: exact weighted ridge regressions of the leaves below `t`.
    pub(super) fn fit_leaves(
        &mut self,
        here: &RegressionRows<'_>,
        t: usize,
        reach: Option<&[f64]>,
    ) -> Result<(), Stopped> {
        let moments = here.leaf_moments(&self.parameters, t, reach)?;
        let half = 0.5 * self.data.total_weight();
        let penalties: Vec<f64> = self.ridges.leaves.iter().map(|l| half * l).collect();
        let leaves = self.parameters.topology.leaves_below(t);
        for (leaf, moments) in leaves.zip(moments) {
            let model = ridge(&moments, self.parameters.features, &penalties);
            self.parameters
                .set_leaf(leaf, &model.slopes, model.intercept);
        }
        Ok(())
    }

    /// The point where it is, with E there.
    fn evaluate(&mut self, data: &RegressionRows<'_>) -> Result<Incumbent, Stopped> {
        let loss = data.loss(&self.parameters)?;
        let penalty = self.parameters.branch_penalty(&self.ridges.branches)
            + self.parameters.leaf_penalty(&self.ridges.leaves);
        self.work.evaluations += 1;
        Ok(Incumbent {
            parameters: self.parameters.clone(),
            objective: loss + penalty,
            loss,
        })
    }

    /// Remembers the point where it is if none was better.
    fn keep_if_best(&mut self, data: &RegressionRows<'_>) -> Result<(), Stopped> {
        let point = self.evaluate(data)?;
        if point.objective < self.best.objective {
            self.best = point;
        }
        Ok(())
    }

    /// Value by which subproblems are scaled to the order of 1.
    pub fn objective_scale(&self) -> f64 {
        self.best.objective.max(f64::MIN_POSITIVE)
    }

    /// ‖∇E‖∞.
    fn optimality(
        &self,
        data: &RegressionRows<'_>,
        parameters: &RegressionParameters,
    ) -> Result<f64, Stopped> {
        let objective = SoftRegressionError {
            data,
            topology: parameters.topology,
            ridge_branches: &self.ridges.branches,
            ridge_leaves: &self.ridges.leaves,
        };
        let mut gradient = vec![0.0; objective.dim()];
        let x = SoftRegressionError::flatten(parameters);
        objective.value_and_gradient(&x, &mut gradient)?;
        Ok(gradient.iter().fold(0.0, |m, g| m.max(g.abs())))
    }
}
