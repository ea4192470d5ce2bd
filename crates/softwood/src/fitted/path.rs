//! The path of a row: its nodes, and what each feature contributes to the splits on it.

use super::SoftTree;
use super::rule::short;
use crate::InputError;
use crate::data::{FeatureMap, Rows};
use std::fmt;

/// Contributions that are printed.
const SHOWN: usize = 5;

/// Why a row goes the way it goes at one split.
///
/// The log odds of going left are `base` + Σ contributions, up to rounding. It prints as
///
/// ```text
/// [0] goes left: log odds 9.2 (probability 0.9999), -3.1 for a typical row
///     petal_length = 4.7 (typical 1.5): +12.3
/// ```
///
/// with the five largest contributions and the sum of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitExplanation {
    /// The split.
    pub node: usize,
    /// Whether the likelier branch is the left one.
    pub goes_left: bool,
    /// γ z: the log odds of going left, negative where the row goes right.
    pub margin: f64,
    /// Those of a row with the typical value of every feature.
    pub base: f64,
    /// One for every feature that matters to the split, the largest first.
    pub contributions: Vec<Contribution>,
}

/// One feature's part in a [`SplitExplanation`].
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// Column of the feature.
    pub feature: usize,
    /// Its name.
    pub name: String,
    /// Its value in the row.
    pub value: f64,
    /// Its typical value.
    pub typical: f64,
    /// γ a_tj (u_j − u_typical,j)/p: by how much the log odds of going left are higher than with the
    /// typical value.
    pub contribution: f64,
}

impl SoftTree {
    /// For each row the nodes from the root to the leaf at the end of its likelier branches, N × (D + 1),
    /// −1 beyond the leaf.
    pub fn decision_path<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<i64>, InputError> {
        let width = self.shape.depth() + 1;
        let paths = (0..self.shape.leaves().len()).flat_map(|leaf| {
            let splits = self.shape.path(leaf).into_iter();
            let splits = splits.map(|(split, _)| self.shape.splits()[split]);
            let nodes = splits.chain([self.shape.leaves()[leaf]]);
            let beyond = std::iter::repeat(-1);
            nodes.map(|node| node as i64).chain(beyond).take(width)
        });
        let paths: Vec<i64> = paths.collect();
        let leaves = self.leaf_indices(rows)?;
        let path = |leaf: &u32| &paths[*leaf as usize * width..][..width];
        Ok(leaves.iter().flat_map(path).copied().collect())
    }

    /// For each row the splits on its path, from the root on.
    pub fn explain_path<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<Vec<SplitExplanation>>, InputError> {
        let rows = rows.into();
        let leaves = self.leaf_indices(rows.reborrow())?;
        let typical = self.scaling.typical_row();
        let of_row = |(i, leaf): (usize, u32)| {
            let x: Vec<f64> = rows.gather(&[i]).into_iter().collect();
            let path = self.shape.path(leaf as usize).into_iter();
            path.map(|(split, goes_left)| self.explain_split(split, goes_left, &x, &typical))
                .collect()
        };
        Ok(leaves.into_iter().enumerate().map(of_row).collect())
    }

    /// Split `split` at row `x`, given the scaled typical values.
    fn explain_split(
        &self,
        split: usize,
        goes_left: bool,
        x: &[f64],
        typical: &[f64],
    ) -> SplitExplanation {
        let (a, maps) = (self.split_coefficients(split), &self.scaling.features);
        let per_feature = self.gamma / self.features() as f64;
        let margin_at = |u: &[f64]| {
            let sum: f64 = a.iter().zip(u).map(|(a, u)| per_feature * a * u).sum();
            sum - self.gamma * self.intercepts[split]
        };
        let u: Vec<f64> = maps.iter().zip(x).map(|(map, x)| map.apply(*x)).collect();
        let matters = |j: &usize| a[*j] != 0.0 && maps[*j] != FeatureMap::Constant;
        let contribution = |j: usize| Contribution {
            feature: j,
            name: self.feature_names[j].clone(),
            value: x[j],
            typical: self.scaling.typical[j],
            contribution: per_feature * a[j] * (u[j] - typical[j]),
        };
        let features = (0..u.len()).filter(matters);
        let mut contributions: Vec<Contribution> = features.map(contribution).collect();
        let size = |c: &Contribution| c.contribution.abs();
        contributions.sort_by(|a, b| size(b).total_cmp(&size(a)));
        SplitExplanation {
            node: self.shape.splits()[split],
            goes_left,
            margin: margin_at(&u),
            base: margin_at(typical),
            contributions,
        }
    }
}

impl SplitExplanation {
    /// The probability of going left.
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-self.margin).exp())
    }
}

impl fmt::Display for SplitExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.goes_left { "left" } else { "right" };
        write!(
            f,
            "[{}] goes {way}: log odds of left {} (probability {}), {} for a typical row",
            self.node,
            short(self.margin),
            short(self.probability()),
            short(self.base),
        )?;
        let (shown, others) = self
            .contributions
            .split_at(SHOWN.min(self.contributions.len()));
        for part in shown {
            write!(f, "\n    {part}")?;
        }
        match others {
            [] => Ok(()),
            [other] => write!(f, "\n    {other}"),
            _ => {
                let sum: f64 = others.iter().map(|c| c.contribution).sum();
                write!(f, "\n    {} more: {}", others.len(), signed(sum))
            }
        }
    }
}

impl fmt::Display for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} = {} (typical {}): {}",
            self.name,
            short(self.value),
            short(self.typical),
            signed(self.contribution),
        )
    }
}

/// With its sign, also if it is not negative.
fn signed(x: f64) -> String {
    let sign = if x < 0.0 { "" } else { "+" };
    format!("{sign}{}", short(x))
}
