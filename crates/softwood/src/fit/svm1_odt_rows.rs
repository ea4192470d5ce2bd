//! The rows that a hard oblique tree is searched for, and the points they are.

use crate::data::{Labels, Rows, Scaling, ScalingKind};
use crate::error::FitError;
use crate::exact::Points;
use crate::stop::{Stop, Stopped};
use ndarray::Array2;

/// Rows with labels and weights.
pub(super) struct SearchRows<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: &'a [f64],
}

/// The distinct rows with features scaled to \[0, 1\], those of weight 0 left out.
pub(super) fn points(data: &SearchRows<'_>, stop: &Stop) -> Result<(Scaling, Points), FitError> {
    // Nothing can be fitted without: the time limit does not count yet.
    let stop = stop.without_deadline();
    let (rows, weights) = (&data.rows, data.weights);
    let scaling =
        Scaling::learn_unless_stopped(ScalingKind::MinMax, rows.reborrow(), Some(weights), &stop)
            .map_err(|_: Stopped| FitError::Cancelled)?;
    let kept: Vec<usize> = (0..rows.len()).filter(|i| weights[*i] > 0.0).collect();
    let x = scaled(rows, &kept, &scaling);
    let codes: Vec<u32> = kept.iter().map(|i| data.labels.codes[*i]).collect();
    let weights: Vec<f64> = kept.iter().map(|i| weights[*i]).collect();
    let (features, classes) = (rows.features(), data.labels.classes.len());
    let x = x.as_slice().expect("rows lie together");
    Ok((
        scaling,
        Points::merge(x, features, &codes, &weights, classes),
    ))
}

/// Some of the rows with features scaled.
pub(super) fn scaled(rows: &Rows<'_>, members: &[usize], scaling: &Scaling) -> Array2<f64> {
    let mut x = rows.gather(members);
    for (mut column, map) in x.columns_mut().into_iter().zip(&scaling.features) {
        column.mapv_inplace(|x| map.apply(x));
    }
    x
}
