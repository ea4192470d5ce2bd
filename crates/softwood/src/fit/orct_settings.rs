//! What `fit_orct` is asked for, with defaults and ranges.

use super::run_settings::RunSettings;
use super::validate::{check_gamma, check_search, check_setting};
use crate::data::{ScalingChoice, ScalingKind};
use crate::error::InputError;
use crate::objective::PenaltySettings;

/// What [`fit_orct`](crate::fit_orct) is asked for.
#[derive(Clone, Debug)]
pub struct OrctSettings {
    /// D, 1…12.
    pub depth: usize,
    /// γ > 0, steepness of the splits.
    pub gamma: f64,
    /// K × K costs, `[y][k]` for predicting k where y is true; 0.5 off the diagonal if None.
    pub costs: Option<Vec<f64>>,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingChoice,
    /// Sparsity penalties.
    pub penalty: PenaltySettings,
    /// (k, ρ): at least the share ρ of class k must, in expectation, be predicted as such.
    pub min_class_rate: Vec<(usize, f64)>,
    /// Whether every class must own a leaf.
    pub cover_classes: bool,
    /// Features in the whole tree at most, at least 1; groups of columns count as one.
    pub max_features: Option<usize>,
    /// Leaves at most, at least 2.
    pub max_leaves: Option<usize>,
    /// Starts; the best is kept.
    pub n_starts: usize,
    /// Quasi-Newton iterations at most, per stage and labelling.
    pub max_iter: u64,
    /// A run ends when ‖Π(θ − ∇f(θ)) − θ‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

impl Default for OrctSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            gamma: 512.0,
            costs: None,
            scaling: ScalingChoice::Auto,
            penalty: PenaltySettings::default(),
            min_class_rate: Vec::new(),
            cover_classes: true,
            max_features: None,
            max_leaves: None,
            n_starts: 20,
            max_iter: 1000,
            tol: 1e-3,
            run: RunSettings::default(),
        }
    }
}

impl OrctSettings {
    /// The tree as the papers have it: features scaled linearly, no penalty.
    pub fn plain() -> Self {
        Self {
            scaling: ScalingChoice::Fixed(ScalingKind::MinMax),
            penalty: PenaltySettings::none(),
            ..Self::default()
        }
    }

    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, self.n_starts, self.tol)?;
        check_gamma(self.gamma)?;
        check_setting(self.max_iter >= 1, "max_iter", "at least 1", self.max_iter)?;
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
