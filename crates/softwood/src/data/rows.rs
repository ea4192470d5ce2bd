//! Borrowed views of the user's matrix: float32 or float64, any strides, never copied as a whole.

use crate::InputError;
use ndarray::{Array2, ArrayView2, Axis};

/// N rows of p features as the user holds them.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Double precision.
    F64(ArrayView2<'a, f64>),
    /// Single precision; computed with in double.
    F32(ArrayView2<'a, f32>),
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

/// Runs the same generic code (where `f64::from` may be the identity) on whichever element type is behind the view.
macro_rules! with_view {
    ($rows:expr, $view:ident => $body:expr) => {
        match $rows {
            #[allow(clippy::useless_conversion)]
            $crate::data::Rows::F64($view) => $body,
            $crate::data::Rows::F32($view) => $body,
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
        }
    }

    /// Rows `range` of these.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Rows<'_> {
        with_view!(self, view => view.slice_axis(Axis(0), range.into()).into())
    }

    /// N.
    pub fn len(&self) -> usize {
        with_view!(self, view => view.nrows())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// p.
    pub fn features(&self) -> usize {
        with_view!(self, view => view.ncols())
    }

    /// Feature `j` of a row.
    pub(crate) fn value(&self, row: usize, j: usize) -> f64 {
        with_view!(self, view => f64::from(view[[row, j]]))
    }

    /// Column `j` as doubles.
    pub(crate) fn column(&self, j: usize) -> Vec<f64> {
        with_view!(self, view => view.column(j).iter().map(|x| f64::from(*x)).collect())
    }

    /// Runs `see(row, value)` on every `step`-th value of column `j`.
    pub(crate) fn visit_column(&self, j: usize, step: usize, mut see: impl FnMut(usize, f64)) {
        with_view!(self, view => {
            let column = view.column(j);
            for (row, x) in column.iter().enumerate().step_by(step) {
                see(row, f64::from(*x));
            }
        });
    }

    /// A copy of the rows numbered `members`, as doubles, row after row.
    pub(crate) fn gather(&self, members: &[usize]) -> Array2<f64> {
        with_view!(self, view => Array2::from_shape_fn((members.len(), view.ncols()), |(i, j)| {
            f64::from(view[[members[i], j]])
        }))
    }

    /// The first NaN or infinity in rows `range`, reading memory in order.
    pub(crate) fn check_finite(&self, range: std::ops::Range<usize>) -> Result<(), InputError> {
        with_view!(self, view => {
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
        })
    }

    /// Smallest and largest value of each column over rows `range`.
    pub(crate) fn extremes(&self, range: std::ops::Range<usize>) -> Vec<(f64, f64)> {
        let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); self.features()];
        with_view!(self, view => {
            for row in range {
                for (x, (low, high)) in view.row(row).iter().zip(&mut extremes) {
                    let x = f64::from(*x);
                    *low = low.min(x);
                    *high = high.max(x);
                }
            }
        });
        extremes
    }
}
