//! Second moments of features and response: summed over the rows or, where rows are far fewer than columns, as the
//! rows that make them up.

use super::moments::MomentColumns;
use crate::vectors::dot;
use serde::{Deserialize, Serialize};

/// From so many columns on rows are kept as they are, if there are so many times fewer of them.
const MANY_COLUMNS: usize = 64;
const FEWER_ROWS: usize = 4;

/// Σ_i w_i c_i c_iᵀ, c_i = (columns made of u_i, y_i, 1).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SecondMoments {
    /// The upper triangle of the sum, row after row.
    Summed { columns: usize, sums: Vec<f64> },
    /// √w_i c_i of every row with weight.
    Rows(Vec<Vec<f64>>),
}

/// Multiplications and additions that a regression may take to be made whatever the time limit says: some tenths of
/// a second.
const QUICK_WORK: f64 = 2e9;

/// Solutions that a regression whose penalties are chosen takes at most.
const SOLUTIONS: f64 = 30.0;

/// Passes over the rows for each level of a tree until all its splits have been found a first time, about.
const PASSES: f64 = 70.0;

impl SecondMoments {
    /// Whether a linear regression of so many features is quick, its penalties chosen by evidence.
    pub fn make_quick_work(features: usize, rows: usize) -> bool {
        let (sums, solution) = work(features, rows);
        sums + SOLUTIONS * solution <= QUICK_WORK
    }

    /// Whether those of so many leaves are, their penalties being known, and some hundred passes over the rows for
    /// splits.
    pub fn make_quick_start(features: usize, rows: usize, leaves: usize) -> bool {
        let (sums, solution) = work(features, rows);
        let passes = PASSES * leaves.ilog2() as f64 * (rows * features) as f64;
        passes + leaves as f64 * (sums + solution) <= QUICK_WORK
    }

    /// Those of no row yet, for `features` columns beside the response and 1, and `rows` rows to come at most.
    pub fn begin(features: usize, rows: usize) -> Self {
        let columns = features + 2;
        if columns >= MANY_COLUMNS && rows <= columns / FEWER_ROWS {
            return Self::Rows(Vec::new());
        }
        let sums = vec![0.0; columns * columns];
        Self::Summed { columns, sums }
    }

    /// Adds a block of rows with these weights.
    pub fn add(&mut self, block: &mut MomentColumns, weights: &[f64]) {
        match self {
            Self::Summed { sums, .. } => block.add_moments(weights, sums),
            Self::Rows(rows) => {
                let weighted = weights.iter().enumerate().filter(|(_, w)| **w > 0.0);
                rows.extend(weighted.map(|(i, w)| block.scaled_row(i, w.sqrt())));
            }
        }
    }

    /// Adds those of later rows.
    pub fn merge(&mut self, later: Self) {
        match (self, later) {
            (Self::Summed { sums, .. }, Self::Summed { sums: later, .. }) => {
                sums.iter_mut().zip(later).for_each(|(a, b)| *a += b);
            }
            (Self::Rows(rows), Self::Rows(later)) => rows.extend(later),
            _ => unreachable!("both began for the same rows"),
        }
    }

    /// Σ_i w_i c_ij c_ik.
    pub fn at(&self, j: usize, k: usize) -> f64 {
        match self {
            Self::Summed { columns, sums } => sums[j.min(k) * columns + j.max(k)],
            Self::Rows(rows) => rows.iter().map(|row| row[j] * row[k]).sum(),
        }
    }

    /// Σ_i w_i c_i c_iᵀx.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        if let Self::Rows(rows) = self {
            let mut product = vec![0.0; x.len()];
            for row in rows {
                let value = dot(row, x);
                product
                    .iter_mut()
                    .zip(row)
                    .for_each(|(p, c)| *p += value * c);
            }
            return product;
        }
        let entry = |j: usize| {
            x.iter()
                .enumerate()
                .map(move |(k, x)| x * self.at(j, k))
                .sum()
        };
        (0..x.len()).map(entry).collect()
    }
}

/// Multiplications and additions of the moments of a regression, and of its solution.
fn work(features: usize, rows: usize) -> (f64, f64) {
    let (columns, rows) = ((features + 2) as f64, rows as f64);
    let unknowns = columns.min(rows);
    (rows * columns * unknowns, unknowns * unknowns * columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_have_the_moments_that_their_sums_have() {
        let (p, stride) = (MANY_COLUMNS, 16);
        let columns = p + 2;
        let value = |k: usize| ((k * 7) % 11) as f64 - 3.0;
        let tile: Vec<f64> = (0..p * stride).map(value).collect();
        let response: Vec<f64> = (0..stride).map(|i| value(3 * i)).collect();
        let weights: Vec<f64> = (0..stride).map(|i| (i % 4) as f64).collect();
        let mut block = MomentColumns::new(p, stride);
        block.set_block(&tile, &response);
        let [few, many] = [stride, columns].map(|rows| {
            let mut all = SecondMoments::begin(p, rows);
            all.add(&mut block, &weights);
            let mut later = SecondMoments::begin(p, rows);
            later.add(&mut block, &weights);
            all.merge(later);
            all
        });
        assert!(matches!(few, SecondMoments::Rows(_)));
        assert!(matches!(many, SecondMoments::Summed { .. }));
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
        for (j, k) in (0..columns).flat_map(|j| (0..columns).map(move |k| (j, k))) {
            close(few.at(j, k), many.at(j, k));
        }
        let x: Vec<f64> = (0..columns).map(|j| value(j) / 3.0).collect();
        few.times(&x)
            .into_iter()
            .zip(many.times(&x))
            .for_each(|(a, b)| close(a, b));
    }
}
