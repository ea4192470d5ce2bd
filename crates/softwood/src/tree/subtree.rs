//! A regression tree's parameters, and passes over rows with any of its subtrees.

use super::block_pass::{self, BlockScratch};
use super::splits::Splits;
use super::{ParameterLayout, Topology};
use crate::data::Tile;

/// Splits and leaf models of a soft regression tree: z_it = (1/p) Σ_j a_tj u_ij − μ_t (μ = −ω_0, steepness 1) and
/// ŷ_it = β_0t + Σ_j β_tj u_ij.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionParameters {
    /// Shape.
    pub topology: Topology,
    /// p.
    pub features: usize,
    /// θ = (a, μ), laid out as [`ParameterLayout`] says.
    pub theta: Vec<f64>,
    /// β without the intercepts, L × p.
    pub leaf_slopes: Vec<f64>,
    /// β_0, one a leaf.
    pub leaf_intercepts: Vec<f64>,
}

impl RegressionParameters {
    /// All zero.
    pub fn zero(topology: Topology, features: usize) -> Self {
        Self {
            features,
            theta: vec![0.0; ParameterLayout::new(&topology, features).dim()],
            leaf_slopes: vec![0.0; topology.leaves() * features],
            leaf_intercepts: vec![0.0; topology.leaves()],
            topology,
        }
    }

    /// θ of the subtree below branch node `node`.
    pub(crate) fn subtree_theta(&self, node: usize) -> Vec<f64> {
        let (a, mu) = ParameterLayout::new(&self.topology, self.features).split(&self.theta);
        let (nodes, p) = (self.topology.branches_below(node), self.features);
        let slopes = nodes.iter().flat_map(|t| &a[t * p..][..p]);
        let intercepts = nodes.iter().map(|t| &mu[*t]);
        slopes.chain(intercepts).copied().collect()
    }

    /// The subtree below branch node `node` as a tree of its own.
    pub(crate) fn subtree(&self, node: usize) -> Self {
        let (p, leaves) = (self.features, self.topology.leaves_below(node));
        Self {
            topology: self.topology.subtree(node),
            features: p,
            theta: self.subtree_theta(node),
            leaf_slopes: self.leaf_slopes[leaves.start * p..leaves.end * p].to_vec(),
            leaf_intercepts: self.leaf_intercepts[leaves].to_vec(),
        }
    }

    /// Puts a tree in the place of the subtree below branch node `node`, which has its shape.
    pub(crate) fn set_subtree(&mut self, node: usize, subtree: &Self) {
        let (p, leaves) = (self.features, self.topology.leaves_below(node));
        self.set_subtree_theta(node, &subtree.theta);
        self.leaf_slopes[leaves.start * p..leaves.end * p].copy_from_slice(&subtree.leaf_slopes);
        self.leaf_intercepts[leaves].copy_from_slice(&subtree.leaf_intercepts);
    }

    /// θ of branch node `node` alone.
    pub(crate) fn node_theta(&self, node: usize) -> Vec<f64> {
        let (a, mu) = ParameterLayout::new(&self.topology, self.features).split(&self.theta);
        let a = &a[node * self.features..][..self.features];
        a.iter().copied().chain([mu[node]]).collect()
    }

    /// Puts θ of the subtree below `node` in its place; a shorter one replaces its first nodes.
    pub(crate) fn set_subtree_theta(&mut self, node: usize, theta: &[f64]) {
        let p = self.features;
        let count = theta.len() / (p + 1);
        let nodes = self.topology.branches_below(node);
        let (a, mu) = ParameterLayout::new(&self.topology, p).split_mut(&mut self.theta);
        for (inner, t) in nodes.into_iter().take(count).enumerate() {
            a[t * p..][..p].copy_from_slice(&theta[inner * p..][..p]);
            mu[t] = theta[count * p + inner];
        }
    }

    /// Model of leaf `leaf`.
    pub(crate) fn set_leaf(&mut self, leaf: usize, slopes: &[f64], intercept: f64) {
        self.leaf_slopes[leaf * self.features..][..self.features].copy_from_slice(slopes);
        self.leaf_intercepts[leaf] = intercept;
    }

    /// Σ_j (λ_ωj/2) Σ_t ω_tj², the last λ being that of the intercepts.
    pub(crate) fn branch_penalty(&self, ridges: &[f64]) -> f64 {
        let (a, mu) = ParameterLayout::new(&self.topology, self.features).split(&self.theta);
        penalty(a, mu, ridges)
    }

    /// Σ_j (λ_βj/2) Σ_t β_tj², the last λ being that of the intercepts.
    pub(crate) fn leaf_penalty(&self, ridges: &[f64]) -> f64 {
        penalty(&self.leaf_slopes, &self.leaf_intercepts, ridges)
    }
}

