//! Squared errors of leaf models, weighted by the chance of being in the leaf.

use crate::data::{Pass, RegressionRows, Response, WeightedBlock};
use crate::stop::Interrupted;
use crate::tree::subtree::{RegressionParameters, Subtree, SubtreeScratch};
use crate::vectors::AlignedBuffer;

/// Σ_i w_i Σ_t P_it (ŷ_it − y_i)² of a whole tree: (7) of paper 2 without its penalties, before 1/W.
struct ExpectedError<'a> {
    tree: Subtree,
    response: &'a Response,
}

struct Scratch {
    tree: SubtreeScratch,
    errors: Vec<f64>,
    sum: f64,
}

impl Pass for ExpectedError<'_> {
    type Scratch = Scratch;
    type Sum = f64;

    fn begin(&self, stride: usize) -> Scratch {
        Scratch {
            tree: self.tree.scratch(stride),
            errors: vec![0.0; stride],
            sum: 0.0,
        }
    }

    fn see(&self, block: &WeightedBlock<'_>, scratch: &mut Scratch) {
        let response = self.response.of_block(block);
        let Scratch { tree, errors, sum } = scratch;
        self.tree
            .expected_errors(block.tile, response, tree, errors);
        let weighted = errors.iter().zip(block.weights).map(|(e, w)| e * w);
        *sum += weighted.sum::<f64>();
    }

    fn finish(&self, scratch: Scratch) -> f64 {
        scratch.sum
    }

    fn merge(&self, sum: &mut f64, later: f64) {
        *sum += later;
    }
}

impl RegressionRows<'_> {
    /// Mean expected squared error of the whole tree: (7) without its penalties.
    pub(crate) fn loss(&self, parameters: &RegressionParameters) -> Result<f64, Interrupted> {
        let sum = self.rows.sum(&ExpectedError {
            tree: Subtree::at(parameters, 0),
            response: &self.target,
        })?;
        Ok(sum / self.total_weight())
    }

    /// Σ_t P_it (ŷ_it − y_i)² (18) for the subtree below `node`, a value for each row.
    pub(crate) fn expected_errors(
        &self,
        parameters: &RegressionParameters,
        node: usize,
    ) -> Result<AlignedBuffer, Interrupted> {
        let subtree = Subtree::at(parameters, node);
        self.rows.fill_columns(
            1,
            |stride| subtree.scratch(stride),
            |scratch, block, out| {
                let response = self.target.of_block(block);
                subtree.expected_errors(block.tile, response, scratch, out);
            },
        )
    }

    /// w_i (ŷ_it − y_i)² of the leaves below `node` for every block, times `extra` if given.
    pub(crate) fn leaf_costs(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<AlignedBuffer, Interrupted> {
        let subtree = Subtree::at(parameters, node);
        self.rows.fill_columns(
            subtree.leaves(),
            |stride| subtree.scratch(stride),
            |scratch, block, out| {
                let response = self.target.of_block(block);
                out.copy_from_slice(subtree.squared_errors(block.tile, response, scratch));
                weigh(block, extra, out);
            },
        )
    }

    /// w_i times the expected errors below the two children of `node`, for every block: what a split of
    /// which nothing else moves chooses between.
    pub(crate) fn child_costs(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<AlignedBuffer, Interrupted> {
        let topology = &parameters.topology;
        let children =
            [topology.left(node), topology.right(node)].map(|child| Subtree::at(parameters, child));
        self.rows.fill_columns(
            2,
            |stride| children.each_ref().map(|child| child.scratch(stride)),
            |scratch, block, out| {
                let response = self.target.of_block(block);
                let columns = out.chunks_exact_mut(block.stride());
                for ((child, scratch), column) in children.iter().zip(scratch).zip(columns) {
                    child.expected_errors(block.tile, response, scratch, column);
                }
                weigh(block, extra, out);
            },
        )
    }
}

/// Columns of a block times the weights of its rows, and times a padded column.
fn weigh(block: &WeightedBlock<'_>, extra: Option<&[f64]>, columns: &mut [f64]) {
    let times = |column: &mut [f64], factors: &[f64]| {
        column.iter_mut().zip(factors).for_each(|(c, f)| *c *= f);
    };
    for column in columns.chunks_exact_mut(block.stride()) {
        times(column, block.weights);
        if let Some(extra) = extra {
            times(column, block.part_of(extra));
        }
    }
}
