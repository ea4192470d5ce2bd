//! Scaled sparse rows handed out in sparse blocks: no zero is ever written.
//!
//! The image of 0 is one number for each feature, the background; a block holds the differences from
//! it, where there are any. A feature that is never 0 in training has an image of 0 outside of [0, 1],
//! perhaps far: as a difference from it its values would lose digits. Its background is 0 instead, and
//! rows that lack it hold the image of 0 itself.

use super::picked::Picked;
use super::scaled_rows::KEEP_BELOW_BYTES;
use super::source::{Block, RowSource, Source, Tile};
use super::sparse_tile::SparseTile;
use super::value_maps::ValueMaps;
use super::{CsrRows, Scaling};
use crate::stop::{Interrupted, Stop};
use std::ops::Range;
use std::sync::Arc;

/// Rows in a block. More than of dense rows, as a block takes little memory, and sums over all features
/// are formed for each chunk of blocks.
const STRIDE: usize = 256;

/// Sparse rows behind their scaling.
pub struct SparseRows<'a> {
    rows: CsrRows<'a>,
    maps: ValueMaps<'a>,
    background: Vec<f64>,
    /// Features that are never 0 in training, in order.
    never_zero: Vec<u32>,
    kept: Option<Stored>,
    picked: Picked,
}

/// What rows hold, one after the other.
struct Stored {
    /// Where rows begin, and the end of the last.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Stored {
    fn with_capacity(rows: usize, values: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self {
            starts,
            columns: Vec::with_capacity(values),
            values: Vec::with_capacity(values),
        }
    }

    fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    fn push(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.columns.push(column as u32);
            self.values.push(value);
        }
    }

    fn end_row(&mut self) {
        self.starts.push(self.values.len());
    }

    /// Puts the row that has not ended into the order of its columns.
    fn sort_row(&mut self) {
        let first = self.starts[self.starts.len() - 1];
        let columns = self.columns[first..].iter().copied();
        let mut row: Vec<(u32, f64)> = columns.zip(self.values[first..].iter().copied()).collect();
        row.sort_unstable_by_key(|(column, _)| *column);
        for (k, (column, value)) in row.into_iter().enumerate() {
            (self.columns[first + k], self.values[first + k]) = (column, value);
        }
    }
}

impl<'a> SparseRows<'a> {
    /// Rows to be passed over many times; `scaling` must have as many features as they.
    pub fn new(rows: CsrRows<'a>, scaling: &'a Scaling) -> Self {
        let mut scaled = Self::passing_once(rows, scaling);
        scaled.keep_if_small();
        scaled
    }

    /// Rows to be passed over once, as in prediction: nothing is kept.
    pub fn passing_once(rows: CsrRows<'a>, scaling: &'a Scaling) -> Self {
        let maps = ValueMaps::new(scaling);
        let mut background = maps.of_zeros();
        let mut never_zero = Vec::new();
        for (j, u) in background.iter_mut().enumerate() {
            if !(0.0..=1.0).contains(u) {
                *u = 0.0;
                never_zero.push(j as u32);
            }
        }
        Self {
            rows,
            maps,
            background,
            never_zero,
            kept: None,
            picked: Picked::all(rows.len()),
        }
    }

    fn keep_if_small(&mut self) {
        // Of some of the rows a guess is enough.
        let stored = match self.picked.are_all() {
            true => self.rows.stored(),
            false => self.rows.stored().div_ceil(self.rows.len().max(1)) * self.len(),
        };
        let each = size_of::<u32>() + size_of::<f64>();
        if stored.saturating_mul(each) <= KEEP_BELOW_BYTES {
            let mut kept = Stored::with_capacity(self.len(), stored);
            self.store(0..self.len(), &mut kept);
            self.kept = Some(kept);
        }
    }

    /// Appends some rows; false if they hold a NaN or an infinity.
    fn store(&self, rows: Range<usize>, stored: &mut Stored) -> bool {
        let mut finite = true;
        for row in rows {
            let row = self.picked.original(row);
            let mut lacking = self.never_zero.len();
            self.rows.visit_row(row, |j, x| {
                finite &= x.is_finite();
                stored.push(j, self.maps.apply(j, x) - self.background[j]);
                if lacking > 0 && self.never_zero.binary_search(&(j as u32)).is_ok() {
                    lacking -= 1;
                }
            });
            if lacking > 0 {
                self.store_lacking(row, stored);
            }
            stored.end_row();
        }
        finite
    }

    /// Completes a row that is 0 where no training row is.
    fn store_lacking(&self, row: usize, stored: &mut Stored) {
        let mut there = Vec::new();
        self.rows.visit_row(row, |j, _| there.push(j as u32));
        for j in &self.never_zero {
            if there.binary_search(j).is_err() {
                stored.push(*j as usize, self.maps.apply(*j as usize, 0.0));
            }
        }
        stored.sort_row();
    }

    fn tile<'t>(&'t self, stored: &'t Stored, rows: Range<usize>) -> Tile<'t> {
        let starts = &stored.starts[rows.start..=rows.end];
        let range = starts[0]..starts[rows.len()];
        Tile::Sparse(SparseTile {
            starts,
            columns: &stored.columns[range.clone()],
            values: &stored.values[range],
            background: &self.background,
        })
    }
}

impl<'a> RowSource<'a> for SparseRows<'a> {
    fn len(&self) -> usize {
        self.picked.len()
    }

    fn features(&self) -> usize {
        self.rows.features()
    }

    fn stride(&self) -> usize {
        STRIDE
    }

    fn visit(
        &self,
        blocks: Range<usize>,
        stop: &Stop,
        visit: &mut dyn FnMut(Block<'_>),
    ) -> Result<(), Interrupted> {
        let mut scratch = Stored::with_capacity(STRIDE, 0);
        for block in blocks {
            stop.check()?;
            let rows = self.block_rows(block);
            let (tile, finite) = match &self.kept {
                Some(kept) => (self.tile(kept, rows.clone()), true),
                None => {
                    scratch.clear();
                    let finite = self.store(rows.clone(), &mut scratch);
                    (self.tile(&scratch, 0..rows.len()), finite)
                }
            };
            visit(Block { rows, finite, tile });
        }
        Ok(())
    }

    fn select(&self, picked: &[u32]) -> Source<'a> {
        let mut some = Self {
            rows: self.rows,
            maps: self.maps.clone(),
            background: self.background.clone(),
            never_zero: self.never_zero.clone(),
            kept: None,
            picked: self.picked.pick(picked),
        };
        some.keep_if_small();
        Arc::new(some)
    }
}
