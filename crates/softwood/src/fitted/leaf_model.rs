//! A leaf's linear model in the user's own units and names.

use super::rule::{Term, short, signed_sum, terms};
use super::{OrrtModel, SoftTree, SrtModel};
use crate::data::Standardization;
use std::fmt;

/// What one leaf predicts: intercept + Σ_j weight_j · f_j(x_j), f_j(x) being the value itself or its
/// quantile level, as [`Term::measure`](super::Term) says. Where a feature has a curve, its terms are
/// what the leaf adds to the effect that all leaves share ([`SrtModel::curve_points`]).
///
/// It prints as `12.5 + 0.0123·weight - 3.1·q(age)`, q(…) for quantile levels.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafModel {
    /// The leaf, from left to right.
    pub leaf: usize,
    /// One for every feature that matters to the leaf, largest effect first; effects are changes of
    /// the prediction from the smallest to the largest training value.
    pub terms: Vec<Term>,
    /// The prediction where all terms are 0.
    pub intercept: f64,
}

impl SrtModel {
    /// The model of leaf `leaf`, which must be less than the number of leaves.
    pub fn leaf_model(&self, leaf: usize) -> LeafModel {
        let p = self.tree.features();
        let mut slopes = self.leaf_slopes[leaf * p..][..p].to_vec();
        let mut intercept = self.leaf_intercepts[leaf];
        for shared in self.shared_effects() {
            slopes[shared.feature] -= shared.slope;
            intercept += shared.at_typical;
        }
        LeafModel::of(&self.tree, leaf, (&slopes, intercept), &self.response)
    }
}

impl OrrtModel {
    /// The model of leaf `leaf`, which must be less than the number of leaves: a prediction is the mean of
    /// all leaves', weighted by their probabilities.
    pub fn leaf_model(&self, leaf: usize) -> LeafModel {
        let p = self.tree.features();
        let slopes = &self.leaf_slopes[leaf * p..][..p];
        let model = (slopes, self.leaf_intercepts[leaf]);
        LeafModel::of(&self.tree, leaf, model, &self.response)
    }
}

impl LeafModel {
    /// From slopes and intercept of the standardized response on scaled features.
    fn of(
        tree: &SoftTree,
        leaf: usize,
        (slopes, intercept): (&[f64], f64),
        response: &Standardization,
    ) -> Self {
        let (terms, offset) = terms(tree, &response.scaled(slopes));
        Self {
            leaf,
            terms,
            intercept: response.invert(intercept) - offset,
        }
    }
}

impl LeafModel {
    /// The sum within `width` columns if one term can be, as [`Rule::inequality`](super::Rule) does it.
    pub(super) fn sum(&self, most: usize, name_width: usize, width: usize) -> String {
        let with_terms = |count: usize| {
            let mut text = short(self.intercept);
            if count > 0 {
                let first_negative = self.terms[0].weight < 0.0;
                let sum = signed_sum(&self.terms[..count], name_width);
                text += if first_negative { " - " } else { " + " };
                text += sum.trim_start_matches('-');
            }
            if count < self.terms.len() {
                text += &format!(" + {} more", self.terms.len() - count);
            }
            text
        };
        let most = most.min(self.terms.len());
        let mut counts = (1..=most).rev().map(with_terms);
        counts
            .find(|text| text.chars().count() <= width)
            .unwrap_or_else(|| with_terms(most.min(1)))
    }
}

impl fmt::Display for LeafModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sum(usize::MAX, usize::MAX, usize::MAX))
    }
}
