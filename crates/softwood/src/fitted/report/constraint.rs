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
    /// Name of the group that a gap is measured from; None if from all training rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<String>,
    /// The bound asked for.
    pub asked: f64,
    /// The bound that training was given, where a margin was learned on folds so that new rows keep the one
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imposed: Option<f64>,
    /// What is bounded, on held-out rows of the folds with the bound imposed; None without such folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validated: Option<f64>,
    /// What is bounded, at the model's parameters: rates of classes in expectation over the leaves, shares of
    /// groups by the classes that the model predicts.
    pub reached: f64,
    /// What is bounded of a group's predicted classes, in expectation over the leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Fall of the objective for each unit that the bound is relaxed by.
    pub multiplier: f64,
    /// Whether the bound that training was given is kept: rates and shares within 0.001, errors and means within a
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
    /// From below, the share of a group's rows of a class that are predicted as such.
    GroupRecall,
    /// From above, its distance from that of all training rows or another group.
    GroupRecallGap,
    /// From below, the share of a group's rows that are predicted as a class.
    GroupLeastSelection,
    /// The same from above.
    GroupMostSelection,
    /// From above, its distance from that of all training rows or another group.
    GroupSelectionGap,
    /// From below, the share of a group's rows whose class is predicted.
    GroupAccuracy,
    /// From above, its distance from that of all training rows or another group.
    GroupAccuracyGap,
}

impl ConstraintKind {
    /// Whether it bounds predicted classes, else a response.
    pub fn is_of_classes(self) -> bool {
        use ConstraintKind::{GroupError, GroupErrorGap, GroupMeanGap};
        !matches!(self, GroupError | GroupErrorGap | GroupMeanGap)
    }

    /// Whether it bounds the distance between two sets of rows.
    pub fn is_gap(self) -> bool {
        use ConstraintKind::*;
        matches!(
            self,
            GroupErrorGap | GroupMeanGap | GroupRecallGap | GroupSelectionGap | GroupAccuracyGap
        )
    }

    /// Whether it is about one class.
    pub fn names_class(self) -> bool {
        use ConstraintKind::*;
        self.counts_class()
            || matches!(
                self,
                GroupLeastSelection | GroupMostSelection | GroupSelectionGap
            )
    }

    /// Whether it counts rows of one class alone.
    pub fn counts_class(self) -> bool {
        use ConstraintKind::*;
        matches!(self, ClassRate | GroupRecall | GroupRecallGap)
    }

    /// Whether it is bounded from below.
    pub fn is_from_below(self) -> bool {
        use ConstraintKind::*;
        matches!(
            self,
            ClassRate | GroupRecall | GroupLeastSelection | GroupAccuracy
        )
    }
}

impl ConstraintReport {
    /// What is asked for, of no class or group and with nothing reached yet.
    pub(crate) fn asked(kind: ConstraintKind, asked: f64) -> Self {
        Self {
            kind,
            class: None,
            group: None,
            compared_with: None,
            asked,
            imposed: None,
            cross_validated: None,
            reached: f64::NAN,
            expected: None,
            multiplier: 0.0,
            feasible: false,
        }
    }

    /// By how much the bound is missed; not above 0 if it is kept.
    pub fn excess(&self) -> f64 {
        match self.kind.is_from_below() {
            true => self.asked - self.reached,
            false => self.reached - self.asked,
        }
    }
}
