//! Curves and what trees on their intervals are made of, whatever is predicted.

use super::interval_settings::IntervalSettings;
use crate::data::{FeatureMap, Parallelism, Rows, Scaling, ScalingKind};
use crate::error::InputError;
use crate::functional::{
    CurveLayout, DEVIATION, IntervalFeature, IntervalMeans, PackedCurves, SmoothedPredictor,
    features_of,
};
use crate::objective::MovingTree;
use crate::stop::{Stop, Stopped};
use crate::tree::{ParameterLayout, Topology};
use ndarray::Array2;
use std::sync::Arc;

/// From so many rows on rows run in parallel, and starts one after the other.
const MANY_ROWS: usize = 20_000;

/// The curves of training rows.
pub(super) struct CurveProblem<'a> {
    pub layout: &'a CurveLayout,
    pub curves: Arc<PackedCurves>,
    pub settings: &'a IntervalSettings,
}

impl<'a> CurveProblem<'a> {
    pub fn new(
        rows: &Rows<'_>,
        layout: &'a CurveLayout,
        weights: Option<&[f64]>,
        settings: &'a IntervalSettings,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let curves = PackedCurves::new(rows, layout, weights, settings.smoothing, stop)?;
        Ok(Self {
            layout,
            curves: Arc::new(curves),
            settings,
        })
    }

    /// The features of trees on so many intervals.
    fn features(&self, intervals: usize) -> Arc<[IntervalFeature]> {
        let predictors = self.layout.predictors.iter();
        features_of(predictors, &self.settings.derivatives, intervals).into()
    }

    /// The tree on so many intervals.
    pub fn tree(&self, depth: usize, gamma: f64, intervals: usize) -> MovingTree {
        MovingTree {
            topology: Topology::complete(depth),
            features: self.features(intervals),
            series: self.features(1).len(),
            intervals,
            gamma,
            length_penalty: self.settings.length_penalty,
        }
    }

    /// Rows in parallel when there are many or only one start, else the starts.
    pub fn parallelism(&self, n_starts: usize) -> Parallelism {
        match n_starts == 1 || self.curves.len() >= MANY_ROWS {
            true => Parallelism::Rows,
            false => Parallelism::None,
        }
    }

    /// The intervals between these ends.
    pub fn intervals(&self, ends: &[f64]) -> IntervalMeans {
        let predictors = self.layout.predictors.iter().zip(&self.curves.predictors);
        let smoothed = predictors.map(|(predictor, packed)| SmoothedPredictor {
            predictor: predictor.clone(),
            smoothing: packed.smoothing,
        });
        IntervalMeans {
            predictors: smoothed.collect(),
            orders: self.settings.derivatives.clone(),
            ends: ends.to_vec(),
        }
    }

    /// Two deviations of its series to each side of the mean curve's are mapped to [0, 1] for each feature;
    /// typical values are those of the means. Learned even when stopped, for a tree was found.
    pub fn scaling(
        &self,
        intervals: &IntervalMeans,
        means: &Array2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<Scaling, InputError> {
        let learned = Scaling::learn(ScalingKind::MinMax, means.view().into(), weights);
        let center = Array2::from_shape_vec(
            (1, self.curves.mean_row.len()),
            self.curves.mean_row.clone(),
        )
        .expect("one row");
        let centers = intervals.of(center.view())?;
        let features = intervals.features();
        let map = |(feature, center): (&IntervalFeature, &f64)| self.map(feature, *center);
        Ok(Scaling {
            features: features.iter().zip(&centers).map(map).collect(),
            ..learned
        })
    }

    fn map(&self, feature: &IntervalFeature, center: f64) -> FeatureMap {
        let packed = &self.curves.predictors[feature.predictor];
        let order = feature.mean.map_or(0, |(order, _)| order);
        let (first, last) = (self.layout.predictors[feature.predictor])
            .domain()
            .unwrap_or((0.0, 1.0));
        let own_unit = packed.unit / (last - first).powi(order as i32);
        let half = 0.5 / DEVIATION * packed.deviations[order] * own_unit;
        let (min, max) = (center - half, center + half);
        let usable = packed.deviations[order] > 0.0 && max * 0.5 - min * 0.5 >= f64::MIN_POSITIVE;
        match usable && min.is_finite() && max.is_finite() {
            true => FeatureMap::Linear { min, max },
            false => FeatureMap::Constant,
        }
    }
}

/// (a, μ) of the kernel on features that are 0 at the mean, for the same features on [0, 1], which are ½ there
/// unless they are constant.
pub(super) fn on_unit_features(tree: &MovingTree, splits: &[f64], scaling: &Scaling) -> Vec<f64> {
    let mut theta = tree.kernel_splits(splits);
    let q = tree.features.len();
    let layout = ParameterLayout::new(&tree.topology, q);
    for t in 0..tree.topology.branches() {
        let slopes = &theta[layout.coefficients(t)];
        let shift = shift(slopes, scaling) / q as f64;
        theta[layout.intercept(t)] = (theta[layout.intercept(t)] + shift).clamp(-1.0, 1.0);
    }
    theta
}

/// What a linear function of the features gains where they move from 0 to ½.
pub(super) fn shift(slopes: &[f64], scaling: &Scaling) -> f64 {
    let moved = slopes.iter().zip(&scaling.features);
    let moved = moved.filter(|(_, map)| **map != FeatureMap::Constant);
    0.5 * moved.map(|(slope, _)| slope).sum::<f64>()
}
