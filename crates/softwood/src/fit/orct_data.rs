//! The data of an ORCT: checked, then in canonical order.

use super::check_orct_data::check_orct_data;
use super::class_fold::ClassData;
use super::orct_settings::OrctSettings;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, Labels, Rows};
use crate::error::FitError;
use crate::threads::in_pool;
use std::borrow::Cow;

/// What a fit is made from. See [`CanonicalRows`].
pub(super) struct OrctData<'a> {
    canonical: CanonicalRows<'a, u32>,
    labels: Cow<'a, Labels>,
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
        let canonical = in_pool(settings.run.n_threads, || {
            check_finite(&rows)?;
            Ok::<_, FitError>(CanonicalRows::of(rows, &labels.codes, weights))
        })??;
        let labels = match &canonical.target {
            Cow::Borrowed(_) => Cow::Borrowed(labels),
            Cow::Owned(codes) => Cow::Owned(Labels {
                classes: labels.classes.clone(),
                codes: codes.clone(),
            }),
        };
        Ok(Self {
            canonical,
            labels,
            costs,
        })
    }

    /// The rows with their labels, weights and costs.
    pub fn data(&self) -> ClassData<'_> {
        ClassData {
            rows: self.canonical.rows(),
            labels: &self.labels,
            weights: self.canonical.weights(),
            costs: &self.costs,
        }
    }
}
