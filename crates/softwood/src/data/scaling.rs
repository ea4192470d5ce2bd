//! Monotone maps of each feature to [0, 1], learned on the training rows and kept in the model.

use super::Rows;
use super::columns::{ColumnValues, Columns};
use super::pack::{FAR_OUTSIDE, LinearMap};
use super::typical::typical_values;
use crate::stop::{Stop, StopFlag, Stopped};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Knots of a quantile map at most.
const MAX_KNOTS: usize = 256;

/// How features are mapped to [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalingKind {
    /// (x − min)/(max − min); new rows may fall outside [0, 1].
    MinMax,
    /// The empirical distribution function, piecewise linear; constant beyond the ends.
    Quantile,
}

/// What a fit is asked to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingChoice {
    /// This kind.
    Fixed(ScalingKind),
    /// Whichever validates better on the training rows.
    Auto,
}

impl FromStr for ScalingChoice {
    type Err = crate::InputError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "minmax" => Ok(Self::Fixed(ScalingKind::MinMax)),
            "quantile" => Ok(Self::Fixed(ScalingKind::Quantile)),
            "auto" => Ok(Self::Auto),
            _ => Err(crate::InputError::Setting {
                name: "scaling",
                expected: "\"minmax\", \"quantile\" or \"auto\"",
                got: format!("{name:?}"),
            }),
        }
    }
}

/// The map of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "map")]
pub enum FeatureMap {
    /// A feature with one value; maps to 0.
    Constant,
    /// Linear from `min` ↦ 0 to `max` ↦ 1.
    Linear {
        /// Smallest training value.
        min: f64,
        /// Largest training value.
        max: f64,
    },
    /// Linear between knots, constant outside.
    Knots {
        /// Increasing feature values.
        values: Vec<f64>,
        /// Their images, increasing from 0 to 1.
        levels: Vec<f64>,
    },
}

impl FeatureMap {
    /// From the smallest to the largest value; constant if their distance has no finite inverse.
    fn linear(min: f64, max: f64) -> Self {
        if max * 0.5 - min * 0.5 < f64::MIN_POSITIVE {
            Self::Constant
        } else {
            Self::Linear { min, max }
        }
    }

    /// The mid-distribution function of values at up to 256 of them, stretched to [0, 1].
    fn knots(mut column: Vec<f64>) -> Self {
        column.par_sort_unstable_by(f64::total_cmp); // far quicker than sorting pairs
        Self::knots_of_sorted(|| column.iter().map(|x| (*x, 1.0)))
    }

    /// The same of values with positive weights.
    ///
    /// It depends on the weighted distribution alone: a row of weight 2 counts as two rows.
    fn weighted_knots(mut pairs: Vec<(f64, f64)>) -> Self {
        // By weight too: sums are then the same whatever the order of the rows.
        pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        Self::knots_of_sorted(|| pairs.iter().copied())
    }

    /// As [`Self::knots`] from values in increasing order with their weights, passed over twice
    /// rather than copied.
    fn knots_of_sorted<I: Iterator<Item = (f64, f64)>>(sorted: impl Fn() -> I) -> Self {
        let (mut distinct, mut first, mut last) = (0, (0.0, 0.0), (0.0, 0.0));
        for middle in Middles::new(sorted()) {
            if distinct == 0 {
                first = middle;
            }
            last = middle;
            distinct += 1;
        }
        if distinct < 2 || last.0 * 0.5 - first.0 * 0.5 < f64::MIN_POSITIVE {
            return Self::Constant;
        }
        let mut knots: Vec<(f64, f64)> = Vec::with_capacity(MAX_KNOTS.min(distinct));
        let mut wanted = (0..MAX_KNOTS)
            .map(|k| k as f64 / (MAX_KNOTS - 1) as f64)
            .peekable();
        for (value, middle) in Middles::new(sorted()) {
            let level = (middle - first.1) / (last.1 - first.1);
            let mut chosen = distinct <= MAX_KNOTS;
            while wanted.next_if(|u| *u <= level).is_some() {
                chosen = true;
            }
            // Levels closer than rounding, or values whose gap has no finite slope, share a knot.
            let new = knots.last().is_none_or(|(kept_value, kept_level)| {
                level > *kept_level && value * 0.5 - kept_value * 0.5 >= f64::MIN_POSITIVE
            });
            if chosen && new {
                knots.push((value, level));
            }
        }
        let last_knot = knots.len() - 1;
        knots[last_knot] = (last.0, 1.0);
        let (values, levels) = knots.into_iter().unzip();
        Self::Knots { values, levels }
    }

