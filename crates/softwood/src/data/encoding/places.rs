//! Where the levels of a column go: the feature that each makes other than 0.

use super::super::ClassLabels;
use super::columns::{Coding, EncodedColumn};
use super::table::{Key, LevelColumn};
use crate::TableError;
use std::collections::HashMap;

/// Levels of a column that training has not seen. They are none of those it has: the features of the
/// column are 0, or, if its levels have an order, those of the typical level.
#[derive(Clone, Debug, PartialEq)]
pub struct UnseenLevels {
    /// The column.
    pub column: String,
    /// The levels.
    pub levels: Vec<String>,
    /// Rows with one of them.
    pub rows: usize,
}

/// The places of all levels of a column.
pub(super) struct LevelPlaces {
    /// For each level a feature of the column and its value.
    pub places: Vec<(usize, f64)>,
    /// Levels that training has not seen, if there are any.
    pub unseen: Option<UnseenLevels>,
}

impl LevelPlaces {
    /// Err if a row holds a level of another kind than training has seen.
    pub fn of(own: &EncodedColumn, column: &LevelColumn<'_>) -> Result<Self, TableError> {
        let most = column.codes.iter().max().map_or(0, |code| code + 1);
        assert!(
            most as usize <= column.levels.len(),
            "a code without a level"
        );
        let known = Known::of(own);
        let (mut places, mut unseen) = (Vec::new(), Vec::new());
        for level in 0..column.levels.len() {
            let place = match known.place(&column.levels.key(level)) {
                Place::Seen(feature, value) => (feature, value),
                Place::Unseen(feature, value) => {
                    unseen.push(level);
                    (feature, value)
                }
                Place::Nowhere => match column.codes.iter().position(|c| *c == level as i32) {
                    Some(row) => return Err(known.refusal(column, row)),
                    None => (0, 0.0), // it is declared and not there
                },
            };
            places.push(place);
        }
        let unseen = unseen_levels(own, column, &unseen);
        Ok(Self { places, unseen })
    }
}

/// What training has seen in a column.
struct Known<'a> {
    own: &'a EncodedColumn,
    /// Places of its levels, if it has any.
    levels: HashMap<Key<'a>, usize>,
    /// What the column must hold.
    kind: &'static str,
}

/// Where a level goes: a feature of the column and its value.
enum Place {
    Seen(usize, f64),
    Unseen(usize, f64),
    Nowhere,
}

impl<'a> Known<'a> {
    fn of(own: &'a EncodedColumn) -> Self {
        let (kind, levels) = match &own.coding {
            Coding::Number { .. } => ("numbers", None),
            Coding::Truth { .. } => ("truth values", None),
            Coding::Ordered { levels, .. } | Coding::Levels { levels, .. } => match levels {
                ClassLabels::Text(_) => ("text", Some(levels)),
                ClassLabels::Bool(_) => ("truth values", Some(levels)),
                _ => ("numbers that are levels", Some(levels)),
            },
        };
        let keys = levels.map_or(Vec::new(), |levels| {
            (0..levels.len()).map(|k| (levels.key(k), k)).collect()
        });
        Self {
            own,
            levels: keys.into_iter().collect(),
            kind,
        }
    }

    fn place(&self, key: &Key<'_>) -> Place {
        let number = match key {
            Key::Integer(x) => Some(*x as f64),
            Key::Number(bits) => Some(f64::from_bits(*bits)),
            Key::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Key::Text(_) => None,
        };
        let level = self.levels.get(key).copied();
        match (&self.own.coding, number, level) {
            (Coding::Number { .. }, Some(x), _) => Place::Seen(0, x),
            (Coding::Truth { .. }, Some(x), _) if x == 0.0 || x == 1.0 => Place::Seen(0, x),
            (Coding::Ordered { .. }, _, Some(level)) => Place::Seen(0, level as f64),
            (Coding::Levels { .. }, _, Some(level)) => Place::Seen(level, 1.0),
            (Coding::Ordered { typical, .. }, ..) if self.is_of_kind(key) => {
                Place::Unseen(0, *typical as f64)
            }
            (Coding::Levels { .. }, ..) if self.is_of_kind(key) => Place::Unseen(0, 0.0),
            _ => Place::Nowhere,
        }
    }

    fn is_of_kind(&self, key: &Key<'_>) -> bool {
        matches!(key, Key::Text(_)) == (self.kind == "text")
    }

    fn refusal(&self, column: &LevelColumn<'_>, row: usize) -> TableError {
        let text = column.levels.text(column.codes[row] as usize);
        TableError::Kind {
            column: self.own.name.clone(),
            expected: self.kind.into(),
            row,
            value: match column.levels {
                ClassLabels::Text(_) => format!("{text:?}"),
                _ => text,
            },
        }
    }
}

fn unseen_levels(
    own: &EncodedColumn,
    column: &LevelColumn<'_>,
    unseen: &[usize],
) -> Option<UnseenLevels> {
    if unseen.is_empty() {
        return None;
    }
    let mut counts = vec![0; column.levels.len()];
    let codes = column.codes.iter().filter(|code| **code >= 0);
    codes.for_each(|code| counts[*code as usize] += 1);
    let there: Vec<usize> = unseen.iter().copied().filter(|k| counts[*k] > 0).collect();
    (!there.is_empty()).then(|| UnseenLevels {
        column: own.name.clone(),
        rows: there.iter().map(|level| counts[*level]).sum(),
        levels: there.iter().map(|k| column.levels.text(*k)).collect(),
    })
}
