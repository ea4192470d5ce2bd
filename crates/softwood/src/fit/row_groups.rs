//! Groups of rows on which a tree has to keep bounds: what can be asked for, and checks that all trees share.

use super::validate::{check_setting, check_weights};
use crate::data::Rows;
use crate::data::finite::check_finite;
use crate::error::InputError;
use crate::fitted::{ConstraintKind, ConstraintReport};

/// Rows with bounds on what is predicted for them.
#[derive(Clone, Debug)]
pub struct RowGroup<'a> {
    /// What reports call it.
    pub name: String,
    /// The rows.
    pub rows: GroupRows<'a>,
    /// The bounds. Only a group that others are compared with may have none.
    pub bounds: Vec<RowBound>,
    /// Name of the group that gaps are measured from; all training rows if None.
    pub compared_with: Option<String>,
}

/// A bound on what is predicted for a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowBound {
    /// What is bounded.
    pub kind: ConstraintKind,
    /// Position of the class it is about, if it is about one.
    pub class: Option<usize>,
    /// The bound: a share from 0 to 1, a gap, or an error or mean in units of the response.
    pub bound: f64,
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
        /// What is to be predicted of them.
        y: GroupTarget<'a>,
        /// Their weights; all 1 if None.
        weights: Option<&'a [f64]>,
    },
}

/// What is to be predicted of rows of their own.
#[derive(Clone, Copy, Debug)]
pub enum GroupTarget<'a> {
    /// A response.
    Response(&'a [f64]),
    /// Positions of classes.
    Classes(&'a [u32]),
}

impl GroupTarget<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Response(y) => y.len(),
            Self::Classes(y) => y.len(),
        }
    }
}

/// What groups are checked against: the training rows, and whether classes are predicted.
pub(super) struct Training<'a> {
    pub rows: usize,
    pub features: usize,
    pub weights: Option<&'a [f64]>,
    /// K, if classes are predicted.
    pub classes: Option<usize>,
}

impl RowGroup<'_> {
    /// The error that refuses it.
    pub(super) fn refuse(&self, reason: impl Into<String>) -> InputError {
        InputError::RowGroup {
            name: self.name.clone(),
            reason: reason.into(),
        }
    }

    /// Its bounds as a report begins.
    pub(super) fn asked(&self) -> impl Iterator<Item = ConstraintReport> {
        self.bounds.iter().map(|bound| ConstraintReport {
            class: bound.class,
            group: Some(self.name.clone()),
            compared_with: self.compared_with.clone().filter(|_| bound.kind.is_gap()),
            ..ConstraintReport::asked(bound.kind, bound.bound)
        })
    }

    fn check_bounds(&self, training: &Training<'_>) -> Result<(), InputError> {
        for RowBound { kind, class, bound } in &self.bounds {
            let fit = match training.classes {
                Some(_) => "fit_orct",
                None => "fit_orrt",
            };
            if kind.is_of_classes() != training.classes.is_some()
                || *kind == ConstraintKind::ClassRate
            {
                return Err(self.refuse(format!("has a bound that {fit} does not know: {kind:?}")));
            }
            let of_rates = kind.is_of_classes() && !kind.is_gap();
            if !(bound.is_finite() && *bound >= 0.0) || of_rates && *bound > 1.0 {
                let allowed = if of_rates {
                    "from 0 to 1"
                } else {
                    "finite and not negative"
                };
                let reason = format!("has the bound {bound}; bounds must be {allowed}");
                return Err(self.refuse(reason));
            }
            let known = class.is_some_and(|class| Some(class) < training.classes);
            if kind.names_class() && !known {
                return Err(self.refuse(format!("has a bound on class {class:?}, which is none")));
            }
        }
        Ok(())
    }

    fn check_rows(&self, training: &Training<'_>) -> Result<(), InputError> {
        let (n, p) = (training.rows, training.features);
        match &self.rows {
            GroupRows::Training(rows) => {
                let mut sorted = rows.clone();
                sorted.sort_unstable();
                if let Some(row) = sorted.iter().find(|row| **row >= n) {
                    let reason = format!("names row {row}, but there are {n} training rows");
                    return Err(self.refuse(reason));
                }
                if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(self.refuse(format!("names row {} twice", pair[0])));
                }
                let weight = |row: &usize| training.weights.map_or(1.0, |weights| weights[*row]);
                match rows.iter().any(|row| weight(row) > 0.0) {
                    true => Ok(()),
                    false => Err(self.refuse("has no row of positive weight")),
                }
            }
            GroupRows::Given { x, y, weights } => {
                if x.is_empty() || y.len() != x.len() || x.features() != p {
                    let (rows, columns, len) = (x.len(), x.features(), y.len());
                    return Err(self.refuse(format!(
                        "has {rows} rows with {columns} columns and {len} values of y; it must have \
                         at least one row, {p} columns as the training rows, and a value a row"
                    )));
                }
                self.check_target(y, training.classes)?;
                let refuse = |error: InputError| self.refuse(error.to_string());
                check_weights(x.len(), *weights).map_err(refuse)?;
                check_finite(x).map_err(refuse)
            }
        }
    }

    fn check_target(&self, y: &GroupTarget<'_>, classes: Option<usize>) -> Result<(), InputError> {
        let bad = match (y, classes) {
            (GroupTarget::Response(y), None) => y.iter().position(|y| !y.is_finite()),
            (GroupTarget::Classes(y), Some(k)) => y.iter().position(|y| *y as usize >= k),
            _ => {
                return Err(
                    self.refuse("must have classes where training rows have, else a response")
                );
            }
        };
        match bad {
            Some(row) => Err(self.refuse(format!(
                "has a y in row {row} that training rows cannot have"
            ))),
            None => Ok(()),
        }
    }
}

/// Checks all groups; returns for each the position of the one it is compared with.
pub(super) fn check_groups(
    groups: &[RowGroup<'_>],
    training: &Training<'_>,
) -> Result<Vec<Option<usize>>, InputError> {
    let named = |name: &String| groups.iter().position(|other| other.name == *name);
    let mut compared_with = Vec::with_capacity(groups.len());
    for (i, group) in groups.iter().enumerate() {
        check_setting(
            named(&group.name) == Some(i),
            "row_groups",
            "groups of different names",
            &group.name,
        )?;
        let reference = group.compared_with.as_ref();
        let other = reference.map(|name| {
            let other = named(name).filter(|other| *other != i);
            let refuse =
                || group.refuse(format!("is compared with {name}, which is no other group"));
            other.ok_or_else(refuse)
        });
        compared_with.push(other.transpose()?);
        group.check_bounds(training)?;
        group.check_rows(training)?;
    }
    for (i, group) in groups.iter().enumerate() {
        if group.bounds.is_empty() && !compared_with.contains(&Some(i)) {
            return Err(group.refuse("has no bound"));
        }
    }
    Ok(compared_with)
}
