//! A split in the user's own units and names.

use super::SoftTree;
use crate::data::{Encoding, FeatureMap};
use std::fmt;

/// One split as an inequality: a row is more likely to go left than right where
///
/// Σ_j weight_j · f_j(x_j) > threshold,
///
/// f_j(x) being the value itself or its quantile level, as [`Term::measure`] says. The log-odds of
/// going left are steepness · (Σ − threshold).
///
/// It prints as `left if 0.0123·glucose - 0.5·q(bmi) + 0.1·(sex is f) > 3.2`, q(…) for quantile levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The split.
    pub node: usize,
    /// One for every feature that matters to the split, largest [`Term::effect`] first.
    pub terms: Vec<Term>,
    /// The threshold.
    pub threshold: f64,
    /// γ: log-odds of going left for each unit that Σ exceeds the threshold; infinite for a hard split.
    pub steepness: f64,
}

/// One feature's part in a [`Rule`].
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The feature, one of those that stand for the columns of a table if the model was fitted to one.
    pub feature: usize,
    /// Its name.
    pub name: String,
    /// What the weight is multiplied with.
    pub measure: Measure,
    /// Change of Σ for each unit of the measure.
    pub weight: f64,
    /// Change of Σ from the smallest to the largest training value: unlike weights, effects of
    /// features in different units can be compared. It is a_tj/p.
    pub effect: f64,
}

/// What a [`Term`] measures a feature by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The value x_j as it is.
    Value,
    /// Its quantile level among the training rows, from 0 at the smallest value to 1 at the largest.
    Quantile,
    /// 1 where what the feature's name says holds, else 0.
    Indicator,
}

impl SoftTree {
    /// The split at node `node` in the user's units; None if the tree does not split there.
    pub fn rule(&self, node: usize) -> Option<Rule> {
        let split = self.shape.split_at(node)?;
        let p = self.features() as f64;
        let coefficients = self.split_coefficients(split).iter();
        let effects: Vec<f64> = coefficients.map(|a| a / p).collect();
        let (terms, offset) = terms(self, &effects);
        Some(Rule {
            node,
            terms,
            threshold: self.intercepts[split] + offset,
            steepness: self.gamma,
        })
    }
}

/// Terms for the features with these effects, and what a sum of scaled features lacks to the sum of
/// the terms.
pub(super) fn terms(tree: &SoftTree, effects: &[f64]) -> (Vec<Term>, f64) {
    let mut offset = 0.0;
    let mut terms = Vec::new();
    let indicators = tree.encoding.as_ref().map(Encoding::indicators);
    let is_indicator = |j: usize| indicators.as_ref().is_some_and(|each| each[j]);
    let maps = effects.iter().zip(&tree.scaling.features);
    for (feature, (effect, map)) in maps.enumerate().filter(|(_, (e, _))| **e != 0.0) {
        let (measure, weight) = match map {
            FeatureMap::Constant => continue,
            _ if is_indicator(feature) => (Measure::Indicator, *effect), // 0 and 1 map to themselves
            FeatureMap::Linear { min, max } => {
                // effect · (x − min)/(max − min): weight on x, the rest aside.
                let weight = per_unit(*effect, *min, *max);
                offset += weight * min;
                (Measure::Value, weight)
            }
            FeatureMap::Knots { .. } => (Measure::Quantile, *effect),
        };
        terms.push(Term {
            feature,
            name: tree.feature_names[feature].clone(),
            measure,
            weight,
            effect: *effect,
        });
    }
    terms.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
    (terms, offset)
}

