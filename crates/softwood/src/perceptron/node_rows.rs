//! The rows a tree is grown of, and those of them that reach a node.

use crate::data::Rows;

/// Rows with their classes and weights, all positive.
pub(crate) struct TreeRows<'a> {
    pub rows: Rows<'a>,
    pub codes: &'a [u32],
    pub weights: &'a [f64],
    /// K.
    pub classes: usize,
}

impl TreeRows<'_> {
    /// Weight of each class among some rows.
    pub fn class_weights(&self, members: &[u32]) -> Vec<f64> {
        let mut weights = vec![0.0; self.classes];
        for row in members {
            weights[self.codes[*row as usize] as usize] += self.weights[*row as usize];
        }
        weights
    }

    /// What the slacks of some rows cost.
    pub fn costs(&self, members: &[u32], cost: f64) -> Vec<f64> {
        let of_row = |row: &u32| cost * self.weights[*row as usize];
        members.iter().map(of_row).collect()
    }

    /// Weight of each class on the left and on the right side.
    pub fn side_weights(&self, members: &[u32], goes_left: &[bool]) -> [Vec<f64>; 2] {
        let mut sides = [vec![0.0; self.classes], vec![0.0; self.classes]];
        for (row, left) in members.iter().zip(goes_left) {
            let side = &mut sides[usize::from(!left)];
            side[self.codes[*row as usize] as usize] += self.weights[*row as usize];
        }
        sides
    }
}

/// Weight of the rows that are not of the prevailing class.
pub(super) fn errors(class_weights: &[f64]) -> f64 {
    let most = prevailing(class_weights);
    let others = class_weights.iter().enumerate();
    others.filter(|(k, _)| *k != most).map(|(_, w)| w).sum()
}

/// The class of most weight, the first one on a tie.
pub(super) fn prevailing(class_weights: &[f64]) -> usize {
    let mut most = 0;
    for (k, weight) in class_weights.iter().enumerate() {
        if *weight > class_weights[most] {
            most = k;
        }
    }
    most
}