    /// Image of `x`.
    pub fn apply(&self, x: f64) -> f64 {
        let mut column = [x];
        self.apply_to(&mut column);
        column[0]
    }

    /// Where `x` lies between the ends of a linear map, correctly rounded: the same in all units and from all
    /// origins that lose no digits.
    pub(super) fn share(&self, x: f64) -> f64 {
        match self {
            Self::Linear { min, max } => {
                let half = if (max - min).is_finite() { 1.0 } else { 0.5 };
                (x * half - min * half) / (max * half - min * half)
            }
            _ => self.apply(x),
        }
    }

    /// The value whose image is `u`, 0 for all of a constant feature's.
    pub(crate) fn invert(&self, u: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Linear { min, max } => min * (1.0 - u) + max * u,
            Self::Knots { values, levels } => interpolate(levels, values, u),
        }
    }

    /// The value in the middle of its image, which stands in for a typical value that is not known.
    pub(crate) fn middle(&self) -> f64 {
        self.invert(0.5)
    }

    /// The whole map if it is linear, else the identity.
    pub(crate) fn linear_part(&self) -> LinearMap {
        match self {
            Self::Constant => LinearMap {
                slope: 0.0,
                limit: FAR_OUTSIDE,
                ..LinearMap::IDENTITY
            },
            Self::Linear { min, max } => {
                // Halves where max − min would overflow, so that every step stays finite.
                let half = if (max - min).is_finite() { 1.0 } else { 0.5 };
                LinearMap {
                    half,
                    origin: min * half,
                    slope: 1.0 / (max * half - min * half),
                    limit: FAR_OUTSIDE,
                }
            }
            Self::Knots { .. } => LinearMap::IDENTITY,
        }
    }

    /// Maps a column in place.
    pub(crate) fn apply_to(&self, column: &mut [f64]) {
        match self {
            Self::Constant => column.fill(0.0),
            Self::Linear { .. } => {
                let map = self.linear_part();
                for x in column {
                    *x = map.apply(*x);
                }
            }
            Self::Knots { values, levels } => {
                for x in column {
                    *x = interpolate(values, levels, *x);
                }
            }
        }
    }

    /// Derivative at `x` (from the right at a knot), in scaled units per unit of the feature.
    pub fn slope(&self, x: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Linear { min, max } => 1.0 / (max - min),
            Self::Knots { values, levels } => {
                let above = values.partition_point(|v| *v <= x);
                if above == 0 || above == values.len() {
                    return 0.0;
                }
                (levels[above] - levels[above - 1]) / (values[above] - values[above - 1])
            }
        }
    }

    /// Complains about a map no training could have produced.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let increasing =
            |v: &[f64]| v.iter().all(|x| x.is_finite()) && v.is_sorted_by(|a, b| a < b);
        match self {
            Self::Constant => Ok(()),
            Self::Linear { min, max } if increasing(&[*min, *max]) => Ok(()),
            Self::Linear { .. } => Err("a linear map needs finite min < max".into()),
            Self::Knots { values, levels } => {
                let sizes = (2..=MAX_KNOTS).contains(&values.len()) && values.len() == levels.len();
                let ends = sizes && levels[0] == 0.0 && levels[levels.len() - 1] == 1.0;
                if ends && increasing(values) && increasing(levels) {
                    Ok(())
                } else {
                    Err("a knots map needs 2…256 increasing values and levels from 0 to 1".into())
                }
            }
        }
    }
}

/// Distinct values in increasing order, each with the weight below it plus half its own.
struct Middles<I: Iterator> {
    sorted: std::iter::Peekable<I>,
    below: f64,
}

impl<I: Iterator<Item = (f64, f64)>> Middles<I> {
    fn new(sorted: I) -> Self {
        Self {
            sorted: sorted.peekable(),
            below: 0.0,
        }
    }
}

impl<I: Iterator<Item = (f64, f64)>> Iterator for Middles<I> {
    type Item = (f64, f64);

