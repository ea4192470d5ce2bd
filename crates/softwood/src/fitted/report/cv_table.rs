//! How folds of the training rows chose the settings of a model.

use super::Scoring;
use crate::data::ScalingKind;
use serde::{Deserialize, Deserializer, Serialize};

/// The table of a cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvTable {
    /// What the candidates' scores are.
    #[serde(default)]
    pub scoring: Scoring,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "CandidateInFile")]
pub struct CvCandidate {
    /// The settings.
    #[serde(flatten)]
    pub settings: TriedSettings,
    /// Score by [`CvTable::scoring`]; NaN (null in files) if never scored.
    pub score: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Folds it was scored on, over all foldings.
    pub folds: usize,
    /// More on the trees of a classification.
    #[serde(flatten)]
    pub figures: Option<ClassFigures>,
}

/// What was never scored is as equal as what was.
impl PartialEq for CvCandidate {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        same(self.score, other.score)
            && same(self.standard_error, other.standard_error)
            && (&self.settings, self.folds, &self.figures)
                == (&other.settings, other.folds, &other.figures)
    }
}

/// The same as it is read.
#[derive(Deserialize)]
struct CandidateInFile {
    #[serde(flatten)]
    settings: TriedSettings,
    score: Option<f64>,
    #[serde(flatten)]
    early: EarlyScore,
    standard_error: Option<f64>,
    folds: usize,
    #[serde(flatten)]
    figures: Option<ClassFigures>,
}

/// Scores were called costs in early files, when none of the settings were.
#[derive(Deserialize)]
struct EarlyScore {
    cost: Option<f64>,
}

impl From<CandidateInFile> for CvCandidate {
    fn from(read: CandidateInFile) -> Self {
        let early = match read.settings {
            TriedSettings::Spdt(_) => None,
            _ => read.early.cost,
        };
        Self {
            settings: read.settings,
            score: read.score.or(early).unwrap_or(f64::NAN),
            standard_error: read.standard_error.unwrap_or(f64::NAN),
            folds: read.folds,
            figures: read.figures,
        }
    }
}

/// What was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TriedSettings {
    /// Of a tree on curves.
    Functional(FunctionalCandidate),
    /// Of an ORRT; it has all settings of an ORCT and one more, which tells them apart in files.
    Orrt(OrrtCandidate),
    /// Of an ORCT.
    Orct(OrctCandidate),
    /// Of an SRT.
    Srt(SrtCandidate),
    /// Of an SPDT.
    Spdt(SpdtCandidate),
    /// Of an SVM1-ODT tree.
    Svm1Odt(Svm1OdtCandidate),
}

/// The settings of an SVM1-ODT tree that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svm1OdtCandidate {
    /// ε.
    pub epsilon: f64,
    /// α₁ of a program; None for no slack.
    #[serde(default)]
    pub alpha1: Option<f64>,
    /// α₂.
    pub alpha2: f64,
    /// C.
    pub slack_cost: f64,
    /// Cost of a split.
    #[serde(default)]
    pub split_penalty: f64,
    /// Which tree it is.
    #[serde(default)]
    pub tree: Svm1OdtTree,
}

/// Which tree an SVM1-ODT tree is: what the search has found, or a start as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Svm1OdtTree {
    /// What the search has found.
    #[default]
    Search,
    /// The randomized tree, its settings by folds.
    Orct,
    /// A tree grown as CART does.
    Cart,
    /// The tree that was given.
    Given,
}

/// The settings of a tree on curves that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionalCandidate {
    /// D.
    pub depth: usize,
    /// H.
    pub n_intervals: usize,
    /// Orders of derivatives.
    pub derivatives: Vec<usize>,
    /// γ.
    pub gamma: f64,
    /// λ_len.
    pub length_penalty: f64,
    /// λ_L.
    pub local_penalty: f64,
    /// λ_G.
    pub global_penalty: f64,
    /// λ_β of a regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge_leaves: Option<f64>,
}

/// The settings of an SPDT that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpdtCandidate {
    /// C; not by the name that scores had in early files.
    #[serde(rename = "C")]
    pub cost: f64,
    /// B.
    pub budget: usize,
    /// Features of the root's split.
    pub features: usize,
}

/// The settings of an ORCT that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrctCandidate {
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
    /// Whether classes were balanced in training.
    #[serde(default)]
    pub balanced: bool,
}

/// The settings of an ORRT that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrrtCandidate {
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
    /// λ_β of all coefficients; one for each feature, by evidence, if None.
    #[serde(deserialize_with = "Option::deserialize")]
    pub ridge_leaves: Option<f64>,
}

/// The settings of an SRT that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SrtCandidate {
    /// D.
    pub depth: usize,
    /// Whether there are curves.
    pub curves: bool,
    /// λ_β of all coefficients; one for each feature, by evidence, if None.
    pub ridge_leaves: Option<f64>,
}

/// Means over the folds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassFigures {
    /// Share of held-out rows predicted right, by weight.
    #[serde(deserialize_with = "null_as_nan")]
    pub accuracy: f64,
    /// δ_L, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub local_sparsity: f64,
    /// δ_G, in percent.
    #[serde(deserialize_with = "null_as_nan")]
    pub global_sparsity: f64,
}

/// JSON has no NaN and serde_json writes null for it.
fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
