//! Constraints of a fit, as asked and as reached.

use serde::{Deserialize, Serialize};

/// A bound that a fit was to keep, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintReport {
    /// What is bounded.
    #[serde(default)]
    pub kind: ConstraintKind,
    /// Position of the class it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<usize>,
    /// Name of the group of rows it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The bound asked for.
    pub asked: f64,
    /// The bound that training was given, where a margin was learned on folds so that new rows keep the one
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imposed: Option<f64>,
    /// What is bounded, on held-out rows of the folds with the bound imposed; None without such folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validated: Option<f64>,
    /// What is bounded, at the model's parameters.
    pub reached: f64,
    /// Fall of the objective for each unit that the bound is relaxed by.
    pub multiplier: f64,
    /// Whether the bound that training was given is kept: rates within 0.001, errors and means within a
    /// 10,000th of the response's variance or deviation.
    pub feasible: bool,
}

/// What a constraint bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// From below, the expected share of a class's training rows that are predicted as such. Files of
    /// version 1 have no other.
    #[default]
    ClassRate,
    /// From above, the mean squared error of a group of rows.
    GroupError,
    /// From above, its distance from that of all training rows.
    GroupErrorGap,
    /// From above, the distance of a group's mean prediction from that of all training rows.
    GroupMeanGap,
}