    fn next(&mut self) -> Option<Self::Item> {
        let (value, mut weight) = self.sorted.next()?;
        while let Some((_, more)) = self.sorted.next_if(|(x, _)| *x == value) {
            weight += more;
        }
        self.below += weight;
        Some((value, self.below - 0.5 * weight))
    }
}

fn interpolate(values: &[f64], levels: &[f64], x: f64) -> f64 {
    let above = values.partition_point(|v| *v <= x);
    if above == 0 {
        return levels[0];
    }
    if above == values.len() {
        return levels[above - 1];
    }
    let (x0, x1, u0, u1) = (
        values[above - 1],
        values[above],
        levels[above - 1],
        levels[above],
    );
    let half = if (x1 - x0).is_finite() { 1.0 } else { 0.5 };
    u0 + (u1 - u0) * ((x * half - x0 * half) / (x1 * half - x0 * half))
}

/// What was learned of each feature: its map and its typical value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// Which kind was learned.
    pub kind: ScalingKind,
    /// One map a feature.
    pub features: Vec<FeatureMap>,
    /// The weighted median of each feature, one of its values, in the user's units.
    pub typical: Vec<f64>,
}

impl Scaling {
    /// Learns maps and typical values on finite rows; rows of weight 0 do not count.
    pub fn learn(kind: ScalingKind, rows: Rows<'_>, weights: Option<&[f64]>) -> Self {
        Self::learn_unless_stopped(kind, rows, weights, &Stop::default())
            .expect("nothing raises this flag")
    }

    /// As [`Self::learn`], until `flag` is raised.
    pub fn learn_until(
        kind: ScalingKind,
        rows: Rows<'_>,
        weights: Option<&[f64]>,
        flag: &StopFlag,
    ) -> Result<Self, Stopped> {
        Self::learn_unless_stopped(kind, rows, weights, &Stop::new(flag, None))
    }

    /// As [`Self::learn`], polling `stop` between columns or chunks of rows.
    pub(crate) fn learn_unless_stopped(
        kind: ScalingKind,
        rows: Rows<'_>,
        weights: Option<&[f64]>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let columns = Columns::of(&rows, weights, stop)?;
        let features = match kind {
            ScalingKind::MinMax => linear_maps(&rows, weights, stop)?,
            // One column in memory at a time, sorted by all threads.
            ScalingKind::Quantile => (0..rows.features())
                .map(|j| {
                    stop.check()?;
                    Ok(match columns.values(j) {
                        ColumnValues::Plain(values) => FeatureMap::knots(values),
                        ColumnValues::Weighted(pairs) => FeatureMap::weighted_knots(pairs),
                    })
                })
                .collect::<Result<_, Stopped>>()?,
        };
        let typical = typical_values(&columns, stop)?;
        Ok(Self {
            kind,
            features,
            typical,
        })
    }

    /// The same with all features but those kept mapped to 0.
    pub(crate) fn keeping(&self, kept: &[bool]) -> Self {
        let mut scaling = self.clone();
        for (map, kept) in scaling.features.iter_mut().zip(kept) {
            if !kept {
                *map = FeatureMap::Constant;
            }
        }
        scaling
    }

    /// Images of the typical values.
    pub(crate) fn typical_row(&self) -> Vec<f64> {
        let features = self.features.iter().zip(&self.typical);
        features.map(|(map, typical)| map.apply(*typical)).collect()
    }
}

/// Min-max maps from one parallel pass over the rows that weigh.
pub(super) fn linear_maps(
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    stop: &Stop,
) -> Result<Vec<FeatureMap>, Stopped> {
    const CHUNK: usize = 16_384;
    let chunk = |c: usize| {
        stop.check()?;
        let range = c * CHUNK..rows.len().min((c + 1) * CHUNK);
        Ok(rows.extremes(range, weights))
    };
    let chunks = (0..rows.len().div_ceil(CHUNK)).into_par_iter();
    let none = || rows.extremes(0..0, None);
    let extremes = chunks.map(chunk).try_reduce(none, |a, b| Ok(wider(a, b)))?;
    Ok(extremes
        .into_iter()
        .map(|(min, max)| FeatureMap::linear(min, max))
        .collect())
}

fn wider(mut a: Vec<(f64, f64)>, b: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    for ((low, high), (other_low, other_high)) in a.iter_mut().zip(b) {
        *low = low.min(other_low);
        *high = high.max(other_high);
    }
    a
}
