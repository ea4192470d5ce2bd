//! START HERE for row selection. Which rows lie in the convex hull of the others?
//!
//! A set E of proven extreme points grows. A row is tested against E alone: if it lies in the hull of
//! E it is covered, and weights on at most d + 1 points of E show it; if not, the direction that
//! separates it from E names, by one scan over all rows, a new extreme point (the row itself or
//! another, after which the row is tested again). The work is that of one small problem for each
//! row and one scan for each extreme point, whatever the number of rows.

use super::distinct_points::DistinctPoints;
use super::hull::Weights;
use super::hull_search::HullSearch;
use crate::data::Rows;
use crate::data::finite::check_finite;
use crate::status::SolveStatus;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::{FitError, InputError};

/// Which rows the others cover, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtremePoints {
    /// For each row whether it lies in the convex hull of the others, within the tolerance.
    pub covered: Vec<bool>,
    /// For each row whether it is an extreme point of the hull of all rows, tolerance aside.
    pub extreme: Vec<bool>,
    /// Row i's weights are at `indptr[i]..indptr[i + 1]` of the next two; none if it is not covered.
    pub indptr: Vec<usize>,
    /// Rows that carry weight, increasing within a row.
    pub indices: Vec<usize>,
    /// Their weights, positive, with sum 1.
    pub values: Vec<f64>,
    /// Rows that neither weights nor a direction could decide in double precision, or that a time limit
    /// has left open; they count as not covered.
    pub unresolved: usize,
    /// [`Completed`](SolveStatus::Completed), or [`TimeLimit`](SolveStatus::TimeLimit).
    pub status: SolveStatus,
}

impl ExtremePoints {
    /// Rows that carry weight for row `i`, with their weights.
    pub fn weights(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.indptr[i]..self.indptr[i + 1];
        let values = self.values[range.clone()].iter().copied();
        self.indices[range].iter().copied().zip(values)
    }
}

/// Tells for each row whether it lies in the convex hull of the other rows within `tolerance` in
/// every coordinate, that is whether b_j = 1 in linear program (7) of Zhu et al. (NeurIPS 2020), and
/// gives the weights that show it, at most d + 1 for each row.
///
/// Rows of equal value count as one: the first of them is judged, the others are covered by it.
/// Distances below 10⁻⁹ of a column's range count as 0. Weights of rows within the hull are on its
/// extreme points and reproduce the row to that precision. With a positive tolerance extreme points
/// may be covered, too: their weights are on other rows, which may be covered in turn (two rows
/// closer than the tolerance cover each other).
///
/// Where the time limit of `stop` is reached, what was found stands: rows covered are, by weights on rows
/// that are not, extreme points are, and the others count as neither.
pub fn select_extreme_points<'a>(
    rows: impl Into<Rows<'a>>,
    tolerance: f64,
    n_threads: Option<usize>,
    stop: &Stop,
) -> Result<ExtremePoints, FitError> {
    let rows = rows.into();
    check_tolerance(tolerance)?;
    check_shape(&rows)?;
    in_pool(n_threads, || {
        check_finite(&rows)?;
        extreme_points(&rows, tolerance, stop).map_err(|_: Stopped| FitError::Cancelled)
    })?
}

pub(super) fn check_shape(rows: &Rows<'_>) -> Result<(), InputError> {
    let (n, p) = (rows.len(), rows.features());
    if n == 0 || p == 0 {
        return Err(InputError::Empty {
            rows: n,
            columns: p,
        });
    }
    Ok(())
}

pub(super) fn check_tolerance(tolerance: f64) -> Result<(), InputError> {
    if tolerance.is_finite() && tolerance >= 0.0 {
        return Ok(());
    }
    Err(InputError::Setting {
        name: "tolerance",
        expected: "a finite number of at least 0",
        got: tolerance.to_string(),
    })
}

/// As [`select_extreme_points`], on input that was checked, in the threads of the caller; Err if cancelled.
pub(crate) fn extreme_points(
    rows: &Rows<'_>,
    tolerance: f64,
    stop: &Stop,
) -> Result<ExtremePoints, Stopped> {
    let distinct = match DistinctPoints::new(rows, stop) {
        Ok(Some(distinct)) => distinct,
        Ok(None) => {
            let (one, none) = (vec![0; rows.len()], [Weights::default()]);
            return Ok(expand(&one, &[0], &[true], &none, 0));
        }
        Err(Stopped::TimeLimit) => return Ok(ExtremePoints::open(rows.len())),
        Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
    };
    // Coordinates lie in [0, 1], so a box need not be wider.
    let width = |range: &f64| (tolerance / range).min(1.0);
    let widths: Vec<f64> = distinct.ranges.iter().map(width).collect();
    let mut search = HullSearch::new(&distinct.points, stop);
    let ended = search.run(&widths);
    if ended == Err(Stopped::Cancelled) {
        return Err(Stopped::Cancelled);
    }
    let found = expand(
        &distinct.point_of_row,
        &distinct.first_row,
        &search.is_extreme,
        &search.weights,
        search.unresolved + search.open(),
    );
    let status = ended.map_or_else(SolveStatus::from, |()| SolveStatus::Completed);
    Ok(ExtremePoints { status, ..found })
}

impl ExtremePoints {
    /// Nothing is known of any of so many rows.
    fn open(rows: usize) -> Self {
        Self {
            covered: vec![false; rows],
            extreme: vec![false; rows],
            indptr: vec![0; rows + 1],
            indices: Vec::new(),
            values: Vec::new(),
            unresolved: rows,
            status: SolveStatus::TimeLimit,
        }
    }
}

/// The answer on rows from the one on distinct points.
fn expand(
    point_of_row: &[u32],
    first_row: &[usize],
    is_extreme: &[bool],
    weights: &[Weights],
    unresolved: usize,
) -> ExtremePoints {
    let mut answer = ExtremePoints {
        covered: Vec::with_capacity(point_of_row.len()),
        extreme: Vec::with_capacity(point_of_row.len()),
        indptr: vec![0],
        indices: Vec::new(),
        values: Vec::new(),
        unresolved,
        status: SolveStatus::Completed,
    };
    let mut of_row = Vec::new();
    for (row, point) in point_of_row.iter().enumerate() {
        let point = *point as usize;
        of_row.clear();
        of_row.extend(
            weights[point]
                .iter()
                .map(|(corner, weight)| (first_row[*corner as usize], *weight)),
        );
        if of_row.is_empty() && row != first_row[point] {
            of_row.push((first_row[point], 1.0));
        }
        of_row.sort_unstable_by_key(|(row, _)| *row);
        answer.covered.push(!of_row.is_empty());
        answer
            .extreme
            .push(is_extreme[point] && row == first_row[point]);
        answer.indices.extend(of_row.iter().map(|(row, _)| *row));
        answer
            .values
            .extend(of_row.iter().map(|(_, weight)| *weight));
        answer.indptr.push(answer.indices.len());
    }
    answer
}
