//! A start of NODEC-DR on its way: where it is, its best point, its penalties and its leaf models.

use super::ending::Ending;
use crate::data::RegressionRows;
use crate::leaves::ridge;
use crate::objective::{BlockCost, SoftRegressionError};
use crate::progress::Progress;
use crate::solver::{Objective, Proximal, Work};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use crate::tree::{RegressionParameters, Topology};
use crate::vectors::AlignedBuffer;
use std::sync::Arc;

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
pub(super) struct Incumbent {
    pub parameters: RegressionParameters,
    pub objective: f64,
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
    pub(super) leaves: Vec<u32>,
    pub(super) best: Incumbent,
    pub(super) balance: Balance,
    pub(super) macro_iterations: u64,
    /// Macro-iterations in a row that were not worthwhile.
    pub(super) fruitless: usize,
    pub work: Work,
    /// Why it ended, if it has.
    pub(super) status: Option<SolveStatus>,
}

/// ε₁ > ε₂ and ε₃, which shrink by ζ after every macro-iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    pub thresholds: [f64; 3],
}

impl Balance {
    /// ζ.
    const SHRINK: f64 = 0.8;

    pub fn new(thresholds: [f64; 3]) -> Self {
        Self { thresholds }
    }

    pub fn shrink(&mut self) {
        self.thresholds.iter_mut().for_each(|t| *t *= Self::SHRINK);
    }
}

/// λ_ω and λ_β of (7): one for the coefficients of each feature, then one for the intercepts.
#[derive(Clone, Debug)]
pub(crate) struct Ridges {
    pub branches: Arc<[f64]>,
    pub leaves: Arc<[f64]>,
}

impl<'a, 'd> Run<'a, 'd> {
    /// At `start`, whose leaf models need not be set. They are found on `first`, the same rows with the stop that is
    /// polled for that.
    pub fn new(
        data: &'a RegressionRows<'d>,
        first: &RegressionRows<'_>,
        start: RegressionParameters,
        ridges: Ridges,
        rules: &'a NodecRules,
        progress: &'a Arc<Progress>,
    ) -> Result<Self, Interrupted> {
        let leaves = first.rows.likeliest_leaves(&start.topology, &start.theta)?;
        let mut run = Self::at(data, start, leaves, ridges, rules, progress);
        run.fit_leaves(first, 0, None)?;
        run.keep_if_best(first)?;
        Ok(run)
    }

    /// Where there was no time for a start: a tree whose leaves all have the model of all rows, 0 here.
    pub fn without_splits(
        data: &'a RegressionRows<'d>,
        shape: Topology,
        ridges: Ridges,
        rules: &'a NodecRules,
        progress: &'a Arc<Progress>,
    ) -> Self {
        let nothing = RegressionParameters::zero(shape, data.features());
        let mut run = Self::at(data, nothing, vec![0; data.len()], ridges, rules, progress);
        let loss = data.mean_square();
        (run.best.objective, run.best.loss) = (loss, loss);
        run.status = Some(SolveStatus::TimeLimit);
        run
    }

    fn at(
        data: &'a RegressionRows<'d>,
        start: RegressionParameters,
        leaves: Vec<u32>,
        ridges: Ridges,
        rules: &'a NodecRules,
        progress: &'a Arc<Progress>,
    ) -> Self {
        Self {
            data,
            rules,
            ridges,
            progress,
            leaves,
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
        }
    }

    /// Goes on from its best point with other penalties; stopped, it stays with those it has.
    pub fn penalize(&mut self, ridges: &Ridges) -> Result<(), Interrupted> {
        let data = self.data;
        let before = std::mem::replace(&mut self.ridges, ridges.clone());
        let mut go_on = || {
            self.return_to_best()?;
            self.fit_leaves(data, 0, None)?;
            self.evaluate(data)
        };
        match go_on() {
            Ok(point) => self.best = point,
            Err(interrupted) => {
                self.ridges = before;
                return Err(interrupted);
            }
        }
        self.reopen();
        Ok(())
    }

    /// Forgets that it had ended, unless it was stopped.
    pub(super) fn reopen(&mut self) {
        self.fruitless = 0;
        self.status = self.status.filter(|status| status.is_stopped());
    }

    /// Puts another subtree in the place of that below `t`.
    pub fn graft(&mut self, t: usize, subtree: &RegressionParameters) -> Result<(), Interrupted> {
        self.parameters.set_subtree(t, subtree);
        let at = &self.parameters;
        self.leaves = self.data.rows.likeliest_leaves(&at.topology, &at.theta)?;
        self.keep_if_best(self.data)
    }

