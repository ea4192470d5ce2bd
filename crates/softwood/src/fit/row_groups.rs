//! Groups of rows on which a regression tree has to keep bounds: as asked, checked, and as reached.

use super::validate::{check_setting, check_weights};
use crate::data::finite::check_finite;
use crate::data::{Parallelism, RegressionRows, Rows, ScaledRows, Scaling, Standardization};
use crate::error::InputError;
use crate::fitted::{ConstraintKind, ConstraintReport};
use crate::objective::{GroupBound, GroupBounds, GroupMeasure};
use crate::search::mixture_descent::{BoundReached, MixtureOutcome};
use crate::stop::Stop;

/// Rows with bounds on what is predicted for them, in units of the response.
#[derive(Clone, Debug)]
pub struct RowGroup<'a> {
    /// What reports call it.
    pub name: String,
    /// The rows.
    pub rows: GroupRows<'a>,
    /// Their mean squared error is to be at most this.
    pub max_error: Option<f64>,
    /// It is to differ from that of all training rows by at most this.
    pub max_error_gap: Option<f64>,
    /// Their mean prediction is to differ from that of all training rows by at most this.
    pub max_mean_gap: Option<f64>,
}

/// Which rows.
#[derive(Clone, Debug)]
pub enum GroupRows<'a> {
    /// Training rows, by their positions.
    Training(Vec<usize>),
    /// Rows of their own.
    Given {
        /// Their features.
        x: Rows<'a>,
        /// Their responses.
        y: &'a [f64],
        /// Their weights; all 1 if None.
        weights: Option<&'a [f64]>,
    },
}

impl RowGroup<'_> {
    /// The bounds, each with what it bounds.
    fn bounds(&self) -> impl Iterator<Item = (GroupMeasure, f64)> {
        let error = self.max_error.map(|bound| (GroupMeasure::Error, bound));
        let error_gap = self.max_error_gap;
        let error_gap = error_gap.map(|bound| (GroupMeasure::ErrorGap, bound));
        let mean_gap = self.max_mean_gap;
        let mean_gap = mean_gap.map(|bound| (GroupMeasure::MeanGap, bound));
        [error, error_gap, mean_gap].into_iter().flatten()
    }

    /// Checks rows and bounds against `n` training rows of `p` features with these weights.
    fn check(&self, n: usize, p: usize, weights: Option<&[f64]>) -> Result<(), InputError> {
        let refuse = |reason: String| InputError::RowGroup {
            name: self.name.clone(),
            reason,
        };
        if self.bounds().next().is_none() {
            return Err(refuse("has no bound".into()));
        }
        if let Some((_, bound)) = self.bounds().find(|(_, b)| !(b.is_finite() && *b >= 0.0)) {
            let reason = format!("has the bound {bound}; bounds must be finite and not negative");
            return Err(refuse(reason));
        }
        match &self.rows {
            GroupRows::Training(rows) => {
                let mut sorted = rows.clone();
                sorted.sort_unstable();
                if let Some(row) = sorted.iter().find(|row| **row >= n) {
                    let reason = format!("names row {row}, but there are {n} training rows");
                    return Err(refuse(reason));
                }
                if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(refuse(format!("names row {} twice", pair[0])));
                }
                let weight = |row: &usize| weights.map_or(1.0, |weights| weights[*row]);
                match rows.iter().any(|row| weight(row) > 0.0) {
                    true => Ok(()),
                    false => Err(refuse("has no row of positive weight".into())),
                }
            }
            GroupRows::Given { x, y, weights } => {
                if x.is_empty() || y.len() != x.len() || x.features() != p {
                    let (rows, columns, len) = (x.len(), x.features(), y.len());
                    return Err(refuse(format!(
                        "has {rows} rows with {columns} columns and {len} responses; it must have \
                         at least one row, {p} columns as the training rows, and a response a row"
                    )));
                }
                if let Some(row) = y.iter().position(|y| !y.is_finite()) {
                    return Err(refuse(format!("has the response {} in row {row}", y[row])));
                }
                check_weights(x.len(), *weights).map_err(|error| refuse(error.to_string()))?;
                check_finite(x).map_err(|error| refuse(error.to_string()))
            }
        }
    }
}

