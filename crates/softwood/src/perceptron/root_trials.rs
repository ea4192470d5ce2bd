//! How different C and B do at the root, on rows held out of the generation of features.

use super::columns::NodeColumns;
use super::grow::{GrowSettings, first_signs};
use super::held_out::{Checks, wrong};
use super::node_folds::NodeFolds;
use super::node_problem::Problem;
use super::node_rows::TreeRows;
use crate::stop::Stop;

/// Settings that are tried.
#[derive(Clone, Copy)]
pub(crate) struct RootTrial {
    /// C.
    pub cost: f64,
    /// B.
    pub budget: usize,
}

/// The root's columns, folds and dichotomy, which all trials share.
pub(crate) struct RootTrials<'a, 'r> {
    rows: &'a TreeRows<'r>,
    members: &'a [u32],
    settings: &'a GrowSettings<'a>,
    columns: NodeColumns<'a>,
    signs: Vec<f64>,
    folds: NodeFolds,
    stop: &'a Stop,
}

impl<'a, 'r> RootTrials<'a, 'r> {
    /// None if there are too few rows for folds.
    pub fn of(
        rows: &'a TreeRows<'r>,
        members: &'a [u32],
        settings: &'a GrowSettings<'a>,
        stop: &'a Stop,
    ) -> Option<Self> {
        let signs = first_signs(rows, members, settings, stop)?;
        let folds = NodeFolds::deal(&signs, settings.folds, (settings.seed, 0));
        (folds.count >= 2).then(|| Self {
            columns: NodeColumns::of(&rows.rows, members),
            rows,
            members,
            settings,
            signs,
            folds,
            stop,
        })
    }

    /// Folds there are.
    pub fn folds(&self) -> usize {
        self.folds.count
    }

    /// Weight of the rows on a side where another class prevails, by classifiers that have not seen them, and
    /// features of these, on average.
    pub fn run(&self, trial: RootTrial) -> (f64, usize) {
        let settings = GrowSettings {
            cost: trial.cost,
            budget: trial.budget,
            ..self.settings.clone()
        };
        let of_node = settings.of_split(0, settings.most(), &|_| true, self.stop);
        let problem = Problem {
            columns: &self.columns,
            signs: &self.signs,
            settings: &of_node,
        };
        let costs = self.rows.costs(self.members, trial.cost);
        let checks = Checks::of(&problem, &costs, &self.folds);
        let rounds = match settings.split_features {
            None => checks.best_round(self.rows, self.members, checks.rounds()),
            Some(_) => checks.rounds(),
        };
        let margins = checks.held_out(&problem, &costs, rounds);
        let wrong = wrong(self.rows, self.members, margins.into_iter());
        (wrong, checks.features(rounds))
    }
}
