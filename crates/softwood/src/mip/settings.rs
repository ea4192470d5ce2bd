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

/// Which program is built, and its costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MipSettings {
    /// Which of the two.
    pub formulation: Formulation,
    /// α₁, what a unit of slack costs; None for no slack. [`Formulation::Paper`] alone has it.
    pub alpha1: Option<f64>,
    /// α₂, what ‖h‖₁ costs, or each coefficient that is not 0 if those are counted.
    pub alpha2: f64,
    /// Whether coefficients that are not 0 are counted, as OCT-H does, with |h| ≤ 1.
    pub count_coefficients: bool,
    /// Whether the cuts of proposition 1 and some of theorem 3 are added.
    pub cuts: bool,
    /// Whether columns of levels may be split by sets of them (8), and not by weights of their indicators.
    /// [`Formulation::Paper`] alone has that.
    pub level_splits: bool,
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
        if let Some(alpha1) = self.alpha1 {
            if !paper {
                let expected = "None: this program has no slack, solver=\"paper\" has";
                return refuse("alpha1", expected, alpha1.to_string());
            }
            let least = epsilon.map(|epsilon| alpha1 * epsilon);
            if !(least.is_some_and(|product| product >= 1.0) && alpha1.is_finite()) {
                let expected = "at least 1/epsilon, epsilon being given, or None for no slack: below that, h = g = 0 lets \
                    every row take any way for less than what a mistake costs, and the optimum says \
                    nothing";
                return refuse("alpha1", expected, alpha1.to_string());
            }
        }
        if !(self.alpha2 >= 0.0 && self.alpha2.is_finite()) {
            return refuse("alpha2", "a number of at least 0", self.alpha2.to_string());
        }
        if !paper && self.level_splits {
            let expected = "False: this program has no splits on levels, solver=\"paper\" has";
            return refuse("level_splits", expected, "True".into());
        }
        Ok(())
    }
}