    /// Goes back to its best point.
    pub fn return_to_best(&mut self) -> Result<(), Interrupted> {
        self.parameters = self.best.parameters.clone();
        let at = &self.parameters;
        self.leaves = self.data.rows.likeliest_leaves(&at.topology, &at.theta)?;
        Ok(())
    }

    /// Ends it because it was stopped; Err if that is no way to end.
    pub fn end(&mut self, interrupted: Interrupted) -> Result<(), Interrupted> {
        self.status = Some(SolveStatus::try_from(interrupted)?);
        Ok(())
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

    /// The best point, after a last LN step on all rows. Stopped, it ends where it stands.
    pub fn finish(mut self) -> Result<RegressionOutcome, Interrupted> {
        let mut optimality = f64::INFINITY;
        if !self.status.is_some_and(SolveStatus::is_stopped) {
            match self.last_leaf_step() {
                Ok(reached) => optimality = reached,
                Err(interrupted) => self.end(interrupted)?,
            }
        }
        // Macro-iterations are planned, as starts are; a run that is to converge has missed its aim.
        let planned_end = match self.rules.convergent_after {
            None => SolveStatus::Completed,
            Some(_) => SolveStatus::IterationLimit,
        };
        Ok(RegressionOutcome {
            ending: Ending {
                optimality,
                work: self.work,
                status: self.status.unwrap_or(planned_end),
                objective: self.best.objective,
                loss: self.best.loss,
            },
            parameters: self.best.parameters,
            ridges: self.ridges,
        })
    }

    /// ‖∇E‖∞ at the best point, after an LN step there on all rows.
    fn last_leaf_step(&mut self) -> Result<f64, Interrupted> {
        self.parameters = self.best.parameters.clone();
        self.fit_leaves(self.data, 0, None)?;
        self.keep_if_best(self.data)?;
        self.optimality(self.data, &self.best.parameters)
    }

    /// (7) as a function of the splits at or below `t`, the rest held fixed.
    pub fn block_problem<'b, 'r>(
        &self,
        here: &'b RegressionRows<'r>,
        t: usize,
        root_alone: bool,
        costs: &'b [f64],
        scale: f64,
    ) -> Proximal<BlockCost<'b, 'r>> {
        let topology = match root_alone {
            true => Topology::complete(1),
            false => self.parameters.topology.subtree(t),
        };
        let block = BlockCost {
            rows: &here.rows,
            topology,
            gamma: 1.0,
            costs,
            scale: scale / self.data.total_weight(),
            constant: 0.0,
        };
        block.with_ridge(&self.ridges.branches, scale)
    }

    /// Probability of reaching `t` from the root, for each row, padding included.
    pub(super) fn reach(&self, t: usize) -> Result<AlignedBuffer, Interrupted> {
        let at = &self.parameters;
        self.data.rows.reach(&at.topology, &at.theta, 1.0, t)
    }

    /// The LN step: exact weighted ridge regressions of the leaves below `t`.
    pub(super) fn fit_leaves(
        &mut self,
        here: &RegressionRows<'_>,
        t: usize,
        reach: Option<&[f64]>,
    ) -> Result<(), Interrupted> {
        let moments = here.leaf_moments(&self.parameters, t, reach)?;
        let half = 0.5 * self.data.total_weight();
        let penalties: Vec<f64> = self.ridges.leaves.iter().map(|l| half * l).collect();
        let leaves = self.parameters.topology.leaves_below(t);
        for (leaf, moments) in leaves.zip(moments) {
            let model = ridge(
                &moments,
                self.parameters.features,
                &penalties,
                &here.rows.stop,
            )?;
            self.parameters
                .set_leaf(leaf, &model.slopes, model.intercept);
        }
        Ok(())
    }

    /// The point where it is, with E there.
    fn evaluate(&mut self, data: &RegressionRows<'_>) -> Result<Incumbent, Interrupted> {
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
    pub(super) fn keep_if_best(&mut self, data: &RegressionRows<'_>) -> Result<(), Interrupted> {
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
    pub(super) fn optimality(
        &self,
        data: &RegressionRows<'_>,
        parameters: &RegressionParameters,
    ) -> Result<f64, Interrupted> {
        let objective = SoftRegressionError {
            data,
            topology: parameters.topology.clone(),
            ridge_branches: &self.ridges.branches,
            ridge_leaves: &self.ridges.leaves,
        };
        let mut gradient = vec![0.0; objective.dim()];
        let x = SoftRegressionError::flatten(parameters);
        objective.value_and_gradient(&x, &mut gradient)?;
        Ok(gradient.iter().fold(0.0, |m, g| m.max(g.abs())))
    }
}
