//! What `fit_srt` is asked for, with defaults and ranges.

use super::run_settings::RunSettings;
use super::validate::{check_ridge, check_search, check_setting};
use crate::data::ScalingKind;
use crate::error::InputError;
use std::str::FromStr;

/// What [`fit_srt`](crate::fit_srt) is asked for.
#[derive(Clone, Debug)]
pub struct SrtSettings {
    /// D, 1…12.
    pub depth: usize,
    /// λ_ω of (7) for all coefficients, not negative; if None one for each feature, by evidence
    /// maximization at the best start after a few macro-iterations.
    pub ridge_branches: Option<f64>,
    /// λ_β of (7) for all coefficients, not negative; if None one for each feature, in the same way.
    pub ridge_leaves: Option<f64>,
    /// Whether a curve of each feature, the same in all leaves, is added to the leaf models.
    pub curves: bool,
    /// How features are mapped to [0, 1].
    pub scaling: ScalingKind,
    /// Where starts begin.
    pub start: RegressionStart,
    /// Starts; the best is kept, and its subtrees replaced where growing them anew is better.
    pub n_starts: usize,
    /// Macro-iterations of a start at most.
    pub macro_iterations: u64,
    /// ε₁ > ε₂ and ε₃: shares of rows from which a split counts as unbalanced and as badly
    /// unbalanced, and the share of a crowded side that is led to the other.
    pub imbalance: [f64; 3],
    /// k₀: inner iterations after which only steps that lower (7) enough are taken; never if None.
    pub convergent_after: Option<u64>,
    /// A convergent run ends when ‖∇E‖∞ ≤ tol.
    pub tol: f64,
    /// What every fit can be told.
    pub run: RunSettings,
}

/// Where the starts of a regression tree begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegressionStart {
    /// Hierarchical 2-means partitions of the rows.
    Clusters,
    /// Random hyperplanes through the rows.
    Random,
    /// Clusters and random hyperplanes in turn.
    Mixed,
}

impl FromStr for RegressionStart {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "clusters" => Ok(Self::Clusters),
            "random" => Ok(Self::Random),
            "mixed" => Ok(Self::Mixed),
            _ => Err(InputError::Setting {
                name: "start",
                expected: "\"mixed\", \"clusters\" or \"random\"",
                got: format!("{name:?}"),
            }),
        }
    }
}

impl Default for SrtSettings {
    fn default() -> Self {
        Self {
            depth: 2,
            ridge_branches: None,
            ridge_leaves: None,
            curves: false,
            scaling: ScalingKind::MinMax,
            start: RegressionStart::Mixed,
            n_starts: 8,
            macro_iterations: 20,
            imbalance: [0.3, 0.1, 0.4],
            convergent_after: None,
            tol: 1e-6,
            run: RunSettings::default(),
        }
    }
}

impl SrtSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        self.run.validate()?;
        check_search(self.depth, self.n_starts, self.tol)?;
        check_ridge("ridge_branches", self.ridge_branches)?;
        check_ridge("ridge_leaves", self.ridge_leaves)?;
        check_setting(
            self.macro_iterations >= 1,
            "macro_iterations",
            "at least 1",
            self.macro_iterations,
        )?;
        let [moderate, bad, flipped] = self.imbalance;
        let share = |x: f64| (0.0..1.0).contains(&x);
        check_setting(
            share(moderate) && share(bad) && share(flipped) && bad <= moderate && moderate <= 0.5,
            "imbalance",
            "three shares (ε1, ε2, ε3) with 0 ≤ ε2 ≤ ε1 ≤ 0.5 and 0 ≤ ε3 < 1",
            format!("({moderate}, {bad}, {flipped})"),
        )
    }
}
