//! Depth, scaling, steepness and penalties of an ORRT chosen by cross-validation, then the tree fitted with them.

use super::leaf_weights::in_users_unit;
use super::orrt_choice::{OrrtChoice, choose_and_fit};
use super::orrt_cv_settings::OrrtCvSettings;
use super::orrt_fit::check_orrt_data;
use super::orrt_settings::OrrtSettings;
use super::response_fold::ResponseData;
use super::response_groups::GroupedRows;
use super::row_groups::RowGroup;
use crate::control::Control;
use crate::data::{CanonicalRows, Rows};
use crate::error::FitError;
use crate::fitted::OrrtModel;
use crate::threads::in_pool;
use std::time::Instant;

/// Chooses depth, scaling, γ, λ_β and penalties by cross-validation on the rows, and fits with them.
///
/// Racing over folds: a candidate whose score on held-out rows falls significantly behind the best is
/// dropped. Candidates that differ in penalties alone share their starts. The bounds that `groups` bring along
/// are those of the final fit; the trees on folds are fitted without them. The model's report keeps the table.
/// Deterministic for a given seed unless a time limit interferes.
pub fn fit_orrt_cv<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrrtCvSettings,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    let deepest = OrrtSettings {
        depth: settings.depths.iter().copied().max().unwrap_or(1),
        ..settings.fit.clone()
    };
    check_orrt_data(&given, &deepest)?;
    in_pool(settings.fit.run.n_threads, || {
        let given = GroupedRows::checked(groups, given)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let choice = OrrtChoice {
            candidates: settings.candidates(data.rows.features()),
            scoring: settings.scoring,
            folds: settings.folds,
            rule: settings.rule,
            is_dispensable: false,
        };
        let fit = &settings.fit;
        let mut model = choose_and_fit(&data, &given, choice, fit, began, control)?;
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}