fn penalty(slopes: &[f64], intercepts: &[f64], ridges: &[f64]) -> f64 {
    let (last, ridges) = ridges.split_last().expect("one for the intercepts");
    let slopes = slopes.iter().zip(ridges.iter().cycle());
    let squares: f64 = slopes.map(|(b, ridge)| ridge * b * b).sum();
    0.5 * (squares + last * intercepts.iter().map(|b| b * b).sum::<f64>())
}

/// What a pass needs of the subtree below a node, which may be a leaf.
pub(crate) struct Subtree {
    /// None for a leaf.
    splits: Option<Splits>,
    models: Splits,
    leaves: usize,
}

/// Working memory of a [`Subtree`] for one block.
pub(crate) struct SubtreeScratch {
    tree: Option<BlockScratch>,
    errors: BlockScratch,
    stride: usize,
}

impl Subtree {
    pub fn at(parameters: &RegressionParameters, node: usize) -> Self {
        let (topology, p) = (&parameters.topology, parameters.features);
        let leaves = topology.leaves_below(node);
        let splits = topology.as_leaf(node).is_none().then(|| {
            let theta = parameters.subtree_theta(node);
            Splits::new(&topology.subtree(node), p, &theta, 1.0)
        });
        let slopes = &parameters.leaf_slopes[leaves.start * p..leaves.end * p];
        let offsets = parameters.leaf_intercepts[leaves.clone()]
            .iter()
            .map(|b| -b);
        Self {
            splits,
            models: Splits::linear_functions(p, slopes, offsets.collect()),
            leaves: leaves.len(),
        }
    }

    /// Leaves.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    pub fn scratch(&self, stride: usize) -> SubtreeScratch {
        let tree = self.splits.as_ref();
        SubtreeScratch {
            tree: tree.map(|splits| BlockScratch::new(&splits.topology, stride)),
            errors: BlockScratch::for_values(self.leaves, stride),
            stride,
        }
    }

    /// (ŷ_it − y_i)² of every leaf, L × stride.
    pub fn squared_errors<'s>(
        &self,
        tile: Tile<'_>,
        response: &[f64],
        scratch: &'s mut SubtreeScratch,
    ) -> &'s [f64] {
        block_pass::split_values(&self.models, tile, &mut scratch.errors);
        let errors = scratch.errors.split_values_mut();
        for column in errors.chunks_exact_mut(scratch.stride) {
            for (error, y) in column.iter_mut().zip(response) {
                *error = (*error - y) * (*error - y);
            }
        }
        errors
    }

    /// Σ_t P_it (ŷ_it − y_i)² of every row of the block, (18), into `out`.
    pub fn expected_errors(
        &self,
        tile: Tile<'_>,
        response: &[f64],
        scratch: &mut SubtreeScratch,
        out: &mut [f64],
    ) {
        self.squared_errors(tile, response, scratch);
        let stride = scratch.stride;
        let errors = scratch.errors.split_values();
        let (Some(splits), Some(tree)) = (&self.splits, &mut scratch.tree) else {
            out.copy_from_slice(errors);
            return;
        };
        block_pass::leaf_probabilities(splits, tile, tree);
        out.fill(0.0);
        let columns = tree.leaf_probabilities().chunks_exact(stride);
        for (probabilities, errors) in columns.zip(errors.chunks_exact(stride)) {
            for ((out, p), error) in out.iter_mut().zip(probabilities).zip(errors) {
                *out += p * error;
            }
        }
    }

    /// P_it of every leaf, L × stride; the subtree must not be a leaf.
    pub fn probabilities<'s>(&self, tile: Tile<'_>, scratch: &'s mut SubtreeScratch) -> &'s [f64] {
        let (splits, tree) = self.split_parts(scratch);
        block_pass::leaf_probabilities(splits, tile, tree);
        tree.leaf_probabilities()
    }

    fn split_parts<'t, 's>(
        &'t self,
        scratch: &'s mut SubtreeScratch,
    ) -> (&'t Splits, &'s mut BlockScratch) {
        match (&self.splits, &mut scratch.tree) {
            (Some(splits), Some(tree)) => (splits, tree),
            _ => panic!("a leaf has no splits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_taken_out_fits_where_it_was() {
        let mut tree = RegressionParameters::zero(Topology::complete(3), 2);
        let mut next = 0.0;
        let mut number = || {
            next += 1.0;
            next
        };
        tree.theta.fill_with(&mut number);
        tree.leaf_slopes.fill_with(&mut number);
        tree.leaf_intercepts.fill_with(&mut number);
        let right = tree.subtree(2);
        assert_eq!(right.topology, Topology::complete(2));
        assert_eq!(right.leaf_intercepts, tree.leaf_intercepts[4..]);
        assert_eq!(right.leaf_slopes, tree.leaf_slopes[8..]);
        assert_eq!(right.node_theta(2), tree.node_theta(6));
        let mut other = RegressionParameters::zero(tree.topology.clone(), 2);
        other.set_subtree(1, &tree.subtree(1));
        other.set_subtree_theta(0, &tree.node_theta(0));
        assert_ne!(other, tree);
        other.set_subtree(2, &right);
        assert_eq!(other, tree);
    }
}
