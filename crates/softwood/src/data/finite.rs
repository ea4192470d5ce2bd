//! No NaN, no infinity: checked before rows are fitted or predicted.

use super::Rows;
use super::rows::with_view;
use crate::InputError;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

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

/// Whether rows `range` are free of NaN and infinities.
pub(crate) fn are_finite(rows: &Rows<'_>, range: Range<usize>) -> bool {
    with_view!(rows, view => {
        let view = view.slice(ndarray::s![range.clone(), ..]);
        match view.as_slice_memory_order() {
            Some(values) => Arch::new().dispatch(AllFinite(values)),
            None => rows.check_finite(range).is_ok(),
        }
    })
}

struct AllFinite<'a, T>(&'a [T]);

impl<T: Copy + Into<f64>> WithSimd for AllFinite<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        // x · 0 is 0 for finite x and NaN for all others, and a NaN stays in a sum.
        let mut sums = [0.0; 32];
        let parts = self.0.chunks_exact(sums.len());
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
}
