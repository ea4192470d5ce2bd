//! A complete tree of hyperplanes on scaled features, and what it gets right.

use super::points::{Points, heaviest};
use crate::tree::Topology;

/// Left where h·x ≤ g.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hyperplane {
    pub h: Vec<f64>,
    pub g: f64,
}

impl Hyperplane {
    /// The one that sends every row left, by the widest margin.
    pub fn all_left(features: usize) -> Self {
        let h = vec![0.0; features];
        Self { h, g: 1.0 }
    }

    /// g − h·x.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.g - self.h.iter().zip(x).map(|(h, x)| h * x).sum::<f64>()
    }

    /// Scaled such that the largest |g − h·x| over all points is 1, as theorem 2 has it with M = 1.
    pub fn scale(&mut self, points: &Points) {
        let largest = (0..points.len())
            .map(|i| self.value(points.x(i)).abs())
            .fold(0.0, f64::max);
        if largest > 0.0 {
            self.h.iter_mut().for_each(|h| *h /= largest);
            self.g /= largest;
        }
    }
}

/// Splits breadth first, a class for each leaf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObliqueTree {
    pub splits: Vec<Hyperplane>,
    pub labels: Vec<usize>,
}

/// The ways to the leaves of a complete tree.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    /// For each leaf the splits above it from the root, with "goes left there".
    of_leaf: Vec<Vec<(usize, bool)>>,
    splits: usize,
}

impl Paths {
    /// Of depth D ≥ 1.
    pub fn new(depth: usize) -> Self {
        let topology = Topology::complete(depth);
        let of_leaf = (0..topology.leaves()).map(|l| topology.path(l).collect());
        Self {
            of_leaf: of_leaf.collect(),
            splits: topology.branches(),
        }
    }

    /// L.
    pub fn leaves(&self) -> usize {
        self.of_leaf.len()
    }

    /// B.
    pub fn splits(&self) -> usize {
        self.splits
    }

    /// The splits above a leaf.
    pub fn of(&self, leaf: usize) -> &[(usize, bool)] {
        &self.of_leaf[leaf]
    }
}

impl ObliqueTree {
    /// The leaf that the real rule sends `x` to.
    pub fn leaf(&self, x: &[f64]) -> usize {
        let mut node = 0;
        while node < self.splits.len() {
            node = 2 * node + 2 - usize::from(self.splits[node].value(x) >= 0.0);
        }
        node - self.splits.len()
    }

    /// The same tree, of leaves below one split the left one with the smaller label: sides are swapped, or
    /// all goes to the leaf of the label that both had.
    pub fn with_ordered_labels(&self, classes: usize) -> Self {
        let mut tree = self.clone();
        let first = self.splits.len() / 2;
        for (pair, split) in tree
            .labels
            .chunks_exact_mut(2)
            .zip(&mut tree.splits[first..])
        {
            if pair[0] > pair[1] {
                pair.swap(0, 1);
                split.h.iter_mut().for_each(|h| *h = -*h);
                split.g = -split.g;
            } else if pair[0] == pair[1] {
                *split = Hyperplane::all_left(split.h.len());
                if pair[1] + 1 < classes {
                    pair[1] += 1;
                } else {
                    (pair[0], split.g) = (pair[0] - 1, -1.0);
                }
            }
        }
        tree
    }

    /// Weight of what the real rule gets wrong.
    pub fn errors(&self, points: &Points) -> f64 {
        let of_point = |i: usize| points.cost(i, self.labels[self.leaf(points.x(i))]);
        (0..points.len()).map(of_point).sum()
    }

    /// The tree of least weight wrong and cost of splits, `worth` each, among those that taking splits out makes.
    pub fn simplified(&self, points: &Points, worth: f64) -> Self {
        let (mut tree, b, k) = (self.clone(), self.splits.len(), points.classes());
        // Weights of the classes below every node.
        let mut below = vec![vec![0.0; k]; 2 * b + 1];
        for i in 0..points.len() {
            let leaf = &mut below[b + self.leaf(points.x(i))];
            leaf.iter_mut()
                .zip(points.weights(i))
                .for_each(|(to, w)| *to += w);
        }
        let wrong = |weights: &[f64], label: usize| {
            let others = weights.iter().enumerate().filter(|(c, _)| *c != label);
            others.map(|(_, w)| w).sum::<f64>()
        };
        // What is wrong below, and what the splits there cost.
        let mut costs: Vec<f64> = vec![0.0; 2 * b + 1];
        for (leaf, label) in self.labels.iter().enumerate() {
            costs[b + leaf] = wrong(&below[b + leaf], *label);
        }
        for node in (0..b).rev() {
            let (left, right) = (2 * node + 1, 2 * node + 2);
            below[node] = below[left]
                .iter()
                .zip(&below[right])
                .map(|(a, b)| a + b)
                .collect();
            let label = heaviest(&below[node]);
            let (as_one, parted) = (
                wrong(&below[node], label),
                costs[left] + costs[right] + worth,
            );
            if as_one <= parted {
                tree.make_leaf(node, label);
            }
            costs[node] = as_one.min(parted);
        }
        tree
    }

