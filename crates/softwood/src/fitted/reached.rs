//! Which share of the training rows passes each split, and how many end in each leaf.

use crate::tree::{Child, Shape};

/// Weights of the training rows along a tree, routed to one leaf each.
pub(super) struct Reached<'a> {
    shape: &'a Shape,
    /// One a leaf; empty if nobody knows.
    weights: Vec<f64>,
}

impl<'a> Reached<'a> {
    /// From the weight in each leaf, or none at all.
    pub fn new(shape: &'a Shape, weights: Vec<f64>) -> Self {
        Self { shape, weights }
    }

    /// From the weights of K classes in each leaf.
    pub fn by_class(shape: &'a Shape, weights: &[f64], classes: usize) -> Self {
        let leaves = weights.chunks_exact(classes);
        Self::new(shape, leaves.map(|leaf| leaf.iter().sum()).collect())
    }

    /// Whether the weights are known.
    pub fn is_known(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Of all rows.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Of the rows that end in a leaf.
    pub fn leaf(&self, leaf: usize) -> f64 {
        self.weights[leaf]
    }

    /// Of the rows that take the left and the right branch of a split.
    pub fn branches(&self, split: usize) -> [f64; 2] {
        self.shape.children()[split].map(|child| match child {
            Child::Leaf(leaf) => self.leaf(leaf),
            Child::Split(split) => self.branches(split).into_iter().sum(),
        })
    }

    /// Shares of all rows that pass each split; None if the weights are not known.
    pub fn split_shares(&self) -> Option<Vec<f64>> {
        let splits = 0..self.shape.splits().len();
        let share = |split: usize| self.branches(split).into_iter().sum::<f64>() / self.total();
        self.is_known().then(|| splits.map(share).collect())
    }

    /// Shares of all rows that end in each leaf; None if the weights are not known.
    pub fn leaf_shares(&self) -> Option<Vec<f64>> {
        let shares = self.weights.iter().map(|weight| weight / self.total());
        self.is_known().then(|| shares.collect())
    }
}
