//! Learns the encoding of a table from the training rows.

use super::super::ClassLabels;
use super::super::typical::weighted_median;
use super::columns::{Coding, EncodedColumn, Encoding, Missing};
use super::table::{Column, LevelColumn, Table};
use crate::{InputError, TableError};
use std::collections::HashMap;

/// Levels that a column may have.
pub const MAX_LEVELS: usize = 1000;

/// Text with more levels than this, of which this share are numbers, is meant to be numbers.
const LEVELS_OF_NUMBERS: usize = 20;
const SHARE_OF_NUMBERS: f64 = 0.9;

/// How a table is to be encoded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EncodingSettings {
    /// Whether missing values are filled, with the typical value, and marked by an indicator.
    pub fill_missing: bool,
    /// Columns whose levels have an order, with all of their levels.
    pub ordered: Vec<(String, ClassLabels)>,
}

impl Encoding {
    /// Learns levels and typical values from the rows of positive weight: a row of weight 2 counts as two
    /// rows, one of weight 0 as none.
    pub fn learn(
        table: &Table<'_>,
        weights: Option<&[f64]>,
        settings: &EncodingSettings,
    ) -> Result<Self, InputError> {
        let names = table.checked_names()?;
        let rows = table.columns.first().map_or(0, Column::len);
        if rows == 0 {
            let columns = table.columns.len();
            return Err(InputError::Empty { rows, columns });
        }
        if let Some(weights) = weights.filter(|weights| weights.len() != rows) {
            return Err(InputError::RowMismatch {
                name: "sample_weight",
                rows,
                len: weights.len(),
            });
        }
        for (name, _) in &settings.ordered {
            if !names.contains(name) {
                return Err(refuse_order(name, "which X does not have").into());
            }
        }
        if !settings.fill_missing {
            table.refuse_missing()?;
        }
        let column = |(name, column): (&String, &Column<'_>)| {
            let order = settings.ordered.iter().find(|(n, _)| n == name);
            let learner = Learner {
                name,
                weights,
                order: order.map(|(_, levels)| levels),
            };
            let coding = learner.coding(column)?;
            let missing = match settings.fill_missing {
                false => Missing::Refused,
                true if learner.has_missing(column) => Missing::Indicator,
                true => Missing::Filled,
            };
            Ok(EncodedColumn {
                name: name.clone(),
                coding,
                missing,
            })
        };
        let columns = names.iter().zip(&table.columns).map(column);
        let columns = columns.collect::<Result<_, TableError>>()?;
        Ok(Self { columns })
    }
}

/// What is known of a column beside its values.
struct Learner<'a> {
    name: &'a str,
    weights: Option<&'a [f64]>,
    order: Option<&'a ClassLabels>,
}

