//! What a table holds: named columns of numbers or of levels, and single values.

use super::super::ClassLabels;
use crate::{InputError, TableError};
use std::borrow::Cow;
use std::fmt;

/// Columns of equal length, each with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<'a> {
    /// Names, all different; empty if columns go by their order.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Column<'a>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column<'a> {
    /// Numbers; NaN where one is missing.
    Numbers(Cow<'a, [f64]>),
    /// Levels.
    Levels(LevelColumn<'a>),
}

/// A column of which every row holds one of few levels: text, truth values, or numbers that are names.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelColumn<'a> {
    /// Distinct levels, in any order.
    pub levels: ClassLabels,
    /// For each row the position of its level; −1 where it is missing.
    pub codes: Cow<'a, [i32]>,
    /// Whether somebody said that these are categories: text that reads as numbers is then left alone.
    pub declared: bool,
    /// Whether the order of `levels` means something.
    pub ordered: bool,
}

/// What a cell of a table holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A truth value.
    Truth(bool),
    /// Nothing.
    Missing,
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        if x.is_nan() {
            Self::Missing
        } else {
            Self::Number(x)
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => x.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Truth(truth) => truth.fmt(f),
            Self::Missing => f.write_str("missing"),
        }
    }
}

impl Column<'_> {
    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Levels(column) => column.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of a row is missing.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(numbers) => numbers[row].is_nan(),
            Self::Levels(column) => column.codes[row] < 0,
        }
    }

    /// How many values are missing, and the first row where one is.
    pub(super) fn missing(&self) -> (usize, Option<usize>) {
        let mut missing = (0..self.len()).filter(|row| self.is_missing(*row));
        let first = missing.next();
        (usize::from(first.is_some()) + missing.count(), first)
    }
}

impl Table<'_> {
    /// The names of the columns, which must be distinct and of equal length; x0, x1, … if there are none.
    pub(super) fn checked_names(&self) -> Result<Vec<String>, TableError> {
        let (given, count) = (self.names.clone(), self.columns.len());
        let names = match given.is_empty() {
            true => (0..count).map(|j| format!("x{j}")).collect(),
            false => given,
        };
        assert_eq!(names.len(), count, "a name for each column");
        for (j, name) in names.iter().enumerate() {
            if names[..j].contains(name) {
                return Err(TableError::Repeated { name: name.clone() });
            }
        }
        let rows = self.columns.first().map_or(0, Column::len);
        let other = self.columns.iter().position(|column| column.len() != rows);
        other.map_or(Ok(names.clone()), |j| {
            Err(TableError::Length {
                column: names[j].clone(),
                len: self.columns[j].len(),
                rows,
            })
        })
    }
}

impl Table<'_> {
    /// Err with all columns that have missing values.
    pub fn refuse_missing(&self) -> Result<(), InputError> {
        let names = self.checked_names()?;
        Ok(refuse_missing(names.iter().zip(&self.columns))?)
    }
}

/// Err with all of these columns that have missing values.
pub(super) fn refuse_missing<'a, 'c: 'a>(
    columns: impl Iterator<Item = (&'a String, &'a Column<'c>)>,
) -> Result<(), TableError> {
    let hole = |(name, column): (&String, &Column<'_>)| {
        let (count, first) = column.missing();
        first.map(|first| (name.clone(), count, first))
    };
    let holes: Vec<_> = columns.filter_map(hole).collect();
    match holes.is_empty() {
        true => Ok(()),
        false => Err(TableError::MissingValues(holes)),
    }
}

/// What makes levels the same: an integer is the number of the same value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    Text(&'a str),
    Truth(bool),
    Integer(i64),
    Number(u64),
}

impl Key<'_> {
    pub fn of_number(x: f64) -> Self {
        let integer = x as i64;
        if integer as f64 == x {
            Self::Integer(integer)
        } else {
            Self::Number(x.to_bits())
        }
    }
}

impl ClassLabels {
    /// What makes label `k` the same as another.
    pub(super) fn key(&self, k: usize) -> Key<'_> {
        match self {
            Self::Text(v) => Key::Text(&v[k]),
            Self::Bool(v) => Key::Truth(v[k]),
            Self::Int(v) => Key::Integer(v[k]),
            Self::Float(v) => Key::of_number(v[k]),
        }
    }

    /// Label `k` as a cell of a table.
    pub(super) fn value(&self, k: usize) -> Value {
        match self {
            Self::Text(v) => Value::Text(v[k].clone()),
            Self::Bool(v) => Value::Truth(v[k]),
            Self::Int(v) => Value::Number(v[k] as f64),
            Self::Float(v) => Value::Number(v[k]),
        }
    }

    /// The labels at these positions.
    pub(super) fn at(&self, positions: &[usize]) -> Self {
        fn pick<T: Clone>(values: &[T], positions: &[usize]) -> Vec<T> {
            positions.iter().map(|k| values[*k].clone()).collect()
        }
        match self {
            Self::Text(v) => Self::Text(pick(v, positions)),
            Self::Bool(v) => Self::Bool(pick(v, positions)),
            Self::Int(v) => Self::Int(pick(v, positions)),
            Self::Float(v) => Self::Float(pick(v, positions)),
        }
    }

    /// Positions in increasing order of their labels.
    pub(super) fn increasing(&self) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.len()).collect();
        match self {
            Self::Text(v) => positions.sort_by(|a, b| v[*a].cmp(&v[*b])),
            Self::Bool(v) => positions.sort_by_key(|k| v[*k]),
            Self::Int(v) => positions.sort_by_key(|k| v[*k]),
            Self::Float(v) => positions.sort_by(|a, b| v[*a].total_cmp(&v[*b])),
        }
        positions
    }
}
