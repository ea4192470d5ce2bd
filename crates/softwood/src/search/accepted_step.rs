//! The step of NODEC-DR that must be accepted (paper 2, section 5.2): it sees (7) itself.

use super::nodec::Run;
use super::update_branch_node::{Balance, update_branch_node};
use crate::solver::{Objective, reference_step};
use crate::stop::Stopped;
use crate::vectors::{AlignedBuffer, dot};

/// τ of (16).
const TAU: f64 = 1e-8;

impl Run<'_, '_> {
    /// Both steps at `t` for k > k₀, on (7) itself; never raises it.
    pub(super) fn accepted_step(
        &mut self,
        t: usize,
        balance: &Balance,
        threshold: f64,
    ) -> Result<(), Stopped> {
        let topology = self.parameters.topology;
        let root_alone = t == 0 && topology.depth() > 1;
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

    /// Probability of reaching `t` from the root, for each row, padding included.
    fn reach(&self, t: usize) -> Result<AlignedBuffer, Stopped> {
        let at = &self.parameters;
        self.data.rows.reach(at.topology, &at.theta, 1.0, t)
    }
}