impl Learner<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn has_missing(&self, column: &Column<'_>) -> bool {
        let mut rows = 0..column.len();
        rows.any(|row| self.weight(row) > 0.0 && column.is_missing(row))
    }

    fn coding(&self, column: &Column<'_>) -> Result<Coding, TableError> {
        match (column, self.order) {
            (Column::Numbers(_), Some(_)) => Err(refuse_order(
                self.name,
                "whose numbers are in order already",
            )),
            (Column::Numbers(numbers), None) => self.number(numbers),
            (Column::Levels(column), order) => self.levels(column, order),
        }
    }

    fn no_values(&self) -> TableError {
        TableError::NoValues {
            column: self.name.to_owned(),
        }
    }

    fn number(&self, numbers: &[f64]) -> Result<Coding, TableError> {
        let known = numbers.iter().enumerate().filter(|(_, x)| !x.is_nan());
        let weighed = known.map(|(row, x)| (*x, self.weight(row)));
        let pairs: Vec<(f64, f64)> = weighed.filter(|(_, weight)| *weight > 0.0).collect();
        if pairs.is_empty() {
            return Err(self.no_values());
        }
        let typical = weighted_median(pairs);
        Ok(Coding::Number { typical })
    }

    fn levels(
        &self,
        column: &LevelColumn<'_>,
        order: Option<&ClassLabels>,
    ) -> Result<Coding, TableError> {
        let mut masses = vec![0.0; column.levels.len()];
        for (row, code) in column.codes.iter().enumerate().filter(|(_, c)| **c >= 0) {
            masses[*code as usize] += self.weight(row);
        }
        if !masses.iter().any(|mass| *mass > 0.0) {
            return Err(self.no_values());
        }
        if let Some(order) = order {
            return self.ordered(column, order, &masses);
        }
        if column.ordered {
            return self.ordered(column, &column.levels, &masses);
        }
        let used = column.levels.increasing().into_iter();
        let used: Vec<usize> = used.filter(|k| masses[*k] > 0.0).collect();
        let masses: Vec<f64> = used.iter().map(|k| masses[*k]).collect();
        let levels = column.levels.at(&used);
        if let ClassLabels::Bool(truths) = &levels {
            let typical = truths[heaviest(&masses)];
            return Ok(Coding::Truth { typical });
        }
        self.refuse_many(&levels)?;
        if !column.declared {
            self.refuse_numbers_as_text(column, &levels)?;
        }
        Ok(Coding::Levels {
            typical: heaviest(&masses),
            levels,
        })
    }

    /// Levels in this order; `masses` are those of the column's own levels.
    fn ordered(
        &self,
        column: &LevelColumn<'_>,
        order: &ClassLabels,
        masses: &[f64],
    ) -> Result<Coding, TableError> {
        self.refuse_many(order)?;
        let places: HashMap<_, usize> = (0..order.len()).map(|k| (order.key(k), k)).collect();
        if places.len() != order.len() {
            return Err(refuse_order(self.name, "with a level twice"));
        }
        let mut pairs = Vec::new();
        for (level, mass) in masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            let Some(place) = places.get(&column.levels.key(level)) else {
                let row = column.codes.iter().position(|code| *code == level as i32);
                return Err(TableError::Kind {
                    column: self.name.to_owned(),
                    expected: "none but the levels that ordered gives".into(),
                    row: row.expect("a level that weighs"),
                    value: format!("{:?}", column.levels.text(level)),
                });
            };
            pairs.push((*place as f64, *mass));
        }
        Ok(Coding::Ordered {
            levels: order.clone(),
            typical: weighted_median(pairs) as usize,
        })
    }

    fn refuse_many(&self, levels: &ClassLabels) -> Result<(), TableError> {
        if levels.len() <= MAX_LEVELS {
            return Ok(());
        }
        Err(TableError::TooManyLevels {
            column: self.name.to_owned(),
            levels: levels.len(),
            most: MAX_LEVELS,
        })
    }

    fn refuse_numbers_as_text(
        &self,
        column: &LevelColumn<'_>,
        levels: &ClassLabels,
    ) -> Result<(), TableError> {
        let is_number = |text: &String| text.trim().parse::<f64>().is_ok();
        let (ClassLabels::Text(used), ClassLabels::Text(all)) = (levels, &column.levels) else {
            return Ok(());
        };
        let numbers = used.iter().filter(|text| is_number(text)).count();
        let share = numbers as f64 / used.len() as f64;
        if used.len() <= LEVELS_OF_NUMBERS || share < SHARE_OF_NUMBERS {
            return Ok(());
        }
        let is_text = |code: &i32| *code >= 0 && !is_number(&all[*code as usize]);
        let is_there = |code: &i32| *code >= 0;
        let row = column.codes.iter().position(is_text);
        let row = row.or_else(|| column.codes.iter().position(is_there));
        let row = row.expect("a row with a level");
        Err(TableError::NumbersAsText {
            column: self.name.to_owned(),
            numbers,
            levels: used.len(),
            row,
            value: all[column.codes[row] as usize].clone(),
        })
    }
}

fn refuse_order(column: &str, what: &'static str) -> TableError {
    let column = column.to_owned();
    TableError::Ordered { column, what }
}

/// Position of the largest, the first one on a tie.
fn heaviest(masses: &[f64]) -> usize {
    let mut best = 0;
    for (k, mass) in masses.iter().enumerate() {
        if *mass > masses[best] {
            best = k;
        }
    }
    best
}
