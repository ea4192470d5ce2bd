//! Which program is built.

use crate::InputError;

/// Which of two programs with the same best trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Model (1) of the paper.
    Paper,
    /// Rows that are wrong are held to no way, and there is no slack.
    #[default]
    CorrectRows,
}

/// Which program is built; α₂, what ‖h‖₁ costs, or each coefficient that is not 0 if those are counted, is that of
/// [`Svm1OdtSettings`](crate::Svm1OdtSettings).
#[derive(Clone, Debug, PartialEq)]
pub struct MipSettings {
    /// Which of the two.
    pub formulation: Formulation,
    /// α₁, what a unit of slack costs, or Some(None) for no slack; chosen on folds if None. [`Formulation::Paper`]
    /// alone has it.
    pub alpha1: Option<Option<f64>>,
    /// Whether coefficients that are not 0 are counted, as OCT-H does, with |h| ≤ 1.
    pub count_coefficients: bool,
    /// Whether the cuts of proposition 1 and some of theorem 3 are added.
    pub cuts: bool,
    /// Whether columns of levels may be split by sets of them (8), and not by weights of their indicators.
    /// [`Formulation::Paper`] alone has that.
    pub level_splits: bool,
}

/// The margin and the costs of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MipCosts {
    /// ε.
    pub epsilon: f64,
    /// α₁; None for no slack.
    pub alpha1: Option<f64>,
    /// α₂.
    pub alpha2: f64,
}

impl Default for MipSettings {
    fn default() -> Self {
        Self {
            formulation: Formulation::default(),
            alpha1: Some(None),
            count_coefficients: false,
            cuts: false,
            level_splits: false,
        }
    }
}

impl MipSettings {
    /// Checks the settings for trees of margin ε, None if that is to be chosen.
    pub fn validate(&self, epsilon: Option<f64>) -> Result<(), InputError> {
        let refuse = |name, expected, got: String| {
            Err(InputError::Setting {
                name,
                expected,
                got,
            })
        };
        let paper = self.formulation == Formulation::Paper;
        if !paper && self.alpha1 != Some(None) {
            let expected = "None: this program has no slack, solver=\"paper\" has";
            let given = self.alpha1.flatten();
            let got = given.map_or_else(|| "\"auto\"".into(), |alpha1| alpha1.to_string());
            return refuse("alpha1", expected, got);
        }
        if let Some(Some(alpha1)) = self.alpha1 {
            let least = epsilon.map(|epsilon| alpha1 * epsilon);
            if !(least.is_some_and(|product| product >= 1.0) && alpha1.is_finite()) {
                let expected = "at least 1/epsilon, epsilon being given, or None for no slack, or \"auto\": below that, h = g = 0 lets \
                    every row take any way for less than what a mistake costs, and the optimum says \
                    nothing";
                return refuse("alpha1", expected, alpha1.to_string());
            }
        }
        if !paper && self.level_splits {
            let expected = "False: this program has no splits on levels, solver=\"paper\" has";
            return refuse("level_splits", expected, "True".into());
        }
        Ok(())
    }
}
