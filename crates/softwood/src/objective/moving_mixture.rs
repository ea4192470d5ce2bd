//! The S-ORRT-FD objective (5.5): the squared error of a mixture of linear models on means over intervals,
//! whose ends move with the splits.

use super::moving_tree::MovingTree;
use super::{LeafRidge, MixtureError};
use crate::data::{RegressionRows, Response};
use crate::functional::{DEVIATION, MovingData};
use crate::passes::SumWeights;
use crate::solver::Objective;
use crate::stop::Interrupted;

/// (1/W) Σ_i w_i (φ_i − y_i)² + (λ_β/2) Σ_t (Σ_j v β_tj² + β_0t²) + λ_len Σ_h (s_2h − s_2h−1) as a function of
/// (a, μ, β, β_0, s), v being the variance of a series.
#[derive(Clone, Copy)]
pub(crate) struct MovingMixture<'a> {
    pub data: &'a MovingData<Response>,
    pub tree: &'a MovingTree,
    /// λ_β and v.
    pub ridge: &'a LeafRidge,
    /// 0, one a feature.
    pub centers: &'a [f64],
}

/// v: all series are in units in which they deviate equally.
pub(crate) const VARIANCE: f64 = DEVIATION * DEVIATION;

impl MovingMixture<'_> {
    /// The rows at these ends.
    pub fn rows(&self, ends: &[f64]) -> RegressionRows<'static> {
        self.data.at(&self.tree.features, ends)
    }

    /// The error at fixed ends.
    pub fn error<'r>(&'r self, rows: &'r RegressionRows<'static>) -> MixtureError<'r, 'static> {
        MixtureError {
            data: rows,
            topology: self.tree.topology.clone(),
            gamma: self.tree.kernel_gamma(),
            centers: self.centers,
            ridge: self.ridge,
        }
    }

    /// The best leaf models for splits and ends.
    pub fn best_leaves(&self, splits: &[f64], ends: &[f64]) -> Result<Vec<f64>, Interrupted> {
        let rows = self.rows(ends);
        self.error(&rows)
            .good_leaves(&self.tree.kernel_splits(splits))
    }

    /// Whether one regression finds the leaf models at every step.
    pub fn eliminates_leaves(&self) -> bool {
        let rows = self.rows(&vec![0.0; self.tree.ends()]);
        self.error(&rows).eliminates_leaves()
    }

    /// Splits, leaf models and ends of a point.
    pub fn parts<'x>(&self, x: &'x [f64]) -> (&'x [f64], &'x [f64], &'x [f64]) {
        let (splits, rest) = x.split_at(self.tree.splits());
        let (leaves, ends) = rest.split_at(rest.len() - self.tree.ends());
        (splits, leaves, ends)
    }

    /// The error at rows that stand at `ends`, with everything into `gradient`: by splits, leaves, ends.
    fn evaluate(
        &self,
        rows: &RegressionRows<'static>,
        (splits, leaves, ends): (&[f64], &[f64], &[f64]),
        gradient: &mut [f64],
    ) -> Result<f64, Interrupted> {
        gradient.fill(0.0);
        let error = self.error(rows);
        let x = [&self.tree.kernel_splits(splits), leaves].concat();
        let mean = SumWeights {
            squares: 1.0 / rows.total_weight(),
            predictions: 0.0,
        };
        let loss = error.add_gradient(rows, &error.mixture(&x), mean, gradient)?;
        error.add_ridge(&x, &mut gradient[..x.len()]);
        self.tree.own_gradient(&mut gradient[..splits.len()]);
        let lengths = self.tree.add_lengths(ends, &mut gradient[x.len()..]);
        Ok(loss + error.ridge_value(&x) + lengths)
    }
}

impl Objective for MovingMixture<'_> {
    fn dim(&self) -> usize {
        let leaves = self.tree.topology.leaves() * (self.centers.len() + 1);
        self.tree.splits() + leaves + self.tree.ends()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let parts = self.parts(x);
        self.evaluate(&self.rows(parts.2), parts, gradient)
    }
}

/// The same with the best leaf models for every (a, μ, s): variable projection.
#[derive(Clone, Copy)]
pub(crate) struct ProjectedMovingMixture<'a>(pub MovingMixture<'a>);

impl Objective for ProjectedMovingMixture<'_> {
    fn dim(&self) -> usize {
        self.0.tree.splits() + self.0.tree.ends()
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let Self(whole) = self;
        let (splits, ends) = x.split_at(whole.tree.splits());
        let rows = whole.rows(ends);
        let kernel_splits = whole.tree.kernel_splits(splits);
        let leaves = whole.error(&rows).best_leaves(&kernel_splits)?;
        let mut all = vec![0.0; whole.dim()];
        let value = whole.evaluate(&rows, (splits, &leaves, ends), &mut all)?;
        let (by_splits, by_ends) = gradient.split_at_mut(splits.len());
        by_splits.copy_from_slice(&all[..splits.len()]);
        by_ends.copy_from_slice(&all[splits.len() + leaves.len()..]);
        Ok(value)
    }
}
