//! NODEC-DR (paper 2, section 5.2): a regression tree improved node by node.
//!
//! A macro-iteration takes every branch node t in turn. Its working sets are t and the splits below
//! it, and the leaves below it; the root of a deeper tree moves alone. The branch-node (BN) step
//! finds new splits, the leaf-node (LN) step the best leaf models for them. Up to inner iteration
//! k₀ both look only at the rows whose likeliest path passes t and at the subtree alone, and
//! whatever is found is taken; later on they see (7) itself, and a candidate is taken only if it
//! does better than an Armijo step of steepest descent, (15), and moves no farther than it gains,
//! (16). Then the gradient tends to 0 (proposition 3). The best point seen is the result.

use super::nodec_run::{Balance, Run};
use super::update_branch_node::update_branch_node;
use crate::solver::{Objective, reference_step};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use crate::vectors::dot;

/// τ of (16).
const TAU: f64 = 1e-8;

/// θ_ω = θ_β: in inner iteration k a step is left out if its gradient is at most θ^k, k counted
/// from 1 at the first that must be accepted.
const THETA: f64 = 0.5;

/// Macro-iterations whose best point improves by less than this share are fruitless…
const MACRO_GAIN: f64 = 1e-3;
/// …and so many of them in a row end a run.
const MACRO_PATIENCE: usize = 3;

impl Run<'_, '_> {
    /// Goes on until so many macro-iterations have been made in all, or it ends by itself or is
    /// stopped.
    pub fn advance(&mut self, until: u64) -> Result<(), Interrupted> {
        while self.status.is_none() && self.macro_iterations < until {
            match self.macro_iteration() {
                Ok(status) => self.status = status,
                Err(interrupted) => self.end(interrupted)?,
            }
        }
        Ok(())
    }

    /// Goes on for some macro-iterations although it had ended.
    pub fn resume(&mut self, macro_iterations: u64) -> Result<(), Interrupted> {
        self.reopen();
        self.advance(self.macro_iterations + macro_iterations)
    }

    /// Every branch node in turn; a status if that was the last time.
    fn macro_iteration(&mut self) -> Result<Option<SolveStatus>, Interrupted> {
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
        let settled = self.fruitless >= MACRO_PATIENCE && free == u64::MAX;
        Ok(settled.then_some(SolveStatus::Converged))
    }

    /// Both steps at `t` for k ≤ k₀, on the rows that pass t and its subtree.
    fn free_step(&mut self, t: usize, balance: &Balance) -> Result<(), Interrupted> {
        let root_alone = t == 0 && self.parameters.topology.depth() > 1;
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
        let topology = &self.parameters.topology;
        let (subtree, theta) = (topology.subtree(t), self.parameters.subtree_theta(t));
        let leaves = here.rows.likeliest_leaves(&subtree, &theta)?;
        let first = topology.leaves_below(t).start as u32;
        for (row, leaf) in members.iter().zip(leaves) {
            self.leaves[*row as usize] = first + leaf;
        }
        Ok(())
    }

    /// Both steps at `t` for k > k₀, on (7) itself; never raises it.
    fn accepted_step(
        &mut self,
        t: usize,
        balance: &Balance,
        threshold: f64,
    ) -> Result<(), Interrupted> {
        let root_alone = t == 0 && self.parameters.topology.depth() > 1;
        let reach = self.reach(t)?;
        let costs = if root_alone {
            self.data.child_costs(&self.parameters, t, Some(&reach))?
        } else {
            self.data.leaf_costs(&self.parameters, t, Some(&reach))?
        };
        let block = self.block_problem(self.data, t, root_alone, &costs, 1.0);
        let current = if root_alone {
            self.parameters.node_theta(t)
        } else {
            self.parameters.subtree_theta(t)
        };
        let mut gradient = vec![0.0; current.len()];
        let value = block.value_and_gradient(&current, &mut gradient)?;
        if dot(&gradient, &gradient).sqrt() > threshold {
            let reference = reference_step(&block, &current, value, &gradient)?;
            let candidate =
                update_branch_node(self, self.data, t, root_alone, balance, Some(&reach))?;
            // A candidate for t alone leaves the rest of the working set as it is.
            let mut trial = self.parameters.clone();
            trial.set_subtree_theta(t, &candidate);
            let candidate = if root_alone {
                trial.node_theta(t)
            } else {
                trial.subtree_theta(t)
            };
            let found = block.value_and_gradient(&candidate, &mut gradient)?;
            self.work.evaluations += 2;
            let moved: f64 = candidate
                .iter()
                .zip(&current)
                .map(|(a, b)| (a - b).powi(2))
                .sum();
            let (least, point) = match &reference {
                Some(step) => (step.value, Some(&step.x)),
                None => (value, None),
            };
            if found <= least && found <= value - TAU * moved {
                self.parameters.set_subtree_theta(t, &candidate);
            } else if let Some(point) = point {
                self.parameters.set_subtree_theta(t, point);
            }
        }
        if !root_alone {
            let reach = self.reach(t)?;
            self.fit_leaves(self.data, t, Some(&reach))?;
        }
        Ok(())
    }
}
