//! Bounds on the recall of classes, as asked and as reached.

use serde::{Deserialize, Serialize};

/// A bound on the rate at which a class is recognized, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRate {
    /// Position of the class.
    pub class: usize,
    /// ρ, the rate asked for.
    pub asked: f64,
    /// Expected share of the class's training rows that are predicted as such.
    pub reached: f64,
    /// Fall of the objective for each unit that ρ is lowered by.
    pub multiplier: f64,
    /// Whether the rate is reached, within 0.001.
    pub feasible: bool,
}
