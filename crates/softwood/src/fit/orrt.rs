//! The optimal randomized regression tree: settings → data → starts → model.

use super::leaf_weights::in_users_unit;
use super::orrt_choice::{OrrtChoice, choose_and_fit};
use super::orrt_fit::{check_orrt_data, fit_checked};
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

/// Fits a sparse optimal randomized regression tree (S-ORRT):
///
/// min (1/W) Σ_i w_i (φ_i − y_i)² + R(β) + λ_L Σ_j ‖(a_j, β_j)‖₁ + λ_G Σ_j ‖(a_j, β_j)‖_∞   (4.1)
///
/// over a, μ ∈ [−1, 1] and free β, φ_i = Σ_t P_it (β_0t + βₜᵀ(u_i − ū)) being the mixture of all leaves' linear
/// models, y standardized, ū the mean row and R a ridge, [`LeafRidge`](crate::objective::LeafRidge).
///
/// For given splits all leaf models follow from one linear regression; starts descend over the splits
/// alone (variable projection), through softer splits, from random hyperplanes and from the splits of a
/// soft regression tree. Penalties, and the bounds that `groups` of rows bring along, come in at the end,
/// over splits and leaves together.
///
/// Same seed, same bits, on any number of threads and, for rows that are kept (up to 96 MB), in
/// whatever order they stand and whether they are weighted or repeated.
pub fn fit_orrt<'a>(
    rows: impl Into<Rows<'a>>,
    y: &[f64],
    weights: Option<&[f64]>,
    groups: &[RowGroup<'_>],
    settings: &OrrtSettings,
    control: &Control,
) -> Result<OrrtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    let given = ResponseData {
        rows: rows.reborrow(),
        y,
        weights,
    };
    check_orrt_data(&given, settings)?;
    in_pool(settings.run.n_threads, || {
        let given = GroupedRows::checked(groups, given)?;
        let canonical = CanonicalRows::of(rows.reborrow(), y, weights);
        let data = ResponseData::of(&canonical);
        let mut model = match settings.gamma {
            Some(_) => {
                control.progress.announce(settings.n_starts);
                let stop = settings.run.stop(control);
                fit_checked(&data, &given, settings, &stop, &control.progress)?
            }
            None => {
                let choice = OrrtChoice::of_steepness(settings);
                choose_and_fit(&data, &given, choice, settings, began, control)?
            }
        };
        in_users_unit(&mut model.leaf_weights, canonical.weight_unit);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}
