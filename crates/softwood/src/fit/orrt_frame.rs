//! What the leaf models of an ORRT are measured by, from the rows that all of them share.

use super::trend::line_moments;
use crate::data::RegressionRows;
use crate::leaves::common_penalty;
use crate::stop::Interrupted;
use crate::tree::second_moments::SecondMoments;

/// What the leaves are measured by: the mean row and the variances of its features, and the penalty κ under
/// which the linear regression of all rows is likeliest.
pub(super) struct Frame {
    pub centers: Vec<f64>,
    pub variances: Vec<f64>,
    pub penalty: f64,
}

impl Frame {
    /// Of these rows, as far as there is time.
    pub fn of(data: &RegressionRows<'_>) -> Result<Self, Interrupted> {
        let p = data.features();
        if SecondMoments::make_quick_work(p, data.len()) {
            return Self::learn(&data.without_deadline());
        }
        match Self::learn(data) {
            // Any frame will do: that of features spread evenly over [0, 1] suits most.
            Err(Interrupted::TimeLimit) => Ok(Self {
                centers: vec![0.5; p],
                variances: vec![1.0 / 12.0; p],
                penalty: 0.0,
            }),
            learned => learned,
        }
    }

    fn learn(data: &RegressionRows<'_>) -> Result<Self, Interrupted> {
        let (p, weight) = (data.features(), data.total_weight());
        let moments = line_moments(data)?;
        let mean = |j: usize, k: usize| moments.at(j, k) / weight;
        let centers: Vec<f64> = (0..p).map(|j| mean(j, p + 1)).collect();
        let variance = |j: usize| (mean(j, j) - centers[j] * centers[j]).max(0.0);
        let variances: Vec<f64> = (0..p).map(variance).collect();
        let deviations: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
        let penalty = common_penalty(&moments, &deviations, &data.rows.stop)?;
        Ok(Self {
            centers,
            variances,
            penalty,
        })
    }
}
