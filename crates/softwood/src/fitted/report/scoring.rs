//! By what candidates are judged on held-out rows.

use crate::InputError;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How predicted classes or probabilities are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassScoring {
    /// Mean cost of the predicted classes.
    Cost,
    /// Share of rows predicted right.
    Accuracy,
    /// Mean over the classes of the share of their rows predicted right.
    BalancedAccuracy,
    /// Mean −log of the probability of the true class.
    LogLoss,
    /// Mean over the rows of Σ_k (probability of k − 1 if k is true, else 0)².
    Brier,
    /// The same, and 1 more for every row whose class is another with hard routing: good probabilities of
    /// a tree that can be read.
    BrierAndAgreement,
    /// Area under the ROC curve: the probability that a row of a class is held more likely to be of it
    /// than a row of another; mean over the classes, each against the others.
    RocAuc,
}

/// How predicted responses are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseScoring {
    /// 1 − mean squared error by the variance of the response.
    R2,
    /// Mean absolute error.
    Mae,
    /// Mean squared error.
    Mse,
}

/// Either, as tables name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scoring {
    /// Of a classification.
    Classes(ClassScoring),
    /// Of a regression.
    Response(ResponseScoring),
}

impl ClassScoring {
    /// The name in settings and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced_accuracy",
            Self::LogLoss => "log_loss",
            Self::Brier => "brier",
            Self::BrierAndAgreement => "brier_and_agreement",
            Self::RocAuc => "roc_auc",
        }
    }
}

impl ResponseScoring {
    /// The name in settings and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::R2 => "r2",
            Self::Mae => "mae",
            Self::Mse => "mse",
        }
    }
}

impl FromStr for ClassScoring {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, InputError> {
        let all = [
            Self::Cost,
            Self::Accuracy,
            Self::BalancedAccuracy,
            Self::LogLoss,
            Self::Brier,
            Self::BrierAndAgreement,
            Self::RocAuc,
        ];
        let expected = "\"cost\", \"accuracy\", \"balanced_accuracy\", \"log_loss\", \"brier\", \
                        \"brier_and_agreement\" or \"roc_auc\"";
        let found = all.into_iter().find(|scoring| scoring.name() == name);
        found.ok_or_else(|| unknown(expected, name))
    }
}

impl FromStr for ResponseScoring {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, InputError> {
        let all = [Self::R2, Self::Mae, Self::Mse];
        let found = all.into_iter().find(|scoring| scoring.name() == name);
        found.ok_or_else(|| unknown("\"r2\", \"mae\" or \"mse\"", name))
    }
}

fn unknown(expected: &'static str, name: &str) -> InputError {
    InputError::Setting {
        name: "scoring",
        expected,
        got: format!("{name:?}"),
    }
}

impl Default for Scoring {
    /// What tables were made by that do not say it.
    fn default() -> Self {
        Self::Classes(ClassScoring::Cost)
    }
}

impl Scoring {
    /// Whether it is 1 minus a loss, and so the larger the better.
    pub fn larger_is_better(self) -> bool {
        match self {
            Self::Classes(scoring) => {
                use ClassScoring::{Accuracy, BalancedAccuracy, RocAuc};
                matches!(scoring, Accuracy | BalancedAccuracy | RocAuc)
            }
            Self::Response(scoring) => scoring == ResponseScoring::R2,
        }
    }

    /// The score of a mean loss, which is never larger for the better of two candidates.
    pub fn of_loss(self, loss: f64) -> f64 {
        match self.larger_is_better() {
            true => 1.0 - loss,
            false => loss,
        }
    }
}