/// "2·a - 3·b".
pub(super) fn signed_sum(terms: &[Term], name_width: usize) -> String {
    let mut text = String::new();
    for (i, term) in terms.iter().enumerate() {
        text += match (i, term.weight < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        text += &term.unsigned(name_width);
    }
    text
}

/// rise/(end − start), also where the difference overflows.
pub(super) fn per_unit(rise: f64, start: f64, end: f64) -> f64 {
    let run = end - start;
    if run.is_finite() {
        rise / run
    } else {
        0.5 * rise / (0.5 * end - 0.5 * start)
    }
}

impl Rule {
    /// The inequality alone, within `width` columns if one term can be: at most `most` terms, the
    /// largest first, names of at most `name_width` characters, then how many are left out.
    pub(super) fn inequality(&self, most: usize, name_width: usize, width: usize) -> String {
        let with_terms = |count: usize| {
            let mut text = signed_sum(&self.terms[..count], name_width);
            if count < self.terms.len() {
                text += &format!(" + {} more", self.terms.len() - count);
            }
            format!("{text} > {}", short(self.threshold))
        };
        let most = most.min(self.terms.len());
        let fitting = (1..=most)
            .rev()
            .map(with_terms)
            .find(|text| text.chars().count() <= width);
        fitting.unwrap_or_else(|| with_terms(most.min(1)))
    }
}

impl Rule {
    /// The terms of largest effect, a line each: the weight, the feature, and its effect on the log-odds.
    pub(super) fn table(&self, most: usize) -> Vec<String> {
        let name = |term: &Term| term.unsigned(usize::MAX);
        let shown = &self.terms[..most.min(self.terms.len())];
        let width = shown.iter().map(|t| name(t).chars().count()).max();
        let line = |term: &Term| {
            let sign = if term.weight < 0.0 { '-' } else { '+' };
            let (what, effect) = match self.steepness.is_finite() {
                true => ("log odds", self.steepness * term.effect),
                false => ("sum", term.effect),
            };
            let effect = format!(
                "{}{}",
                if effect < 0.0 { '-' } else { '+' },
                short(effect.abs())
            );
            let width = width.unwrap_or(0);
            format!(
                "{sign} {:width$}  {what} {effect} over its range",
                name(term)
            )
        };
        let mut lines: Vec<String> = shown.iter().map(line).collect();
        if shown.len() < self.terms.len() {
            lines.push(format!("… {} more", self.terms.len() - shown.len()));
        }
        lines
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.terms.is_empty() {
            return write!(
                f,
                "left if {}",
                self.inequality(usize::MAX, usize::MAX, usize::MAX)
            );
        }
        f.write_str(match self.threshold {
            below if below < 0.0 => "left for every row",
            above if above > 0.0 => "right for every row",
            _ => "left or right alike for every row",
        })
    }
}

impl Term {
    /// |weight|·name.
    fn unsigned(&self, name_width: usize) -> String {
        let name = shorten(&self.name, name_width);
        let weight = short(self.weight.abs());
        match self.measure {
            Measure::Value => format!("{weight}·{name}"),
            Measure::Quantile => format!("{weight}·q({name})"),
            Measure::Indicator => format!("{weight}·({name})"),
        }
    }
}

/// At most `width` characters: both ends of a longer name, names being alike in the middle most often.
pub(super) fn shorten(name: &str, width: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= width {
        return name.to_owned();
    }
    let (head, tail) = (width / 2, width - width / 2 - 1);
    let (head, tail) = (&letters[..head], &letters[letters.len() - tail..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// Four significant digits, without trailing zeros.
pub(super) fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.abs().to_string();
    }
    let scientific = format!("{x:.3e}");
    let (digits, exponent) = scientific
        .split_once('e')
        .expect("format writes an exponent");
    let exponent: i32 = exponent.parse().expect("a decimal exponent");
    match exponent {
        -4..=5 => {
            let text = format!("{x:.*}", (3 - exponent).max(0) as usize);
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ => format!(
            "{}e{exponent}",
            digits.trim_end_matches('0').trim_end_matches('.')
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Scaling, ScalingKind};
    use crate::tree::Shape;
    use proptest::prelude::*;

    fn stump(maps: Vec<FeatureMap>, a: &[f64], mu: f64) -> SoftTree {
        SoftTree {
            shape: Shape::complete(1),
            named: false,
            encoding: None,
            gamma: 64.0,
            coefficients: a.to_vec(),
            intercepts: vec![mu],
            feature_names: (0..a.len()).map(|j| format!("x{j}")).collect(),
            scaling: Scaling {
                kind: ScalingKind::MinMax,
                typical: maps.iter().map(FeatureMap::middle).collect(),
                features: maps,
            },
        }
    }

    /// z and Σ − threshold at a row, and the size of the numbers that were added up.
    fn both_ways(tree: &SoftTree, x: &[f64]) -> (f64, f64, f64) {
        let p = x.len() as f64;
        let maps = &tree.scaling.features;
        let u = x.iter().zip(maps).map(|(x, map)| map.apply(*x));
        let z = tree
            .coefficients
            .iter()
            .zip(u)
            .map(|(a, u)| a * u / p)
            .sum::<f64>()
            - tree.intercepts[0];
        let rule = tree.rule(0).expect("a split");
        let (mut sum, mut size) = (-rule.threshold, rule.threshold.abs());
        for term in &rule.terms {
            let part = term.weight
                * match term.measure {
                    Measure::Value | Measure::Indicator => x[term.feature],
                    Measure::Quantile => maps[term.feature].apply(x[term.feature]),
                };
            sum += part;
            size += part.abs();
        }
        (z, sum, size)
    }

    fn any_map() -> impl Strategy<Value = FeatureMap> {
        prop_oneof![
            Just(FeatureMap::Constant),
            (-3.0..3.0f64, 0.1..5.0f64, -300..300i32).prop_map(|(min, range, exponent)| {
                let unit = 10f64.powi(exponent);
                FeatureMap::Linear {
                    min: min * unit,
                    max: (min + range) * unit,
                }
            }),
            Just(FeatureMap::Linear {
                min: -1.7e308,
                max: 1.7e308
            }),
            Just(FeatureMap::Linear {
                min: 0.0,
                max: 4.5e-308
            }),
            Just(FeatureMap::Knots {
                values: vec![-1.0, 0.0, 7.0],
                levels: vec![0.0, 0.8, 1.0]
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_rule_has_the_log_odds_of_its_split(
            maps in prop::collection::vec(any_map(), 1..5),
            a in prop::collection::vec(-1.0..1.0f64, 4),
            mu in -1.0..1.0f64,
            share in prop::collection::vec(-0.05..1.05f64, 4),
        ) {
            let tree = stump(maps.clone(), &a[..maps.len()], mu);
            let at = |(map, s): (&FeatureMap, &f64)| match map {
                FeatureMap::Constant => *s,
                FeatureMap::Linear { min, max } => min * (1.0 - s) + max * s,
                FeatureMap::Knots { values, .. } => values[0] * (1.0 - s) + values[2] * s,
            };
            let x: Vec<f64> = maps.iter().zip(&share).map(at).map(|x| x.clamp(-f64::MAX, f64::MAX)).collect();
            let (z, sum, size) = both_ways(&tree, &x);
            prop_assert!(sum.is_finite());
            prop_assert!((z - sum).abs() <= 1e-9 * z.abs() + 1e-13 * size, "z = {z}, rule {sum}");
            if z.abs() > 1e-12 * size {
                prop_assert_eq!(z > 0.0, sum > 0.0);
            }
        }
    }

    #[test]
    fn the_largest_effects_come_first() {
        let linear = |max| FeatureMap::Linear { min: 0.0, max };
        let knots = FeatureMap::Knots {
            values: vec![1.0, 2.0],
            levels: vec![0.0, 1.0],
        };
        let maps = vec![
            linear(1000.0),
            linear(0.5),
            knots,
            FeatureMap::Constant,
            linear(1.0),
        ];
        let tree = stump(maps, &[0.9, -0.1, -0.5, 1.0, 0.0], -0.25);
        let rule = tree.rule(0).expect("a split");
        assert_eq!(
            rule.to_string(),
            "left if 0.00018·x0 - 0.1·q(x2) - 0.04·x1 > -0.25"
        );
        assert_eq!(
            rule.inequality(2, 9, 99),
            "0.00018·x0 - 0.1·q(x2) + 1 more > -0.25"
        );
        assert_eq!(rule.inequality(3, 9, 30), "0.00018·x0 + 2 more > -0.25");
    }

    #[test]
    fn a_split_without_features_says_where_all_rows_go() {
        let rule = |mu| {
            stump(vec![FeatureMap::Constant], &[1.0], mu)
                .rule(0)
                .expect("a split")
                .to_string()
        };
        assert_eq!(rule(-0.1), "left for every row");
        assert_eq!(rule(0.1), "right for every row");
        assert_eq!(rule(0.0), "left or right alike for every row");
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.25, "-0.25"),
            (3.0, "3"),
            (1234.56, "1235"),
            (999_999.0, "1e6"),
            (123_456.0, "123456"),
            (0.000_123_456, "0.0001235"),
            (1.5e-7, "1.5e-7"),
            (-2.0e300, "-2e300"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }
}