    /// Sends all that reaches a node to one leaf of this label.
    fn make_leaf(&mut self, node: usize, label: usize) {
        let (b, mut nodes) = (self.splits.len(), vec![node]);
        while let Some(node) = nodes.pop() {
            if node >= b {
                self.labels[node - b] = label;
            } else {
                self.splits[node] = Hyperplane::all_left(self.splits[node].h.len());
                nodes.extend([2 * node + 1, 2 * node + 2]);
            }
        }
    }

    /// Gives every leaf the class of most weight among the points that reach it; a leaf that none
    /// reaches keeps its own.
    pub fn relabel(&mut self, points: &Points) {
        let k = points.classes();
        let mut weights = vec![0.0; self.labels.len() * k];
        for i in 0..points.len() {
            let leaf = self.leaf(points.x(i));
            let of_leaf = weights[leaf * k..][..k].iter_mut();
            of_leaf.zip(points.weights(i)).for_each(|(to, w)| *to += w);
        }
        for (label, weights) in self.labels.iter_mut().zip(weights.chunks_exact(k)) {
            if weights.iter().any(|w| *w > 0.0) {
                *label = heaviest(weights);
            }
        }
    }

    /// The least |g − h·x| of right points at the splits on their way; infinite if none is right.
    pub fn reached_margin(&self, points: &Points, paths: &Paths, margin: f64) -> f64 {
        let right = self.right(points, paths, margin);
        let of_point = |(i, leaf): (usize, Option<usize>)| {
            let way = leaf.map_or(&[][..], |leaf| paths.of(leaf)).iter();
            way.map(move |(t, _)| self.splits[*t].value(points.x(i)).abs())
        };
        let values = right.into_iter().enumerate().flat_map(of_point);
        values.fold(f64::INFINITY, f64::min)
    }

    /// For each point the leaf it reaches with |g − h·x| ≥ `margin` at every split on the way, if one of
    /// its classes is right there.
    pub fn right(&self, points: &Points, paths: &Paths, margin: f64) -> Vec<Option<usize>> {
        let of_point = |i: usize| {
            let (x, leaf) = (points.x(i), self.leaf(points.x(i)));
            let far = |(t, _): &(usize, bool)| self.splits[*t].value(x).abs() >= margin;
            let is_right = points.weights(i)[self.labels[leaf]] > 0.0;
            (is_right && paths.of(leaf).iter().all(far)).then_some(leaf)
        };
        (0..points.len()).map(of_point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// What is wrong and what the splits cost, those that part nothing included.
    fn cost(tree: &ObliqueTree, points: &Points, worth: f64) -> f64 {
        let parts = |split: &&Hyperplane| split.h.iter().any(|h| *h != 0.0);
        tree.errors(points) + worth * tree.splits.iter().filter(parts).count() as f64
    }

    #[test]
    fn of_all_ways_to_take_splits_out_the_cheapest_is_taken() {
        let mut taken_out = [0; 4];
        for seed in 0..60 {
            let mut rng = Pcg64::seed_from_u64(seed);
            let mut drawn =
                |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(0.0..1.0)).collect() };
            let (x, noise, normals) = (drawn(80), drawn(40), drawn(9));
            let class = |(x, noise): (&[f64], &f64)| u32::from(x[0] * x[1] + 0.3 * noise > 0.4);
            let codes: Vec<u32> = x.chunks_exact(2).zip(&noise).map(class).collect();
            let points = Points::merge(&x, 2, &codes, &[1.0; 40], 2);
            let split = |one: &[f64]| Hyperplane {
                h: vec![one[0], one[1]],
                g: one[2],
            };
            let mut tree = ObliqueTree {
                splits: normals.chunks_exact(3).map(split).collect(),
                labels: vec![0; 4],
            };
            tree.relabel(&points);
            let worth = [0.5, 2.0, 6.0][seed as usize % 3];
            let mut least = f64::INFINITY;
            for out in [&[][..], &[1], &[2], &[1, 2], &[0]] {
                let mut other = tree.clone();
                out.iter().for_each(|node| other.make_leaf(*node, 0));
                other.relabel(&points);
                least = least.min(cost(&other, &points, worth));
            }
            let pruned = tree.simplified(&points, worth);
            let left = cost(&pruned, &points, worth);
            assert!((left - least).abs() < 1e-9, "{left} {least}, seed {seed}");
            taken_out[pruned.splits.iter().filter(|s| s.h == [0.0; 2]).count()] += 1;
        }
        assert!(
            taken_out.iter().filter(|n| **n > 0).count() > 2,
            "{taken_out:?}"
        );
    }
}
