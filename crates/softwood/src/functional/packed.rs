//! The curves of training rows as splines, laid out in blocks of rows for means whose intervals move.

use super::combination::{MAX_ORDER, PLACES, STORED, at_knot, piece_integral};
use super::cross_validation::least_cross_validation;
use super::layout::CurveLayout;
use super::spline::Smoother;
use crate::data::Rows;
use crate::stop::{Stop, Stopped};
use crate::vectors::{AlignedBuffer, ROW_MULTIPLE};

/// Rows in a block at most.
const MOST_STRIDE: usize = 256;

/// A series that varies by no more than so many roundings of its curve is constant.
const ROUNDINGS: f64 = 64.0;

/// Splines of curves with the mean curve taken off, and scalars with their mean taken off.
#[derive(Clone)]
pub(crate) struct PackedCurves {
    pub predictors: Vec<PackedPredictor>,
    /// The weighted mean row of X.
    pub mean_row: Vec<f64>,
    rows: usize,
    stride: usize,
    /// Block after block, predictor after predictor, what is stored at each knot, rows innermost.
    values: AlignedBuffer,
}

/// One predictor among what is stored.
#[derive(Clone)]
pub(crate) struct PackedPredictor {
    /// Places of the knots on [0, 1]; None for a scalar.
    pub grid: Option<Vec<f64>>,
    /// λ.
    pub smoothing: f64,
    /// Deviation of each order of derivative, over rows and domain, in `unit`s; 0 for what is constant.
    pub deviations: [f64; MAX_ORDER + 1],
    /// The largest magnitude of its values, what is stored being shares of it.
    pub unit: f64,
    /// Columns of rows before this predictor's, in a block.
    first: usize,
}

impl PackedPredictor {
    fn width(&self) -> usize {
        self.grid.as_ref().map_or(1, |grid| STORED * grid.len())
    }
}

impl PackedCurves {
    /// The curves of rows of positive weight, finite and of this layout; λ of all curves is given, or that of
    /// cross-validation for each predictor. On one thread: folds wait for one another's curves.
    pub fn new(
        rows: &Rows<'_>,
        layout: &CurveLayout,
        weights: Option<&[f64]>,
        smoothing: Option<f64>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let n = rows.len();
        let shares = shares(n, weights);
        let mut first = 0;
        let mut columns = Vec::new();
        let (mut predictors, mut mean_row) = (Vec::new(), Vec::new());
        for (predictor, span) in layout.predictors.iter().zip(layout.spans()) {
            let centered = Centered::of(rows, span, &shares, stop)?;
            mean_row.extend_from_slice(&centered.mean);
            let grid = predictor.unit_grid();
            let mut packed = PackedPredictor {
                smoothing: 0.0,
                deviations: [0.0; MAX_ORDER + 1],
                unit: centered.unit,
                first,
                grid,
            };
            if let Some(grid) = &packed.grid {
                let curves = || centered.curves.iter().cloned().zip(shares.iter().copied());
                packed.smoothing = match smoothing {
                    Some(given) => given,
                    None => least_cross_validation(grid, &curves().collect::<Vec<_>>(), stop)?,
                };
            }
            let stored = packed.store(&centered, stop)?;
            packed.deviations = packed.measure(&stored, &shares, stop)?;
            first += packed.width();
            predictors.push(packed);
            columns.push(stored);
        }
        let (stride, values) = lay_out(n, &predictors, &columns, first);
        Ok(Self {
            predictors,
            mean_row,
            rows: n,
            stride,
            values,
        })
    }

    /// N.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Rows in a block.
    pub fn stride(&self) -> usize {
        self.stride
    }

    fn width(&self) -> usize {
        self.predictors.iter().map(PackedPredictor::width).sum()
    }

    /// What is stored of a predictor in a block: columns of a stride.
    pub fn of_block(&self, predictor: usize, block: usize) -> &[f64] {
        let predictor = &self.predictors[predictor];
        let block_start = block * self.width() * self.stride;
        let start = block_start + predictor.first * self.stride;
        &self.values[start..start + predictor.width() * self.stride]
    }

    /// Some of the rows.
    pub fn select(&self, picked: &[u32]) -> Self {
        let (width, stride) = (self.width(), stride_for(picked.len()));
        let mut values = AlignedBuffer::zeros(picked.len().div_ceil(stride) * width * stride);
        for (i, from) in picked.iter().enumerate() {
            let place = |row: usize, stride: usize| row / stride * width * stride + row % stride;
            let (to, from) = (place(i, stride), place(*from as usize, self.stride));
            for k in 0..width {
                values[to + k * stride] = self.values[from + k * self.stride];
            }
        }
        Self {
            predictors: self.predictors.clone(),
            mean_row: self.mean_row.clone(),
            rows: picked.len(),
            stride,
            values,
        }
    }
}

