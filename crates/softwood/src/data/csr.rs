//! Borrowed sparse rows as SciPy's CSR matrices hold them: 32- or 64-bit indices, float32 or float64.

use crate::InputError;
use std::cmp::Ordering;
use std::ops::Range;

/// N sparse rows of p features: the nonzeros of row i are `values[k]` at `columns[k]` for k in
/// `starts[i]..starts[i + 1]`, columns increasing.
#[derive(Clone, Copy, Debug)]
pub struct CsrRows<'a> {
    features: usize,
    starts: Indices<'a>,
    columns: Indices<'a>,
    values: Values<'a>,
}

/// Places in the other arrays, not negative.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// 32 bits.
    I32(&'a [i32]),
    /// 64 bits.
    I64(&'a [i64]),
}

/// Nonzeros; zeros among them do no harm.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Double precision.
    F64(&'a [f64]),
    /// Single precision; computed with in double.
    F32(&'a [f32]),
}

impl<'a> From<&'a [i32]> for Indices<'a> {
    fn from(indices: &'a [i32]) -> Self {
        Self::I32(indices)
    }
}

impl<'a> From<&'a [i64]> for Indices<'a> {
    fn from(indices: &'a [i64]) -> Self {
        Self::I64(indices)
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::F64(values)
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(values)
    }
}

impl<'a> Indices<'a> {
    fn len(self) -> usize {
        match self {
            Self::I32(indices) => indices.len(),
            Self::I64(indices) => indices.len(),
        }
    }

    /// None if negative.
    fn checked(self, k: usize) -> Option<usize> {
        match self {
            Self::I32(indices) => usize::try_from(indices[k]).ok(),
            Self::I64(indices) => usize::try_from(indices[k]).ok(),
        }
    }

    fn get(self, k: usize) -> usize {
        match self {
            Self::I32(indices) => indices[k] as usize,
            Self::I64(indices) => indices[k] as usize,
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::I32(indices) => Self::I32(&indices[range]),
            Self::I64(indices) => Self::I64(&indices[range]),
        }
    }
}

impl Values<'_> {
    fn len(self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::F32(values) => values.len(),
        }
    }

    fn get(self, k: usize) -> f64 {
        match self {
            Self::F64(values) => values[k],
            Self::F32(values) => values[k].into(),
        }
    }
}

/// An index that is known not to be negative.
trait Index: Copy {
    fn place(self) -> usize;
}

impl Index for i32 {
    fn place(self) -> usize {
        self as usize
    }
}

impl Index for i64 {
    fn place(self) -> usize {
        self as usize
    }
}

impl<'a> CsrRows<'a> {
    /// Looks at every index: starts that do not decrease and end within the values, columns of each row
    /// that increase and are less than `features`.
    pub fn new(
        features: usize,
        starts: impl Into<Indices<'a>>,
        columns: impl Into<Indices<'a>>,
        values: impl Into<Values<'a>>,
    ) -> Result<Self, InputError> {
        let rows = Self {
            features,
            starts: starts.into(),
            columns: columns.into(),
            values: values.into(),
        };
        rows.check()
            .map_err(|problem| InputError::SparseRows { problem })?;
        Ok(rows)
    }

    fn check(&self) -> Result<(), String> {
        let (stored, places) = (self.values.len(), self.columns.len());
        if stored != places {
            return Err(format!("{places} columns for {stored} values"));
        }
        if self.starts.len() == 0 {
            return Err("no beginning of the first row".into());
        }
        u32::try_from(self.features).map_err(|_| format!("{} columns", self.features))?;
        let start = |row: usize| {
            let start = self.starts.checked(row).filter(|start| *start <= stored);
            start.ok_or_else(|| format!("row {row} begins outside of the {stored} values"))
        };
        let mut begin = start(0)?;
        for row in 0..self.len() {
            let end = start(row + 1)?;
            if end < begin {
                return Err(format!("row {row} ends before it begins"));
            }
            self.check_columns(row, begin..end)?;
            begin = end;
        }
        Ok(())
    }

    fn check_columns(&self, row: usize, range: Range<usize>) -> Result<(), String> {
        let mut least = 0;
        for k in range {
            let column = self.columns.checked(k).filter(|j| *j < self.features);
            let Some(column) = column else {
                let p = self.features;
                return Err(format!(
                    "row {row} has a value outside of its {p} column(s)"
                ));
            };
            if column < least {
                return Err(format!(
                    "the columns of row {row} do not increase, or one is there twice"
                ));
            }
            least = column + 1;
        }
        Ok(())
    }

    /// N.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// p.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Values stored.
    pub fn stored(&self) -> usize {
        self.starts.get(self.len()) - self.starts.get(0)
    }

