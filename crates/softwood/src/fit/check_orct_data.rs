//! Checks of an ORCT's data against its settings: shapes, weights, classes, rates and costs.

use super::orct_settings::OrctSettings;
use super::validate::{check_setting, check_weights, check_x_and_names};
use crate::data::{Labels, Rows};
use crate::error::InputError;
use std::collections::BTreeSet;

/// Checks all but the values of the rows; returns the K × K costs.
pub(super) fn check_orct_data(
    rows: &Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
) -> Result<Vec<f64>, InputError> {
    let (n, k) = (rows.len(), labels.classes.len());
    check_x_and_names(rows, settings.run.columns())?;
    check_labels(n, labels)?;
    let present = classes_present(labels, weights);
    check_weights(n, weights)?;
    let got = present.iter().filter(|p| **p).count();
    if got < 2 {
        return Err(InputError::TooFewClasses { got });
    }
    let leaves = 1 << settings.depth;
    if settings.cover_classes && k > leaves {
        return Err(InputError::TooManyClasses {
            classes: k,
            depth: settings.depth,
            leaves,
            needed: k.next_power_of_two().trailing_zeros() as usize,
        });
    }
    settings.penalty.validate_groups(rows.features())?;
    check_bounds(settings, rows.features(), k)?;
    for (class, _) in &settings.min_class_rate {
        check_setting(
            present.get(*class).is_some_and(|present| *present),
            "min_class_rate",
            "rates of classes that have rows of positive weight",
            format!("a rate for class {class} of {k}"),
        )?;
    }
    checked_costs(settings.costs.as_deref(), k)
}

/// Bounds on the size of the tree that it can meet.
fn check_bounds(
    settings: &OrctSettings,
    features: usize,
    classes: usize,
) -> Result<(), InputError> {
    if let Some(most) = settings.max_features {
        let groups: BTreeSet<usize> = settings
            .penalty
            .group_of_features(features)
            .into_iter()
            .collect();
        check_setting(
            (1..=groups.len()).contains(&most),
            "max_features",
            "at least 1 and at most the number of features",
            format!("{most} of {}", groups.len()),
        )?;
    }
    let most = settings.max_leaves.unwrap_or(usize::MAX);
    check_setting(
        !settings.cover_classes || most >= classes,
        "max_leaves",
        "at least the number of classes, each of which must own a leaf (unless cover_classes is off)",
        format!("{most} leaves for {classes} classes"),
    )
}

/// Which classes have rows that weigh.
pub(super) fn classes_present(labels: &Labels, weights: Option<&[f64]>) -> Vec<bool> {
    let mut present = vec![false; labels.classes.len()];
    for (row, code) in labels.codes.iter().enumerate() {
        present[*code as usize] |= weights.is_none_or(|w| w.get(row).is_some_and(|w| *w > 0.0));
    }
    present
}

/// A class for each of `n` rows, and classes in order.
pub(super) fn check_labels(n: usize, labels: &Labels) -> Result<(), InputError> {
    let k = labels.classes.len();
    if labels.codes.len() != n {
        return Err(InputError::RowMismatch {
            name: "y",
            rows: n,
            len: labels.codes.len(),
        });
    }
    if let Some(row) = labels.codes.iter().position(|code| *code as usize >= k) {
        return Err(InputError::Setting {
            name: "y",
            expected: "codes below the number of classes",
            got: format!("{} for row {row} with {k} classes", labels.codes[row]),
        });
    }
    check_setting(
        labels.classes.is_increasing(),
        "y",
        "distinct classes in increasing order",
        "classes out of order",
    )
}

/// Sums of larger costs over rows might overflow.
const MAX_COST: f64 = 1e100;

/// The K × K costs: those given, or 0.5 off the diagonal.
fn checked_costs(costs: Option<&[f64]>, k: usize) -> Result<Vec<f64>, InputError> {
    let on_diagonal = |i: usize| i / k == i % k;
    let Some(costs) = costs else {
        let cost = |i: usize| if on_diagonal(i) { 0.0 } else { 0.5 };
        return Ok((0..k * k).map(cost).collect());
    };
    check_setting(
        costs.len() == k * k,
        "costs",
        "a square matrix with one row for each class",
        format!("{} values for {k} classes", costs.len()),
    )?;
    let bad = |i: usize| !(0.0..=MAX_COST).contains(&costs[i]) || on_diagonal(i) && costs[i] != 0.0;
    match (0..k * k).find(|i| bad(*i)) {
        Some(i) => Err(InputError::Cost {
            row: i / k,
            column: i % k,
            value: costs[i],
        }),
        None => Ok(costs.to_vec()),
    }
}
