//! The encoding of a table's columns: which features stand for each, and back from features to values.

use super::super::ClassLabels;
use super::table::Value;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

/// How each column of the user's table becomes features, in order. It is learned in training and kept
/// in the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encoding {
    /// The columns of the table.
    pub columns: Vec<EncodedColumn>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// Its name.
    pub name: String,
    /// Its features.
    #[serde(flatten)]
    pub coding: Coding,
    /// What becomes of missing values.
    #[serde(default, skip_serializing_if = "Missing::is_refused")]
    pub missing: Missing,
}

/// The features of a column, and its typical value: the weighted median of numbers and of levels in
/// order, the most frequent level otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "coding")]
pub enum Coding {
    /// A number, as it is.
    Number {
        /// Its typical value.
        typical: f64,
    },
    /// A truth value: 1 if it is true, else 0.
    Truth {
        /// Its typical value.
        typical: bool,
    },
    /// Levels with an order: the position of the level.
    Ordered {
        /// The levels in their order.
        levels: ClassLabels,
        /// Position of the typical level.
        typical: usize,
    },
    /// Levels without an order: for each of them a feature that is 1 there and 0 elsewhere. All are 0 for
    /// a level never seen in training. No level is left out, so that penalties treat them alike.
    Levels {
        /// The levels, in increasing order.
        levels: ClassLabels,
        /// Position of the typical level.
        typical: usize,
    },
}

/// What becomes of missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// They are errors.
    #[default]
    Refused,
    /// The typical value takes their place.
    Filled,
    /// The same, and a further feature is 1 where they were: training has seen some.
    Indicator,
}

impl Missing {
    fn is_refused(&self) -> bool {
        *self == Self::Refused
    }
}

impl EncodedColumn {
    /// Features of the values, the one of missing values not among them.
    pub(super) fn value_features(&self) -> usize {
        match &self.coding {
            Coding::Levels { levels, .. } => levels.len(),
            _ => 1,
        }
    }

    /// Features.
    pub fn features(&self) -> usize {
        self.value_features() + usize::from(self.missing == Missing::Indicator)
    }

    /// Whether the feature at `offset` among the column's is 1 where something holds and 0 elsewhere.
    pub fn is_indicator(&self, offset: usize) -> bool {
        let number = matches!(self.coding, Coding::Number { .. } | Coding::Ordered { .. });
        !number || offset > 0
    }

    /// The name of a feature: "age", "colour is red", "age is missing".
    fn feature_name(&self, offset: usize) -> String {
        let name = &self.name;
        match &self.coding {
            _ if offset == self.value_features() => format!("{name} is missing"),
            Coding::Number { .. } | Coding::Ordered { .. } => name.clone(),
            Coding::Truth { .. } => format!("{name} is true"),
            Coding::Levels { levels, .. } => format!("{name} is {}", levels.text(offset)),
        }
    }

    /// The feature that a value which is not missing makes other than 0, and its value there.
    pub(super) fn typical_place(&self) -> (usize, f64) {
        match &self.coding {
            Coding::Number { typical } => (0, *typical),
            Coding::Truth { typical } => (0, f64::from(u8::from(*typical))),
            Coding::Ordered { typical, .. } => (0, *typical as f64),
            Coding::Levels { typical, .. } => (*typical, 1.0),
        }
    }

    /// The column's value in its features; None if it is a level never seen in training.
    fn value(&self, features: &[f64]) -> Option<Value> {
        if self.missing == Missing::Indicator && features[self.value_features()] == 1.0 {
            return Some(Value::Missing);
        }
        Some(match &self.coding {
            Coding::Number { .. } => Value::Number(features[0]),
            Coding::Truth { .. } => Value::Truth(features[0] == 1.0),
            Coding::Ordered { levels, .. } => {
                let position = features[0] as usize;
                match position < levels.len() && position as f64 == features[0] {
                    true => levels.value(position),
                    false => Value::Number(features[0]),
                }
            }
            Coding::Levels { levels, .. } => {
                let place = features[..levels.len()].iter().position(|x| *x == 1.0);
                levels.value(place?)
            }
        })
    }

    /// Complains about a column no training could have produced.
    fn validate(&self) -> Result<(), String> {
        let (levels, typical) = match &self.coding {
            Coding::Number { typical } if !typical.is_finite() => {
                return Err(format!("typical is {typical}, it must be finite"));
            }
            Coding::Number { .. } | Coding::Truth { .. } => return Ok(()),
            Coding::Ordered { levels, typical } | Coding::Levels { levels, typical } => {
                (levels, *typical)
            }
        };
        let distinct: HashSet<_> = (0..levels.len()).map(|k| levels.key(k)).collect();
        if distinct.len() != levels.len() {
            return Err("its levels must be distinct".into());
        }
        if typical >= levels.len() {
            let count = levels.len();
            return Err(format!(
                "typical is {typical}, but there are {count} levels"
            ));
        }
        Ok(())
    }
}

impl Encoding {
    /// p.
    pub fn features(&self) -> usize {
        self.columns.iter().map(EncodedColumn::features).sum()
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.name.clone()).collect()
    }

    /// The names of the features: "age", "colour is red", "age is missing".
    pub fn feature_names(&self) -> Vec<String> {
        let names = |column: &EncodedColumn| -> Vec<String> {
            let offsets = 0..column.features();
            offsets.map(|offset| column.feature_name(offset)).collect()
        };
        self.columns.iter().flat_map(names).collect()
    }

    /// The features of each column.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let range = |column: &EncodedColumn| {
            end += column.features();
            end - column.features()..end
        };
        self.columns.iter().map(range).collect()
    }

    /// The column of each feature: the groups of a penalty in which a column leaves as a whole. With an id
    /// for each column, columns of the same id leave together.
    pub fn groups(&self, ids: Option<&[usize]>) -> Vec<usize> {
        let id = |column: usize| ids.map_or(column, |ids| ids[column]);
        let columns = self.columns.iter().enumerate();
        let groups = columns.flat_map(|(c, column)| vec![id(c); column.features()]);
        groups.collect()
    }

    /// Which features are 1 where something holds and 0 elsewhere.
    pub(crate) fn indicators(&self) -> Vec<bool> {
        let of_column = |column: &EncodedColumn| -> Vec<bool> {
            let offsets = 0..column.features();
            offsets.map(|offset| column.is_indicator(offset)).collect()
        };
        self.columns.iter().flat_map(of_column).collect()
    }

    /// The features of a row with the typical value in every column.
    pub fn typical_row(&self) -> Vec<f64> {
        let mut row = vec![0.0; self.features()];
        for (column, range) in self.columns.iter().zip(self.ranges()) {
            let (offset, value) = column.typical_place();
            row[range.start + offset] = value;
        }
        row
    }

    /// From the features of a row back to the values of its columns: None for a level never seen in
    /// training. A missing value that was filled without an indicator is what it was filled with.
    pub fn values(&self, row: &[f64]) -> Vec<Option<Value>> {
        let columns = self.columns.iter().zip(self.ranges());
        columns
            .map(|(column, range)| column.value(&row[range]))
            .collect()
    }

    /// Complains about an encoding no training could have produced.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let mut seen = HashSet::new();
        for (c, column) in self.columns.iter().enumerate() {
            let told = |what: String| format!("encoding[{c}] ({:?}): {what}", column.name);
            column.validate().map_err(told)?;
            if !seen.insert(&column.name) {
                return Err(told("another column has this name".into()));
            }
        }
        Ok(())
    }
}
