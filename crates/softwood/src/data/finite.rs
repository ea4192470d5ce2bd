//! No NaN, no infinity: checked before rows are fitted or predicted.

use super::Rows;
use crate::InputError;
use pulp::Simd;
use rayon::prelude::*;

/// Rows in a piece of parallel work.
const CHUNK: usize = 16_384;

/// The first NaN or infinity in X, rows in parallel.
pub(crate) fn check_finite(rows: &Rows<'_>) -> Result<(), InputError> {
    (0..rows.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| rows.check_finite(c * CHUNK..rows.len().min((c + 1) * CHUNK)))
        .find_first(Result::is_err)
        .unwrap_or(Ok(()))
}

/// Whether no value is a NaN or an infinity; in the vector instructions of the caller.
#[inline(always)]
pub(crate) fn all_finite<S: Simd, T: Copy + Into<f64>>(_: S, values: &[T]) -> bool {
    // x · 0 is 0 for finite x and NaN for all others, and a NaN stays in a sum.
    let mut sums = [0.0; 32];
    let parts = values.chunks_exact(sums.len());
    for x in parts.remainder() {
        sums[0] += (*x).into() * 0.0;
    }
    for part in parts {
        for (sum, x) in sums.iter_mut().zip(part) {
            *sum += (*x).into() * 0.0;
        }
    }
    sums.iter().sum::<f64>() == 0.0
}
