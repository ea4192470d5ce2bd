//! Rows whose features are means over intervals that move: blocks for the ends of the moment.

use super::combination::{Combination, IntervalMean, PLACES, interval_mean};
use super::interval_means::IntervalFeature;
use super::packed::PackedCurves;
use crate::data::{
    Block, MovingFeatures, Parallelism, RowSource, RowWeights, Source, TrainingRows, WeightedRows,
};
use crate::stop::{Interrupted, Stop};
use crate::vectors::{AlignedBuffer, dot};
use std::ops::Range;
use std::sync::Arc;

/// A deviation of a series in units of its features: two to each side of the mean fill [0, 1].
pub(crate) const DEVIATION: f64 = 0.25;

/// Training rows at any ends.
#[derive(Clone)]
pub(crate) struct MovingData<T> {
    pub curves: Arc<PackedCurves>,
    pub target: T,
    pub weights: RowWeights,
    pub parallelism: Parallelism,
    pub stop: Stop,
}

impl<T: Clone> MovingData<T> {
    /// Curves with the target and weights of rows that were laid out so.
    pub fn of(curves: &Arc<PackedCurves>, laid_out: TrainingRows<'_, T>) -> Self {
        Self {
            curves: curves.clone(),
            weights: laid_out.rows.row_weights().clone(),
            parallelism: laid_out.rows.parallelism,
            stop: laid_out.rows.stop.clone(),
            target: laid_out.target,
        }
    }

    /// The rows with these features at these ends, each the mean of a curve in deviations of its series, less
    /// that of the mean curve.
    pub fn at<'r>(&self, features: &Arc<[IntervalFeature]>, ends: &[f64]) -> TrainingRows<'r, T> {
        let source = Arc::new(MovingRows::new(&self.curves, features, ends));
        TrainingRows {
            rows: WeightedRows::of(
                source,
                self.weights.clone(),
                self.parallelism,
                self.stop.clone(),
            ),
            target: self.target.clone(),
        }
    }

    /// The same rows, polling another stop.
    pub fn with_stop(&self, stop: &Stop) -> Self {
        Self {
            stop: stop.clone(),
            ..self.clone()
        }
    }
}

/// The rows at given ends.
pub(crate) struct MovingRows {
    curves: Arc<PackedCurves>,
    features: Arc<[IntervalFeature]>,
    sums: Vec<Moving>,
    ends: usize,
}

/// How a feature follows from what is stored.
enum Moving {
    /// A constant series, whose features are 0.
    Constant,
    Scalar {
        factor: f64,
    },
    Mean(Box<IntervalMean>),
}

impl MovingRows {
    /// The rows with these features at the beginning of the domain: what targets and weights are laid out by.
    pub fn at_start(curves: &Arc<PackedCurves>, features: &Arc<[IntervalFeature]>) -> Self {
        let intervals = features.iter().filter_map(|f| f.mean);
        let most = intervals.map(|(_, h)| h + 1).max().unwrap_or(0);
        Self::new(curves, features, &vec![0.0; 2 * most])
    }

    pub fn new(
        curves: &Arc<PackedCurves>,
        features: &Arc<[IntervalFeature]>,
        ends: &[f64],
    ) -> Self {
        let of_feature = |feature: &IntervalFeature| {
            let predictor = &curves.predictors[feature.predictor];
            let order = feature.mean.map_or(0, |(order, _)| order);
            let factor = DEVIATION / predictor.deviations[order];
            match (feature.mean, &predictor.grid) {
                _ if !factor.is_finite() => Moving::Constant,
                (Some((order, h)), Some(grid)) => {
                    let all = interval_mean(grid, ends[2 * h], ends[2 * h + 1], order);
                    Moving::Mean(Box::new(IntervalMean {
                        mean: all.mean.scaled(factor),
                        by_lower: all.by_lower.scaled(factor),
                        by_upper: all.by_upper.scaled(factor),
                    }))
                }
                _ => Moving::Scalar { factor },
            }
        };
        Self {
            curves: curves.clone(),
            features: features.clone(),
            sums: features.iter().map(of_feature).collect(),
            ends: ends.len(),
        }
    }

