//! The columns of rows with the weights of their values: what is learned of single features.

use super::{CsrRows, Rows};
use crate::stop::{Stop, Stopped};

/// Rows between two looks at whether to stop.
const ROWS_AT_A_TIME: usize = 16_384;

/// All columns; of sparse rows a transposed copy, so that none of them is looked for in every row.
pub(super) enum Columns<'a> {
    Dense {
        rows: Rows<'a>,
        weights: Option<&'a [f64]>,
    },
    Sparse(SparseColumns),
}

/// The values of one column over the rows that weigh, in any order.
pub(super) enum ColumnValues {
    /// Each of weight 1.
    Plain(Vec<f64>),
    /// Each with its weight.
    Weighted(Vec<(f64, f64)>),
}

impl<'a> Columns<'a> {
    pub fn of(
        rows: &'a Rows<'_>,
        weights: Option<&'a [f64]>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        Ok(match rows {
            Rows::Sparse(csr) => Self::Sparse(SparseColumns::of(csr, weights, stop)?),
            dense => Self::Dense {
                rows: dense.reborrow(),
                weights,
            },
        })
    }

    /// The values of column `j`.
    pub fn values(&self, j: usize) -> ColumnValues {
        match self {
            Self::Dense {
                rows,
                weights: None,
            } => ColumnValues::Plain(rows.column(j)),
            Self::Dense {
                rows,
                weights: Some(weights),
            } => {
                let pairs = rows.column(j).into_iter().zip(weights.iter().copied());
                ColumnValues::Weighted(pairs.filter(|(_, weight)| *weight > 0.0).collect())
            }
            Self::Sparse(columns) => ColumnValues::Weighted(columns.values(j)),
        }
    }
}

/// What is stored of each column, with weights; the other rows are 0 there.
pub(super) struct SparseColumns {
    /// Where columns begin, and the end of the last.
    starts: Vec<usize>,
    stored: Vec<(f64, f64)>,
    /// Rows that weigh.
    rows: usize,
    /// Σ_i w_i.
    pub total: f64,
}

impl SparseColumns {
    fn of(csr: &CsrRows<'_>, weights: Option<&[f64]>, stop: &Stop) -> Result<Self, Stopped> {
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let weighing = (0..csr.len()).filter(|row| weight(*row) > 0.0);
        let mut starts = vec![0; csr.features() + 1];
        for row in weighing.clone() {
            csr.visit_row(row, |j, _| starts[j + 1] += 1);
        }
        for j in 0..csr.features() {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut stored = vec![(0.0, 0.0); starts[csr.features()]];
        for row in weighing.clone() {
            if row % ROWS_AT_A_TIME == 0 {
                stop.check()?;
            }
            csr.visit_row(row, |j, x| {
                stored[next[j]] = (x, weight(row));
                next[j] += 1;
            });
        }
        let mut all: Vec<f64> = weighing.map(weight).collect();
        all.sort_unstable_by(f64::total_cmp); // one sum, whatever the order of the rows
        Ok(Self {
            starts,
            stored,
            rows: all.len(),
            total: all.iter().sum(),
        })
    }

    /// p.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The values stored of column `j` and one 0 with the weight of all rows that are 0 unsaid.
    pub fn values(&self, j: usize) -> Vec<(f64, f64)> {
        let stored = &self.stored[self.starts[j]..self.starts[j + 1]];
        let mut values = stored.to_vec();
        if stored.len() < self.rows {
            let mut weights: Vec<f64> = stored.iter().map(|(_, weight)| *weight).collect();
            weights.sort_unstable_by(f64::total_cmp); // as above
            let others = self.total - weights.iter().sum::<f64>();
            // There are such rows, even if rounding leaves them no weight.
            values.push((0.0, others.max(f64::MIN_POSITIVE)));
        }
        values
    }
}