impl PackedPredictor {
    /// What is stored of each row.
    fn store(&self, centered: &Centered, stop: &Stop) -> Result<Vec<Vec<f64>>, Stopped> {
        let Some(grid) = &self.grid else {
            return Ok(centered.curves.clone());
        };
        let smoother = Smoother::new(grid, self.smoothing);
        let spline = |points: &Vec<f64>| {
            stop.check()?;
            let (mut values, mut second) = (points.clone(), vec![0.0; points.len()]);
            smoother.smooth(&mut values, &mut second);
            let mut integral = 0.0;
            let mut stored = Vec::with_capacity(STORED * grid.len());
            for k in 0..grid.len() {
                stored.extend([integral, values[k], second[k]]);
                if k + 1 < grid.len() {
                    integral += piece_integral(grid, k, &values, &second);
                }
            }
            Ok(stored)
        };
        centered.curves.iter().map(spline).collect()
    }

    /// Root mean squares of all orders over rows, by their shares, and over the domain.
    fn measure(
        &self,
        stored: &[Vec<f64>],
        shares: &[f64],
        stop: &Stop,
    ) -> Result<[f64; MAX_ORDER + 1], Stopped> {
        let grid = self.grid.as_deref().unwrap_or(&[]);
        let closest = grid.windows(2).map(|t| t[1] - t[0]).fold(1.0, f64::min);
        let mut deviations = [0.0; MAX_ORDER + 1];
        for (order, told) in deviations.iter_mut().enumerate() {
            let squares: f64 = match &self.grid {
                None if order > 0 => 0.0,
                None => {
                    let rows = stored.iter().zip(shares);
                    rows.map(|(x, share)| share * x[0] * x[0]).sum()
                }
                Some(grid) => mean_square(grid, (stored, shares), order, stop)?,
            };
            let deviation = squares.sqrt();
            let rounding = ROUNDINGS * f64::EPSILON * closest.powi(-(order as i32));
            *told = if deviation > rounding { deviation } else { 0.0 };
        }
        Ok(deviations)
    }
}

/// The mean square of a derivative by the trapezoidal rule on its values at the knots.
fn mean_square(
    grid: &[f64],
    (stored, shares): (&[Vec<f64>], &[f64]),
    order: usize,
    stop: &Stop,
) -> Result<f64, Stopped> {
    let last = grid.len() - 1;
    let at_knots = (0..=last).map(|knot| {
        stop.check()?;
        let before = if knot > 0 {
            grid[knot] - grid[knot - 1]
        } else {
            0.0
        };
        let after = if knot < last {
            grid[knot + 1] - grid[knot]
        } else {
            0.0
        };
        let part = at_knot(grid, knot, order);
        let square = |(stored, share): (&Vec<f64>, &f64)| {
            let knots = &stored[STORED * part.piece..];
            let terms = part.weights.iter().zip(PLACES);
            let value: f64 = terms.map(|(weight, place)| weight * knots[place]).sum();
            share * value * value
        };
        let mean: f64 = stored.iter().zip(shares).map(square).sum();
        Ok(0.5 * (before + after) * mean)
    });
    at_knots.sum()
}

/// The rows of a predictor less their mean, as shares of their largest value.
struct Centered {
    mean: Vec<f64>,
    curves: Vec<Vec<f64>>,
    unit: f64,
}

impl Centered {
    fn of(
        rows: &Rows<'_>,
        span: std::ops::Range<usize>,
        shares: &[f64],
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let columns: Vec<Vec<f64>> = span.map(|column| rows.column(column)).collect();
        let largest = columns.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut curves = vec![Vec::with_capacity(columns.len()); rows.len()];
        let mut mean = Vec::with_capacity(columns.len());
        for points in columns {
            stop.check()?;
            let parts = points.iter().zip(shares);
            let center: f64 = parts.map(|(x, share)| share * (x / unit)).sum();
            for (curve, x) in curves.iter_mut().zip(&points) {
                curve.push(x / unit - center);
            }
            mean.push(center * unit);
        }
        Ok(Self { mean, curves, unit })
    }
}

/// The share of each row in all weight.
fn shares(n: usize, weights: Option<&[f64]>) -> Vec<f64> {
    let Some(weights) = weights else {
        return vec![1.0 / n as f64; n];
    };
    // By the heaviest, as weights may be too small or too large to be added.
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let total: f64 = weights.iter().map(|w| w / heaviest).sum();
    weights.iter().map(|w| w / heaviest / total).collect()
}

/// Blocks of equal size, few of their rows padding.
fn stride_for(rows: usize) -> usize {
    let blocks = rows.div_ceil(MOST_STRIDE).max(1);
    rows.div_ceil(blocks)
        .next_multiple_of(ROW_MULTIPLE)
        .max(ROW_MULTIPLE)
}

fn lay_out(
    n: usize,
    predictors: &[PackedPredictor],
    columns: &[Vec<Vec<f64>>],
    width: usize,
) -> (usize, AlignedBuffer) {
    let stride = stride_for(n);
    let mut values = AlignedBuffer::zeros(n.div_ceil(stride) * width * stride);
    for (predictor, rows) in predictors.iter().zip(columns) {
        for (i, stored) in rows.iter().enumerate() {
            let start = (i / stride * width + predictor.first) * stride + i % stride;
            for (k, value) in stored.iter().enumerate() {
                values[start + k * stride] = *value;
            }
        }
    }
    (stride, values)
}
