//! The path of a row: its nodes, and what each feature contributes to the splits on it.

use super::rule::short;
use super::{FittedTree, SoftTree};
use crate::InputError;
use crate::data::{FeatureMap, Rows, Value};
use std::fmt;
use std::ops::Range;

/// Contributions that are printed.
const SHOWN: usize = 5;

/// Why a row goes the way it goes at one split.
///
/// The log odds of going left are `base` + Σ contributions, up to rounding. It prints as
///
/// ```text
/// [0] goes left: log odds of left 9.2 (probability 0.9999), -3.1 for a typical row
///     petal_length = 4.7 (typical 1.5): +12.3
/// ```
///
/// with the five largest contributions and the sum of the others. A hard split has no odds: there the margin
/// is Σ_j weight_j x_j − threshold, and rows go left where it is not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitExplanation {
    /// The split.
    pub node: usize,
    /// Whether the likelier branch is the left one.
    pub goes_left: bool,
    /// Whether the split is hard.
    pub is_hard: bool,
    /// γ z: the log odds of going left, negative where the row goes right.
    pub margin: f64,
    /// Those of a row with the typical value of every feature.
    pub base: f64,
    /// One for every column that matters to the split, the largest first.
    pub contributions: Vec<Contribution>,
}

/// One column's part in a [`SplitExplanation`].
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The user's column.
    pub feature: usize,
    /// Its name.
    pub name: String,
    /// Its value in the row; None if it is a level never seen in training.
    pub value: Option<Value>,
    /// Its typical value.
    pub typical: Option<Value>,
    /// γ Σ_j a_tj (u_j − u_typical,j)/p over the features of the column: by how much the log odds of going
    /// left are higher than with the typical value.
    pub contribution: f64,
}

impl SoftTree {
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
        let part = |j: usize| per_feature * a[j] * (u[j] - typical[j]);
        let (names, values) = (self.column_names(), self.column_values(x));
        let typical_values = self.column_values(&self.scaling.typical);
        let contribution = |(feature, range): (usize, Range<usize>)| {
            let parts: Vec<f64> = range.filter(matters).map(part).collect();
            (!parts.is_empty()).then(|| Contribution {
                feature,
                name: names[feature].clone(),
                value: values[feature].clone(),
                typical: typical_values[feature].clone(),
                contribution: parts.iter().sum(),
            })
        };
        let columns = self.column_features().into_iter().enumerate();
        let mut contributions: Vec<Contribution> = columns.filter_map(contribution).collect();
        let size = |c: &Contribution| c.contribution.abs();
        contributions.sort_by(|a, b| size(b).total_cmp(&size(a)));
        SplitExplanation {
            node: self.shape.splits()[split],
            goes_left,
            is_hard: false,
            margin: margin_at(&u),
            base: margin_at(typical),
            contributions,
        }
    }
}

impl SplitExplanation {
    /// The probability of going left.
    pub fn probability(&self) -> f64 {
        if self.is_hard {
            return f64::from(u8::from(self.goes_left));
        }
        1.0 / (1.0 + (-self.margin).exp())
    }
}

impl fmt::Display for SplitExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.goes_left { "left" } else { "right" };
        let (node, base) = (self.node, short(self.base));
        let margin = match self.is_hard {
            true => format!("margin {}", short(self.margin)),
            false => {
                let (odds, probability) = (short(self.margin), short(self.probability()));
                format!("log odds of left {odds} (probability {probability})")
            }
        };
        write!(f, "[{node}] goes {way}: {margin}, {base} for a typical row")?;
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
            shown(self.value.as_ref()),
            shown(self.typical.as_ref()),
            signed(self.contribution),
        )
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        Some(Value::Number(x)) => short(*x),
        Some(value) => value.to_string(),
        None => "none of its levels".into(),
    }
}

