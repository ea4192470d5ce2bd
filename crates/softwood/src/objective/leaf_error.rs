//! The SRT objective (7) of paper 2: every leaf's squared error, weighted by the chance of being there.

use super::Objective;
use crate::data::ScaledRows;
use crate::data::aligned::AlignedBuffer;
use crate::data::blocks::{BLOCKS_PER_CHUNK, Tile};
use crate::stop::{Stop, Stopped};
use crate::tree::block_pass::{self, BlockScratch, SplitGradient};
use crate::tree::moments::MomentColumns;
use crate::tree::parallel_pass::{Parallelism, add_to, sum_over_chunks, sum_values_and_gradients};
use crate::tree::splits::Splits;
use crate::tree::subtree::{RegressionParameters, Subtree};
use crate::tree::{ParameterLayout, Topology};
use rayon::prelude::*;
use std::iter::repeat;
use std::ops::Range;
use std::sync::Arc;

/// Rows with their response and weights, and how to pass over them.
#[derive(Clone)]
pub struct RegressionRows<'a> {
    /// Scaled features.
    pub(crate) rows: Arc<ScaledRows<'a>>,
    /// Response of each row, padded with 0 to whole blocks.
    response: Arc<AlignedBuffer>,
    /// Weight of each row, 0 for padding.
    weights: Arc<AlignedBuffer>,
    /// Σ_i w_i.
    total_weight: f64,
    /// Rows in parallel or not.
    pub(crate) parallelism: Parallelism,
    /// Polled at every block.
    pub(crate) stop: Stop,
}

impl<'a> RegressionRows<'a> {
    /// Rows, a response for each, and weights unless all are 1.
    pub fn new(
        rows: ScaledRows<'a>,
        response: &[f64],
        weights: Option<&[f64]>,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        let padded = rows.blocks() * rows.stride();
        let mut y = AlignedBuffer::zeros(padded);
        y[..response.len()].copy_from_slice(response);
        let mut w = AlignedBuffer::zeros(padded);
        match weights {
            Some(weights) => w[..weights.len()].copy_from_slice(weights),
            None => w[..response.len()].fill(1.0),
        }
        let total_weight = w.iter().sum();
        Self {
            rows: Arc::new(rows),
            response: Arc::new(y),
            weights: Arc::new(w),
            total_weight,
            parallelism,
            stop,
        }
    }

    /// Some of the rows, by their positions.
    pub(crate) fn select(&self, selected: &[u32]) -> Self {
        let gather =
            |values: &[f64]| -> Vec<f64> { selected.iter().map(|i| values[*i as usize]).collect() };
        Self::new(
            self.rows.select(selected),
            &gather(&self.response),
            Some(&gather(&self.weights)),
            self.parallelism,
            self.stop.clone(),
        )
    }

