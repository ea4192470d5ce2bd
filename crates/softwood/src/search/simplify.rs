//! The tree of a start without the splits that do nothing.
//!
//! A split does nothing if all leaves below it have one label, or if next to none of the rows that reach
//! it take one of its branches: because it repeats a split above it, or lies beyond the rows.

use super::descent::{Descent, StartOutcome};
use crate::fitted::LinearSplits;
use crate::objective::{RateReached, expected_cost};
use crate::solver::Majorized;
use crate::stop::{Interrupted, Stop};
use crate::tree::{Child, ParameterLayout, Shape, Topology};
use std::collections::BTreeSet;

/// A branch that less than this share of a split's rows take is taken by next to none.
const IDLE_SHARE: f64 = 0.005;

/// The objective may rise by this share, which rounding may be, when a split is left out.
const ROUNDING: f64 = 1e-9;

/// Idle splits tried at most; each costs a pass over the rows.
const MOST_TRIED: usize = 32;

/// A tree of the shape that is left.
#[derive(Clone, Debug)]
pub(crate) struct Simplified {
    pub shape: Shape,
    pub features: usize,
    /// p values a split.
    pub coefficients: Vec<f64>,
    /// One a split.
    pub intercepts: Vec<f64>,
    /// Labels of the leaves.
    pub labels: Vec<u32>,
    /// Weight of each cell of the rows in each leaf, C × L.
    pub masses: Vec<f64>,
    /// What became of each bound.
    pub reached: Vec<RateReached>,
    pub objective: f64,
    pub loss: f64,
    /// The splits by where they stood.
    pub(super) node: Node,
}

/// A node of a tree: a label, or a split and where it stood in the complete tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(u32),
    Split(usize, Box<[Node; 2]>),
}

impl Node {
    /// What is at and below node `t` of a tree with these labels; one leaf where they agree.
    fn of(topology: &Topology, labels: &[u32], t: usize) -> Self {
        match topology.as_leaf(t) {
            Some(leaf) => Self::Leaf(labels[leaf]),
            None => {
                let children = [topology.left(t), topology.right(t)];
                let [left, right] = children.map(|child| Self::of(topology, labels, child));
                Self::split(t, left, right)
            }
        }
    }

    /// A split, or what both of its branches lead to.
    pub(super) fn split(t: usize, left: Self, right: Self) -> Self {
        match (&left, &right) {
            (Self::Leaf(a), Self::Leaf(b)) if a == b => left,
            _ => Self::Split(t, Box::new([left, right])),
        }
    }

    /// The same without split `t`, which is replaced by what one of its branches leads to.
    fn without(&self, t: usize, branch: usize) -> Self {
        match self {
            Self::Leaf(_) => self.clone(),
            Self::Split(s, children) if *s == t => children[branch].clone(),
            Self::Split(s, children) => {
                let [left, right] = &**children;
                Self::split(*s, left.without(t, branch), right.without(t, branch))
            }
        }
    }

    /// Pairs (node, split of the complete tree) below node `at`, and the labels of the leaves.
    pub(super) fn place(&self, at: usize, splits: &mut Vec<(usize, usize)>, labels: &mut Vec<u32>) {
        match self {
            Self::Leaf(label) => labels.push(*label),
            Self::Split(t, children) => {
                splits.push((at, *t));
                children[0].place(2 * at + 1, splits, labels);
                children[1].place(2 * at + 2, splits, labels);
            }
        }
    }
}

