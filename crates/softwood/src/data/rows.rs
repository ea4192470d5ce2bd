//! Borrowed views of the user's matrix: float32 or float64, any strides, never copied as a whole.

use crate::InputError;
use ndarray::ArrayView2;

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

/// Runs the same generic code on whichever element type is behind the view.
macro_rules! with_view {
    ($rows:expr, $view:ident => $body:expr) => {
        match $rows {
            Rows::F64($view) => $body,
            Rows::F32($view) => $body,
        }
    };
}

impl Rows<'_> {
    /// The same view for a shorter time (array views do not shorten by themselves).
    pub fn reborrow(&self) -> Rows<'_> {
        match self {
            Self::F64(view) => Rows::F64(view.reborrow()),
            Self::F32(view) => Rows::F32(view.reborrow()),
        }
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

    /// Column `j` as doubles.
    pub(crate) fn column(&self, j: usize) -> Vec<f64> {
        with_view!(self, view => view.column(j).iter().map(|x| f64::from(*x)).collect())
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

    /// Transposes rows `first..first+count` into `tile` (p × stride, rows innermost), padding with
    /// the last row so that every value in the tile is one of the data.
    pub(crate) fn transpose_into(&self, first: usize, count: usize, stride: usize, tile: &mut [f64]) {
        with_view!(self, view => {
            let view = view.slice(ndarray::s![first..first + count, ..]);
            if view.strides()[1] == 1 {
                transpose_contiguous_rows(&view, stride, tile);
            } else {
                for (column, out) in view.columns().into_iter().zip(tile.chunks_exact_mut(stride)) {
                    for (x, out) in column.iter().zip(out.iter_mut()) {
                        *out = f64::from(*x);
                    }
                }
            }
        });
        if count < stride {
            for out in tile.chunks_exact_mut(stride) {
                let last = out[count - 1];
                out[count..].fill(last);
            }
        }
    }
}

/// The C-order case, eight rows at a time so that each store fills a cache line.
fn transpose_contiguous_rows<T: Copy + Into<f64>>(
    view: &ArrayView2<T>,
    stride: usize,
    tile: &mut [f64],
) {
    let row = |i: usize| view.row(i).to_slice().expect("rows are contiguous");
    let whole = view.nrows() / 8 * 8;
    for i in (0..whole).step_by(8) {
        let rows: [&[T]; 8] = std::array::from_fn(|r| row(i + r));
        for (j, out) in tile.chunks_exact_mut(stride).enumerate() {
            let out: &mut [f64; 8] = (&mut out[i..i + 8]).try_into().expect("eight rows");
            *out = rows.map(|row| row[j].into());
        }
    }
    for i in whole..view.nrows() {
        for (x, out) in row(i).iter().zip(tile.chunks_exact_mut(stride)) {
            out[i] = (*x).into();
        }
    }
}
