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

/// A curve in the user's own units: straight between these points.
///
/// It prints as `age: 0 at 18, 1.25 at 40, -3 at 71`. Beyond its ends it goes on straight if features
/// are scaled linearly, and stays what it is if by their quantiles.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoints {
    /// The feature.
    pub feature: usize,
    /// Its name.
    pub name: String,
    /// Increasing values of the feature, from the smallest to the largest seen in training.
    pub values: Vec<f64>,
    /// What the curve adds to the prediction at each.
    pub effects: Vec<f64>,
}

impl SrtModel {
    /// The curves of the features that have one, the highest first.
    pub fn curve_points(&self) -> Vec<CurvePoints> {
        let bent = |(_, curve): &(usize, &Curve)| !curve.knots.is_empty();
        let mut curves: Vec<(usize, &Curve)> =
            self.curves.iter().enumerate().filter(bent).collect();
        curves.sort_by(|a, b| b.1.height().total_cmp(&a.1.height()));
        let points = |(feature, curve): (usize, &Curve)| {
            let map = &self.tree.scaling.features[feature];
            let values = corners(curve, map);
            let effect = |x: &f64| self.response.scale * curve.value(map.apply(*x));
            CurvePoints {
                feature,
                name: self.tree.feature_names[feature].clone(),
                effects: values.iter().map(effect).collect(),
                values,
            }
        };
        curves.into_iter().map(points).collect()
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
