//! Features of fitted trees on curves: means over intervals, as weighted sums of the points of a curve.

use super::combination::{Combination, PLACES, interval_mean, piece_integral};
use super::layout::{CurveLayout, Predictor};
use super::spline::Smoother;
use crate::InputError;
use crate::data::Rows;
use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A predictor and how its curves are smoothed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmoothedPredictor {
    /// What it is.
    #[serde(flatten)]
    pub predictor: Predictor,
    /// λ of its splines on [0, 1]; 0 goes through all points.
    pub smoothing: f64,
}

/// Means of curves and of their derivatives over H intervals that all predictors share; scalars as they are.
///
/// Features stand predictor after predictor, order after order, interval after interval; a scalar is one
/// feature, since the mean of a constant curve is the same over all intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalMeans {
    /// The predictors, in the order of the columns of X.
    pub predictors: Vec<SmoothedPredictor>,
    /// Orders of derivatives whose means are taken, increasing, 0…2.
    pub orders: Vec<usize>,
    /// s_1 ≤ … ≤ s_2H on [0, 1]; interval h is [s_2h−1, s_2h].
    pub ends: Vec<f64>,
}

/// What a feature is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalFeature {
    /// Which predictor.
    pub predictor: usize,
    /// Order of the derivative and number of the interval; None for a scalar.
    pub mean: Option<(usize, usize)>,
}

impl IntervalMeans {
    /// What the columns of X are.
    pub fn layout(&self) -> CurveLayout {
        let predictors = self.predictors.iter().map(|p| p.predictor.clone());
        CurveLayout {
            predictors: predictors.collect(),
        }
    }

    /// H.
    pub fn intervals(&self) -> usize {
        self.ends.len() / 2
    }

    /// δ_len: share of the domain that no interval covers, in percent.
    pub fn length_sparsity(&self) -> f64 {
        let covered: f64 = self.ends.chunks_exact(2).map(|s| s[1] - s[0]).sum();
        100.0 * (1.0 - covered)
    }

    /// The features, in order.
    pub fn features(&self) -> Vec<IntervalFeature> {
        features_of(
            self.predictors.iter().map(|p| &p.predictor),
            &self.orders,
            self.intervals(),
        )
    }

    /// Their names: `spectrum [930.5, 951]`, with ′ for each derivative.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for feature in self.features() {
            let predictor = &self.predictors[feature.predictor].predictor;
            let mut name = predictor.name.clone();
            if let Some((order, h)) = feature.mean {
                let own = |s: f64| short(predictor.own_units(s).unwrap_or(s), predictor);
                let [low, high] = [2 * h, 2 * h + 1].map(|end| own(self.ends[end]));
                name += &format!("{} [{low}, {high}]", "′".repeat(order));
            }
            let same = names.iter().filter(|other| **other == name).count();
            if same > 0 {
                // Instants at one place.
                name += &format!(" ({})", same + 1);
            }
            names.push(name);
        }
        names
    }

    /// The features of rows, N × q, in the curves' own units: derivatives by their own places.
    pub fn of<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Array2<f64>, InputError> {
        let rows = rows.into();
        self.layout().check_rows(&rows)?;
        let weights = self.weights();
        let (n, q, columns) = (rows.len(), weights.len(), rows.features());
        let mut out = Array2::zeros((n, q));
        let slice = out.as_slice_mut().expect("just made");
        slice.par_chunks_mut(q.max(1)).enumerate().for_each_init(
            || vec![0.0; columns],
            |row, (i, out)| {
                rows.copy_row(i, row);
                for (out, (span, weights)) in out.iter_mut().zip(&weights) {
                    *out = weighted_sum(&row[span.clone()], weights);
                }
            },
        );
        Ok(out)
    }

    /// For each feature, its columns of X and their weights.
    pub fn weights(&self) -> Vec<(Range<usize>, Vec<f64>)> {
        let spans = self.layout().spans();
        let smoother = |p: &SmoothedPredictor| {
            let grid = p.predictor.unit_grid()?;
            Some(Smoother::new(&grid, p.smoothing))
        };
        let smoothers: Vec<Option<Smoother>> = self.predictors.iter().map(smoother).collect();
        let of_feature = |feature: IntervalFeature| {
            let span = spans[feature.predictor].clone();
            let (Some(smoother), Some((order, h))) = (&smoothers[feature.predictor], feature.mean)
            else {
                return (span, vec![1.0]);
            };
            let (lower, upper) = (self.ends[2 * h], self.ends[2 * h + 1]);
            let mean = interval_mean(smoother.grid(), lower, upper, order).mean;
            let mut weights = point_weights(smoother, &mean);
            let (first, last) = (self.predictors[feature.predictor].predictor)
                .domain()
                .expect("a curve");
            let unit = (last - first).powi(order as i32);
            weights.iter_mut().for_each(|w| *w /= unit);
            (span, weights)
        };
        self.features().into_iter().map(of_feature).collect()
    }
}

/// Σ_k w_k x_k, the largest number where it overflows.
fn weighted_sum(points: &[f64], weights: &[f64]) -> f64 {
    // 2⁻⁵¹² of them: exact where sums are anywhere near overflow.
    const DOWN: f64 = 1.0 / (UP * UP);
    const UP: f64 = (1u128 << 127) as f64 * (1u128 << 127) as f64 * 4.0;
    let terms = || points.iter().zip(weights);
    let sum: f64 = terms().map(|(x, w)| x * w).sum();
    if sum.is_finite() {
        return sum;
    }
    let small: f64 = terms().map(|(x, w)| x * DOWN * w).sum();
    (small * UP * UP).clamp(f64::MIN, f64::MAX)
}