impl Simplified {
    /// The tree of a start: cut off where labels agree and, unless rates of classes are bounded, without
    /// idle splits as long as the objective does not rise.
    pub fn of(descent: &Descent<'_, '_>, start: &StartOutcome) -> Result<Self, Interrupted> {
        let mut node = Node::of(&start.topology, &start.labels, 0);
        // Without its masses there is no tree, so nothing stops this pass.
        let patient = descent.with_stop(&Stop::default());
        let (mut best, mut sources) = evaluate(&patient, start, &node)?;
        // A bound on a class's rate may need every split, and is not to be judged by the objective.
        if !descent.bounds.is_empty() {
            return Ok(best);
        }
        let mut refused = Vec::new();
        for _ in 0..MOST_TRIED {
            let Some((t, branch)) = best.idle_split(&sources, &refused) else {
                break;
            };
            let next = node.without(t, branch);
            let (simpler, of_simpler) = match evaluate(descent, start, &next) {
                Err(Interrupted::TimeLimit | Interrupted::Cancelled) => break,
                evaluated => evaluated?,
            };
            let covers = !descent.cover_classes || simpler.classes() == best.classes();
            if covers && simpler.objective <= best.objective + ROUNDING * best.objective.abs() {
                (node, best, sources) = (next, simpler, of_simpler);
            } else {
                refused.push(t);
            }
        }
        Ok(best)
    }

    /// The splits as they are evaluated.
    pub fn splits(&self, gamma: f64) -> LinearSplits<'_> {
        LinearSplits {
            shape: &self.shape,
            features: self.features,
            coefficients: &self.coefficients,
            intercepts: &self.intercepts,
            gamma,
        }
    }

    /// Classes that own a leaf.
    fn classes(&self) -> BTreeSet<u32> {
        self.labels.iter().copied().collect()
    }

    /// An idle split by its place in the complete tree, none of those refused, and its busy branch.
    fn idle_split(&self, sources: &[usize], refused: &[usize]) -> Option<(usize, usize)> {
        let leaves = self.labels.len();
        let of_leaf = |l: usize| self.masses.iter().skip(l).step_by(leaves).sum::<f64>();
        let mut below = vec![0.0; self.shape.splits().len()];
        let mut idle = None;
        for (split, children) in self.shape.children().iter().enumerate().rev() {
            let [left, right] = children.map(|child| match child {
                Child::Split(split) => below[split],
                Child::Leaf(leaf) => of_leaf(leaf),
            });
            below[split] = left + right;
            let (rare, busy) = if left < right { (left, 1) } else { (right, 0) };
            if rare <= IDLE_SHARE * below[split] && !refused.contains(&sources[split]) {
                idle = Some((sources[split], busy));
            }
        }
        idle
    }
}

/// The tree with its masses and objective, and where its splits stood in the complete tree.
pub(super) fn evaluate(
    descent: &Descent<'_, '_>,
    start: &StartOutcome,
    node: &Node,
) -> Result<(Simplified, Vec<usize>), Interrupted> {
    let (mut places, mut labels) = (Vec::new(), Vec::new());
    node.place(0, &mut places, &mut labels);
    places.sort_unstable();
    let (nodes, sources): (Vec<usize>, Vec<usize>) = places.into_iter().unzip();
    let features = descent.data.features();
    let layout = ParameterLayout::new(&start.topology, features);
    let (mut coefficients, mut intercepts) = (Vec::new(), Vec::new());
    for source in &sources {
        let split = layout.node(&start.theta, *source);
        coefficients.extend(&split[..features]);
        intercepts.push(split[features]);
    }
    let shape = Shape::of_splits(nodes).expect("splits were placed below their parents");
    let splits = LinearSplits {
        shape: &shape,
        features,
        coefficients: &coefficients,
        intercepts: &intercepts,
        gamma: descent.gamma,
    };
    let (cells, all) = (&descent.cells, splits.all());
    let masses = cells.masses(&all)?;
    let costs = cells.costs(&descent.stages[descent.stages.len() - 1].costs);
    let loss = expected_cost(&masses, &costs, &labels) / descent.total_weight();
    let reached = descent.bounds.reached(cells, &all, &masses, &labels)?;
    let penalty = (descent.node_penalty).on_tree(&Topology::of(shape.clone()), features);
    let theta = [&coefficients[..], &intercepts].concat();
    let split_cost = descent.split_penalty * intercepts.len() as f64;
    let simplified = Simplified {
        objective: loss + penalty.value(&theta) + split_cost,
        loss,
        shape,
        features,
        coefficients,
        intercepts,
        labels,
        masses,
        reached,
        node: node.clone(),
    };
    Ok((simplified, sources))
}
