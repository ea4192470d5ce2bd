//! The penalties that empty a tree, for rows as they are given.

use super::orct::check_orct_input;
use super::orct_settings::{OrctSettings, PLAIN_GAMMA};
use crate::control::Control;
use crate::data::{
    Classes, ClassificationRows, Labels, Parallelism, Rows, Scaling, ScalingKind, scaled_once,
};
use crate::error::FitError;
use crate::objective::LambdaMax;
use crate::stop::Stop;

/// The smallest penalties under which the tree that uses no feature is stationary, for rows mapped by
/// `scaling`, with depth, γ (512 if it is left open), costs and penalty of
/// `settings`.
pub fn lambda_max<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    scaling: ScalingKind,
    settings: &OrctSettings,
    control: &Control,
) -> Result<LambdaMax, FitError> {
    let rows = rows.into();
    let costs = check_orct_input(rows.reborrow(), labels, weights, settings)?;
    let stop = Stop::new(&control.stop, None);
    let scaling = Scaling::learn_unless_stopped(scaling, rows, weights, &stop)?;
    let scaled = scaled_once(rows.reborrow(), &scaling);
    let classes = Classes::new(&labels.codes, labels.classes.len());
    let data = ClassificationRows::new(scaled, classes, weights, Parallelism::None, stop);
    let (depth, gamma) = (settings.depth, settings.gamma.unwrap_or(PLAIN_GAMMA));
    Ok(LambdaMax::of(
        &data,
        &costs,
        depth,
        gamma,
        &settings.penalty,
    )?)
}