/// The features of predictors whose derivatives of these orders are taken over so many intervals.
pub(crate) fn features_of<'a>(
    predictors: impl Iterator<Item = &'a Predictor>,
    orders: &[usize],
    intervals: usize,
) -> Vec<IntervalFeature> {
    let mut features = Vec::new();
    for (predictor, p) in predictors.enumerate() {
        if p.grid.is_none() {
            features.push(IntervalFeature {
                predictor,
                mean: None,
            });
            continue;
        }
        for order in orders {
            features.extend((0..intervals).map(|h| IntervalFeature {
                predictor,
                mean: Some((*order, h)),
            }));
        }
    }
    features
}

/// A combination of what is stored at the knots as one of the points.
fn point_weights(smoother: &Smoother, combination: &Combination) -> Vec<f64> {
    let grid = smoother.grid();
    let n = grid.len();
    let (mut alpha, mut beta) = (vec![0.0; n], vec![0.0; n]);
    for part in &combination.0 {
        let terms = part.weights.iter().zip(PLACES);
        for (weight, place) in terms.filter(|(weight, _)| **weight != 0.0) {
            match place {
                0 => add_integral(grid, part.piece, *weight, &mut alpha, &mut beta),
                place => {
                    let knot = part.piece + place / 3;
                    let kind = if place % 3 == 1 {
                        &mut alpha
                    } else {
                        &mut beta
                    };
                    kind[knot] += weight;
                }
            }
        }
    }
    smoother.transpose(&mut alpha, &beta);
    alpha
}

/// Adds the weights of values and second derivatives in the integral up to a knot.
fn add_integral(grid: &[f64], knot: usize, weight: f64, alpha: &mut [f64], beta: &mut [f64]) {
    for k in 0..knot {
        // What the integral of the piece is linear in, by unit vectors.
        let [value, second] =
            [([1.0, 0.0], [0.0, 0.0]), ([0.0, 0.0], [1.0, 0.0])].map(|(values, second)| {
                piece_integral(&[0.0, grid[k + 1] - grid[k]], 0, &values, &second)
            });
        for end in [k, k + 1] {
            alpha[end] += weight * value;
            beta[end] += weight * second;
        }
    }
}

/// A place with as many digits as tell a thousandth of the domain.
fn short(place: f64, predictor: &Predictor) -> String {
    let (first, last) = predictor.domain().unwrap_or((0.0, 1.0));
    let digits = (3.0 - (last - first).abs().log10()).ceil().clamp(0.0, 17.0);
    let text = format!("{place:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(ends: &[f64], smoothing: f64) -> IntervalMeans {
        let grid: Vec<f64> = (0..41).map(|k| 100.0 + 2.5 * f64::from(k)).collect();
        let curve = Predictor {
            name: "spectrum".into(),
            grid: Some(grid),
        };
        let scalar = Predictor {
            name: "age".into(),
            grid: None,
        };
        let smoothed = |predictor| SmoothedPredictor {
            predictor,
            smoothing,
        };
        IntervalMeans {
            predictors: vec![smoothed(curve), smoothed(scalar)],
            orders: vec![0, 1, 2],
            ends: ends.to_vec(),
        }
    }

    #[test]
    fn means_of_a_known_curve_are_its_integrals() {
        // x(s) = sin(s/10) on [100, 200]: antiderivative −10 cos, derivatives cos/10 and −sin/100.
        let means = curves(&[0.2, 0.45, 0.6, 0.6], 0.0);
        let x = Array2::from_shape_fn((1, 42), |(_, k)| match k {
            41 => 7.5,
            k => ((100.0 + 2.5 * k as f64) / 10.0).sin(),
        });
        let found = means.of(x.view()).unwrap();
        let (a, b, c) = (12.0f64, 14.5f64, 16.0f64);
        let expected = [
            10.0 * (a.cos() - b.cos()) / 25.0,
            c.sin(),
            (b.sin() - a.sin()) / 25.0,
            c.cos() / 10.0,
            (b.cos() - a.cos()) / 250.0,
            -c.sin() / 100.0,
            7.5,
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
        }
        assert!((means.length_sparsity() - 75.0).abs() < 1e-9);
        let names = means.feature_names();
        assert_eq!(
            [&names[0], &names[3], &names[4], &names[6]],
            [
                "spectrum [120, 145]",
                "spectrum′ [160, 160]",
                "spectrum″ [120, 145]".replace('″', "′′").as_str(),
                "age"
            ]
        );
    }

    #[test]
    fn smoothing_is_applied_to_new_curves() {
        let x = Array2::from_shape_fn((2, 42), |(i, k)| if (k + i) % 2 == 0 { 1.0 } else { -1.0 });
        let [rough, smooth] = [0.0, 1.0].map(|smoothing| {
            let means = curves(&[0.33, 0.335], smoothing).of(x.view()).unwrap();
            means[[0, 2]].abs()
        });
        assert!(smooth < 1e-3 * rough, "{smooth} against {rough}");
    }

    #[test]
    fn rows_of_another_width_are_refused() {
        let x = Array2::<f64>::zeros((1, 40));
        let told = curves(&[0.0, 1.0], 0.0).of(x.view()).unwrap_err();
        assert_eq!(
            told,
            InputError::CurveColumns {
                got: 40,
                expected: 42
            }
        );
    }
}
