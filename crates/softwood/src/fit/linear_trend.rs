//! The linear regression of all rows, taken out of the response before a tree is fitted.
//!
//! It is a ridge regression with a penalty for each feature, as the rows make them plausible.
//! A leaf model is the trend plus what the tree adds to it, and λ_β penalizes the addition: with
//! few rows leaves tend to one common linear model rather than to 0. The objective then is
//! relative to the trend's: 1 is no better than linear regression.

use crate::leaves::{LinearModel, plausible_penalties, ridge};
use crate::objective::RegressionRows;
use crate::stop::Stopped;

/// A trend that leaves less than this share of the response's deviation is taken to be exact.
const NEGLIGIBLE: f64 = 1e-10;

/// y = trend(u) + scale · response left to the tree.
pub(crate) struct LinearTrend {
    model: LinearModel,
    scale: f64,
}

impl LinearTrend {
    /// The trend, and the rows with what it leaves as their response, of mean square 1.
    pub fn take_out<'a>(data: &RegressionRows<'a>) -> Result<(Self, RegressionRows<'a>), Stopped> {
        let moments = data.moments()?;
        let p = data.features();
        let penalties = plausible_penalties(std::slice::from_ref(&moments), p).penalties;
        let model = ridge(&moments, p, &penalties);
        let mut left = data.residuals(&model)?;
        let squares: f64 = left
            .iter()
            .zip(data.weights())
            .map(|(r, w)| w * r * r)
            .sum();
        let scale = (squares / data.total_weight()).sqrt();
        if scale > NEGLIGIBLE {
            left.iter_mut().for_each(|r| *r /= scale);
        } else {
            left.fill(0.0);
        }
        let trend = Self {
            model,
            scale: if scale > NEGLIGIBLE { scale } else { 1.0 },
        };
        Ok((trend, data.with_response(&left)))
    }

    /// Leaf slopes and intercepts with the trend put back.
    pub fn put_back(&self, slopes: &[f64], intercepts: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let trend = self.model.slopes.iter().cycle();
        let slopes = slopes.iter().zip(trend);
        let intercepts = intercepts.iter();
        (
            slopes.map(|(b, trend)| trend + self.scale * b).collect(),
            intercepts
                .map(|b| self.model.intercept + self.scale * b)
                .collect(),
        )
    }
}
