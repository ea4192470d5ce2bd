//! What `fit_svm1_odt` is asked for, with defaults and ranges.

use super::row_selection::RowSelection;
use super::run_settings::RunSettings;
use super::validate::check_setting;
use crate::error::InputError;
use std::time::Duration;

/// Depths that are searched exactly.
const DEPTHS: std::ops::RangeInclusive<usize> = 1..=3;
/// Margins below this drown in rounding.
const LEAST_MARGIN: f64 = 1e-6;
/// Share of the time limit for the improvement of starts.
pub(super) const IMPROVE_SHARE: f64 = 0.4;
/// Largest α₂: products stay finite.
const MAX_NORM_PENALTY: f64 = 1e100;
/// Largest C: beyond it slack is as good as forbidden, and the program hard to solve.
const MAX_SLACK_COST: f64 = 1e6;

/// What [`fit_svm1_odt`](crate::fit_svm1_odt) is asked for.
#[derive(Clone, Debug)]
pub struct Svm1OdtSettings {
    /// D, 1…3.
    pub depth: usize,
    /// ε: a row is right only if |g − h·x| ≥ ε at every split on its way, the largest being 1. Chosen on
    /// folds of the rows if None.
    pub epsilon: Option<f64>,
    /// α₂ ≥ 0: what ‖h‖₁ costs once the routing is settled, beside ½‖h‖²; with a program, part of what it
    /// minimizes. Chosen on folds if None.
    pub alpha2: Option<f64>,
    /// C > 0: what the mean slack of right rows against a distance of 1 costs then; the larger, the more a
    /// split goes by its nearest rows. Chosen on folds if None.
    pub slack_cost: Option<f64>,
    /// What each split costs, 0…1, as a share of all weight: subtrees that save less become leaves. Chosen on
    /// folds if None.
    pub split_penalty: Option<f64>,
    /// Where the search begins.
    pub start: Svm1OdtStart,
    /// Whether the start is searched further. If not, it is kept, a randomized tree with its settings by
    /// folds; if None, folds choose.
    pub improve: Option<bool>,
    /// How rows are selected on which the best start is trained further; all are searched if None.
    pub selection: Option<RowSelection>,
    /// Starts of the randomized tree, and random trees.
    pub n_starts: usize,
    /// Descents for each split and round.
    pub restarts: usize,
    /// Nodes of the search for a bound at most; 0 for none.
    pub max_nodes: Option<u64>,
    /// What every fit can be told.
    pub run: RunSettings,
}

/// Where the search begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Svm1OdtStart {
    /// A randomized tree, one grown as CART does, and random ones.
    #[default]
    Auto,
    /// A randomized tree, by [`fit_orct`](crate::fit_orct).
    Orct,
    /// A tree grown as CART does.
    Cart,
    /// Random trees.
    Random,
    /// These splits, every one left where weights·x ≥ threshold; where a node has none, all goes left.
    Tree(Vec<StartSplit>),
}

/// A split of a tree to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct StartSplit {
    /// Node of the complete tree, the root 0, children 2t + 1 and 2t + 2.
    pub node: usize,
    /// Features and weights, on features as they are.
    pub weights: Vec<(usize, f64)>,
    /// The threshold.
    pub threshold: f64,
}

impl Default for Svm1OdtSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            epsilon: Some(0.01),
            alpha2: Some(0.0),
            slack_cost: Some(100.0),
            split_penalty: Some(0.0),
            start: Svm1OdtStart::Auto,
            improve: Some(true),
            selection: None,
            n_starts: 20,
            restarts: 8,
            max_nodes: None,
            run: RunSettings {
                time_limit: Some(Duration::from_secs(60)),
                ..RunSettings::default()
            },
        }
    }
}

impl Svm1OdtSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        let (epsilon, alpha2) = (
            self.epsilon.unwrap_or(LEAST_MARGIN),
            self.alpha2.unwrap_or(0.0),
        );
        check_setting(
            DEPTHS.contains(&self.depth),
            "depth",
            "1, 2 or 3",
            self.depth,
        )?;
        check_setting(
            (LEAST_MARGIN..1.0).contains(&epsilon),
            "epsilon",
            "at least 1e-6 and below 1 (the largest |g − h·x| of the rows is 1)",
            epsilon,
        )?;
        check_setting(
            (0.0..=MAX_NORM_PENALTY).contains(&alpha2),
            "alpha2",
            "a number of at least 0 and at most 1e100",
            alpha2,
        )?;
        let slack_cost = self.slack_cost.unwrap_or(MAX_SLACK_COST);
        check_setting(
            slack_cost > 0.0 && slack_cost <= MAX_SLACK_COST,
            "slack_cost",
            "a number above 0 and at most 1e6",
            slack_cost,
        )?;
        let split_penalty = self.split_penalty.unwrap_or(0.0);
        check_setting(
            (0.0..=1.0).contains(&split_penalty),
            "split_penalty",
            "a share from 0 to 1",
            split_penalty,
        )?;
        check_setting(
            self.improve != Some(false) || self.start != Svm1OdtStart::Random,
            "improve",
            "True or \"auto\" where start is \"random\"",
            "False",
        )?;
        check_setting(self.n_starts >= 1, "n_starts", "at least 1", self.n_starts)?;
        check_setting(self.restarts >= 1, "restarts", "at least 1", self.restarts)
    }

    /// Time for the improvement of starts: all of it where no bound is asked for.
    pub(super) fn improve_limit(&self) -> Option<Duration> {
        let limit = self.run.time_limit.filter(|_| self.max_nodes != Some(0));
        limit.map(|limit| limit.mul_f64(IMPROVE_SHARE))
    }

    /// Checks start and selection for rows of so many features.
    pub(super) fn check_for(&self, features: usize) -> Result<(), InputError> {
        if let Some(selection) = &self.selection {
            selection.validate(features)?;
        }
        let Svm1OdtStart::Tree(splits) = &self.start else {
            return Ok(());
        };
        let nodes = (1 << self.depth) - 1;
        for split in splits {
            let within = split.node < nodes && split.weights.iter().all(|(j, _)| *j < features);
            let weights = split.weights.iter().map(|(_, w)| w);
            let finite = weights.chain([&split.threshold]).all(|x| x.is_finite());
            check_setting(
                within && finite,
                "start",
                "a tree no deeper than depth, on the features of X, with finite numbers",
                format!("node {} with weights {:?}", split.node, split.weights),
            )?;
        }
        Ok(())
    }
}
