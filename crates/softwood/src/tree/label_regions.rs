//! The parts of a tree whose leaves share a label: what happens inside them does not matter.

use super::{Child, Shape};

/// A tree cut off where all leaves below have one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelRegions {
    /// Positions of the splits with different labels below them, breadth first.
    pub splits: Vec<usize>,
    /// Labels of the leaves of the tree that is left, from left to right.
    pub labels: Vec<u32>,
}

impl LabelRegions {
    /// `labels` are those of the leaves from left to right.
    pub fn of(shape: &Shape, labels: &[u32]) -> Self {
        // The one label below each split, if there is but one.
        let mut below: Vec<Option<u32>> = vec![None; shape.splits().len()];
        let label = |child: Child, below: &[Option<u32>]| match child {
            Child::Split(split) => below[split],
            Child::Leaf(leaf) => Some(labels[leaf]),
        };
        for (split, [left, right]) in shape.children().iter().enumerate().rev() {
            let (left, right) = (label(*left, &below), label(*right, &below));
            below[split] = left.filter(|_| left == right);
        }
        let root = match shape.splits() {
            [] => Child::Leaf(0),
            _ => Child::Split(0),
        };
        let (mut splits, mut ends) = (Vec::new(), Vec::new());
        let mut next = vec![root];
        while let Some(child) = next.pop() {
            match (child, label(child, &below)) {
                (Child::Split(split), None) => {
                    splits.push(split);
                    next.extend(shape.children()[split].into_iter().rev());
                }
                (_, label) => ends.push(label.expect("a leaf has a label")),
            }
        }
        splits.sort_unstable();
        Self {
            splits,
            labels: ends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_cut_off_where_labels_agree() {
        let regions = |labels: &[u32]| {
            let depth = labels.len().ilog2() as usize;
            let regions = LabelRegions::of(&Shape::complete(depth), labels);
            (regions.splits, regions.labels)
        };
        assert_eq!(regions(&[7, 7]), (vec![], vec![7]));
        assert_eq!(regions(&[1, 0]), (vec![0], vec![1, 0]));
        assert_eq!(regions(&[0, 0, 1, 0]), (vec![0, 2], vec![0, 1, 0]));
        assert_eq!(regions(&[0, 1, 2, 3]), (vec![0, 1, 2], vec![0, 1, 2, 3]));
    }

    #[test]
    fn trees_of_any_shape_are_cut_off() {
        let shape = Shape::of_splits(vec![0, 2, 5]).unwrap();
        let regions = LabelRegions::of(&shape, &[0, 1, 1, 0]);
        assert_eq!(regions.splits, [0, 1]);
        assert_eq!(regions.labels, [0, 1, 0]);
        let leaf = Shape::of_splits(Vec::new()).unwrap();
        assert_eq!(LabelRegions::of(&leaf, &[3]).labels, [3]);
    }
}
