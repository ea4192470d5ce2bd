//! What is solved in a node: features generated for classifiers of its rows, and a classifier refitted on them.

use super::columns::NodeColumns;
use super::generate::{Generated, Generation};
use super::refit::{Refitted, refit};
use super::squared_hinge::SquaredHinge;
use crate::stop::Stop;

/// How a node is split.
#[derive(Clone)]
pub(super) struct SplitSettings<'a> {
    /// C.
    pub cost: f64,
    /// B.
    pub budget: usize,
    /// Features at most.
    pub most: usize,
    /// Whether the number of features, up to `most`, is chosen by errors on held-out rows.
    pub choose: bool,
    pub folds: usize,
    /// Whether the split is the mean of the fold classifiers, not one of all rows.
    pub vote: bool,
    pub tol: f64,
    pub factors: &'a [f64],
    pub may: &'a (dyn Fn(usize) -> bool + Sync),
    pub seed: (u64, u64),
    pub stop: &'a Stop,
}

/// A node's rows, their sides and how they are to be parted.
pub(super) struct Problem<'a, 'r> {
    pub columns: &'a NodeColumns<'r>,
    pub signs: &'a [f64],
    pub settings: &'a SplitSettings<'a>,
}

impl Problem<'_, '_> {
    /// Features for `blocks` classifiers with these costs of rows, n × blocks.
    pub fn generate(&self, costs: &[f64], blocks: usize) -> Generated {
        let settings = self.settings;
        let hinge = SquaredHinge {
            signs: self.signs,
            costs,
            blocks,
        };
        let generation = Generation {
            columns: self.columns,
            factors: settings.factors,
            hinge: &hinge,
            budget: settings.budget,
            most: settings.most,
            may: settings.may,
            tol: settings.tol,
            stop: settings.stop,
        };
        generation.run()
    }

    /// One classifier on the features of the first `rounds`, from `start` on.
    pub fn refit(
        &self,
        generated: &Generated,
        rounds: usize,
        mut start: Vec<f64>,
        costs: &[f64],
    ) -> Refitted {
        let rounds = rounds.min(generated.groups.len());
        let count: usize = generated.groups[..rounds].iter().sum();
        start.truncate(count);
        let hinge = SquaredHinge {
            signs: self.signs,
            costs,
            blocks: 1,
        };
        if rounds == generated.groups.len() {
            return refit(&generated.rows, &hinge, start, self.settings.stop);
        }
        let (columns, factors) = (self.columns, self.settings.factors);
        let packed = columns.pack(&generated.chosen[..count], factors);
        refit(&packed, &hinge, start, self.settings.stop)
    }
}
