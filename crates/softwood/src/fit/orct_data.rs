//! The data of an ORCT: checked, then in canonical order.

use super::check_orct_data::check_orct_data;
use super::class_fold::ClassData;
use super::class_groups::RowCells;
use super::leaf_weights::in_users_unit;
use super::orct_settings::OrctSettings;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Labels, Rows};
use crate::error::FitError;
use crate::fitted::OrctModel;
use crate::threads::in_pool;
use std::borrow::Cow;

/// What a fit is made from. See [`CanonicalRows`].
pub(super) struct OrctData<'a> {
    /// The target of a row is its class or, where there are groups, its cell.
    canonical: CanonicalRows<'a, u32>,
    labels: Cow<'a, Labels>,
    cells: Option<&'a RowCells<'a>>,
    /// K × K.
    costs: Vec<f64>,
}

impl<'a> OrctData<'a> {
    /// Checks what was given against the settings, and orders it.
    pub fn checked(
        rows: Rows<'a>,
        labels: &'a Labels,
        weights: Option<&'a [f64]>,
        settings: &OrctSettings,
    ) -> Result<Self, FitError> {
        let costs = check_orct_data(&rows, labels, weights, settings)?;
        Self::ordered((rows, labels, weights), None, costs, settings)
    }

    /// Orders what is in order but for its values, with the cells of the rows if there are groups.
    pub fn ordered(
        (rows, labels, weights): (Rows<'a>, &'a Labels, Option<&'a [f64]>),
        cells: Option<&'a RowCells<'a>>,
        costs: Vec<f64>,
        settings: &OrctSettings,
    ) -> Result<Self, FitError> {
        let codes = cells.map_or(&labels.codes, |cells| &cells.codes);
        let canonical = in_pool(settings.run.n_threads, || {
            check_finite(&rows)?;
            Ok::<_, FitError>(CanonicalRows::of(rows, codes, weights))
        })??;
        let class = |code: &u32| cells.map_or(*code, |cells| cells.class(*code));
        let labels = match &canonical.target {
            Cow::Borrowed(_) => Cow::Borrowed(labels),
            Cow::Owned(codes) => Cow::Owned(Labels {
                classes: labels.classes.clone(),
                codes: codes.iter().map(class).collect(),
            }),
        };
        Ok(Self {
            canonical,
            labels,
            cells,
            costs,
        })
    }

    /// Puts what a model that was fitted to this data knows of weights into the user's unit.
    pub fn tell_weights(&self, model: &mut OrctModel) {
        in_users_unit(&mut model.leaf_weights, self.canonical.weight_unit);
    }

    /// The rows with their labels, weights, costs and groups.
    pub fn data(&self) -> ClassData<'_> {
        let codes = &self.canonical.target;
        let grouping = |cells: &'a RowCells<'_>| cells.grouping().with_codes(codes);
        ClassData {
            rows: self.canonical.rows(),
            labels: &self.labels,
            weights: self.canonical.weights(),
            costs: &self.costs,
            grouping: self.cells.map(grouping),
        }
    }
}
