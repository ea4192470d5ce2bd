//! Groups of rows of a regression: their bounds on the standardized response, and what became of them.

use super::response_fold::ResponseData;
use super::row_groups::{GroupRows, GroupTarget, RowGroup, Training, check_groups};
use crate::data::finite::check_finite;
use crate::data::{Parallelism, RegressionRows, Rows, ScaledRows, Scaling, Standardization};
use crate::error::InputError;
use crate::fitted::{ConstraintKind, ConstraintReport};
use crate::objective::{GroupBound, GroupBounds, GroupMeasure};
use crate::search::mixture_outcome::{BoundReached, MixtureOutcome};
use crate::stop::Stop;

/// Groups beside the training rows, responses and weights that they may name, as they were given.
pub(super) struct GroupedRows<'a, 'g> {
    pub groups: &'a [RowGroup<'g>],
    /// The group that each is compared with, if it is not all training rows.
    compared_with: Vec<Option<usize>>,
    data: ResponseData<'a>,
}

impl<'a, 'g> GroupedRows<'a, 'g> {
    /// Checks the values of the rows, and the groups.
    pub fn checked(groups: &'a [RowGroup<'g>], data: ResponseData<'a>) -> Result<Self, InputError> {
        check_finite(&data.rows)?;
        let training = Training {
            rows: data.rows.len(),
            features: data.rows.features(),
            weights: data.weights,
            classes: None,
        };
        let compared_with = check_groups(groups, &training)?;
        Ok(Self {
            groups,
            compared_with,
            data,
        })
    }

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
                regression(&self.data.rows, self.data.y, self.data.weights).select(&picked)
            }
            GroupRows::Given { x, y, weights } => match y {
                GroupTarget::Response(y) => regression(x, y, *weights),
                GroupTarget::Classes(_) => unreachable!("checked before the fit"),
            },
        };
        let all = self.groups.iter().zip(&self.compared_with).enumerate();
        let bounds = all.flat_map(|(place, (group, other))| {
            group.bounds.iter().map(move |bound| GroupBound {
                measure: measure(bound.kind),
                group: place,
                compared_with: *other,
                bound: bound.bound / unit(bound.kind, response),
            })
        });
        GroupBounds {
            bounds: bounds.collect(),
            groups: self.groups.iter().map(rows_of).collect(),
        }
    }
}

fn measure(kind: ConstraintKind) -> GroupMeasure {
    match kind {
        ConstraintKind::GroupError => GroupMeasure::Error,
        ConstraintKind::GroupErrorGap => GroupMeasure::ErrorGap,
        _ => GroupMeasure::MeanGap,
    }
}

/// What became of the bounds, in units of the response.
pub(super) fn constraint_reports(
    groups: &[RowGroup<'_>],
    response: &Standardization,
    best: &MixtureOutcome,
) -> Vec<ConstraintReport> {
    let asked = groups.iter().flat_map(RowGroup::asked);
    let report = |(asked, reached): (ConstraintReport, &BoundReached)| {
        let unit = unit(asked.kind, response);
        ConstraintReport {
            // Squares of large responses, and the price of a unit of small ones, may be beyond all numbers.
            reached: (reached.value * unit).clamp(f64::MIN, f64::MAX),
            multiplier: (reached.multiplier / unit).min(f64::MAX),
            feasible: reached.kept,
            ..asked
        }
    };
    asked.zip(&best.reached).map(report).collect()
}

/// One unit of the standardized response, or its square.
fn unit(kind: ConstraintKind, response: &Standardization) -> f64 {
    match measure(kind) {
        GroupMeasure::Error | GroupMeasure::ErrorGap => {
            (response.scale * response.scale).clamp(f64::MIN_POSITIVE, f64::MAX)
        }
        GroupMeasure::MeanGap => response.scale,
    }
}
