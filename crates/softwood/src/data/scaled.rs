//! Rows behind their scaling, in blocks of the form that suits them.

use super::{Rows, ScaledRows, Scaling, Source, SparseRows};
use std::sync::Arc;

/// Share of values that are stored up to which sparse blocks are worth their while.
const SPARSE: f64 = 0.2;

/// Rows to be passed over many times, in dense or sparse blocks; `scaling` must have as many features as
/// they.
pub fn scaled<'a>(rows: Rows<'a>, scaling: &'a Scaling) -> Source<'a> {
    match rows {
        Rows::Sparse(csr) if is_sparse(&rows) => Arc::new(SparseRows::new(csr, scaling)),
        rows => Arc::new(ScaledRows::new(rows, scaling)),
    }
}

/// The same for one pass: nothing is kept.
pub fn scaled_once<'a>(rows: Rows<'a>, scaling: &'a Scaling) -> Source<'a> {
    match rows {
        Rows::Sparse(csr) if is_sparse(&rows) => Arc::new(SparseRows::passing_once(csr, scaling)),
        rows => Arc::new(ScaledRows::passing_once(rows, scaling)),
    }
}

fn is_sparse(rows: &Rows<'_>) -> bool {
    let all = rows.len() as f64 * rows.features() as f64;
    matches!(rows, Rows::Sparse(csr) if csr.stored() as f64 <= SPARSE * all)
}
