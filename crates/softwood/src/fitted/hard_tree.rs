//! The hard splits of a fitted tree: a sparse linear form each, on features as they are.

use super::passing::in_pool_if_many;
use super::{Contribution, FittedTree, Importance, Measure, Rule, SplitExplanation, Term};
use crate::InputError;
use crate::data::finite::check_finite;
use crate::data::{Encoding, Parallelism, Rows, Value};
use crate::tree::{Child, Shape};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Rows in a piece of parallel work.
const ROWS_AT_A_TIME: usize = 256;

/// A row goes left at a split where Σ_j weights_j x_j ≥ threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct HardSplit {
    /// Features, increasing.
    pub columns: Vec<u32>,
    /// One for each of them.
    pub weights: Vec<f64>,
    /// The threshold.
    pub threshold: f64,
}

/// A feature that some split uses, and its values in training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedFeature {
    /// The feature.
    pub column: u32,
    /// Weighted median.
    pub typical: f64,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

/// A tree of hard splits.
#[derive(Clone, Debug, PartialEq)]
pub struct HardTree {
    /// Which nodes split.
    pub shape: Shape,
    /// p.
    features: usize,
    /// One for each split of the shape.
    splits: Vec<HardSplit>,
    /// The features that splits use, increasing.
    used: Vec<UsedFeature>,
    /// For each split the places of its columns among the used ones.
    places: Vec<Vec<u32>>,
    /// Names of all features, if they were given.
    names: Option<Vec<String>>,
    encoding: Option<Encoding>,
}

impl HardTree {
    /// From splits whose columns are among `used`, which increase.
    pub(crate) fn new(
        shape: Shape,
        features: usize,
        splits: Vec<HardSplit>,
        mut used: Vec<UsedFeature>,
        (names, encoding): (Option<&[String]>, Option<&Encoding>),
    ) -> Self {
        // Of levels the most frequent one, where medians of its features may leave none.
        if let Some(typical) = encoding.map(Encoding::typical_row) {
            for feature in &mut used {
                feature.typical = typical[feature.column as usize];
            }
        }
        let place = |j: &u32| {
            let found = used.binary_search_by_key(j, |feature| feature.column);
            found.expect("columns of splits are among the used ones") as u32
        };
        let of_split = |split: &HardSplit| split.columns.iter().map(place).collect();
        let of_table = |encoding: &Encoding| encoding.feature_names();
        Self {
            places: splits.iter().map(of_split).collect(),
            shape,
            features,
            splits,
            used,
            names: encoding
                .map(of_table)
                .or_else(|| names.map(<[String]>::to_vec)),
            encoding: encoding.cloned(),
        }
    }

    /// The splits, in the order of the shape.
    pub fn splits(&self) -> &[HardSplit] {
        &self.splits
    }

    /// The threshold of every split.
    pub(super) fn thresholds(&self) -> Vec<f64> {
        self.splits.iter().map(|split| split.threshold).collect()
    }

    /// Share of features that no split uses, in percent.
    pub(super) fn global_sparsity(&self) -> f64 {
        100.0 * (self.features - self.used.len()) as f64 / self.features as f64
    }

    /// The features that splits use, increasing.
    pub fn used(&self) -> &[UsedFeature] {
        &self.used
    }

    /// Names of all features, if they were given.
    pub(super) fn given_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The name of a feature.
    pub fn name(&self, feature: usize) -> String {
        let numbered = || format!("x{feature}");
        let names = self.names.as_ref();
        names.map_or_else(numbered, |names| names[feature].clone())
    }

    /// Σ_j weights_j x_j − threshold at split `split`, of a row's used features.
    fn margin(&self, split: usize, x: &[f64]) -> f64 {
        let form = &self.splits[split];
        let terms = self.places[split].iter().zip(&form.weights);
        // In the order of the features, as training forms the sum.
        let sum = terms.fold(0.0, |sum, (place, weight)| {
            sum + weight * x[*place as usize]
        });
        sum - form.threshold
    }

