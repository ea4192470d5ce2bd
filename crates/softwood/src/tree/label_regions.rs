//! The parts of a tree whose leaves share a label: what happens inside them does not matter.

use super::Topology;

/// A tree cut off where all leaves below have one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabelRegions {
    /// Branch nodes with different labels below them, breadth first.
    pub splits: Vec<usize>,
    /// The nodes, branch nodes or leaves, where the tree is cut off, and their labels.
    pub ends: Vec<(usize, u32)>,
}

impl LabelRegions {
    /// `labels` are those of the leaves from left to right.
    pub fn of(topology: Topology, labels: &[u32]) -> Self {
        let (mut splits, mut ends) = (Vec::new(), Vec::new());
        let mut next = vec![0];
        while !next.is_empty() {
            let mut below = Vec::new();
            for t in next {
                let labels = &labels[topology.leaves_below(t)];
                if labels.iter().all(|label| *label == labels[0]) {
                    ends.push((t, labels[0]));
                } else {
                    splits.push(t);
                    below.extend([topology.left(t), topology.right(t)]);
                }
            }
            next = below;
        }
        Self { splits, ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_cut_off_where_labels_agree() {
        let regions = |labels: &[u32]| {
            let depth = labels.len().ilog2() as usize;
            let regions = LabelRegions::of(Topology::complete(depth), labels);
            (regions.splits, regions.ends)
        };
        assert_eq!(regions(&[7, 7]), (vec![], vec![(0, 7)]));
        assert_eq!(regions(&[1, 0]), (vec![0], vec![(1, 1), (2, 0)]));
        assert_eq!(
            regions(&[0, 0, 1, 0]),
            (vec![0, 2], vec![(1, 0), (5, 1), (6, 0)])
        );
        assert_eq!(
            regions(&[0, 1, 2, 3]),
            (vec![0, 1, 2], vec![(3, 0), (4, 1), (5, 2), (6, 3)])
        );
    }
}