/// Checks all groups against `n` training rows of `p` features with these weights.
pub(super) fn check_groups(
    groups: &[RowGroup<'_>],
    n: usize,
    p: usize,
    weights: Option<&[f64]>,
) -> Result<(), InputError> {
    for (i, group) in groups.iter().enumerate() {
        let named = groups[..i].iter().any(|other| other.name == group.name);
        check_setting(
            !named,
            "row_groups",
            "groups of different names",
            &group.name,
        )?;
        group.check(n, p, weights)?;
    }
    Ok(())
}

/// Groups beside the training rows, responses and weights that they may name, as they were given.
pub(super) struct GroupedRows<'a, 'g> {
    pub groups: &'a [RowGroup<'g>],
    pub rows: Rows<'a>,
    pub y: &'a [f64],
    pub weights: Option<&'a [f64]>,
}

impl GroupedRows<'_, '_> {
    /// The bounds in units of the standardized response.
    pub fn bounds<'d>(
        &'d self,
        scaling: &'d Scaling,
        response: &Standardization,
        spread: Parallelism,
        stop: &Stop,
    ) -> GroupBounds<'d> {
        let regression = |x: &'d Rows<'_>, y: &[f64], weights: Option<&[f64]>| {
            let y: Vec<f64> = y.iter().map(|y| response.apply(*y)).collect();
            let source = ScaledRows::passing_once(x.reborrow(), scaling);
            RegressionRows::new(source, &y, weights, spread, stop.clone())
        };
        let rows_of = |group: &'d RowGroup<'_>| match &group.rows {
            GroupRows::Training(rows) => {
                let picked: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
                regression(&self.rows, self.y, self.weights).select(&picked)
            }
            GroupRows::Given { x, y, weights } => regression(x, y, *weights),
        };
        let all = self.groups.iter().enumerate();
        let bounds = all.flat_map(|(place, group)| {
            group.bounds().map(move |(measure, bound)| GroupBound {
                measure,
                group: place,
                bound: bound / unit(measure, response),
            })
        });
        GroupBounds {
            bounds: bounds.collect(),
            groups: self.groups.iter().map(rows_of).collect(),
        }
    }
}

/// What became of the bounds, in units of the response.
pub(super) fn constraint_reports(
    groups: &[RowGroup<'_>],
    response: &Standardization,
    best: &MixtureOutcome,
) -> Vec<ConstraintReport> {
    let asked = groups.iter().flat_map(|group| {
        let bounds = group.bounds();
        bounds.map(move |(measure, asked)| (group, measure, asked))
    });
    let report = |((group, measure, asked), reached): ((&RowGroup<'_>, _, f64), &BoundReached)| {
        let unit = unit(measure, response);
        ConstraintReport {
            kind: match measure {
                GroupMeasure::Error => ConstraintKind::GroupError,
                GroupMeasure::ErrorGap => ConstraintKind::GroupErrorGap,
                GroupMeasure::MeanGap => ConstraintKind::GroupMeanGap,
            },
            class: None,
            group: Some(group.name.clone()),
            asked,
            imposed: None,
            cross_validated: None,
            reached: reached.value * unit,
            multiplier: reached.multiplier / unit,
            feasible: reached.kept,
        }
    };
    asked.zip(&best.reached).map(report).collect()
}

/// One unit of the standardized response, or its square.
fn unit(measure: GroupMeasure, response: &Standardization) -> f64 {
    match measure {
        GroupMeasure::Error | GroupMeasure::ErrorGap => response.scale * response.scale,
        GroupMeasure::MeanGap => response.scale,
    }
}
