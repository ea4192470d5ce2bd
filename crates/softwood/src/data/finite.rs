//! No NaN, no infinity: checked before rows are fitted or predicted.

use super::Rows;
use crate::InputError;
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
