//! A scaling made ready to be applied value by value.

use super::pack::LinearMap;
use super::{FeatureMap, Scaling};

/// The maps of all features; linear ones need no division.
#[derive(Clone)]
pub(super) struct ValueMaps<'a> {
    scaling: &'a Scaling,
    /// The whole map if it is linear, else the identity.
    pub linear: Vec<LinearMap>,
}

impl<'a> ValueMaps<'a> {
    pub fn new(scaling: &'a Scaling) -> Self {
        let linear = scaling.features.iter().map(FeatureMap::linear_part);
        Self {
            scaling,
            linear: linear.collect(),
        }
    }

    /// Image of value `x` of feature `j`.
    #[inline]
    pub fn apply(&self, j: usize, x: f64) -> f64 {
        match &self.scaling.features[j] {
            map @ FeatureMap::Knots { .. } => map.apply(x),
            _ => self.linear[j].apply(x),
        }
    }

    /// Maps columns (p × stride) from which the linear part was taken already.
    pub fn apply_knots(&self, columns: &mut [f64], stride: usize) {
        let features = self.scaling.features.iter();
        for (column, map) in columns.chunks_exact_mut(stride).zip(features) {
            if let FeatureMap::Knots { .. } = map {
                map.apply_to(column);
            }
        }
    }

    /// Images of 0.
    pub fn of_zeros(&self) -> Vec<f64> {
        (0..self.linear.len()).map(|j| self.apply(j, 0.0)).collect()
    }
}
