//! What fits to curves are asked of their intervals, whatever the tree.

use super::validate::{MAX_GAMMA, check_setting};
use crate::error::InputError;
use crate::functional::CurveLayout;

/// Largest λ_len, and λ of splines.
const MAX_WEIGHT: f64 = 1e100;

/// Intervals, derivatives and smoothing.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalSettings {
    /// H, at least 1.
    pub n_intervals: usize,
    /// Orders of derivatives whose means are features, increasing, 0…2; 0 is the curve itself.
    pub derivatives: Vec<usize>,
    /// λ ≥ 0 of the splines, for curves on [0, 1]; if None, that of generalized cross-validation for each
    /// predictor.
    pub smoothing: Option<f64>,
    /// λ_len ≥ 0 of Σ_h (s_2h − s_2h−1).
    pub length_penalty: f64,
}

impl Default for IntervalSettings {
    fn default() -> Self {
        Self {
            n_intervals: 2,
            derivatives: vec![0],
            smoothing: None,
            length_penalty: 0.0,
        }
    }
}

impl IntervalSettings {
    /// Checks what can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        let Self {
            n_intervals: h,
            derivatives,
            ..
        } = self;
        check_setting(*h >= 1, "n_intervals", "at least 1", h)?;
        let increasing = !derivatives.is_empty() && derivatives.is_sorted_by(|a, b| a < b);
        check_setting(
            increasing && derivatives.iter().all(|order| *order <= 2),
            "derivatives",
            "one or more of 0, 1, 2, increasing",
            format!("{derivatives:?}"),
        )?;
        let weights = [
            ("smoothing", self.smoothing.unwrap_or(0.0)),
            ("length_penalty", self.length_penalty),
        ];
        weights.into_iter().try_for_each(|(name, weight)| {
            let allowed = (0.0..=MAX_WEIGHT).contains(&weight);
            check_setting(allowed, name, "a number from 0 to 1e100", weight)
        })
    }

    /// Checks the number of intervals against the points that can tell them apart and against γ, which is
    /// multiplied by it.
    pub fn check_against(&self, layout: &CurveLayout, gamma: f64) -> Result<(), InputError> {
        let (h, most) = (self.n_intervals, layout.most_points());
        check_setting(
            gamma * h as f64 <= MAX_GAMMA,
            "gamma",
            "at most 1e9 divided by the number of intervals",
            format!("{gamma} for {h} intervals"),
        )?;
        check_setting(
            h <= most,
            "n_intervals",
            "at most the number of points of the finest curve, which cannot tell more intervals apart",
            format!("{h} intervals of curves with {most} points"),
        )
    }
}