/// With its sign, also if it is not negative.
fn signed(x: f64) -> String {
    let sign = if x < 0.0 { "" } else { "+" };
    format!("{sign}{}", short(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::random_tree::{at_share, maps, random_model, row};
    use crate::tree::Shape;
    use ndarray::arr2;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contributions_add_up_to_the_margins_on_the_path(
            seed in any::<u64>(),
            depth in 1usize..5,
            typical in prop::collection::vec(0.0..1.0f64, 5),
            shares in prop::collection::vec(-0.5..1.5f64, 5),
        ) {
            let mut tree = random_model(seed, depth, 2, 512.0, maps()).tree;
            let at = |shares: &[f64]| -> Vec<f64> {
                maps().iter().zip(shares).map(|(map, s)| at_share(map, *s)).collect()
            };
            tree.scaling.typical = at(&typical);
            let x = at(&shares);
            let path = tree.decision_path(row(&x)).unwrap();
            let explained = tree.explain_path(row(&x)).unwrap().remove(0);
            prop_assert_eq!(explained.len(), depth);
            for (t, split) in explained.iter().enumerate() {
                prop_assert_eq!(split.node as i64, path[t]);
                prop_assert_eq!(path[t + 1], 2 * path[t] + if split.goes_left { 1 } else { 2 });
                prop_assert_eq!(split.goes_left, split.margin >= 0.0);
                prop_assert_eq!(split.goes_left, split.probability() >= 0.5);
                let parts = split.contributions.iter().map(|c| c.contribution);
                let size: f64 = split.base.abs() + parts.clone().map(f64::abs).sum::<f64>();
                let sum = split.base + parts.sum::<f64>();
                prop_assert!((sum - split.margin).abs() <= 1e-13 * size.max(512.0));
                prop_assert_eq!(split.contributions.len(), 4, "the constant feature is left out");
                let ordered = split.contributions.is_sorted_by(|a, b| {
                    a.contribution.abs() >= b.contribution.abs()
                });
                prop_assert!(ordered);
                for part in &split.contributions {
                    prop_assert_eq!(&part.value, &Some(Value::Number(x[part.feature])));
                    prop_assert_eq!(&part.typical, &Some(Value::Number(tree.scaling.typical[part.feature])));
                }
            }
            // The margins are those of the rule.
            let rule = tree.rule(0).unwrap();
            prop_assert_eq!(rule.terms.len(), 4);
            let typical = tree.scaling.typical.clone();
            let at_typical = tree.explain_path(row(&typical)).unwrap().remove(0);
            prop_assert_eq!(at_typical[0].margin, at_typical[0].base);
        }
    }

    #[test]
    fn paths_of_uneven_trees_end_at_their_leaves() {
        let mut tree = random_model(1, 1, 2, 8.0, maps()[..1].to_vec()).tree;
        // Left at the root above 0.5 of the range; right of it splits again at 0.25.
        tree.shape = Shape::of_splits(vec![0, 2]).unwrap();
        tree.coefficients = vec![1.0, 1.0];
        tree.intercepts = vec![0.5, 0.25];
        let x = arr2(&[[3.0], [-1.9], [0.0]]);
        let paths = tree.decision_path(x.view()).unwrap();
        assert_eq!(paths, [0, 1, -1, 0, 2, 6, 0, 2, 5]);
        let explained = tree.explain_path(x.view()).unwrap();
        let splits = explained.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(splits, [1, 2, 2]);
        tree.shape = Shape::of_splits(Vec::new()).unwrap();
        (tree.coefficients, tree.intercepts) = (Vec::new(), Vec::new());
        assert_eq!(tree.decision_path(x.view()).unwrap(), [0, 0, 0]);
        assert_eq!(tree.explain_path(x.view()).unwrap(), vec![Vec::new(); 3]);
        let none = x.slice(ndarray::s![0..0, ..]);
        assert!(tree.explain_path(none).unwrap().is_empty());
    }

    #[test]
    fn an_explanation_reads_well() {
        let part = |feature: usize, contribution| Contribution {
            feature,
            name: format!("length{feature}"),
            value: Some(Value::Number(4.7)),
            typical: Some(Value::Number(1.5)),
            contribution,
        };
        let mut split = SplitExplanation {
            node: 2,
            goes_left: true,
            is_hard: false,
            margin: 9.2,
            base: -3.1,
            contributions: vec![part(0, 12.34567), part(1, -0.5)],
        };
        let head =
            "[2] goes left: log odds of left 9.2 (probability 0.9999), -3.1 for a typical row";
        let text = format!(
            "{head}\n    length0 = 4.7 (typical 1.5): +12.35\n    length1 = 4.7 (typical 1.5): -0.5"
        );
        assert_eq!(split.to_string(), text);
        split.contributions = (0..8).map(|j| part(j, 0.25)).collect();
        assert_eq!(split.to_string().lines().count(), 7);
        assert!(split.to_string().ends_with("\n    3 more: +0.75"));
    }
}
