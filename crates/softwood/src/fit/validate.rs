//! Checks of settings and data that the fit functions share.

use crate::InputError;
use crate::data::{Encoding, Rows};
use crate::tree::Topology;

/// Err unless `ok`, with what is allowed and what came.
pub(super) fn check_setting(
    ok: bool,
    name: &'static str,
    expected: &'static str,
    got: impl ToString,
) -> Result<(), InputError> {
    if ok {
        return Ok(());
    }
    Err(InputError::Setting {
        name,
        expected,
        got: got.to_string(),
    })
}

/// Penalties to go along.
pub(super) fn check_grid(name: &'static str, grid: &[f64]) -> Result<(), InputError> {
    let allowed = !grid.is_empty()
        && grid.iter().all(|x| x.is_finite() && *x >= 0.0)
        && grid.windows(2).all(|pair| pair[0] < pair[1]);
    check_setting(
        allowed,
        name,
        "at least one penalty, all finite, not negative and increasing",
        format!("{grid:?}"),
    )
}

/// Depth, starts and tolerance, whose defaults differ between the kinds of trees.
pub(super) fn check_search(depth: usize, n_starts: usize, tol: f64) -> Result<(), InputError> {
    let depths = 1..=Topology::MAX_DEPTH;
    check_setting(depths.contains(&depth), "depth", "1, 2, …, 12", depth)?;
    check_setting(n_starts >= 1, "n_starts", "at least 1", n_starts)?;
    check_setting(
        tol.is_finite() && tol >= 0.0,
        "tol",
        "a number of at least 0",
        tol,
    )
}

/// The steepest splits.
pub(super) const MAX_GAMMA: f64 = 1e9;

/// Steepness.
pub(super) fn check_gamma(gamma: f64) -> Result<(), InputError> {
    let allowed = gamma > 0.0 && gamma <= MAX_GAMMA;
    check_setting(allowed, "gamma", "a positive number up to 1e9", gamma)
}

/// A ridge, if one is given. Beside larger ones sums of errors would be lost, or the objective overflow.
pub(super) fn check_ridge(name: &'static str, ridge: Option<f64>) -> Result<(), InputError> {
    let ridge = ridge.unwrap_or(0.0);
    let allowed = (0.0..=1e100).contains(&ridge);
    check_setting(allowed, name, "a number from 0 to 1e100", ridge)
}

/// A finite response for every row.
pub(super) fn check_response(rows: &Rows<'_>, y: &[f64]) -> Result<(), InputError> {
    if y.len() != rows.len() {
        return Err(InputError::RowMismatch {
            name: "y",
            rows: rows.len(),
            len: y.len(),
        });
    }
    match y.iter().position(|y| !y.is_finite()) {
        Some(row) => Err(InputError::Response { row, value: y[row] }),
        None => Ok(()),
    }
}

/// At least one row and column, a feature for each of the encoding if there is one, and a name for each
/// column if there are names.
pub(super) fn check_x_and_names(
    rows: &Rows<'_>,
    (names, encoding): (Option<&[String]>, Option<&Encoding>),
) -> Result<(), InputError> {
    let (n, p) = (rows.len(), rows.features());
    if n == 0 || p == 0 {
        return Err(InputError::Empty {
            rows: n,
            columns: p,
        });
    }
    // Rows and columns are numbered by u32.
    if n.max(p) > u32::MAX as usize {
        return Err(InputError::TooLarge {
            rows: n,
            columns: p,
        });
    }
    if let Some(encoding) = encoding {
        let features = encoding.features();
        check_setting(
            features == p,
            "encoding",
            "that of the rows",
            format!("{features} features for rows of {p}"),
        )?;
    }
    let columns = encoding.map_or(p, |encoding| encoding.columns.len());
    match names {
        Some(names) => check_setting(
            names.len() == columns,
            "feature_names",
            "one name for each column of X",
            format!("{} names for {columns} columns", names.len()),
        ),
        None => Ok(()),
    }
}

/// A weight for each of `n` rows, finite and not negative, one of them positive.
pub(super) fn check_weights(n: usize, weights: Option<&[f64]>) -> Result<(), InputError> {
    let Some(weights) = weights else {
        return Ok(());
    };
    if weights.len() != n {
        return Err(InputError::RowMismatch {
            name: "sample_weight",
            rows: n,
            len: weights.len(),
        });
    }
    if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(InputError::Weight {
            row,
            value: weights[row],
        });
    }
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return Err(InputError::NoWeight { rows: n });
    }
    check_setting(
        total.is_finite(),
        "sample_weight",
        "weights with a finite sum",
        "a sum that overflows",
    )
}
