//! A curve: what is added to the leaf models of all rows for the value of one feature.

use super::SrtModel;
use super::rule::short;
use crate::data::FeatureMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Σ_k bend_k · max(u − knot_k, 0) of a scaled feature u: 0 up to the first knot, straight between
/// the knots and beyond the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Increasing values of the scaled feature.
    pub knots: Vec<f64>,
    /// By how much the slope rises at each, for the standardized response.
    pub bends: Vec<f64>,
}

impl Curve {
    /// Its value at `u`.
    pub fn value(&self, u: f64) -> f64 {
        let mut value = [0.0];
        self.add_to(&[u], &mut value);
        value[0]
    }

    /// Its slope at `u`, at a knot that to the right.
    pub fn slope(&self, u: f64) -> f64 {
        let passed = self.knots.partition_point(|knot| *knot <= u);
        self.bends[..passed].iter().sum()
    }

    /// The largest of its absolute values on [0, 1].
    pub(crate) fn height(&self) -> f64 {
        let ends = self.knots.iter().copied().chain([1.0]);
        ends.map(|u| self.value(u).abs()).fold(0.0, f64::max)
    }

    /// Adds its values at a column of a feature.
    pub(crate) fn add_to(&self, column: &[f64], out: &mut [f64]) {
        for (knot, bend) in self.knots.iter().zip(&self.bends) {
            for (out, u) in out.iter_mut().zip(column) {
                *out += bend * (u - knot).max(0.0);
            }
        }
    }

    /// Complains about a curve no training could have produced.
    pub(super) fn validate(&self) -> Result<(), String> {
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        if self.knots.len() == self.bends.len()
            && finite(&self.knots)
            && finite(&self.bends)
            && self.knots.is_sorted_by(|a, b| a < b)
        {
            Ok(())
        } else {
            Err("a curve needs increasing knots and a finite bend for each".into())
        }
    }
}

/// The effect of a feature that all leaves share, in the user's own units: straight between these
/// points, and 0 at the feature's typical value.
///
/// It prints as `age: -0.5 at 18, 1.25 at 40, -3 at 71`. Beyond its ends it goes on straight if features
/// are scaled linearly, and stays what it is if by their quantiles.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoints {
    /// The feature.
    pub feature: usize,
    /// Its name.
    pub name: String,
    /// Increasing values of the feature, from the smallest to the largest seen in training.
    pub values: Vec<f64>,
    /// What the feature adds to the predictions of all leaves at each, the mean over the leaves of
    /// their slopes along it included.
    pub effects: Vec<f64>,
}

impl SrtModel {
    /// What all leaves share of the features that have a curve, those of the widest range of effects
    /// first. A row's prediction is the [`leaf_model`](Self::leaf_model) of its leaf plus these.
    pub fn curve_points(&self) -> Vec<CurvePoints> {
        let points = |shared: SharedEffect<'_>| {
            let feature = shared.feature;
            let map = &self.tree.scaling.features[feature];
            let values = corners(shared.curve, map);
            let effect = |x: &f64| self.response.scale * shared.at(map.apply(*x));
            CurvePoints {
                feature,
                name: self.tree.feature_names[feature].clone(),
                effects: values.iter().map(effect).collect(),
                values,
            }
        };
        let mut curves: Vec<CurvePoints> = self.shared_effects().map(points).collect();
        curves.sort_by(|a, b| b.range().total_cmp(&a.range()));
        curves
    }

    /// The shared effects of the features that have a curve.
    pub(super) fn shared_effects(&self) -> impl Iterator<Item = SharedEffect<'_>> {
        let typical = self.tree.scaling.typical_row();
        let curves = self.curves.iter().zip(typical).enumerate();
        let bent = curves.filter(|(_, (curve, _))| !curve.knots.is_empty());
        bent.map(|(feature, (curve, typical))| {
            let slope = self.mean_slope(feature);
            SharedEffect {
                feature,
                curve,
                slope,
                at_typical: curve.value(typical) + slope * typical,
            }
        })
    }

    /// Mean slope of the leaves along a scaled feature; that of all if they agree, to the bit.
    fn mean_slope(&self, feature: usize) -> f64 {
        let slopes = self.leaf_slopes[feature..].iter();
        let slopes = slopes.step_by(self.tree.features());
        let first = self.leaf_slopes[feature];
        let beyond: f64 = slopes.map(|b| b - first).sum();
        first + beyond / self.leaf_intercepts.len() as f64
    }
}

/// A curve with the linear trend that leaves share, less its value where the feature is typical; of the
/// standardized response.
///
/// β_lj u + s_j(u) = (β_lj − β̄_j) u + (β̄_j u + s_j(u)), β̄_j being the mean of the leaves: neither
/// the trend nor the curve alone has a sign to be read, their sum has.
pub(super) struct SharedEffect<'a> {
    /// j.
    pub feature: usize,
    /// s_j.
    pub curve: &'a Curve,
    /// β̄_j.
    pub slope: f64,
    /// β̄_j u + s_j(u) at the typical value.
    pub at_typical: f64,
}

impl SharedEffect<'_> {
    fn at(&self, u: f64) -> f64 {
        self.curve.value(u) + self.slope * u - self.at_typical
    }
}

impl CurvePoints {
    /// Difference of the largest and the smallest effect.
    fn range(&self) -> f64 {
        let largest = |sign: f64| {
            self.effects
                .iter()
                .map(|e| sign * e)
                .fold(-f64::MAX, f64::max)
        };
        largest(1.0) + largest(-1.0)
    }
}

/// The values of a feature at which its map or its curve bends, and its ends.
fn corners(curve: &Curve, map: &FeatureMap) -> Vec<f64> {
    let of_map: &[f64] = match map {
        FeatureMap::Constant => &[],
        FeatureMap::Linear { min, max } => &[*min, *max],
        FeatureMap::Knots { values, .. } => values,
    };
    let of_curve = curve.knots.iter().map(|knot| map.invert(*knot));
    let mut corners: Vec<f64> = of_map.iter().copied().chain(of_curve).collect();
    corners.sort_by(f64::total_cmp);
    corners.dedup();
    corners
}

impl fmt::Display for CurvePoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = self.values.iter().zip(&self.effects);
        let points: Vec<String> = points
            .map(|(x, effect)| format!("{} at {}", short(*effect), short(*x)))
            .collect();
        write!(f, "{}: {}", self.name, points.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_bends_at_its_knots_alone() {
        let curve = Curve {
            knots: vec![0.25, 0.5],
            bends: vec![2.0, -3.0],
        };
        let at = [-1.0, 0.25, 0.5, 1.0, 2.0];
        assert_eq!(at.map(|u| curve.value(u)), [0.0, 0.0, 0.5, 0.0, -1.0]);
        assert_eq!(at.map(|u| curve.slope(u)), [0.0, 2.0, -1.0, -1.0, -1.0]);
        assert_eq!(curve.height(), 0.5);
    }
}