    /// Rows `range` of these.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        Self {
            starts: self.starts.slice(range.start..range.end + 1),
            ..*self
        }
    }

    /// Runs `see(column, value)` on what is stored of a row, in order.
    #[inline]
    pub(crate) fn visit_row(&self, row: usize, see: impl FnMut(usize, f64)) {
        let range = self.starts.get(row)..self.starts.get(row + 1);
        match (self.columns, self.values) {
            (Indices::I32(columns), Values::F64(values)) => each(columns, values, range, see),
            (Indices::I32(columns), Values::F32(values)) => each(columns, values, range, see),
            (Indices::I64(columns), Values::F64(values)) => each(columns, values, range, see),
            (Indices::I64(columns), Values::F32(values)) => each(columns, values, range, see),
        }
    }

    /// One value.
    pub(crate) fn value(&self, row: usize, column: usize) -> f64 {
        let mut value = 0.0;
        self.visit_row(row, |j, x| {
            if j == column {
                value = x;
            }
        });
        value
    }

    /// Two rows by their values, feature after feature; −0 is 0.
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        let end = |row: usize| self.starts.get(row + 1);
        let (mut k, mut l) = (self.starts.get(a), self.starts.get(b));
        while k < end(a) || l < end(b) {
            let column = |k: usize, row: usize| match k < end(row) {
                true => self.columns.get(k),
                false => self.features,
            };
            let next = column(k, a).min(column(l, b));
            let take = |k: &mut usize, row: usize| {
                if column(*k, row) > next {
                    return 0.0;
                }
                *k += 1;
                self.values.get(*k - 1)
            };
            let order = by_value(take(&mut k, a), take(&mut l, b));
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Fills `out` with all p values of a row.
    pub(crate) fn copy_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.visit_row(row, |j, x| out[j] = x);
    }

    /// The first NaN or infinity in rows `range`.
    pub(crate) fn check_finite(&self, range: Range<usize>) -> Result<(), InputError> {
        for row in range {
            let mut found = None;
            self.visit_row(row, |column, value| {
                if !value.is_finite() {
                    found.get_or_insert((column, value));
                }
            });
            if let Some((column, value)) = found {
                return Err(InputError::NotFinite { row, column, value });
            }
        }
        Ok(())
    }
}

/// Of two values, −0 being 0.
pub(super) fn by_value(a: f64, b: f64) -> Ordering {
    (a + 0.0).total_cmp(&(b + 0.0))
}

#[inline(always)]
fn each<I: Index, V: Copy + Into<f64>>(
    columns: &[I],
    values: &[V],
    range: Range<usize>,
    mut see: impl FnMut(usize, f64),
) {
    for (column, value) in columns[range.clone()].iter().zip(&values[range]) {
        see(column.place(), (*value).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(features: usize, starts: &[i32], columns: &[i32]) -> String {
        let values = vec![1.0; columns.len()];
        let rows = CsrRows::new(features, starts, columns, values.as_slice());
        rows.unwrap_err().to_string()
    }

    #[test]
    fn rows_that_are_no_csr_are_told() {
        for (features, starts, columns, told) in [
            (
                3,
                &[0, 2, 1][..],
                &[0, 1][..],
                "row 1 ends before it begins",
            ),
            (3, &[0, 3], &[0, 1], "row 1 begins outside of the 2 values"),
            (3, &[-1, 2], &[0, 1], "row 0 begins outside of the 2 values"),
            (3, &[], &[], "no beginning of the first row"),
            (
                2,
                &[0, 2],
                &[0, 2],
                "row 0 has a value outside of its 2 column(s)",
            ),
            (
                2,
                &[0, 1],
                &[-1],
                "row 0 has a value outside of its 2 column(s)",
            ),
            (
                3,
                &[0, 2],
                &[2, 1],
                "the columns of row 0 do not increase, or one is there twice",
            ),
            (
                3,
                &[0, 0, 2],
                &[1, 1],
                "the columns of row 1 do not increase, or one is there twice",
            ),
        ] {
            let text = problem(features, starts, columns);
            assert!(text.contains(told), "{text}");
        }
        let error = CsrRows::new(2, &[0, 1][..], &[0i64][..], &[][..] as &[f32]);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("1 columns for 0 values")
        );
    }

    #[test]
    fn a_slice_has_the_rows_of_the_whole() {
        let (starts, columns) = ([0i64, 2, 2, 3], [0i32, 2, 1]);
        let values = [5.0f32, 6.0, 7.0];
        let rows = CsrRows::new(3, &starts[..], &columns[..], &values[..]).unwrap();
        let last = rows.slice(1..3);
        assert_eq!((last.len(), last.stored(), last.features()), (2, 1, 3));
        let mut row = vec![9.0; 3];
        last.copy_row(0, &mut row);
        assert_eq!(row, [0.0; 3]);
        last.copy_row(1, &mut row);
        assert_eq!(row, [0.0, 7.0, 0.0]);
    }
}