    fn fill(&self, block: usize, tile: &mut [f64]) {
        let stride = self.stride();
        let features = self.features.iter().zip(&self.sums);
        for ((feature, moving), out) in features.zip(tile.chunks_exact_mut(stride)) {
            let stored = self.curves.of_block(feature.predictor, block);
            match moving {
                Moving::Constant => out.fill(0.0),
                Moving::Scalar { factor } => {
                    let values = out.iter_mut().zip(stored);
                    values.for_each(|(out, x)| *out = factor * x);
                }
                Moving::Mean(interval) => fill_sum(&interval.mean, stored, stride, out),
            }
        }
    }
}

/// The combination for all rows of a block.
fn fill_sum(sum: &Combination, stored: &[f64], stride: usize, out: &mut [f64]) {
    out.fill(0.0);
    for part in sum.0.iter().filter(|part| part.weights != [0.0; 5]) {
        let [a, b, c, d, e] = columns_of(part.piece, stored, stride);
        let [wa, wb, wc, wd, we] = part.weights;
        let rows = out.iter_mut().zip(a).zip(b).zip(c).zip(d).zip(e);
        for (((((out, a), b), c), d), e) in rows {
            *out += wa * a + wb * b + wc * c + wd * d + we * e;
        }
    }
}

/// The columns that combinations of a piece weigh.
fn columns_of(piece: usize, stored: &[f64], stride: usize) -> [&[f64]; 5] {
    let from = super::combination::STORED * piece * stride;
    PLACES.map(|place| &stored[from + place * stride..][..stride])
}

impl<'a> RowSource<'a> for MovingRows {
    fn len(&self) -> usize {
        self.curves.len()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn stride(&self) -> usize {
        self.curves.stride()
    }

    fn visit(
        &self,
        blocks: Range<usize>,
        stop: &Stop,
        visit: &mut dyn FnMut(Block<'_>),
    ) -> Result<(), Interrupted> {
        let mut values = AlignedBuffer::zeros(self.features.len() * self.stride());
        for block in blocks {
            stop.check()?;
            self.fill(block, &mut values);
            visit(Block::dense(self.block_rows(block), &values));
        }
        Ok(())
    }

    fn select(&self, picked: &[u32]) -> Source<'a> {
        let scaled = |moving: &Moving| match moving {
            Moving::Constant => Moving::Constant,
            Moving::Scalar { factor } => Moving::Scalar { factor: *factor },
            Moving::Mean(interval) => Moving::Mean(interval.clone()),
        };
        Arc::new(Self {
            curves: Arc::new(self.curves.select(picked)),
            features: self.features.clone(),
            sums: self.sums.iter().map(scaled).collect(),
            ends: self.ends,
        })
    }

    fn moving(&self) -> Option<&dyn MovingFeatures> {
        Some(self)
    }
}

impl MovingFeatures for MovingRows {
    fn features(&self) -> usize {
        self.features.len()
    }

    fn moves(&self) -> usize {
        self.ends
    }

    /// Σ_i ∂loss/∂u_ij ∂u_ij/∂s, by products of the slopes with what is stored at the ends' knots.
    fn add_moves(&self, rows: &Range<usize>, by_feature: &[f64], out: &mut [f64]) {
        let stride = self.curves.stride();
        let block = rows.start / stride;
        let features = self.features.iter().zip(&self.sums);
        for ((feature, moving), slopes) in features.zip(by_feature.chunks_exact(stride)) {
            let (Moving::Mean(interval), Some((_, h))) = (moving, feature.mean) else {
                continue;
            };
            let stored = self.curves.of_block(feature.predictor, block);
            for side in 0..2 {
                let [lower, upper] =
                    [&interval.by_lower, &interval.by_upper].map(|sum| sum.0[side]);
                if lower.weights == [0.0; 5] && upper.weights == [0.0; 5] {
                    continue;
                }
                let columns = columns_of(lower.piece, stored, stride);
                for (k, column) in columns.into_iter().enumerate() {
                    let product = dot(slopes, column);
                    out[2 * h] += lower.weights[k] * product;
                    out[2 * h + 1] += upper.weights[k] * product;
                }
            }
        }
    }
}