    /// Whether a row of these used features goes left: by the sum itself, since a difference may round.
    fn goes_left(&self, split: usize, x: &[f64]) -> bool {
        let form = &self.splits[split];
        let terms = self.places[split].iter().zip(&form.weights);
        let sum = terms.fold(0.0, |sum, (place, weight)| {
            sum + weight * x[*place as usize]
        });
        sum >= form.threshold
    }

    /// The used features of a row.
    fn gather(&self, rows: &Rows<'_>, i: usize, out: &mut [f64]) {
        rows.pick(i, &|k| self.used[k].column as usize, self.used.len(), out);
    }

    /// The leaf of a row, and the last split on its way with the margin there.
    fn walk(&self, x: &[f64]) -> (usize, f64) {
        let (mut next, mut margin) = (Child::Split(0), 0.0);
        if self.splits.is_empty() {
            return (0, margin);
        }
        loop {
            match next {
                Child::Leaf(leaf) => return (leaf, margin),
                Child::Split(split) => {
                    margin = self.margin(split, x);
                    let side = usize::from(!self.goes_left(split, x));
                    next = self.shape.children()[split][side];
                }
            }
        }
    }

    /// Fills `width` values for each row by `fill(leaf, margin at the split above it, out)`.
    pub(super) fn at_leaves<T: Clone + Default + Send>(
        &self,
        rows: &Rows<'_>,
        width: usize,
        fill: impl Fn(usize, f64, &mut [T]) + Sync + Send,
    ) -> Result<Vec<T>, InputError> {
        if rows.features() != self.features {
            return Err(InputError::FeatureMismatch {
                expected: self.features,
                got: rows.features(),
            });
        }
        in_pool_if_many(rows, |parallelism| {
            match parallelism {
                Parallelism::Rows => check_finite(rows)?,
                Parallelism::None => rows.check_finite(0..rows.len())?,
            }
            let mut out = vec![T::default(); rows.len() * width];
            let fill_piece = |(piece, out): (usize, &mut [T])| {
                let mut x = vec![0.0; self.used.len()];
                for (k, out) in out.chunks_exact_mut(width).enumerate() {
                    self.gather(rows, piece * ROWS_AT_A_TIME + k, &mut x);
                    let (leaf, margin) = self.walk(&x);
                    fill(leaf, margin, out);
                }
            };
            let piece = ROWS_AT_A_TIME * width;
            match parallelism {
                Parallelism::Rows => out.par_chunks_mut(piece).enumerate().for_each(fill_piece),
                Parallelism::None => out.chunks_mut(piece).enumerate().for_each(fill_piece),
            }
            Ok(out)
        })
    }

    /// Importance of each of the user's columns: |weight| times the range of its values in training, summed
    /// up over the splits. A column that stands for several features counts by their sum.
    pub(super) fn importance(
        &self,
        kind: Importance,
        shares: Option<Vec<f64>>,
    ) -> Option<Vec<f64>> {
        let shares = match kind {
            Importance::Weighted => shares?,
            _ => vec![1.0; self.splits.len()],
        };
        let ends: Vec<usize> = self.column_ends();
        let mut importance = vec![0.0f64; self.columns()];
        for ((split, places), share) in self.splits.iter().zip(&self.places).zip(shares) {
            for (place, weight) in places.iter().zip(&split.weights) {
                let feature = &self.used[*place as usize];
                let column = column_of(&ends, feature.column as usize);
                let range = weight.abs() * (feature.high - feature.low);
                importance[column] = match kind {
                    Importance::Max => importance[column].max(range),
                    _ => importance[column] + share * range,
                };
            }
        }
        Some(importance)
    }

    /// The last feature of each column of a table; empty if features are columns.
    fn column_ends(&self) -> Vec<usize> {
        let ranges = self.encoding.as_ref().map(Encoding::ranges);
        ranges.map_or_else(Vec::new, |ranges| ranges.iter().map(|r| r.end).collect())
    }

