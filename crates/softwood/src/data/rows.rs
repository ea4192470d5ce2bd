//! Borrowed views of the user's matrix: dense in any strides or sparse, float32 or float64, never
//! copied as a whole.

use super::CsrRows;
use super::csr::by_value;
use crate::InputError;
use ndarray::{Array2, ArrayView2, Axis};
use std::cmp::Ordering;
use std::ops::Range;

/// N rows of p features as the user holds them.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Double precision.
    F64(ArrayView2<'a, f64>),
    /// Single precision; computed with in double.
    F32(ArrayView2<'a, f32>),
    /// Sparse, of either precision.
    Sparse(CsrRows<'a>),
}

impl<'a> From<CsrRows<'a>> for Rows<'a> {
    fn from(rows: CsrRows<'a>) -> Self {
        Self::Sparse(rows)
    }
}

impl<'a> From<ArrayView2<'a, f64>> for Rows<'a> {
    fn from(view: ArrayView2<'a, f64>) -> Self {
        Self::F64(view)
    }
}

impl<'a> From<ArrayView2<'a, f32>> for Rows<'a> {
    fn from(view: ArrayView2<'a, f32>) -> Self {
        Self::F32(view)
    }
}

/// Runs the same generic code (where `f64::from` may be the identity) on whichever element type is behind
/// the view of dense rows, and other code on sparse ones.
macro_rules! with_view {
    ($rows:expr, $view:ident => $body:expr, $csr:ident => $sparse:expr) => {
        match $rows {
            #[allow(clippy::useless_conversion)]
            $crate::data::Rows::F64($view) => $body,
            $crate::data::Rows::F32($view) => $body,
            $crate::data::Rows::Sparse($csr) => $sparse,
        }
    };
}
pub(crate) use with_view;

impl Rows<'_> {
    /// The same view for a shorter time (array views do not shorten by themselves).
    pub fn reborrow(&self) -> Rows<'_> {
        match self {
            Self::F64(view) => Rows::F64(view.reborrow()),
            Self::F32(view) => Rows::F32(view.reborrow()),
            Self::Sparse(csr) => Rows::Sparse(*csr),
        }
    }

    /// Rows `range` of these.
    pub fn slice(&self, range: Range<usize>) -> Rows<'_> {
        with_view!(
            self,
            view => view.slice_axis(Axis(0), range.into()).into(),
            csr => csr.slice(range).into()
        )
    }

    /// N.
    pub fn len(&self) -> usize {
        with_view!(self, view => view.nrows(), csr => csr.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// p.
    pub fn features(&self) -> usize {
        with_view!(self, view => view.ncols(), csr => csr.features())
    }

    /// Runs `see(row, value)` on every `step`-th value of column `j`.
    pub(crate) fn visit_column(&self, j: usize, step: usize, mut see: impl FnMut(usize, f64)) {
        with_view!(
            self,
            view => {
                let column = view.column(j);
                for (row, x) in column.iter().enumerate().step_by(step) {
                    see(row, f64::from(*x));
                }
            },
            csr => for row in (0..csr.len()).step_by(step) {
                see(row, csr.value(row, j));
            }
        );
    }

    /// Column `j` as doubles.
    pub(crate) fn column(&self, j: usize) -> Vec<f64> {
        let mut column = Vec::with_capacity(self.len());
        self.visit_column(j, 1, |_, x| column.push(x));
        column
    }

    /// Two rows by their values, feature after feature; −0 is 0.
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        with_view!(
            self,
            view => {
                let both = view.row(a).into_iter().zip(view.row(b));
                let orders = both.map(|(x, y)| by_value(f64::from(*x), f64::from(*y)));
                orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            },
            csr => csr.compare(a, b)
        )
    }

    /// Runs `see(row, column, value)` on every value that is not 0, in any order.
    pub(crate) fn visit_nonzeros(&self, mut see: impl FnMut(usize, usize, f64)) {
        let mut unless_zero = |row: usize, j: usize, x: f64| {
            if x != 0.0 {
                see(row, j, x);
            }
        };
        match self {
            Self::Sparse(csr) => {
                for row in 0..csr.len() {
                    csr.visit_row(row, |j, x| unless_zero(row, j, x));
                }
            }
            dense => {
                for j in 0..dense.features() {
                    dense.visit_column(j, 1, |row, x| unless_zero(row, j, x));
                }
            }
        }
    }

    /// Fills `out` with row `i` as doubles.
    pub(crate) fn copy_row(&self, i: usize, out: &mut [f64]) {
        with_view!(
            self,
            view => out.iter_mut().zip(view.row(i)).for_each(|(out, x)| *out = f64::from(*x)),
            csr => csr.copy_row(i, out)
        );
    }

    /// Fills `out` with the values of row `i` at `count` columns, which increase with k in `column(k)`.
    pub(crate) fn pick(
        &self,
        i: usize,
        column: &impl Fn(usize) -> usize,
        count: usize,
        out: &mut [f64],
    ) {
        with_view!(
            self,
            view => {
                let row = view.row(i);
                for (k, out) in out.iter_mut().enumerate().take(count) {
                    *out = f64::from(row[column(k)]);
                }
            },
            csr => {
                out[..count].fill(0.0);
                let mut k = 0;
                csr.visit_row(i, |j, x| {
                    while k < count && column(k) < j {
                        k += 1;
                    }
                    if k < count && column(k) == j {
                        out[k] = x;
                    }
                });
            }
        );
    }

    /// A copy of the rows numbered `members`, as doubles, row after row.
    pub(crate) fn gather(&self, members: &[usize]) -> Array2<f64> {
        let mut copy = Array2::zeros((members.len(), self.features()));
        for (row, i) in copy.rows_mut().into_iter().zip(members) {
            self.copy_row(*i, row.into_slice().expect("a row in one piece"));
        }
        copy
    }

    /// The first NaN or infinity in rows `range`, reading memory in order.
    pub(crate) fn check_finite(&self, range: Range<usize>) -> Result<(), InputError> {
        with_view!(
            self,
            view => {
                for row in range {
                    let values = view.row(row);
                    // The sum is finite only if all terms are, unless they overflow: then look closer.
                    if f64::from(values.sum()).is_finite() {
                        continue;
                    }
                    if let Some(column) = values.iter().position(|x| !x.is_finite()) {
                        let value = f64::from(values[column]);
                        return Err(InputError::NotFinite { row, column, value });
                    }
                }
                Ok(())
            },
            csr => csr.check_finite(range)
        )
    }

    /// Smallest and largest value of each column over those of rows `range` that weigh.
    pub(crate) fn extremes(&self, range: Range<usize>, weights: Option<&[f64]>) -> Vec<(f64, f64)> {
        let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); self.features()];
        let widen = |(low, high): &mut (f64, f64), x: f64| {
            *low = low.min(x);
            *high = high.max(x);
        };
        let weighing = range.filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0));
        with_view!(
            self,
            view => {
                for row in weighing {
                    let both = view.row(row).into_iter().zip(&mut extremes);
                    both.for_each(|(x, extremes)| widen(extremes, f64::from(*x)));
                }
            },
            csr => {
                let (mut rows, mut stored) = (0, vec![0; csr.features()]);
                for row in weighing {
                    rows += 1;
                    csr.visit_row(row, |j, x| {
                        stored[j] += 1;
                        widen(&mut extremes[j], x);
                    });
                }
                let zeros = extremes.iter_mut().zip(stored).filter(|(_, n)| *n < rows);
                zeros.for_each(|(extremes, _)| widen(extremes, 0.0));
            }
        );
        extremes
    }
}
