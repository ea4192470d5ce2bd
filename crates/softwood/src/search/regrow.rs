//! Puts idle splits back to work.
//!
//! Many starts end with splits that send every row one way, or whose leaves agree: the tree is then
//! one of smaller depth, and no gradient will change that. Such splits are taken out (what they
//! split moves up in their place, so the tree predicts as before) and the freed nodes below start
//! anew in the rows that reach them: each is fitted alone, as a tree of depth 1.

use super::continuation::stages;
use super::descent::Descent;
use super::working_sets::WorkingSets;
use crate::objective::{CellRows, RateBounds};
use crate::solver::Work;
use crate::start::splits_through_the_data;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, Topology};
use rand::Rng;

/// Iterations for fitting one node alone.
const NODE_ITERATIONS: u64 = 50;

/// Nodes grown in one go at most; each costs passes over the rows.
const GROWN_NODES: usize = 16;

/// A class with less than this share of a node's rows is not worth a split there.
const MINORITY_SHARE: f64 = 1e-3;

/// A split that sends less than this share of its rows one way is idle.
const IDLE_SHARE: f64 = 0.005;

/// The tree without its idle splits, and which nodes of it are free.
pub(crate) fn without_idle_splits(
    topology: &Topology,
    features: usize,
    theta: &[f64],
    leaf_masses: &[f64],
    labels: &[u32],
) -> (Vec<f64>, Vec<bool>) {
    let b = topology.branches();
    // Mass reaching every node and the one label below it, if there is but one.
    let mut mass = [vec![0.0; b], leaf_masses.to_vec()].concat();
    let mut label: Vec<Option<u32>> =
        [vec![None; b], labels.iter().map(|k| Some(*k)).collect()].concat();
    for t in (0..b).rev() {
        let (left, right) = (topology.left(t), topology.right(t));
        mass[t] = mass[left] + mass[right];
        label[t] = if label[left] == label[right] {
            label[left]
        } else {
            None
        };
    }
    let layout = ParameterLayout::new(topology, features);
    let mut grown = vec![0.0; theta.len()];
    let mut free = vec![true; b];
    let mut todo = vec![(0, 0)];
    while let Some((from, to)) = todo.pop() {
        if from >= b || to >= b || label[from].is_some() {
            continue;
        }
        let (left, right) = (topology.left(from), topology.right(from));
        if mass[left] < IDLE_SHARE * mass[from] {
            todo.push((right, to));
        } else if mass[right] < IDLE_SHARE * mass[from] {
            todo.push((left, to));
        } else {
            layout.set_node(&mut grown, to, &layout.node(theta, from));
            free[to] = false;
            todo.push((left, topology.left(to)));
            todo.push((right, topology.right(to)));
        }
    }
    (grown, free)
}

/// Fits each free node, up to 16 of them from the root down, as a tree of depth 1 on the rows that
/// reach it, with balanced costs. Returns the work this took.
pub(crate) fn grow(
    descent: &Descent<'_, '_>,
    theta: &mut [f64],
    free: &[bool],
    rng: &mut impl Rng,
) -> Result<Work, Interrupted> {
    let (topology, stump) = (&descent.topology, Topology::complete(1));
    let (p, gamma) = (descent.data.features(), descent.gamma);
    let costs = &descent.stages[descent.stages.len() - 1].costs;
    let all_rows: f64 = descent.class_weights.iter().sum();
    let mut work = Work::default();
    for t in (0..topology.branches())
        .filter(|t| free[*t])
        .take(GROWN_NODES)
    {
        let mut data = descent.data.clone();
        let weights = data.rows.weights_at(topology, theta, gamma, t)?;
        data.rows = data.rows.with_weights(weights);
        let classes = data.class_weights();
        let rows_here: f64 = classes.iter().sum();
        if classes
            .iter()
            .filter(|w| **w > MINORITY_SHARE * rows_here)
            .count()
            < 2
        {
            continue;
        }
        let mut split = vec![0.0; p + 1];
        splits_through_the_data(&data.rows, &stump, gamma, &mut split, &[true], rng)?;
        let mut stages = stages(gamma, costs, &classes, p, false);
        stages.pop(); // the true costs would give a small minority up again
        let node = Descent {
            cells: CellRows::of_classes(&data),
            data,
            topology: stump.clone(),
            stages,
            // The node's loss counts in the whole by its share of the rows, its penalty in full.
            penalty: descent.node_penalty.clone().scaled(all_rows / rows_here),
            node_penalty: descent.node_penalty.clone(),
            class_weights: classes,
            gamma,
            split_penalty: 0.0,
            bounds: RateBounds::default(),
            cover_classes: false,
            tol: descent.tol,
            max_iter: descent.max_iter.min(NODE_ITERATIONS),
            working_sets: WorkingSets::Full,
            full_iterations: 0,
            proximal_weight: 0.0,
            seed: descent.seed,
            progress: descent.progress,
        };
        let outcome = node.follow(0, split)?;
        work += outcome.ending.work;
        ParameterLayout::new(topology, p).set_node(theta, t, &outcome.theta);
    }
    Ok(work)
}
