//! The features of a single row, given as values by name.

use super::super::ClassLabels;
use super::apply::Encoded;
use super::columns::Encoding;
use super::table::{Column, LevelColumn, Table, Value};
use crate::InputError;
use std::borrow::Cow;

impl Encoding {
    /// The features of a row of named values, 1 × p, and the levels in it that training has not seen.
    ///
    /// ```
    /// use softwood::data::{Coding, Encoding, EncodedColumn, ClassLabels, Missing};
    ///
    /// let encoding = Encoding {
    ///     columns: vec![
    ///         EncodedColumn {
    ///             name: "age".into(),
    ///             coding: Coding::Number { typical: 40.0 },
    ///             missing: Missing::Filled,
    ///         },
    ///         EncodedColumn {
    ///             name: "colour".into(),
    ///             coding: Coding::Levels {
    ///                 levels: ClassLabels::Text(vec!["blue".into(), "red".into()]),
    ///                 typical: 0,
    ///             },
    ///             missing: Missing::Refused,
    ///         },
    ///     ],
    /// };
    /// let row = encoding.encode_row(&[("colour", "red".into()), ("age", 31.0.into())])?;
    /// assert_eq!(row.rows.into_raw_vec_and_offset().0, [31.0, 0.0, 1.0]);
    /// # Ok::<(), softwood::InputError>(())
    /// ```
    pub fn encode_row(&self, values: &[(&str, Value)]) -> Result<Encoded, InputError> {
        let names = values.iter().map(|(name, _)| (*name).to_owned());
        let columns = values.iter().map(|(_, value)| column_of(value));
        self.encode(&Table {
            names: names.collect(),
            columns: columns.collect(),
        })
    }
}

/// A column of one row.
fn column_of(value: &Value) -> Column<'static> {
    let level = |levels| {
        Column::Levels(LevelColumn {
            levels,
            codes: Cow::Owned(vec![0]),
            declared: true,
            ordered: false,
        })
    };
    match value {
        Value::Number(x) => Column::Numbers(Cow::Owned(vec![*x])),
        Value::Missing => Column::Numbers(Cow::Owned(vec![f64::NAN])),
        Value::Text(text) => level(ClassLabels::Text(vec![text.clone()])),
        Value::Truth(truth) => level(ClassLabels::Bool(vec![*truth])),
    }
}
