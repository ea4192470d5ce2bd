//! How a class is chosen, and how rows are routed.

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
        self.classes(probabilities, 1)[0]
    }

    /// The same for each of `stride` rows, whose probabilities stand in columns.
    pub(crate) fn classes(&self, columns: &[f64], stride: usize) -> Vec<u32> {
        let Self::LeastCost(costs) = self else {
            return largest_column(columns, stride);
        };
        let mut gains = vec![0.0; columns.len()];
        for (k, gains) in gains.chunks_exact_mut(stride).enumerate() {
            for (probabilities, costs) in columns.chunks_exact(stride).zip(costs) {
                let terms = gains.iter_mut().zip(probabilities);
                terms.for_each(|(gain, p)| *gain -= p * costs[k]);
            }
        }
        largest_column(&gains, stride)
    }
}

/// The column of each row's largest value, the first one on a tie. Column by column, so that no branch
/// depends on the data.
fn largest_column(columns: &[f64], stride: usize) -> Vec<u32> {
    let mut columns = columns.chunks_exact(stride);
    let mut largest = columns.next().expect("there is a class").to_vec();
    let mut place = vec![0; stride];
    for (k, column) in (1..).zip(columns) {
        for ((place, largest), value) in place.iter_mut().zip(&mut largest).zip(column) {
            let larger = *value > *largest;
            *place = if larger { k } else { *place };
            *largest = if larger { *value } else { *largest };
        }
    }
    place
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
