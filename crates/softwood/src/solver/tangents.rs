//! Concave penalties: one run of the solver for every tangent, as long as that lowers the objective.

use super::{
    CountIterations, LbfgsSettings, Majorized, Objective, Outcome, SimpleTerm, Work, minimize,
};
use crate::progress::Progress;
use crate::stop::Interrupted;
use std::sync::Arc;

/// Each run but the last lowers f + h by this share.
const TANGENT_GAIN: f64 = 1e-3;

/// Minimizes f + h from `x` with h replaced by its tangents, up to `runs` of them; one is enough for an h
/// that is its own tangent.
pub(crate) fn minimize_by_tangents(
    objective: &impl Objective,
    h: &impl Majorized,
    mut x: Vec<f64>,
    runs: usize,
    limits: &LbfgsSettings,
    progress: &Arc<Progress>,
) -> Result<Outcome, Interrupted> {
    let mut work = Work::default();
    let mut value = f64::INFINITY;
    let mut run = 0;
    loop {
        run += 1;
        let term = h.tangent(&x);
        let observer = Some(CountIterations(progress.clone()));
        let outcome = minimize(objective, &term, x, limits, observer)?;
        work += outcome.work;
        let lower = outcome.value - SimpleTerm::value(&term, &outcome.x) + h.value(&outcome.x);
        let gained = value - lower > TANGENT_GAIN * lower.abs();
        if run == runs || outcome.status.is_stopped() || !gained {
            return Ok(outcome.with_work(work));
        }
        (x, value) = (outcome.x, lower);
    }
}
