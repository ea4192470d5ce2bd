//! What all rows have in common, taken out of the response before a tree is fitted: their linear
//! regression and, if asked for, curves.
//!
//! It is one ridge regression on the features and their hinges, with a penalty for each feature's
//! slope and one for its bends, by evidence maximization. A leaf model is the line plus what
//! the tree adds to it, and λ_β penalizes the addition: with few rows leaves tend to one common
//! model rather than to 0. The objective then is relative to the trend's: 1 is no better.

use crate::data::hinges::Hinge;
use crate::data::{RegressionRows, Standardization, WeightedBlock};
use crate::fitted::Curve;
use crate::leaves::{Groups, LinearModel, maximize_evidence, ridge};
use crate::passes::ColumnMoments;
use crate::stop::Interrupted;
use crate::tree::second_moments::SecondMoments;

/// A trend that leaves less than this share of the response's deviation is taken to be exact.
const NEGLIGIBLE: f64 = 1e-10;

/// A curve that nowhere changes the standardized response by as much as this is left out.
const FLAT: f64 = 1e-4;

/// y = line(u) + Σ_j curve_j(u_j) + scale · response left to the tree.
pub(crate) struct Trend {
    line: LinearModel,
    /// One a feature; none at all if there are no hinges.
    pub curves: Vec<Curve>,
    /// Deviation of what the tree is left with, by the standardized response.
    scale: f64,
}

impl Trend {
    /// The trend, and the rows with what it leaves as their response, of mean square 1.
    pub fn take_out<'a>(
        data: &RegressionRows<'a>,
        hinges: &[Hinge],
    ) -> Result<(Self, RegressionRows<'a>), Interrupted> {
        let p = data.features();
        let moments = moments(data, hinges)?;
        let groups = Groups::of_curves(p, hinges.iter().map(|hinge| hinge.feature));
        let columns = p + hinges.len();
        let (all, stop) = (std::slice::from_ref(&moments), &data.rows.stop);
        let penalties = maximize_evidence(all, columns, &groups, stop)?.penalties;
        let mut line = ridge(&moments, columns, &penalties, stop)?;
        let bends = line.slopes.split_off(p);
        let mut trend = Self {
            line,
            curves: curves(p, hinges, &bends),
            scale: 1.0,
        };
        let mut left = trend.residuals(data)?;
        let squares: f64 = left
            .iter()
            .zip(data.rows.weights())
            .map(|(r, w)| w * r * r)
            .sum();
        let scale = (squares / data.total_weight()).sqrt();
        if scale > NEGLIGIBLE {
            left.iter_mut().for_each(|r| *r /= scale);
            trend.scale = scale;
        } else {
            left.fill(0.0);
        }
        Ok((trend, data.with_response(&left)))
    }

    /// None of rows with so many features and a standardized response: the mean of that, 0, is all they have in
    /// common.
    pub fn none(features: usize) -> Self {
        Self {
            line: LinearModel {
                slopes: vec![0.0; features],
                intercept: 0.0,
            },
            curves: Vec::new(),
            scale: 1.0,
        }
    }

    /// As [`take_out`](Self::take_out), or none where the time limit strikes before a regression that is not quick.
    pub fn take_out_in_time<'a>(
        data: &RegressionRows<'a>,
        hinges: &[Hinge],
    ) -> Result<(Self, RegressionRows<'a>), Interrupted> {
        let columns = data.features() + hinges.len();
        if SecondMoments::make_quick_work(columns, data.len()) {
            let (trend, left) = Self::take_out(&data.without_deadline(), hinges)?;
            return Ok((trend, left.with_stop(&data.rows.stop)));
        }
        match Self::take_out(data, hinges) {
            Err(Interrupted::TimeLimit) => Ok((Self::none(data.features()), data.clone())),
            taken => taken,
        }
    }

    /// Of the linear regression.
    pub fn slopes(&self) -> &[f64] {
        &self.line.slopes
    }

    /// Mean square, in the squared units of the response, of what the tree is left with.
    pub fn unit(&self, response: &Standardization) -> f64 {
        (self.scale * response.scale).powi(2)
    }

    /// Leaf slopes and intercepts with the line put back.
    pub fn put_back(&self, slopes: &[f64], intercepts: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let line = self.line.slopes.iter().cycle();
        let slopes = slopes.iter().zip(line);
        let intercepts = intercepts.iter();
        (
            slopes.map(|(b, line)| line + self.scale * b).collect(),
            intercepts
                .map(|b| self.line.intercept + self.scale * b)
                .collect(),
        )
    }

    /// y_i minus the trend.
    fn residuals(&self, data: &RegressionRows<'_>) -> Result<Vec<f64>, Interrupted> {
        let columns = data.rows.fill_columns(
            1,
            |stride| vec![0.0; stride],
            |fitted, block, out| {
                fitted.fill(self.line.intercept);
                for (column, slope) in block.columns().zip(&self.line.slopes) {
                    for (fitted, u) in fitted.iter_mut().zip(column) {
                        *fitted += slope * u;
                    }
                }
                for (column, curve) in block.columns().zip(&self.curves) {
                    curve.add_to(column, fitted);
                }
                let response = data.target.of_block(block);
                for ((out, y), fitted) in out.iter_mut().zip(response).zip(fitted) {
                    *out = y - *fitted;
                }
            },
        )?;
        Ok(columns[..data.len()].to_vec())
    }
}

/// Σ_i w_i c_i c_iᵀ, c_i = (u_i, y_i, 1): all that linear regressions need.
pub(crate) fn line_moments(data: &RegressionRows<'_>) -> Result<SecondMoments, Interrupted> {
    moments(data, &[])
}

/// Σ_i w_i c_i c_iᵀ, c_i = (u_i, hinges of u_i, y_i, 1).
fn moments(data: &RegressionRows<'_>, hinges: &[Hinge]) -> Result<SecondMoments, Interrupted> {
    let fill = |block: &WeightedBlock<'_>, out: &mut [f64]| {
        let (tile, stride) = (block.tile.columns(), block.stride());
        let (features, bent) = out.split_at_mut(tile.len());
        features.copy_from_slice(tile);
        for (hinge, out) in hinges.iter().zip(bent.chunks_exact_mut(stride)) {
            let column = &tile[hinge.feature * stride..][..stride];
            for (out, u) in out.iter_mut().zip(column) {
                *out = hinge.weight * (u - hinge.knot).max(0.0);
            }
        }
    };
    data.rows.sum(&ColumnMoments {
        rows: data.len(),
        count: data.features() + hinges.len(),
        response: &data.target,
        fill,
    })
}

/// The curves of hinges with these coefficients.
fn curves(features: usize, hinges: &[Hinge], coefficients: &[f64]) -> Vec<Curve> {
    if hinges.is_empty() {
        return Vec::new();
    }
    let mut curves = vec![Curve::default(); features];
    for (hinge, coefficient) in hinges.iter().zip(coefficients) {
        let curve = &mut curves[hinge.feature];
        curve.knots.push(hinge.knot);
        curve.bends.push(hinge.weight * coefficient);
    }
    for curve in curves.iter_mut().filter(|curve| curve.height() < FLAT) {
        *curve = Curve::default();
    }
    curves
}
