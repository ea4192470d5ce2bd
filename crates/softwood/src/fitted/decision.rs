//! How a class is chosen, and how rows are routed.

use super::predict::most_probable;
use serde::{Deserialize, Serialize};

/// How a classification tree chooses the class of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The most probable class, the first one on a tie.
    MostProbable,
    /// The class of least expected cost, the first one on a tie. The costs are K × K, those of
    /// predicting class k where y is true at `[y][k]`.
    LeastCost(Vec<Vec<f64>>),
    /// The class whose leaves are most probable together, Σ_t C_kt P_xt: what bounds on the rates of
    /// classes bound. Models of version 1 decide so.
    LeafLabels,
}

impl Decision {
    /// The class for a row with these probabilities of classes; for [`Self::LeafLabels`], of labels.
    pub fn class(&self, probabilities: &[f64]) -> u32 {
        match self {
            Self::MostProbable | Self::LeafLabels => most_probable(probabilities),
            Self::LeastCost(costs) => {
                let cost = |k: usize| -> f64 {
                    let terms = probabilities.iter().zip(costs);
                    -terms.map(|(p, costs)| p * costs[k]).sum::<f64>()
                };
                most_probable(&(0..probabilities.len()).map(cost).collect::<Vec<f64>>())
            }
        }
    }
}

/// How rows go through a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// To all leaves, by their probabilities.
    #[default]
    Soft,
    /// To the one leaf at the end of the likelier branches: as a person follows a printed tree.
    Hard,
}
