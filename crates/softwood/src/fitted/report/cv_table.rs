//! How cross-validation chose the settings of a model.

use crate::data::ScalingKind;
use serde::{Deserialize, Deserializer, Serialize};

/// The table of a cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvTable {
    /// All candidates; those that fell behind were scored on fewer folds.
    pub candidates: Vec<CvCandidate>,
    /// The one taken.
    pub chosen: usize,
    /// Folds of one folding.
    pub folds: usize,
    /// Foldings.
    pub repeats: usize,
    /// Whether the time limit ended the race.
    pub cut_short: bool,
}

/// Settings tried, and how they did on held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvCandidate {
    /// D.
    pub depth: usize,
    /// Map of the features.
    pub scaling: ScalingKind,
    /// γ.
    pub gamma: f64,
    /// λ_L.
    pub local_penalty: f64,
    /// λ_G.
    pub global_penalty: f64,
    /// Mean cost of the predicted classes; NaN (null in files) if never scored.
    #[serde(deserialize_with = "null_as_nan")]
    pub cost: f64,
    /// Its standard error.
    #[serde(deserialize_with = "null_as_nan")]
    pub standard_error: f64,
    /// Share of rows predicted right.
    #[serde(deserialize_with = "null_as_nan")]
    pub accuracy: f64,
    /// Mean δ_L over the folds, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub local_sparsity: f64,
    /// Mean δ_G over the folds, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub global_sparsity: f64,
    /// Folds it was scored on, over all foldings.
    pub folds: usize,
}

/// JSON has no NaN and serde_json writes null for it.
fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
