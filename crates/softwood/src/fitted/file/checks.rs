//! Checks of what a file holds: nothing in it is trusted.

use crate::InputError;
use serde::Deserialize;

/// Err with the text of `what` unless `ok`.
pub(super) fn check(ok: bool, what: impl FnOnce() -> String) -> Result<(), InputError> {
    if ok {
        Ok(())
    } else {
        Err(InputError::ModelFile(what()))
    }
}

/// The text as JSON; what serde says if it is not, with line and column.
pub(super) fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, InputError> {
    serde_json::from_str(text).map_err(|error| InputError::ModelFile(error.to_string()))
}

/// How many splits or leaves the tree has, and how it is called.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub wanted: usize,
    pub depth: usize,
    /// "splits" or "leaves".
    pub of: &'static str,
}

impl Count {
    /// As many values as there are splits or leaves.
    pub fn check(self, name: &str, count: usize) -> Result<(), InputError> {
        self.check_as(name, count, "values")
    }

    fn check_as(self, name: &str, count: usize, what: &str) -> Result<(), InputError> {
        let Self { wanted, depth, of } = self;
        check(count == wanted, || {
            format!("{name} has {count} {what}, a tree of depth {depth} has {wanted} {of}")
        })
    }

    /// A row for each split or leaf, with `width` values of a kind (`per`: "features").
    pub fn check_matrix(
        self,
        name: &str,
        matrix: &[Vec<f64>],
        (width, per): (usize, &str),
    ) -> Result<(), InputError> {
        self.check_as(name, matrix.len(), "rows")?;
        match matrix.iter().position(|row| row.len() != width) {
            Some(t) => Err(InputError::ModelFile(format!(
                "{name}[{t}] has {} values for {width} {per}",
                matrix[t].len()
            ))),
            None => Ok(()),
        }
    }
}

/// What a number must be, and how that is said.
#[derive(Clone, Copy)]
pub(super) struct Range(pub fn(f64) -> bool, pub &'static str);

pub(super) const FINITE: Range = Range(f64::is_finite, "it must be finite");
pub(super) const NOT_NEGATIVE: Range =
    Range(|x| x.is_finite() && x >= 0.0, "it must not be negative");
pub(super) const WITHIN_ZERO_AND_ONE: Range =
    Range(|x| (0.0..=1.0).contains(&x), "it must lie in [0, 1]");
pub(super) const WITHIN_ONE: Range = Range(|x| x.abs() <= 1.0, "it must lie in [-1, 1]");

impl Range {
    /// Every one of the values of `name` must be so.
    pub fn check(self, name: &str, values: &[f64]) -> Result<(), InputError> {
        let Self(allowed, rule) = self;
        match values.iter().position(|x| !allowed(*x)) {
            Some(i) => Err(InputError::ModelFile(format!(
                "{name}[{i}] is {}, {rule}",
                values[i]
            ))),
            None => Ok(()),
        }
    }

    /// Every value of every row.
    pub fn check_matrix(self, name: &str, matrix: &[Vec<f64>]) -> Result<(), InputError> {
        let mut rows = matrix.iter().enumerate();
        rows.try_for_each(|(t, row)| self.check(&format!("{name}[{t}]"), row))
    }
}

/// Weights of leaves that some row gave.
pub(super) fn check_total(weights: impl Iterator<Item = f64>) -> Result<(), InputError> {
    let total: f64 = weights.sum();
    check(total > 0.0 && total.is_finite(), || {
        format!("leaf_weights sum to {total}, the sum must be positive and finite")
    })
}

/// So many penalties, none of them negative.
pub(super) fn check_penalties(
    name: &str,
    penalties: &[f64],
    wanted: usize,
) -> Result<(), InputError> {
    check(penalties.len() == wanted, || {
        format!("{name} has {} values, not {wanted}", penalties.len())
    })?;
    NOT_NEGATIVE.check(name, penalties)
}