    fn explain_split(&self, split: usize, goes_left: bool, x: &[f64]) -> SplitExplanation {
        let (form, ends) = (&self.splits[split], self.column_ends());
        let (mut contributions, mut base) = (Vec::<Contribution>::new(), -form.threshold);
        for (place, weight) in self.places[split].iter().zip(&form.weights) {
            let feature = self.used[*place as usize];
            let value = x[*place as usize];
            base += weight * feature.typical;
            let column = column_of(&ends, feature.column as usize);
            let contribution = weight * (value - feature.typical);
            match contributions
                .last_mut()
                .filter(|last| last.feature == column)
            {
                Some(last) => last.contribution += contribution,
                None => contributions.push(Contribution {
                    feature: column,
                    name: self.name(feature.column as usize),
                    value: Some(Value::Number(value)),
                    typical: Some(Value::Number(feature.typical)),
                    contribution,
                }),
            }
        }
        let size = |c: &Contribution| c.contribution.abs();
        contributions.sort_by(|a, b| size(b).total_cmp(&size(a)));
        SplitExplanation {
            node: self.shape.splits()[split],
            goes_left,
            is_hard: true,
            margin: self.margin(split, x),
            base,
            contributions,
        }
    }
}

/// The column whose features end beyond this one.
fn column_of(ends: &[usize], feature: usize) -> usize {
    match ends.is_empty() {
        true => feature,
        false => ends.partition_point(|end| *end <= feature),
    }
}

impl FittedTree for HardTree {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn features(&self) -> usize {
        self.features
    }

    fn feature_names(&self) -> Cow<'_, [String]> {
        let numbered = || (0..self.features).map(|j| self.name(j)).collect();
        let names = self.names.as_deref();
        names.map_or_else(numbered, Cow::Borrowed)
    }

    fn is_named(&self) -> bool {
        self.names.is_some()
    }

    fn encoding(&self) -> Option<&Encoding> {
        self.encoding.as_ref()
    }

    fn typical(&self) -> Cow<'_, [f64]> {
        let of_table = self.encoding.as_ref().map(Encoding::typical_row);
        let mut typical = of_table.unwrap_or_else(|| vec![0.0; self.features]);
        for feature in &self.used {
            typical[feature.column as usize] = feature.typical;
        }
        Cow::Owned(typical)
    }

    fn rule(&self, node: usize) -> Option<Rule> {
        let split = self.shape.split_at(node)?;
        let indicators = self.encoding.as_ref().map(Encoding::indicators);
        let form = &self.splits[split];
        let term = |(place, weight): (&u32, &f64)| {
            let feature = self.used[*place as usize];
            let j = feature.column as usize;
            let is_indicator = indicators.as_ref().is_some_and(|each| each[j]);
            Term {
                feature: j,
                name: self.name(j),
                measure: match is_indicator {
                    true => Measure::Indicator,
                    false => Measure::Value,
                },
                weight: *weight,
                effect: weight * (feature.high - feature.low),
            }
        };
        let mut terms: Vec<Term> = self.places[split]
            .iter()
            .zip(&form.weights)
            .map(term)
            .collect();
        terms.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
        Some(Rule {
            node,
            terms,
            threshold: form.threshold,
            steepness: f64::INFINITY,
        })
    }

    fn leaf_indices<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.at_leaves(&rows.into(), 1, |leaf, _, out| out[0] = leaf as u32)
    }

    fn explain_path<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<Vec<SplitExplanation>>, InputError> {
        let rows = rows.into();
        let leaves = self.leaf_indices(rows.reborrow())?;
        let mut x = vec![0.0; self.used.len()];
        let mut of_row = |(i, leaf): (usize, u32)| {
            self.gather(&rows, i, &mut x);
            let path = self.shape.path(leaf as usize).into_iter();
            path.map(|(split, left)| self.explain_split(split, left, &x))
                .collect()
        };
        Ok(leaves.into_iter().enumerate().map(&mut of_row).collect())
    }

    fn column_features(&self) -> Vec<Range<usize>> {
        let themselves = || (0..self.features).map(|j| j..j + 1).collect();
        self.encoding
            .as_ref()
            .map_or_else(themselves, Encoding::ranges)
    }
}
