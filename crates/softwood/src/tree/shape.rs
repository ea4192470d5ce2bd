//! The shape of a fitted tree: which nodes of a complete tree split, and which are leaves.

/// A binary tree of any shape, down to a single leaf. Nodes are numbered as in the complete tree
/// ([`Topology`](super::Topology)): the root is 0, the children of node t are 2t+1 (left) and 2t+2 (right).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Nodes that split, breadth first.
    splits: Vec<usize>,
    /// The other ends of splits, from left to right.
    leaves: Vec<usize>,
    /// Left and right child of each split.
    children: Vec<[Child; 2]>,
}

/// What a branch of a split leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Another split, by its position among the splits.
    Split(usize),
    /// A leaf, by its position from left to right.
    Leaf(usize),
}

impl Shape {
    /// Splits on the longest way to a leaf, at most.
    pub(super) const MAX_DEPTH: usize = 12;

    /// All splits down to `depth`, which must lie in 1…[`Topology::MAX_DEPTH`](super::Topology::MAX_DEPTH).
    pub fn complete(depth: usize) -> Self {
        assert!(
            (1..=Self::MAX_DEPTH).contains(&depth),
            "depth must be 1…12, got {depth}"
        );
        let all = (0..(1 << depth) - 1).collect();
        Self::of_splits(all).expect("every split has its parent")
    }

    /// The tree that splits at these nodes; None unless they increase, each comes with its parent and
    /// none is deeper than trees can be.
    pub fn of_splits(splits: Vec<usize>) -> Option<Self> {
        let known = |node: usize| splits.binary_search(&node).ok();
        let last = (1 << Self::MAX_DEPTH) - 1;
        let fits = |t: &usize| *t < last && (*t == 0 || known((t - 1) / 2).is_some());
        if !splits.is_sorted_by(|a, b| a < b) || !splits.iter().all(fits) {
            return None;
        }
        let mut leaves = Vec::with_capacity(splits.len() + 1);
        let mut children = vec![[Child::Leaf(0); 2]; splits.len()];
        // From left to right: the left child is looked at first. With whose child it is.
        let mut next = vec![(0, None)];
        while let Some((node, parent)) = next.pop() {
            let child = match known(node) {
                Some(split) => {
                    next.push((2 * node + 2, Some((split, 1))));
                    next.push((2 * node + 1, Some((split, 0))));
                    Child::Split(split)
                }
                None => {
                    leaves.push(node);
                    Child::Leaf(leaves.len() - 1)
                }
            };
            if let Some((split, side)) = parent {
                children[split][side] = child;
            }
        }
        Some(Self {
            splits,
            leaves,
            children,
        })
    }

    /// The nodes that split, breadth first.
    pub fn splits(&self) -> &[usize] {
        &self.splits
    }

    /// The nodes that are leaves, from left to right.
    pub fn leaves(&self) -> &[usize] {
        &self.leaves
    }

    /// Left and right child of each split.
    pub fn children(&self) -> &[[Child; 2]] {
        &self.children
    }

    /// Position of node `node` among the splits, if it is one.
    pub fn split_at(&self, node: usize) -> Option<usize> {
        self.splits.binary_search(&node).ok()
    }

    /// Splits on the longest way to a leaf; 0 if the root is one.
    pub fn depth(&self) -> usize {
        self.splits
            .last()
            .map_or(0, |t| (t + 1).ilog2() as usize + 1)
    }

    /// Positions of the splits on the way to leaf `leaf`, from the root, each with "turns left there".
    pub fn path(&self, leaf: usize) -> Vec<(usize, bool)> {
        let mut path = Vec::new();
        let mut node = self.leaves[leaf];
        while node > 0 {
            let parent = (node - 1) / 2;
            let split = self.split_at(parent).expect("a parent splits");
            path.push((split, node % 2 == 1));
            node = parent;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Topology;

    #[test]
    fn a_complete_tree_is_numbered_as_its_topology() {
        for depth in 1..=4 {
            let (shape, topology) = (Shape::complete(depth), Topology::complete(depth));
            assert_eq!(shape.depth(), depth);
            assert_eq!(shape.splits().len(), topology.branches());
            for (leaf, node) in shape.leaves().iter().enumerate() {
                assert_eq!(topology.as_leaf(*node), Some(leaf));
                assert_eq!(shape.path(leaf), topology.path(leaf).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_tree_of_any_shape_knows_children_and_paths() {
        // The root, its right child and that one's left child.
        let shape = Shape::of_splits(vec![0, 2, 5]).unwrap();
        assert_eq!(shape.leaves(), [1, 11, 12, 6]);
        assert_eq!(
            shape.children(),
            [
                [Child::Leaf(0), Child::Split(1)],
                [Child::Split(2), Child::Leaf(3)],
                [Child::Leaf(1), Child::Leaf(2)],
            ]
        );
        assert_eq!(shape.path(2), [(0, false), (1, true), (2, false)]);
        assert_eq!(shape.depth(), 3);
    }

    #[test]
    fn a_single_leaf_is_a_tree_and_orphans_are_none() {
        let leaf = Shape::of_splits(Vec::new()).unwrap();
        assert_eq!((leaf.depth(), leaf.leaves()), (0, &[0][..]));
        assert!(leaf.path(0).is_empty());
        for orphans in [
            vec![1],
            vec![0, 5],
            vec![2, 0],
            vec![0, 0],
            vec![0, 2, 6, 14, usize::MAX],
        ] {
            assert_eq!(Shape::of_splits(orphans), None);
        }
    }
}
