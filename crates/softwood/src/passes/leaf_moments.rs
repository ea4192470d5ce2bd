//! Weighted second moments of features and response: all that exact regressions need of the rows.

use crate::data::{Pass, RegressionRows, Response, WeightedBlock};
use crate::stop::Interrupted;
use crate::tree::moments::MomentColumns;
use crate::tree::second_moments::SecondMoments;
use crate::tree::subtree::{RegressionParameters, Subtree, SubtreeScratch};

impl RegressionRows<'_> {
    /// Σ_i w_i P_it c_i c_iᵀ of every leaf below `node`, c_i = (u_i, y_i, 1), P_it that of the subtree
    /// alone; `extra` are further factors of the rows, a padded column.
    pub(crate) fn leaf_moments(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<Vec<SecondMoments>, Interrupted> {
        self.rows.sum(&LeafMoments {
            rows: self.len(),
            subtree: Subtree::at(parameters, node),
            features: self.features(),
            response: &self.target,
            extra,
        })
    }
}

struct LeafMoments<'a> {
    /// N.
    rows: usize,
    subtree: Subtree,
    features: usize,
    response: &'a Response,
    extra: Option<&'a [f64]>,
}

struct LeafScratch {
    tree: SubtreeScratch,
    columns: MomentColumns,
    weights: Vec<f64>,
    moments: Vec<SecondMoments>,
}

impl Pass for LeafMoments<'_> {
    type Scratch = LeafScratch;
    type Sum = Vec<SecondMoments>;

    fn begin(&self, stride: usize) -> LeafScratch {
        LeafScratch {
            tree: self.subtree.scratch(stride),
            columns: MomentColumns::new(self.features, stride),
            weights: vec![0.0; stride],
            moments: vec![SecondMoments::begin(self.features, self.rows); self.subtree.leaves()],
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
            moments.add(columns, weights);
        }
    }

    fn finish(&self, scratch: LeafScratch) -> Self::Sum {
        scratch.moments
    }

    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum) {
        sum.iter_mut().zip(later).for_each(|(a, b)| a.merge(b));
    }
}

/// Σ_i w_i c_i c_iᵀ, c_i = (columns made of u_i, y_i, 1), of all rows.
pub(crate) struct ColumnMoments<'a, F> {
    /// N.
    pub rows: usize,
    /// Number of columns made.
    pub count: usize,
    pub response: &'a Response,
    /// Writes the columns of a block, count × stride.
    pub fill: F,
}

impl<F: Fn(&WeightedBlock<'_>, &mut [f64]) + Sync> Pass for ColumnMoments<'_, F> {
    type Scratch = (MomentColumns, SecondMoments);
    type Sum = SecondMoments;

    fn begin(&self, stride: usize) -> Self::Scratch {
        let columns = MomentColumns::new(self.count, stride);
        (columns, SecondMoments::begin(self.count, self.rows))
    }

    fn see(&self, block: &WeightedBlock<'_>, (columns, moments): &mut Self::Scratch) {
        let response = self.response.of_block(block);
        columns.fill_block(response, |out| (self.fill)(block, out));
        moments.add(columns, block.weights);
    }

    fn finish(&self, (_, moments): Self::Scratch) -> SecondMoments {
        moments
    }

    fn merge(&self, sum: &mut SecondMoments, later: SecondMoments) {
        sum.merge(later);
    }
}
