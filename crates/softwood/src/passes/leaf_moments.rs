//! Weighted second moments of features and response: all that exact regressions need of the rows.

use crate::data::{Pass, RegressionRows, Response, WeightedBlock, add_to};
use crate::stop::Interrupted;
use crate::tree::moments::MomentColumns;
use crate::tree::subtree::{RegressionParameters, Subtree, SubtreeScratch};

impl RegressionRows<'_> {
    /// Σ_i w_i P_it c_i c_iᵀ of every leaf below `node`, c_i = (u_i, y_i, 1), P_it that of the subtree
    /// alone; `extra` are further factors of the rows, a padded column.
    pub(crate) fn leaf_moments(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<Vec<Vec<f64>>, Interrupted> {
        self.rows.sum(&LeafMoments {
            subtree: Subtree::at(parameters, node),
            features: self.features(),
            response: &self.target,
            extra,
        })
    }
}

struct LeafMoments<'a> {
    subtree: Subtree,
    features: usize,
    response: &'a Response,
    extra: Option<&'a [f64]>,
}

struct LeafScratch {
    tree: SubtreeScratch,
    columns: MomentColumns,
    weights: Vec<f64>,
    moments: Vec<Vec<f64>>,
}

impl Pass for LeafMoments<'_> {
    type Scratch = LeafScratch;
    type Sum = Vec<Vec<f64>>;

    fn begin(&self, stride: usize) -> LeafScratch {
        let m = self.features + 2;
        LeafScratch {
            tree: self.subtree.scratch(stride),
            columns: MomentColumns::new(self.features, stride),
            weights: vec![0.0; stride],
            moments: vec![vec![0.0; m * m]; self.subtree.leaves()],
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut LeafScratch) {
        let LeafScratch {
            tree,
            columns,
            weights,
            moments,
        } = scratch;
        columns.set_block(block.tile.columns(), self.response.of_block(block));
        let probabilities = self.subtree.probabilities(block.tile, tree);
        for (leaf, moments) in probabilities.chunks_exact(block.stride()).zip(moments) {
            for ((weight, w), p) in weights.iter_mut().zip(block.weights).zip(leaf) {
                *weight = w * p;
            }
            if let Some(extra) = self.extra {
                let extra = block.part_of(extra);
                weights.iter_mut().zip(extra).for_each(|(w, e)| *w *= e);
            }
            columns.add_moments(weights, moments);
        }
    }

    fn finish(&self, scratch: LeafScratch) -> Self::Sum {
        scratch.moments
    }

    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum) {
        sum.iter_mut().zip(&later).for_each(|(a, b)| add_to(a, b));
    }
}

/// Σ_i w_i c_i c_iᵀ, c_i = (columns made of u_i, y_i, 1), of all rows.
pub(crate) struct ColumnMoments<'a, F> {
    /// Number of columns made.
    pub count: usize,
    pub response: &'a Response,
    /// Writes the columns of a block, count × stride.
    pub fill: F,
}

impl<F: Fn(&WeightedBlock<'_>, &mut [f64]) + Sync> Pass for ColumnMoments<'_, F> {
    type Scratch = (MomentColumns, Vec<f64>);
    type Sum = Vec<f64>;

    fn begin(&self, stride: usize) -> Self::Scratch {
        let m = self.count + 2;
        (MomentColumns::new(self.count, stride), vec![0.0; m * m])
    }

    fn see(&self, block: &WeightedBlock<'_>, (columns, moments): &mut Self::Scratch) {
        let response = self.response.of_block(block);
        columns.fill_block(response, |out| (self.fill)(block, out));
        columns.add_moments(block.weights, moments);
    }

    fn finish(&self, (_, moments): Self::Scratch) -> Vec<f64> {
        moments
    }

    fn merge(&self, sum: &mut Vec<f64>, later: Vec<f64>) {
        add_to(sum, &later);
    }
}
