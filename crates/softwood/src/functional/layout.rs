//! What the columns of X are: the points of one curve after another, and scalars.

use crate::InputError;
use crate::data::Rows;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Predictors side by side: every row of X holds the points of all its curves, and its scalars.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveLayout {
    /// The predictors in the order of their columns.
    pub predictors: Vec<Predictor>,
}

/// One curve a row, or one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predictor {
    /// What it is called.
    pub name: String,
    /// Where its points are known, increasing, in its own units; None for a scalar, a constant curve.
    pub grid: Option<Vec<f64>>,
}

impl Predictor {
    /// Columns of X.
    pub fn columns(&self) -> usize {
        self.grid.as_ref().map_or(1, Vec::len)
    }

    /// First and last place of a curve.
    pub fn domain(&self) -> Option<(f64, f64)> {
        let grid = self.grid.as_ref()?;
        Some((*grid.first()?, *grid.last()?))
    }

    /// The places on [0, 1].
    pub(crate) fn unit_grid(&self) -> Option<Vec<f64>> {
        let (first, last) = self.domain()?;
        let share = |s: &f64| (0.5 * s - 0.5 * first) / (0.5 * last - 0.5 * first);
        Some(self.grid.as_ref()?.iter().map(share).collect())
    }

    /// A place on [0, 1] in the predictor's own units.
    pub fn own_units(&self, s: f64) -> Option<f64> {
        let (first, last) = self.domain()?;
        Some(first * (1.0 - s) + last * s)
    }

    /// Err unless the grid has two places or more that increase, far enough apart to be told on [0, 1].
    fn check(&self) -> Result<(), InputError> {
        let Some(grid) = &self.grid else {
            return Ok(());
        };
        let refuse = |reason: String| Err(self.refuse(reason));
        if grid.len() < 2 {
            let points = grid.len();
            return refuse(format!(
                "has {points} points, a curve needs at least 2; a number for each row is a scalar"
            ));
        }
        if let Some(k) = grid.iter().position(|s| !s.is_finite()) {
            return refuse(format!("has grid[{k}] = {}, it must be finite", grid[k]));
        }
        if let Some(k) = grid.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (a, b) = (grid[k], grid[k + 1]);
            let what = if a == b { "twice the same" } else { "falling" };
            return refuse(format!(
                "has a grid that must increase, but grid[{k}] and grid[{}] are {what}: {a}, {b}",
                k + 1
            ));
        }
        let unit = self.unit_grid().expect("a curve");
        match unit.windows(2).position(|pair| pair[1] - pair[0] < 1e-12) {
            Some(k) => refuse(format!(
                "has grid[{k}] and grid[{}] too close to each other for its domain",
                k + 1
            )),
            None => Ok(()),
        }
    }

    fn refuse(&self, reason: String) -> InputError {
        InputError::Curves {
            name: self.name.clone(),
            reason,
        }
    }
}

impl CurveLayout {
    /// One curve a row, all columns being its points at equal distances on [0, 1].
    pub fn single(points: usize) -> Self {
        let last = points.saturating_sub(1).max(1) as f64;
        let grid = (0..points).map(|k| k as f64 / last).collect();
        Self {
            predictors: vec![Predictor {
                name: "x".into(),
                grid: Some(grid),
            }],
        }
    }

    /// The columns of each predictor.
    pub fn spans(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let span = |predictor: &Predictor| {
            let first = end;
            end += predictor.columns();
            first..end
        };
        self.predictors.iter().map(span).collect()
    }

    /// Columns of X.
    pub fn columns(&self) -> usize {
        self.predictors.iter().map(Predictor::columns).sum()
    }

    /// Points of the curve that has most of them.
    pub(crate) fn most_points(&self) -> usize {
        let curves = self.predictors.iter().filter_map(|p| p.grid.as_ref());
        curves.map(Vec::len).max().unwrap_or(0)
    }

    /// Err unless there is a curve, names differ and grids are in order.
    pub fn validate(&self) -> Result<(), InputError> {
        if self.most_points() == 0 && self.predictors.iter().all(|p| p.grid.is_none()) {
            return Err(InputError::Setting {
                name: "curves",
                expected: "at least one curve; scalars alone are for the functions without curves",
                got: format!("{} scalars", self.predictors.len()),
            });
        }
        for (k, predictor) in self.predictors.iter().enumerate() {
            predictor.check()?;
            let named = |other: &Predictor| other.name == predictor.name;
            if self.predictors[..k].iter().any(named) {
                return Err(predictor.refuse("is the name of two predictors".into()));
            }
        }
        Ok(())
    }

    /// Err unless the rows have these columns and all values are finite; a value that is not is told by its
    /// predictor and place.
    pub fn check_rows(&self, rows: &Rows<'_>) -> Result<(), InputError> {
        let (got, expected) = (rows.features(), self.columns());
        if got != expected {
            return Err(InputError::CurveColumns { got, expected });
        }
        match crate::data::finite::check_finite(rows) {
            Err(InputError::NotFinite { row, column, value }) => {
                let spans = self.spans();
                let j = spans
                    .iter()
                    .position(|span| span.contains(&column))
                    .expect("a column of a predictor");
                let predictor = &self.predictors[j];
                let point = column - spans[j].start;
                let place = match &predictor.grid {
                    Some(grid) => format!("at point {point} ({})", grid[point]),
                    None => String::new(),
                };
                Err(predictor.refuse(format!(
                    "is {value} in row {row} {place}; every value must be finite"
                )))
            }
            checked => checked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn with_grid(grid: &[f64]) -> CurveLayout {
        CurveLayout {
            predictors: vec![Predictor {
                name: "spectrum".into(),
                grid: Some(grid.to_vec()),
            }],
        }
    }

    #[test]
    fn grids_out_of_order_are_refused_with_the_place() {
        for (grid, what) in [
            (vec![1.0], "1 points"),
            (vec![0.0, 2.0, 1.0], "grid[1] and grid[2] are falling: 2, 1"),
            (
                vec![0.0, 0.0, 1.0],
                "grid[0] and grid[1] are twice the same",
            ),
            (vec![0.0, f64::NAN, 1.0], "grid[1] = NaN"),
            (vec![0.0, 1e-15, 1.0], "too close"),
        ] {
            let told = with_grid(&grid).validate().unwrap_err().to_string();
            assert!(
                told.contains("\"spectrum\"") && told.contains(what),
                "{told}"
            );
        }
        assert!(with_grid(&[-1e308, 0.0, 1e308]).validate().is_ok());
    }

    #[test]
    fn a_value_that_is_none_is_told_by_row_and_point() {
        let mut layout = with_grid(&[850.0, 950.0]);
        layout.predictors.push(Predictor {
            name: "age".into(),
            grid: None,
        });
        let x = array![[1.0, 2.0, 3.0], [1.0, f64::NAN, f64::INFINITY]];
        let told = layout.check_rows(&x.view().into()).unwrap_err().to_string();
        assert!(
            told.contains("\"spectrum\" is NaN in row 1 at point 1 (950)"),
            "{told}"
        );
    }

    #[test]
    fn places_go_to_the_unit_interval_and_back() {
        let layout = with_grid(&[850.0, 900.0, 1050.0]);
        let predictor = &layout.predictors[0];
        assert_eq!(predictor.unit_grid().unwrap(), [0.0, 0.25, 1.0]);
        assert_eq!(predictor.own_units(0.25), Some(900.0));
    }
}
