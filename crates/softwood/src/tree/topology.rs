//! Numbering of nodes in a complete binary tree: who is whose parent, child, ancestor.

/// A complete binary tree of depth D ≥ 1.
///
/// Branch nodes are 0…B−1 breadth first with B = 2^D − 1; the children of t are 2t+1 (left) and
/// 2t+2 (right). Leaves are 0…L−1 from left to right with L = 2^D; leaf l is node B + l.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    depth: usize,
}

impl Topology {
    /// Deepest tree supported: 4,095 branch nodes.
    pub const MAX_DEPTH: usize = 12;

    /// The complete tree of the given depth; `depth` must lie in 1…[`Self::MAX_DEPTH`].
    pub fn complete(depth: usize) -> Self {
        assert!(
            (1..=Self::MAX_DEPTH).contains(&depth),
            "depth must be 1…12, got {depth}"
        );
        Self { depth }
    }

    /// D, the number of splits on every path.
    pub fn depth(self) -> usize {
        self.depth
    }

    /// B = 2^D − 1.
    pub fn branches(self) -> usize {
        (1 << self.depth) - 1
    }

    /// L = 2^D.
    pub fn leaves(self) -> usize {
        1 << self.depth
    }

    /// The leaves as nodes, from left to right.
    pub fn leaf_nodes(self) -> Vec<usize> {
        (self.branches()..).take(self.leaves()).collect()
    }

    /// First branch node of level `d` (which has 2^d of them).
    pub fn level_start(self, d: usize) -> usize {
        (1 << d) - 1
    }

    /// Left child of branch node `t`, as a node number (leaves follow the branch nodes).
    pub fn left(self, t: usize) -> usize {
        2 * t + 1
    }

    /// Right child of branch node `t`, as a node number.
    pub fn right(self, t: usize) -> usize {
        2 * t + 2
    }

    /// The leaf behind node number `node`, if it is one.
    pub fn as_leaf(self, node: usize) -> Option<usize> {
        node.checked_sub(self.branches())
    }

    /// Depth of node number `node`: 0 for the root.
    pub fn level(self, node: usize) -> usize {
        (node + 1).ilog2() as usize
    }

    /// The node that is number `inner` in the tree below `node`, counted as if `node` were the root.
    pub fn below(self, node: usize, inner: usize) -> usize {
        let level = self.level(inner);
        ((node + 1) << level) + (inner - self.level_start(level)) - 1
    }

    /// The leaves below `node`, or the one it is.
    pub fn leaves_below(self, node: usize) -> std::ops::Range<usize> {
        let height = self.depth - self.level(node);
        let first = ((node + 1) << height) - self.leaves();
        first..first + (1 << height)
    }

    /// Branch nodes on the way to `leaf`, from the root, each with "turns left there".
    pub fn path(self, leaf: usize) -> impl Iterator<Item = (usize, bool)> {
        (0..self.depth).map(move |d| {
            let node = (leaf + self.leaves()) >> (self.depth - d);
            let left = (leaf >> (self.depth - 1 - d)) & 1 == 0;
            (node - 1, left)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_children_to_their_leaf() {
        for depth in 1..=5 {
            let tree = Topology::complete(depth);
            for leaf in 0..tree.leaves() {
                let mut node = 0;
                for (branch, left) in tree.path(leaf) {
                    assert_eq!(branch, node);
                    node = if left {
                        tree.left(branch)
                    } else {
                        tree.right(branch)
                    };
                }
                assert_eq!(tree.as_leaf(node), Some(leaf));
            }
        }
    }

    #[test]
    fn subtrees_are_numbered_like_trees() {
        let tree = Topology::complete(4);
        for node in 0..tree.branches() {
            let height = 4 - tree.level(node);
            let subtree = Topology::complete(height);
            for inner in 0..subtree.branches() {
                let below = tree.below(node, inner);
                let left = tree.below(node, subtree.left(inner));
                assert_eq!(left, tree.left(below));
                assert_eq!(tree.below(node, subtree.right(inner)), tree.right(below));
            }
            let first = tree.below(node, subtree.branches());
            assert_eq!(tree.as_leaf(first), Some(tree.leaves_below(node).start));
            assert_eq!(tree.leaves_below(node).len(), subtree.leaves());
        }
        assert_eq!(tree.leaves_below(tree.branches() + 5), 5..6);
    }

    #[test]
    fn levels_tile_the_branch_nodes() {
        let tree = Topology::complete(4);
        assert_eq!(
            (0..4).map(|d| tree.level_start(d)).collect::<Vec<_>>(),
            [0, 1, 3, 7]
        );
        assert_eq!((tree.branches(), tree.leaves()), (15, 16));
        assert_eq!(tree.as_leaf(14), None);
    }
}
