//! The rows of a program: a point, a class and their weight each.

use crate::exact::{Paths, Points};

/// Rows that differ in point or class, and the tree they go through.
pub(crate) struct LabelledPoints<'a> {
    pub points: &'a Points,
    pub paths: &'a Paths,
    /// Point and class of each row.
    pub rows: Vec<(usize, usize)>,
}

impl<'a> LabelledPoints<'a> {
    pub fn new(points: &'a Points, paths: &'a Paths) -> Self {
        let classes = |i: usize| {
            let weights = points.weights(i).iter().enumerate();
            weights.filter(|(_, w)| **w > 0.0).map(move |(k, _)| (i, k))
        };
        let rows = (0..points.len()).flat_map(classes).collect();
        Self {
            points,
            paths,
            rows,
        }
    }

    /// n.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The features of row `i`.
    pub fn x(&self, i: usize) -> &[f64] {
        self.points.x(self.rows[i].0)
    }

    /// The class of row `i`.
    pub fn class(&self, i: usize) -> usize {
        self.rows[i].1
    }

    /// The weight of row `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.points.weights(self.rows[i].0)[self.rows[i].1]
    }

    /// Weights of the classes.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.points.classes()];
        for i in 0..self.len() {
            weights[self.class(i)] += self.weight(i);
        }
        weights
    }

    /// The leaves on one side of a split.
    pub fn leaves_beyond(&self, split: usize, left: bool) -> Vec<usize> {
        let on_side = |leaf: &usize| self.paths.of(*leaf).contains(&(split, left));
        (0..self.paths.leaves()).filter(on_side).collect()
    }
}