    /// The same rows with another response.
    pub(crate) fn with_response(&self, response: &[f64]) -> Self {
        let mut padded = AlignedBuffer::zeros(self.response.len());
        padded[..response.len()].copy_from_slice(response);
        Self {
            response: Arc::new(padded),
            ..self.clone()
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// p.
    pub(crate) fn features(&self) -> usize {
        self.rows.features()
    }

    /// w_i.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights[..self.len()]
    }

    /// Σ_i w_i.
    pub(crate) fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// The same rows, to be passed over whatever the time limit says.
    pub(crate) fn without_deadline(&self) -> Self {
        self.with_stop(&self.stop.without_deadline())
    }

    /// The same rows, polling another stop.
    pub(crate) fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self.clone()
        }
    }

    /// Padded stretch of a per-row column that belongs to the block of `rows`.
    fn stretch(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start..rows.start + self.rows.stride()
    }

    /// Weights of the rows of a block, padding included.
    pub(crate) fn block_weights(&self, rows: &Range<usize>) -> &[f64] {
        &self.weights[self.stretch(rows)]
    }

    /// Response of the rows of a block, padding included.
    pub(crate) fn block_response(&self, rows: &Range<usize>) -> &[f64] {
        &self.response[self.stretch(rows)]
    }

    /// Lets `fill(tile, response, out)` write `width` columns of a stride for every block.
    pub(crate) fn fill_columns<S>(
        &self,
        width: usize,
        scratch: impl Fn() -> S + Sync,
        fill: impl Fn(&mut S, Tile<'_>, &[f64], &mut [f64]) + Sync,
    ) -> Result<AlignedBuffer, Stopped> {
        let stride = self.rows.stride();
        let mut out = AlignedBuffer::zeros(self.rows.blocks() * width * stride);
        let fill_chunk = |(c, out): (usize, &mut [f64])| {
            let mut scratch = scratch();
            let mut blocks = out.chunks_exact_mut(width * stride);
            self.rows.visit_chunk(c, &self.stop, |block| {
                let out = blocks.next().expect("as many stretches as blocks");
                let response = self.block_response(&block.rows);
                fill(&mut scratch, block.tile, response, out);
            })
        };
        let chunk = BLOCKS_PER_CHUNK * width * stride;
        match self.parallelism {
            Parallelism::Rows => out
                .par_chunks_mut(chunk)
                .enumerate()
                .try_for_each(fill_chunk)?,
            Parallelism::None => out.chunks_mut(chunk).enumerate().try_for_each(fill_chunk)?,
        }
        Ok(out)
    }

    /// (18) for the subtree below `node`, a value for each row.
    pub(crate) fn expected_errors(
        &self,
        parameters: &RegressionParameters,
        node: usize,
    ) -> Result<AlignedBuffer, Stopped> {
        let subtree = Subtree::at(parameters, node);
        let stride = self.rows.stride();
        self.fill_columns(
            1,
            || subtree.scratch(stride),
            |scratch, tile, response, out| subtree.expected_errors(tile, response, scratch, out),
        )
    }

    /// Mean expected squared error of the whole tree: (7) without its penalties.
    pub(crate) fn loss(&self, parameters: &RegressionParameters) -> Result<f64, Stopped> {
        let subtree = Subtree::at(parameters, 0);
        let stride = self.rows.stride();
        let chunk = |c| {
            let mut scratch = subtree.scratch(stride);
            let mut column = vec![0.0; stride];
            let mut sum = 0.0;
            self.rows.visit_chunk(c, &self.stop, |block| {
                let response = self.block_response(&block.rows);
                subtree.expected_errors(block.tile, response, &mut scratch, &mut column);
                let weights = self.block_weights(&block.rows);
                sum += column.iter().zip(weights).map(|(e, w)| e * w).sum::<f64>();
            })?;
            Ok(sum)
        };
        let sum = sum_over_chunks(&self.rows, self.parallelism, &chunk, &|a, b| *a += b)?;
        Ok(sum / self.total_weight)
    }

    /// Σ_i w_i P_it c_i c_iᵀ of every leaf below `node`, c_i = (u_i, y_i, 1), P_it that of the
    /// subtree alone; `extra` are further factors of the rows, one each.
    pub(crate) fn leaf_moments(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<Vec<Vec<f64>>, Stopped> {
        let subtree = Subtree::at(parameters, node);
        let (stride, m) = (self.rows.stride(), self.features() + 2);
        let chunk = |c| {
            let mut scratch = subtree.scratch(stride);
            let mut columns = MomentColumns::new(self.features(), stride);
            let mut weights = vec![0.0; stride];
            let mut moments = vec![vec![0.0; m * m]; subtree.leaves()];
            self.rows.visit_chunk(c, &self.stop, |block| {
                columns.set_block(block.tile.values, self.block_response(&block.rows));
                let rows = self.block_weights(&block.rows);
                let probabilities = subtree.probabilities(block.tile, &mut scratch);
                for (leaf, moments) in probabilities.chunks_exact(stride).zip(&mut moments) {
                    for ((weight, w), p) in weights.iter_mut().zip(rows).zip(leaf) {
                        *weight = w * p;
                    }
                    if let Some(extra) = extra {
                        let extra = &extra[self.stretch(&block.rows)];
                        weights.iter_mut().zip(extra).for_each(|(w, e)| *w *= e);
                    }
                    columns.add_moments(&weights, moments);
                }
            })?;
            Ok(moments)
        };
        let merge = |a: &mut Vec<Vec<f64>>, b: Vec<Vec<f64>>| {
            a.iter_mut().zip(&b).for_each(|(a, b)| add_to(a, b));
        };
        sum_over_chunks(&self.rows, self.parallelism, &chunk, &merge)
    }

    /// The node reached by always taking the likelier branch from `node` down to the leaves of its
    /// subtree (HBP path), for each row, as a leaf of the whole tree.
    pub(crate) fn likeliest_leaves(
        &self,
        parameters: &RegressionParameters,
        node: usize,
    ) -> Result<Vec<u32>, Stopped> {
        let topology = parameters.topology;
        let height = topology.depth() - topology.level(node);
        let first = topology.leaves_below(node).start;
        let inner = Topology::complete(height);
        let subtree = Subtree::at(parameters, node);
        let stride = self.rows.stride();
        let columns = self.fill_columns(
            1,
            || subtree.scratch(stride),
            |scratch, tile, _, out| {
                let z = subtree.split_values(tile, scratch);
                for (i, out) in out.iter_mut().enumerate() {
                    let mut at = 0;
                    for _ in 0..height {
                        at = if z[at * stride + i] >= 0.0 {
                            inner.left(at)
                        } else {
                            inner.right(at)
                        };
                    }
                    *out = (first + at - inner.branches()) as f64;
                }
            },
        )?;
        Ok(columns[..self.len()]
            .iter()
            .map(|leaf| *leaf as u32)
            .collect())
    }

    /// w_i (ŷ_it − y_i)² of the leaves below `node` for every block, times `extra` if given.
    pub(crate) fn leaf_costs(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<AlignedBuffer, Stopped> {
        let subtree = Subtree::at(parameters, node);
        let stride = self.rows.stride();
        let mut costs = self.fill_columns(
            subtree.leaves(),
            || subtree.scratch(stride),
            |scratch, tile, response, out| {
                out.copy_from_slice(subtree.squared_errors(tile, response, scratch));
            },
        )?;
        self.weigh(&mut costs, subtree.leaves(), extra);
        Ok(costs)
    }

    /// w_i times the expected errors below the two children of `node`, for every block: what a
    /// split of which nothing else moves chooses between.
    pub(crate) fn child_costs(
        &self,
        parameters: &RegressionParameters,
        node: usize,
        extra: Option<&[f64]>,
    ) -> Result<AlignedBuffer, Stopped> {
        let topology = parameters.topology;
        let children =
            [topology.left(node), topology.right(node)].map(|child| Subtree::at(parameters, child));
        let stride = self.rows.stride();
        let mut costs = self.fill_columns(
            2,
            || children.each_ref().map(|child| child.scratch(stride)),
            |scratch, tile, response, out| {
                let columns = out.chunks_exact_mut(stride);
                for ((child, scratch), column) in children.iter().zip(scratch).zip(columns) {
                    child.expected_errors(tile, response, scratch, column);
                }
            },
        )?;
        self.weigh(&mut costs, 2, extra);
        Ok(costs)
    }

    fn weigh(&self, costs: &mut [f64], width: usize, extra: Option<&[f64]>) {
        let stride = self.rows.stride();
        let weigh = |(b, block): (usize, &mut [f64])| {
            let rows = b * stride..(b + 1) * stride;
            for column in block.chunks_exact_mut(stride) {
                column
                    .iter_mut()
                    .zip(&self.weights[rows.clone()])
                    .for_each(|(c, w)| *c *= w);
                if let Some(extra) = extra {
                    column
                        .iter_mut()
                        .zip(&extra[rows.clone()])
                        .for_each(|(c, e)| *c *= e);
                }
            }
        };
        costs
            .chunks_exact_mut(width * stride)
            .enumerate()
            .for_each(weigh);
    }

    /// Probability of reaching `node` from the root, for each row, padding included.
    pub(crate) fn reach(
        &self,
        parameters: &RegressionParameters,
        node: usize,
    ) -> Result<AlignedBuffer, Stopped> {
        let splits = Splits::new(
            parameters.topology,
            parameters.features,
            &parameters.theta,
            1.0,
        );
        self.fill_columns(
            1,
            || BlockScratch::new(parameters.topology, self.rows.stride()),
            |scratch, tile, _, out| {
                block_pass::leaf_probabilities(&splits, tile, scratch);
                out.copy_from_slice(scratch.reach(node));
            },
        )
    }
}

/// scale · (Σ_i Σ_t P_it cost_it + Σ_j (λ_j/2) Σ_t θ_tj²) as a function of θ = (a, μ), for costs that
/// depend on row and leaf: the branch-node problems of paper 2.
pub(crate) struct RowCosts<'a, 'd> {
    pub data: &'a RegressionRows<'d>,
    pub topology: Topology,
    /// Blocks of L × stride, as [`RegressionRows::leaf_costs`] makes them; not yet divided by Σ w.
    pub costs: &'a [f64],
    /// Σ w of all training rows.
    pub total_weight: f64,
    /// λ_ω of each feature, then of the intercepts.
    pub ridge: Arc<[f64]>,
    /// Factor that brings the objective to the order of 1.
    pub scale: f64,
}

impl Objective for RowCosts<'_, '_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(self.topology, self.data.features()).dim()
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped> {
        let (rows, p) = (&self.data.rows, self.data.features());
        let splits = Splits::new(self.topology, p, theta, 1.0);
        let width = self.topology.leaves() * rows.stride();
        let chunk = |c| {
            let mut scratch = BlockScratch::new(self.topology, rows.stride());
            let mut sum = SplitGradient::zero(self.topology, p);
            let first = c * BLOCKS_PER_CHUNK * width;
            let mut costs = self.costs[first..].chunks_exact(width);
            rows.visit_chunk(c, &self.data.stop, |block| {
                block_pass::node_probabilities(&splits, block.tile, &mut scratch);
                let costs = costs.next().expect("costs for every block");
                scratch.leaf_costs.copy_from_slice(costs);
                block_pass::add_gradient(&splits, block.tile, &mut scratch, &mut sum);
            })?;
            Ok(sum.sum_lanes())
        };
        let (parallelism, topology) = (self.data.parallelism, self.topology);
        let value = sum_values_and_gradients(rows, parallelism, topology, 1.0, &chunk, gradient)?;
        let data_scale = self.scale / self.total_weight;
        let slopes = self.ridge[..p].iter().cycle();
        let ridges = slopes.take(topology.branches() * p);
        let mut squares = 0.0;
        for ((g, theta), ridge) in gradient
            .iter_mut()
            .zip(theta)
            .zip(ridges.chain(repeat(&self.ridge[p])))
        {
            let ridge = self.scale * ridge;
            *g = *g * data_scale + ridge * theta;
            squares += ridge * theta * theta;
        }
        Ok(value * data_scale + 0.5 * squares)
    }
}

/// (7) as a function of all parameters, laid out as (θ, leaf slopes L × p, leaf intercepts).
pub struct SoftRegressionError<'a, 'd> {
    /// Rows and response.
    pub data: &'a RegressionRows<'d>,
    /// Shape of the tree.
    pub topology: Topology,
    /// λ_ω of each feature, then of the intercepts.
    pub ridge_branches: &'a [f64],
    /// λ_β of each feature, then of the intercepts.
    pub ridge_leaves: &'a [f64],
}

impl SoftRegressionError<'_, '_> {
    /// Parameters as one vector.
    pub fn flatten(parameters: &RegressionParameters) -> Vec<f64> {
        [
            parameters.theta.as_slice(),
            &parameters.leaf_slopes,
            &parameters.leaf_intercepts,
        ]
        .concat()
    }

    fn parameters(&self, x: &[f64]) -> RegressionParameters {
        let mut parameters = RegressionParameters::zero(self.topology, self.data.features());
        let (theta, leaves) = x.split_at(parameters.theta.len());
        let (slopes, intercepts) = leaves.split_at(parameters.leaf_slopes.len());
        parameters.theta.copy_from_slice(theta);
        parameters.leaf_slopes.copy_from_slice(slopes);
        parameters.leaf_intercepts.copy_from_slice(intercepts);
        parameters
    }
}

impl Objective for SoftRegressionError<'_, '_> {
    fn dim(&self) -> usize {
        let p = self.data.features();
        (p + 1) * (self.topology.branches() + self.topology.leaves())
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Stopped> {
        let parameters = self.parameters(x);
        let (data, p) = (self.data, self.data.features());
        let costs = data.leaf_costs(&parameters, 0, None)?;
        let branches = RowCosts {
            data,
            topology: self.topology,
            costs: &costs,
            total_weight: data.total_weight(),
            ridge: self.ridge_branches.into(),
            scale: 1.0,
        };
        let dim = branches.dim();
        let value = branches.value_and_gradient(&parameters.theta, &mut gradient[..dim])?;
        // ∂/∂β_t = (2/W) (G_t β_t − g_t) + λ_β β_t, G_t and g_t being moments.
        let leaves = self.topology.leaves();
        let m = p + 2;
        let (slopes, intercepts) = gradient[dim..].split_at_mut(leaves * p);
        for (t, moments) in data.leaf_moments(&parameters, 0, None)?.iter().enumerate() {
            let moment = |j: usize, k: usize| moments[j.min(k) * m + j.max(k)];
            let beta = &parameters.leaf_slopes[t * p..][..p];
            let intercept = parameters.leaf_intercepts[t];
            let residual = |j: usize| {
                let sum: f64 = beta.iter().enumerate().map(|(k, b)| b * moment(j, k)).sum();
                2.0 * (sum + intercept * moment(j, p + 1) - moment(j, p)) / data.total_weight()
            };
            for (j, g) in slopes[t * p..][..p].iter_mut().enumerate() {
                *g = residual(j) + self.ridge_leaves[j] * beta[j];
            }
            intercepts[t] = residual(p + 1) + self.ridge_leaves[p] * intercept;
        }
        Ok(value + parameters.leaf_penalty(self.ridge_leaves))
    }
}
