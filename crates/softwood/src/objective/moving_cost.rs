//! The expected misclassification cost of a tree on means over intervals, whose ends move with the splits.

use super::ExpectedCost;
use super::moving_tree::MovingTree;
use crate::data::{Classes, ClassificationRows};
use crate::functional::MovingData;
use crate::solver::Objective;
use crate::stop::Interrupted;

/// (1/W) Σ_i w_i Σ_t P_it cost(y_i, label_t) + λ_len Σ_h (s_2h − s_2h−1) as a function of (a, μ, s), labels held.
pub(crate) struct MovingCost<'a> {
    pub data: &'a MovingData<Classes<'a>>,
    pub tree: &'a MovingTree,
    /// K × K.
    pub costs: &'a [f64],
    /// Class of each leaf.
    pub labels: &'a [u32],
}

impl<'a> MovingCost<'a> {
    /// The rows at these ends.
    pub fn rows(&self, ends: &[f64]) -> ClassificationRows<'a> {
        self.data.at(&self.tree.features, ends)
    }
}

impl Objective for MovingCost<'_> {
    fn dim(&self) -> usize {
        self.tree.splits() + self.tree.ends()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let (splits, ends) = x.split_at(self.tree.splits());
        let cost = ExpectedCost::with_total_weight(
            self.rows(ends),
            self.tree.topology.clone(),
            self.tree.kernel_gamma(),
            self.costs,
            self.labels.to_vec(),
            self.data.weights.total(),
        );
        let theta = self.tree.kernel_splits(splits);
        let value = cost.value_and_gradient(&theta, gradient)?;
        self.tree.own_gradient(&mut gradient[..splits.len()]);
        let lengths = self.tree.add_lengths(ends, &mut gradient[splits.len()..]);
        Ok(value + lengths)
    }
}
