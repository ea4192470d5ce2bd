//! The rows of a regression, and folds of them: rows to train on, rows held out.

use super::validate::{check_response, check_setting, check_weights, check_x_and_names};
use crate::data::hinges::Distributions;
use crate::data::{CanonicalRows, Encoding, GatheredRows, Rows};
use crate::error::{FitError, InputError};
use crate::search::cross_validate::CvEffort;
use crate::search::folds::Folds;
use crate::stop::Stop;

/// Σ_i w_i P_it c_i c_iᵀ of all leaves are so many numbers at most, 2 GiB of them: deeper trees on so many features
/// would be told by the system that there is no memory.
const MOST_MOMENTS: usize = 1 << 28;

/// The rows of a regression.
pub(super) struct ResponseData<'a> {
    pub rows: Rows<'a>,
    pub y: &'a [f64],
    pub weights: Option<&'a [f64]>,
}

/// A fold.
pub(super) struct ResponseFold {
    pub train: Part,
    pub held: Part,
    /// Weight of each held-out row.
    pub held_weights: Vec<f64>,
}

/// Some of the rows, with their responses and weights.
pub(super) struct Part {
    rows: GatheredRows,
    pub y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl<'a> ResponseData<'a> {
    /// Those that were put in order.
    pub fn of(canonical: &'a CanonicalRows<'_, f64>) -> Self {
        Self {
            rows: canonical.rows(),
            y: &canonical.target,
            weights: canonical.weights(),
        }
    }

    /// The same for a shorter time.
    pub fn reborrow(&self) -> ResponseData<'_> {
        ResponseData {
            rows: self.rows.reborrow(),
            ..*self
        }
    }

    /// Checks all but the values of the rows, for regressions in the leaves of trees of this depth.
    pub fn check(
        &self,
        columns: (Option<&[String]>, Option<&Encoding>),
        depth: usize,
    ) -> Result<(), InputError> {
        check_x_and_names(&self.rows, columns)?;
        check_response(&self.rows, self.y)?;
        check_weights(self.rows.len(), self.weights)?;
        let p = self.rows.features();
        let values = (p + 2).saturating_mul(p + 2).saturating_mul(1 << depth);
        check_setting(
            depth == 1 || values <= MOST_MOMENTS,
            "depth",
            "such that the squares of all leaves' features fit into 2 GiB: at most log₂(2²⁸ / (p + 2)²)",
            format!("{depth} for {p} features"),
        )
    }

    /// What curves bend by, if there are to be `curves`; Err if there are too many features for them.
    pub fn bends(&self, curves: bool, stop: &Stop) -> Result<Option<Distributions>, FitError> {
        if !curves {
            return Ok(None);
        }
        let patient = stop.without_deadline();
        let bends = Distributions::learn(self.rows.reborrow(), self.weights, &patient)?;
        bends.check()?;
        Ok(Some(bends))
    }

    /// The foldings of a choice by folds, or an error if they cannot be made.
    pub fn foldings(&self, effort: &CvEffort, seed: u64) -> Result<Vec<Folds>, InputError> {
        effort.foldings(|number, most| {
            let seed = seed.wrapping_add(number);
            Folds::of_rows(&self.rows, self.weights, effort.folds, seed, most)
        })
    }

    /// The fold with these rows.
    pub fn fold(&self, train: &[usize], held: &[usize]) -> ResponseFold {
        let held = self.part(held);
        let ones = || vec![1.0; held.y.len()];
        ResponseFold {
            train: self.part(train),
            held_weights: held.weights.clone().unwrap_or_else(ones),
            held,
        }
    }

    fn part(&self, index: &[usize]) -> Part {
        let some = |values: &[f64]| index.iter().map(|i| values[*i]).collect();
        Part {
            rows: GatheredRows::of(&self.rows, index),
            y: some(self.y),
            weights: self.weights.map(some),
        }
    }
}

impl Part {
    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        self.rows.rows()
    }

    /// The part as rows of their own.
    pub fn data(&self) -> ResponseData<'_> {
        ResponseData {
            rows: self.rows(),
            y: &self.y,
            weights: self.weights.as_deref(),
        }
    }
}
