//! Applies an encoding: the features of a table's rows, one dense matrix.

use super::super::ClassLabels;
use super::columns::{Coding, EncodedColumn, Encoding, Missing};
use super::places::{LevelPlaces, UnseenLevels};
use super::table::{Column, Key, LevelColumn, Table, refuse_missing};
use crate::threads::in_pool;
use crate::{InputError, TableError};
use ndarray::Array2;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;

/// Rows that a thread fills at a time.
const CHUNK: usize = 2048;

/// Rows from which threads are worth their while.
const MANY_ROWS: usize = 20_000;

/// The features of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// N × p.
    pub rows: Array2<f64>,
    /// Levels that training has not seen, by column.
    pub unseen: Vec<UnseenLevels>,
}

impl Encoding {
    /// The features of a table: its columns are found by their names, in any order, or, without names, by
    /// their order. Numbers take 8 bytes for each row and feature.
    pub fn encode(&self, table: &Table<'_>) -> Result<Encoded, InputError> {
        let columns = self.columns_of(table)?;
        let both = || self.columns.iter().zip(columns.iter().copied());
        let refused = both().filter(|(own, _)| own.missing == Missing::Refused);
        refuse_missing(refused.map(|(own, column)| (&own.name, column)))?;
        let mut offset = 0;
        let (mut writers, mut unseen) = (Vec::new(), Vec::new());
        for (own, column) in both() {
            let (writer, never_seen) = Writer::of(own, column, offset)?;
            offset += own.features();
            writers.push(writer);
            unseen.extend(never_seen);
        }
        let rows = columns.first().map_or(0, |column| column.len());
        Ok(Encoded {
            rows: fill(rows, offset, &writers),
            unseen,
        })
    }

    /// The table's columns in the order of the encoding.
    fn columns_of<'t, 'a>(&self, table: &'t Table<'a>) -> Result<Vec<&'t Column<'a>>, TableError> {
        let names = table.checked_names()?;
        if table.names.is_empty() {
            let (expected, got) = (self.columns.len(), table.columns.len());
            return match expected == got {
                true => Ok(table.columns.iter().collect()),
                false => Err(TableError::Count { expected, got }),
            };
        }
        let places: HashMap<&String, usize> = names.iter().zip(0..).collect();
        let own = self.columns.iter().map(|column| &column.name);
        let absent = own.clone().filter(|name| !places.contains_key(name));
        let absent: Vec<String> = absent.cloned().collect();
        if !absent.is_empty() || names.len() > self.columns.len() {
            let known: Vec<&String> = own.collect();
            let unknown = names.iter().filter(|name| !known.contains(name));
            let unknown = unknown.cloned().collect();
            return Err(TableError::Columns { absent, unknown });
        }
        Ok(own.map(|name| &table.columns[places[name]]).collect())
    }
}

/// Writes the features of one column.
struct Writer<'a> {
    values: Values<'a>,
    /// First feature of the column.
    offset: usize,
    /// Where a missing value goes: the typical one.
    typical: (usize, f64),
    /// The feature that marks missing values.
    indicator: Option<usize>,
}

enum Values<'a> {
    Numbers(&'a [f64]),
    /// Codes of rows, and for each code a feature and its value.
    Codes(Cow<'a, [i32]>, Vec<(usize, f64)>),
}

impl<'a> Writer<'a> {
    fn of(
        own: &EncodedColumn,
        column: &'a Column<'_>,
        offset: usize,
    ) -> Result<(Self, Option<UnseenLevels>), TableError> {
        let refuse = |expected: &str, row: usize, value: String| TableError::Kind {
            column: own.name.clone(),
            expected: expected.into(),
            row,
            value,
        };
        let (values, unseen) = match (&own.coding, column) {
            (Coding::Number { .. }, Column::Numbers(numbers)) => {
                if let Some(row) = numbers.iter().position(|x| x.is_infinite()) {
                    return Err(refuse("finite numbers", row, numbers[row].to_string()));
                }
                (Values::Numbers(numbers), None)
            }
            (_, Column::Numbers(numbers)) => {
                let column = levels_of_numbers(numbers);
                let LevelPlaces { places, unseen } = LevelPlaces::of(own, &column)?;
                (Values::Codes(column.codes, places), unseen)
            }
            (_, Column::Levels(column)) => {
                let LevelPlaces { places, unseen } = LevelPlaces::of(own, column)?;
                (Values::Codes(Cow::Borrowed(&column.codes), places), unseen)
            }
        };
        let marked = own.missing == Missing::Indicator;
        let writer = Self {
            values,
            offset,
            typical: own.typical_place(),
            indicator: marked.then(|| offset + own.value_features()),
        };
        Ok((writer, unseen))
    }

    /// Fills zeros of rows of `width` features, the first of which is number `first`.
    fn write(&self, first: usize, width: usize, out: &mut [f64]) {
        for (i, out) in out.chunks_exact_mut(width).enumerate() {
            let place = match &self.values {
                Values::Numbers(numbers) => Some((0, numbers[first + i])).filter(|p| !p.1.is_nan()),
                Values::Codes(codes, places) => places.get(codes[first + i] as usize).copied(),
            };
            let (feature, value) = place.unwrap_or(self.typical);
            out[self.offset + feature] = value;
            if let (None, Some(indicator)) = (place, self.indicator) {
                out[indicator] = 1.0;
            }
        }
    }
}

/// Distinct numbers as levels.
fn levels_of_numbers(numbers: &[f64]) -> LevelColumn<'static> {
    let (mut levels, mut places) = (Vec::new(), HashMap::new());
    let code = |x: &f64| match x.is_nan() {
        true => -1,
        false => *places.entry(Key::of_number(*x)).or_insert_with(|| {
            levels.push(*x);
            levels.len() as i32 - 1
        }),
    };
    let codes = numbers.iter().map(code).collect();
    LevelColumn {
        levels: ClassLabels::Float(levels),
        codes: Cow::Owned(codes),
        declared: true,
        ordered: false,
    }
}

/// The matrix, filled by chunks of rows: in the caller's pool of threads, in one of its own, or in this
/// thread if the rows are few or no threads are to be had.
fn fill(rows: usize, width: usize, writers: &[Writer<'_>]) -> Array2<f64> {
    let mut out = vec![0.0; rows * width];
    let chunk = |(c, out): (usize, &mut [f64])| {
        let write = |writer: &Writer<'_>| writer.write(c * CHUNK, width, out);
        writers.iter().for_each(write);
    };
    let length = (CHUNK * width).max(1);
    let serial = |out: &mut [f64]| out.chunks_mut(length).enumerate().for_each(chunk);
    if rows < MANY_ROWS {
        serial(&mut out);
    } else if rayon::current_thread_index().is_some() {
        out.par_chunks_mut(length).enumerate().for_each(chunk);
    } else {
        let parallel = || out.par_chunks_mut(length).enumerate().for_each(chunk);
        if in_pool(None, parallel).is_err() {
            serial(&mut out);
        }
    }
    Array2::from_shape_vec((rows, width), out).expect("rows of equal width")
}
