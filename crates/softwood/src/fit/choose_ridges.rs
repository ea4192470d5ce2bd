//! Penalties where none are asked for, as a pilot tree makes them plausible.

use super::nodec::{Ridges, Run};
use super::srt::{SrtSettings, first_splits};
use crate::leaves::plausible_penalty;
use crate::objective::RegressionRows;
use crate::progress::Progress;
use crate::stop::Stopped;
use crate::tree::Topology;
use std::sync::Arc;

/// λ_ω W p² for errors of variance 1: slopes a/p of the splits are penalized beside summed errors.
const BRANCHES: f64 = 3e-2;

/// Macro-iterations of the pilot at most.
const PILOT: u64 = 10;

/// Variance of the errors at least: splits stay finite where all rows are fitted exactly.
const NO_ERRORS: f64 = 1e-6;

/// λ_β W/2 of the pilot, and for more rows than need one.
const LEAVES: f64 = 5e-2;
const MANY_ROWS: usize = 5000;

/// λ_ω and λ_β as asked for or, where nothing is, chosen.
pub(crate) fn choose_ridges(
    data: &RegressionRows<'_>,
    topology: Topology,
    settings: &SrtSettings,
    progress: &Arc<Progress>,
) -> Result<Ridges, Stopped> {
    let (w, p) = (data.total_weight(), data.features() as f64);
    let mut ridges = Ridges {
        branches: settings.ridge_branches.unwrap_or(BRANCHES / (w * p * p)),
        leaves: settings.ridge_leaves.unwrap_or(2.0 * LEAVES / w),
    };
    let asked = settings.ridge_branches.is_some() && settings.ridge_leaves.is_some();
    if asked || data.len() > MANY_ROWS {
        return Ok(ridges);
    }
    progress.expect_starts(1);
    let first = first_splits(&data.without_deadline(), topology, settings, 0, progress)?;
    let mut pilot = Run::new(data, first, ridges, settings, progress)?;
    pilot.advance(settings.macro_iterations.min(PILOT))?;
    let parameters = pilot.finish()?.parameters;
    let moments = data.without_deadline().leaf_moments(&parameters, 0, None)?;
    let plausible = plausible_penalty(&moments, data.features(), LEAVES);
    if settings.ridge_leaves.is_none() {
        ridges.leaves = 2.0 * plausible.penalty / w;
    }
    if settings.ridge_branches.is_none() {
        ridges.branches = BRANCHES * plausible.error_variance.max(NO_ERRORS) / (w * p * p);
    }
    progress.finish_start(None);
    Ok(ridges)
}
