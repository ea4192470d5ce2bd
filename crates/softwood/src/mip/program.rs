//! A mixed-integer linear program as data.

use std::ops::Range;

/// min cost·v  s.t.  row_lower ≤ A v ≤ row_upper, lower ≤ v ≤ upper, some v integer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Bounds of the variables; infinite where there is none.
    pub lower: Vec<f64>,
    /// See `lower`.
    pub upper: Vec<f64>,
    /// Their costs.
    pub cost: Vec<f64>,
    /// Which must be integer.
    pub integer: Vec<bool>,
    /// Bounds of the rows.
    pub row_lower: Vec<f64>,
    /// See `row_lower`.
    pub row_upper: Vec<f64>,
    /// Where the entries of each row begin, and where the last ones end.
    pub starts: Vec<usize>,
    /// Variables of the entries.
    pub indices: Vec<u32>,
    /// Coefficients of the entries.
    pub values: Vec<f64>,
    /// What the variables are, by the names of the paper.
    pub blocks: Vec<(&'static str, Range<usize>)>,
}

/// Variables of one name, in rows of equal width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    first: usize,
    len: usize,
    width: usize,
}

impl Block {
    /// Variable `j` of row `i`.
    pub fn at(&self, i: usize, j: usize) -> usize {
        debug_assert!(i * self.width + j < self.len && j < self.width);
        self.first + i * self.width + j
    }
}

/// What the values of a variable are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kind {
    pub lower: f64,
    pub upper: f64,
    pub integer: bool,
}

/// 0 or 1.
pub(super) const BINARY: Kind = Kind {
    lower: 0.0,
    upper: 1.0,
    integer: true,
};
/// 0…1.
pub(super) const UNIT: Kind = Kind {
    integer: false,
    ..BINARY
};
/// ≥ 0.
pub(super) const POSITIVE: Kind = Kind {
    upper: f64::INFINITY,
    ..UNIT
};
/// Any number.
pub(super) const FREE: Kind = Kind {
    lower: f64::NEG_INFINITY,
    ..POSITIVE
};

impl Program {
    /// Without variables.
    pub(super) fn new() -> Self {
        Self {
            starts: vec![0],
            ..Self::default()
        }
    }

    /// Adds rows × width variables.
    pub(super) fn block(
        &mut self,
        name: &'static str,
        (rows, width): (usize, usize),
        kind: Kind,
    ) -> Block {
        let (first, len) = (self.lower.len(), rows * width);
        self.lower.resize(first + len, kind.lower);
        self.upper.resize(first + len, kind.upper);
        self.cost.resize(first + len, 0.0);
        self.integer.resize(first + len, kind.integer);
        self.blocks.push((name, first..first + len));
        Block { first, len, width }
    }

    /// Adds lower ≤ Σ coefficient · variable ≤ upper.
    pub(super) fn row(
        &mut self,
        entries: impl IntoIterator<Item = (usize, f64)>,
        (lower, upper): (f64, f64),
    ) {
        for (variable, coefficient) in entries.into_iter().filter(|(_, c)| *c != 0.0) {
            self.indices.push(variable as u32);
            self.values.push(coefficient);
        }
        self.starts.push(self.indices.len());
        self.row_lower.push(lower);
        self.row_upper.push(upper);
    }

    /// Adds Σ coefficient · variable ≤ limit.
    pub(super) fn at_most(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, limit: f64) {
        self.row(entries, (f64::NEG_INFINITY, limit));
    }

    /// Adds Σ coefficient · variable ≥ limit.
    pub(super) fn at_least(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, limit: f64) {
        self.row(entries, (limit, f64::INFINITY));
    }

    /// By how much values miss bounds, rows and whole numbers at most.
    pub fn violation(&self, values: &[f64]) -> f64 {
        let beyond = |v: f64, low: f64, high: f64| (low - v).max(v - high).max(0.0);
        let mut worst = 0.0f64;
        for (k, v) in values.iter().enumerate() {
            worst = worst.max(beyond(*v, self.lower[k], self.upper[k]));
            if self.integer[k] {
                worst = worst.max((v - v.round()).abs());
            }
        }
        for (r, span) in self.starts.windows(2).enumerate() {
            let entries = self.indices[span[0]..span[1]]
                .iter()
                .zip(&self.values[span[0]..span[1]]);
            let sum: f64 = entries.map(|(k, c)| c * values[*k as usize]).sum();
            worst = worst.max(beyond(sum, self.row_lower[r], self.row_upper[r]));
        }
        worst
    }

    /// cost · values.
    pub fn objective(&self, values: &[f64]) -> f64 {
        self.cost.iter().zip(values).map(|(c, v)| c * v).sum()
    }
}
