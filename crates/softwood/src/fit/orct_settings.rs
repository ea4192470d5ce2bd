//! What `fit_orct` is asked for, with defaults and ranges.

use super::orct_solver::OrctSolver;
use super::run_settings::RunSettings;
use super::validate::{check_gamma, check_search, check_setting};
use crate::data::{ScalingChoice, ScalingKind};
use crate::error::InputError;
use crate::objective::PenaltySettings;
use crate::search::multistart::GROWN_FROM;
use std::str::FromStr;
use std::time::Instant;

/// γ of the papers.
pub(super) const PLAIN_GAMMA: f64 = 512.0;

/// Largest ψ: products stay finite.
const MAX_PROXIMAL_WEIGHT: f64 = 1e100;

/// Largest cost of a split.
const MAX_SPLIT_PENALTY: f64 = 1e100;

/// What [`fit_orct`](crate::fit_orct) is asked for.
#[derive(Clone, Debug)]
pub struct OrctSettings {
    /// D, 1…12.
    pub depth: usize,
    /// γ > 0, steepness of the splits; chosen on folds of the rows if None.
    pub gamma: Option<f64>,
    /// K × K costs, `[y][k]` for predicting k where y is true; 0.5 off the diagonal if None.
    pub costs: Option<Vec<f64>>,
    /// How features are mapped to [0, 1]; `Auto` is chosen on folds of the rows.
    pub scaling: ScalingChoice,
    /// Whether classes are balanced in training, a mistake on a row of class k costing W/(K·W_k) times as
    /// much, so that rare classes shape the splits as much as common ones; probabilities and decisions
    /// are those of the rows as they are. If None, chosen on folds of the rows where neither costs nor
    /// rates of classes are asked for, else not.
    pub balance: Option<bool>,
    /// Sparsity penalties; λ_L, if None, is chosen on folds of the rows.
    pub penalty: PenaltySettings,
    /// (k, ρ): at least the share ρ of class k must, in expectation, be predicted as such.
    pub min_class_rate: Vec<(usize, f64)>,
    /// On which rows these rates are to hold.
    pub rates_on: RatesOn,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// Cost of each split, beside the mean cost of a row. If None, that of one mistake on one row for trees of
    /// depth 5 and more, which are grown from the root, and nothing for others.
    pub split_penalty: Option<f64>,
    /// Features in the whole tree at most, at least 1; groups of columns count as one.
    pub max_features: Option<usize>,
    /// Leaves at most, at least 2.
    pub max_leaves: Option<usize>,
    /// Which splits move at a time.
    pub solver: OrctSolver,
    /// Iterations of all splits at once that `solver` `Nodes` begins with (`init_iter` of paper 1).
    pub full_iterations: u64,
    /// ψ ≥ 0: what moves in one step is pulled to where it began by (ψ/2)‖a − a^s‖², on the scale of the mean
    /// loss; steps of `solver` `Full` are not.
    pub proximal_weight: f64,
    /// Starts; the best is kept.
    pub n_starts: usize,
    /// Quasi-Newton iterations at most, per stage and labelling.
    pub max_iter: u64,
    /// A run ends when ‖Π(θ − ∇f(θ)) − θ‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

/// On which rows rates of classes are to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatesOn {
    /// On the training rows, in expectation.
    Training,
    /// On rows held out of training: on folds it is learned how much more must be asked for in training.
    Folds,
}

impl FromStr for RatesOn {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, InputError> {
        match name {
            "training" => Ok(Self::Training),
            "folds" => Ok(Self::Folds),
            _ => Err(InputError::Setting {
                name: "min_class_rate_on",
                expected: "\"training\" or \"folds\"",
                got: format!("{name:?}"),
            }),
        }
    }
}

impl Default for OrctSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            gamma: None,
            costs: None,
            scaling: ScalingChoice::Auto,
            balance: None,
            penalty: PenaltySettings::default(),
            min_class_rate: Vec::new(),
            rates_on: RatesOn::Training,
            cover_classes: true,
            split_penalty: None,
            max_features: None,
            max_leaves: None,
            solver: OrctSolver::Full,
            full_iterations: 40,
            proximal_weight: 0.0,
            n_starts: 20,
            max_iter: 5000,
            tol: 1e-3,
            run: RunSettings::default(),
        }
    }
}

impl OrctSettings {
    /// The tree as the papers have it: γ = 512, features scaled linearly, no penalty.
    pub fn plain() -> Self {
        Self {
            gamma: Some(PLAIN_GAMMA),
            scaling: ScalingChoice::Fixed(ScalingKind::MinMax),
            balance: Some(false),
            penalty: PenaltySettings::none(),
            ..Self::default()
        }
    }

    /// Splits that a fit of this depth to so many rows may hold: those of the complete tree, or where trees are grown
    /// no more than part the rows.
    pub fn most_splits(depth: usize, rows: usize) -> usize {
        let complete = (1 << depth) - 1;
        if depth < GROWN_FROM {
            complete
        } else {
            complete.min(rows.max(1))
        }
    }

    /// The cost of a split in a tree of this depth on so many rows.
    pub(super) fn split_penalty(&self, depth: usize, costs: &[f64], rows: usize) -> f64 {
        let mistake = costs.iter().copied().fold(0.0, f64::max);
        let usual = if depth < GROWN_FROM {
            0.0
        } else {
            mistake / rows.max(1) as f64
        };
        self.split_penalty.unwrap_or(usual)
    }

    /// The same with what is left of the time limit since then.
    pub(super) fn within(&self, began: Instant) -> Self {
        Self {
            run: self.run.left_since(began),
            ..self.clone()
        }
    }

    /// Refuses what only fits to all rows can do.
    pub(super) fn check_rates_on_training(&self) -> Result<(), InputError> {
        let allowed = self.rates_on == RatesOn::Training;
        check_setting(
            allowed,
            "min_class_rate_on",
            "\"training\" here",
            "\"folds\"",
        )
    }

    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, self.n_starts, self.tol)?;
        check_gamma(self.gamma.unwrap_or(PLAIN_GAMMA))?;
        check_setting(
            (0.0..=MAX_PROXIMAL_WEIGHT).contains(&self.proximal_weight),
            "proximal_weight",
            "a number from 0 to 1e100",
            self.proximal_weight,
        )?;
        check_setting(self.max_iter >= 1, "max_iter", "at least 1", self.max_iter)?;
        let split_penalty = self.split_penalty.unwrap_or(0.0);
        check_setting(
            (0.0..=MAX_SPLIT_PENALTY).contains(&split_penalty),
            "split_penalty",
            "from 0 to 1e100",
            split_penalty,
        )?;
        check_setting(
            self.max_leaves.is_none_or(|most| most >= 2),
            "max_leaves",
            "at least 2",
            self.max_leaves.unwrap_or(0),
        )?;
        for (i, (class, rate)) in self.min_class_rate.iter().enumerate() {
            check_setting(
                (0.0..=1.0).contains(rate),
                "min_class_rate",
                "rates from 0 to 1",
                rate,
            )?;
            check_setting(
                self.min_class_rate[..i].iter().all(|(c, _)| c != class),
                "min_class_rate",
                "one rate for a class",
                format!("two for class {class}"),
            )?;
        }
        self.penalty.validate()
    }
}
