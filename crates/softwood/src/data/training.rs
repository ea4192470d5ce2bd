//! Training rows: weighted rows with what is to be predicted beside them.

use super::pass::WeightedBlock;
use super::{Parallelism, RowSource, RowWeights, Source, WeightedRows};
use crate::stop::Stop;
use crate::vectors::AlignedBuffer;
use std::sync::Arc;

/// Rows and their target.
#[derive(Clone)]
pub struct TrainingRows<'a, T> {
    /// The rows.
    pub rows: WeightedRows<'a>,
    /// What is to be predicted of each.
    pub target: T,
}

/// Rows to classify.
pub type ClassificationRows<'a> = TrainingRows<'a, Classes<'a>>;

/// Rows with a response.
pub type RegressionRows<'a> = TrainingRows<'a, Response>;

/// The class of each row.
#[derive(Clone)]
pub struct Classes<'a> {
    codes: Codes<'a>,
    count: usize,
}

/// The user's, or those of some rows.
#[derive(Clone)]
enum Codes<'a> {
    All(&'a [u32]),
    Some(Arc<[u32]>),
}

/// The response of each row, padded with 0 to whole blocks.
#[derive(Clone)]
pub struct Response(Arc<AlignedBuffer>);

impl<'a> Classes<'a> {
    /// A class 0…`count`−1 for each row.
    pub fn new(codes: &'a [u32], count: usize) -> Self {
        let codes = Codes::All(codes);
        Self { codes, count }
    }

    /// Others for some rows.
    pub(crate) fn of_some(codes: Vec<u32>, count: usize) -> Self {
        let codes = Codes::Some(codes.into());
        Self { codes, count }
    }

    fn codes(&self) -> &[u32] {
        match &self.codes {
            Codes::All(codes) => codes,
            Codes::Some(codes) => codes,
        }
    }

    /// K.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Class of a row.
    pub fn of(&self, row: usize) -> usize {
        self.codes()[row] as usize
    }

    /// Classes of up to so many rows from number `first` on.
    pub(crate) fn codes_from(&self, first: usize, most: usize) -> &[u32] {
        let codes = self.codes();
        &codes[first..codes.len().min(first + most)]
    }

    /// Classes of the rows of a block.
    pub(crate) fn of_block(&self, block: &WeightedBlock<'_>) -> &[u32] {
        &self.codes()[block.rows.clone()]
    }
}

impl Response {
    /// Responses of the rows of a block, padding included.
    pub(crate) fn of_block(&self, block: &WeightedBlock<'_>) -> &[f64] {
        block.part_of(&self.0)
    }
}

impl<T: Clone> TrainingRows<'_, T> {
    /// N.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// p.
    pub fn features(&self) -> usize {
        self.rows.features()
    }

    /// Σ_i w_i.
    pub(crate) fn total_weight(&self) -> f64 {
        self.rows.total_weight()
    }

    /// The same rows, polling another stop.
    pub(crate) fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            rows: self.rows.with_stop(stop),
            target: self.target.clone(),
        }
    }

    /// The same rows, to be passed over whatever the time limit says.
    pub(crate) fn without_deadline(&self) -> Self {
        self.with_stop(&self.rows.stop.without_deadline())
    }
}

impl<'a> ClassificationRows<'a> {
    /// Rows, a class for each, and weights unless all are 1.
    pub fn new(
        source: Source<'a>,
        classes: Classes<'a>,
        weights: Option<&[f64]>,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        let weights = RowWeights::new(&*source, weights);
        Self::sharing(source, classes, weights, parallelism, stop)
    }

    /// The same with weights that are laid out already, and are not copied.
    pub fn sharing(
        source: Source<'a>,
        classes: Classes<'a>,
        weights: RowWeights,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        Self {
            rows: WeightedRows::of(source, weights, parallelism, stop),
            target: classes,
        }
    }

    /// Total weight of each class.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.target.count];
        for (code, weight) in self.target.codes().iter().zip(self.rows.weights()) {
            totals[*code as usize] += weight;
        }
        totals
    }

    /// Some of the rows, by their positions.
    pub(crate) fn select(&self, picked: &[u32]) -> Self {
        let all = self.target.codes();
        let codes = picked.iter().map(|i| all[*i as usize]).collect();
        Self {
            rows: self.rows.select(picked),
            target: Classes::of_some(codes, self.target.count),
        }
    }
}

impl<'a> RegressionRows<'a> {
    /// Rows, a response for each, and weights unless all are 1.
    pub fn new(
        source: impl RowSource<'a> + 'a,
        response: &[f64],
        weights: Option<&[f64]>,
        parallelism: Parallelism,
        stop: Stop,
    ) -> Self {
        let rows = WeightedRows::new(source, weights, parallelism, stop);
        let target = Response(Arc::new(rows.padded(response)));
        Self { rows, target }
    }

    /// The same rows with another response.
    pub(crate) fn with_response(&self, response: &[f64]) -> Self {
        Self {
            rows: self.rows.clone(),
            target: Response(Arc::new(self.rows.padded(response))),
        }
    }

    /// (1/W) Σ_i w_i y_i².
    pub(crate) fn mean_square(&self) -> f64 {
        let rows = self.target.0.iter().zip(self.rows.weights());
        let squares: f64 = rows.map(|(y, w)| w * y * y).sum();
        squares / self.total_weight()
    }

    /// Some of the rows, by their positions.
    pub(crate) fn select(&self, picked: &[u32]) -> Self {
        let response: Vec<f64> = picked.iter().map(|i| self.target.0[*i as usize]).collect();
        let rows = self.rows.select(picked);
        let target = Response(Arc::new(rows.padded(&response)));
        Self { rows, target }
    }
}
