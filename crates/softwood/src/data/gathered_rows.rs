//! Some of the user's rows, copied: dense ones as dense, sparse ones as sparse.

use super::{CsrRows, Rows};
use ndarray::Array2;

/// Copied rows; −0 is 0 there, and of sparse rows no 0 is stored.
pub(crate) enum GatheredRows {
    Dense(Array2<f64>),
    Sparse {
        features: usize,
        starts: Vec<i64>,
        columns: Vec<i64>,
        values: Vec<f64>,
    },
}

impl GatheredRows {
    /// The rows numbered `members`.
    pub fn of(rows: &Rows<'_>, members: &[usize]) -> Self {
        let Rows::Sparse(csr) = rows else {
            return Self::Dense(rows.gather(members) + 0.0);
        };
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in members {
            csr.visit_row(*row, |j, x| {
                if x != 0.0 {
                    columns.push(j as i64);
                    values.push(x);
                }
            });
            starts.push(values.len() as i64);
        }
        Self::Sparse {
            features: csr.features(),
            starts,
            columns,
            values,
        }
    }

    /// Bytes that a copy of all rows would take.
    pub fn bytes(rows: &Rows<'_>) -> usize {
        let (values, each) = match rows {
            Rows::Sparse(csr) => (csr.stored(), 2 * size_of::<f64>()),
            dense => {
                let values = dense.len().saturating_mul(dense.features());
                (values, size_of::<f64>())
            }
        };
        values.saturating_mul(each)
    }

    /// The rows as fits take them.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            Self::Dense(rows) => rows.view().into(),
            Self::Sparse {
                features,
                starts,
                columns,
                values,
            } => {
                let (starts, columns) = (starts.as_slice(), columns.as_slice());
                let rows = CsrRows::new(*features, starts, columns, values.as_slice());
                rows.expect("rows of a CSR matrix").into()
            }
        }
    }
}
