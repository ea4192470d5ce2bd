//! What fits of randomized regression trees to the same rows share: scaled rows, the standardized response.

use super::leaf_weights::leaf_weights;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::OrrtOutcome;
use super::response_fold::ResponseData;
use crate::data::{RegressionRows, RowSource, ScaledRows, Scaling, ScalingKind, Standardization};
use crate::fitted::{OrrtModel, SoftTree};
use crate::search::starts::parallelism;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use std::time::Instant;

/// Rows with what was learned of them.
pub(super) struct OrrtProblem<'a> {
    pub data: ResponseData<'a>,
    pub scaling: Scaling,
    pub response: Standardization,
}

impl<'a> OrrtProblem<'a> {
    /// Learns maps of the features and of the response.
    pub fn learn(
        data: ResponseData<'a>,
        kind: ScalingKind,
        stop: &Stop,
    ) -> Result<Self, Interrupted> {
        let (rows, weights) = (data.rows.reborrow(), data.weights);
        let patient = stop.without_deadline();
        Ok(Self {
            scaling: Scaling::learn_unless_stopped(kind, rows, weights, &patient)?,
            response: Standardization::learn(data.y, weights),
            data,
        })
    }

    /// The scaled rows with their standardized response, for so many starts.
    pub fn training(&self, n_starts: usize, stop: &Stop) -> RegressionRows<'_> {
        let standardized: Vec<f64> = self
            .data
            .y
            .iter()
            .map(|y| self.response.apply(*y))
            .collect();
        let scaled = ScaledRows::new(self.data.rows.reborrow(), &self.scaling);
        let spread = parallelism(scaled.chunks(), n_starts);
        RegressionRows::new(
            scaled,
            &standardized,
            self.data.weights,
            spread,
            stop.clone(),
        )
    }

    /// The model of the best start; without bounds and notices.
    pub fn model(&self, found: &OrrtOutcome, settings: &OrrtSettings, began: Instant) -> OrrtModel {
        let (at, rows) = (&found.parameters, &self.data.rows);
        let topology = Topology::complete(settings.depth);
        let mut model = OrrtModel {
            tree: SoftTree::of(
                &topology,
                settings.steepness(),
                &at.theta,
                &self.scaling,
                settings.run.columns(),
            ),
            leaf_slopes: at.leaf_slopes.clone(),
            leaf_intercepts: at.leaf_intercepts.clone(),
            response: self.response,
            ridge_leaves: found.ridge.apart.clone(),
            ridge_mean: found.ridge.mean.clone(),
            leaf_weights: Vec::new(),
            report: found.all.report(rows.len(), began),
        };
        model.leaf_weights = leaf_weights(&model.tree, rows, self.data.weights);
        let unit = self.response.scale * self.response.scale;
        model.report.loss_unit = Some(unit).filter(|unit| unit.is_finite());
        model
    }
}
