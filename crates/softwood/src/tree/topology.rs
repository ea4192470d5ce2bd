//! Numbering of the nodes of a binary tree of any shape: who is whose parent, child, ancestor.

use super::{Child, Shape};
use std::ops::Range;
use std::sync::Arc;

/// A binary tree whose live nodes alone are numbered.
///
/// Branch nodes are 0…B−1 breadth first, leaves 0…L−1 from left to right with L = B + 1; leaf l is node
/// B + l. In a complete tree of depth D, B = 2^D − 1 and the children of t are 2t+1 (left) and 2t+2
/// (right). Clones share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    nodes: Arc<Nodes>,
}

#[derive(Debug, PartialEq, Eq)]
struct Nodes {
    shape: Shape,
    /// Left and right child of each branch node, as node numbers.
    children: Vec<[usize; 2]>,
}

impl Topology {
    /// Deepest tree supported: 4,095 branch nodes.
    pub const MAX_DEPTH: usize = Shape::MAX_DEPTH;

    /// The complete tree of the given depth, which must lie in 1…[`Self::MAX_DEPTH`].
    pub fn complete(depth: usize) -> Self {
        Self::of(Shape::complete(depth))
    }

    /// The tree of a shape.
    pub fn of(shape: Shape) -> Self {
        let branches = shape.splits().len();
        let node = |child: &Child| match child {
            Child::Split(split) => *split,
            Child::Leaf(leaf) => branches + leaf,
        };
        let children = shape.children().iter();
        let children = children.map(|both| both.each_ref().map(node)).collect();
        Self {
            nodes: Arc::new(Nodes { shape, children }),
        }
    }

    /// Where its nodes stand in the complete tree around it.
    pub fn shape(&self) -> &Shape {
        &self.nodes.shape
    }

    /// D, the number of splits on the longest path; 0 for a single leaf.
    pub fn depth(&self) -> usize {
        self.shape().depth()
    }

    /// B.
    pub fn branches(&self) -> usize {
        self.nodes.children.len()
    }

    /// L = B + 1.
    pub fn leaves(&self) -> usize {
        self.branches() + 1
    }

    /// The branch nodes of level `d`.
    pub fn branches_of_level(&self, d: usize) -> Range<usize> {
        let first = |d: usize| {
            let splits = self.shape().splits();
            splits.partition_point(|place| *place + 1 < 1 << d)
        };
        first(d)..first(d + 1)
    }

    /// Both children of each branch node, as node numbers.
    pub(super) fn children(&self) -> &[[usize; 2]] {
        &self.nodes.children
    }

    /// Left child of branch node `t`, as a node number (leaves follow the branch nodes).
    pub fn left(&self, t: usize) -> usize {
        self.nodes.children[t][0]
    }

    /// Right child of branch node `t`, as a node number.
    pub fn right(&self, t: usize) -> usize {
        self.nodes.children[t][1]
    }

    /// The leaf behind node number `node`, if it is one.
    pub fn as_leaf(&self, node: usize) -> Option<usize> {
        node.checked_sub(self.branches())
    }

    /// Depth of node number `node`: 0 for the root.
    pub fn level(&self, node: usize) -> usize {
        let shape = self.shape();
        let place = match self.as_leaf(node) {
            None => shape.splits()[node],
            Some(leaf) => shape.leaves()[leaf],
        };
        (place + 1).ilog2() as usize
    }

    /// `node`, unless it is a leaf, and the branch nodes below it, breadth first.
    pub fn branches_below(&self, node: usize) -> Vec<usize> {
        let mut below: Vec<usize> = self
            .as_leaf(node)
            .is_none()
            .then_some(node)
            .into_iter()
            .collect();
        let mut seen = 0;
        while let Some(t) = below.get(seen) {
            let children = self.nodes.children[*t];
            below.extend(children.iter().filter(|child| **child < self.branches()));
            seen += 1;
        }
        below
    }

    /// The leaves below `node`, or the one it is.
    pub fn leaves_below(&self, node: usize) -> Range<usize> {
        let outermost = |side: usize| {
            let mut at = node;
            while at < self.branches() {
                at = self.nodes.children[at][side];
            }
            at - self.branches()
        };
        outermost(0)..outermost(1) + 1
    }

    /// The tree at and below `node`, its nodes in the order of [`Self::branches_below`] and
    /// [`Self::leaves_below`].
    pub fn subtree(&self, node: usize) -> Self {
        // Where a node stands below `node`: its place's last digits, one a level, behind a leading 1.
        let level = self.level(node);
        let below = self.branches_below(node).into_iter().map(|t| {
            let digits = self.level(t) - level;
            let place = self.shape().splits()[t] + 1;
            ((1 << digits) | (place & ((1 << digits) - 1))) - 1
        });
        let shape = Shape::of_splits(below.collect());
        Self::of(shape.expect("each split has its parent"))
    }

    /// Branch nodes on the way to `leaf`, from the root, each with "turns left there".
    pub fn path(&self, leaf: usize) -> impl Iterator<Item = (usize, bool)> {
        self.shape().path(leaf).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every shape: complete, a comb to either side, ragged, a single leaf.
    fn trees() -> Vec<Topology> {
        let ragged = [
            vec![0, 2, 5],
            vec![0, 1, 2, 4, 9, 20],
            vec![0, 2, 6, 14],
            vec![],
        ];
        let ragged = ragged.map(|splits| Shape::of_splits(splits).unwrap());
        let complete = (1..=5).map(Topology::complete);
        complete.chain(ragged.map(Topology::of)).collect()
    }

    #[test]
    fn paths_follow_children_to_their_leaf() {
        for tree in trees() {
            for leaf in 0..tree.leaves() {
                let mut node = 0;
                for (level, (branch, left)) in tree.path(leaf).enumerate() {
                    assert_eq!((branch, level), (node, tree.level(node)));
                    node = if left {
                        tree.left(branch)
                    } else {
                        tree.right(branch)
                    };
                    assert!(node > branch);
                }
                assert_eq!(tree.as_leaf(node), Some(leaf));
            }
        }
    }

    #[test]
    fn complete_trees_are_numbered_by_powers_of_two() {
        let tree = Topology::complete(4);
        assert_eq!((tree.branches(), tree.leaves(), tree.depth()), (15, 16, 4));
        for t in 0..15 {
            assert_eq!((tree.left(t), tree.right(t)), (2 * t + 1, 2 * t + 2));
        }
    }

    #[test]
    fn subtrees_are_numbered_like_trees() {
        for tree in trees() {
            for node in 0..tree.branches() + tree.leaves() {
                let (subtree, branches) = (tree.subtree(node), tree.branches_below(node));
                let leaves = tree.leaves_below(node);
                assert_eq!(subtree.branches(), branches.len());
                assert_eq!(subtree.leaves(), leaves.len());
                let outer = |inner: usize| match subtree.as_leaf(inner) {
                    None => branches[inner],
                    Some(leaf) => tree.branches() + leaves.start + leaf,
                };
                for t in 0..subtree.branches() {
                    assert_eq!(outer(subtree.left(t)), tree.left(outer(t)));
                    assert_eq!(outer(subtree.right(t)), tree.right(outer(t)));
                }
            }
        }
    }

    #[test]
    fn levels_tile_the_branch_nodes() {
        for tree in trees() {
            let levels = (0..tree.depth()).flat_map(|d| {
                let level = tree.branches_of_level(d);
                assert!(!level.is_empty() && level.clone().all(|t| tree.level(t) == d));
                level
            });
            assert!(levels.eq(0..tree.branches()));
        }
    }
}
