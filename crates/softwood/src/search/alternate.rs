//! Tree alternating optimization: one split at a time, from the leaves to the root, with all others held.
//!
//! Rows take one branch of each split, so that a split matters only to the rows that reach it, and only if
//! its branches lead them to different costs: it is to send each to the better side (Carreira-Perpiñán and
//! Tavallali, *Alternating optimization of decision trees*, 2018). A sweep never raises the cost.

use super::descent::Descent;
use super::grow_tree::Grown;
use super::node_split::NodeSearch;
use crate::data::{Classes, ClassificationRows, WeightedRows};
use crate::leaves::assign_labels;
use crate::stop::Interrupted;
use crate::tree::ParameterLayout;
use rand::Rng;

/// Sweeps at most, and the share of the cost that the last one must have saved.
const SWEEPS: usize = 6;
const LEAST_GAIN: f64 = 0.01;

/// Improves a tree by sweeps; stopped, it is what has been reached.
pub(super) fn alternate(
    descent: &Descent<'_, '_>,
    grown: &mut Grown,
    rng: &mut impl Rng,
) -> Result<(), Interrupted> {
    let mut before = f64::INFINITY;
    for _ in 0..SWEEPS {
        match sweep(descent, grown, rng) {
            Ok(cost) if cost < before * (1.0 - LEAST_GAIN) => before = cost,
            Ok(_) | Err(Interrupted::TimeLimit | Interrupted::Cancelled) => break,
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}

/// Where the rows end, and what that costs them.
struct Routed<'a, 'd> {
    data: &'a ClassificationRows<'d>,
    /// Leaf of each row.
    leaves: Vec<u32>,
    /// Cost of each class in each leaf, K × L.
    costs: Vec<f64>,
}

impl<'a, 'd> Routed<'a, 'd> {
    fn of(descent: &'a Descent<'_, 'd>, grown: &Grown) -> Result<Self, Interrupted> {
        let data = &descent.data;
        let leaves = data.rows.likeliest_leaves(&grown.topology, &grown.theta)?;
        let (k, count) = (data.target.count(), grown.topology.leaves());
        let mut masses = vec![0.0; k * count];
        for (i, (leaf, weight)) in leaves.iter().zip(data.rows.weights()).enumerate() {
            masses[data.target.of(i) * count + *leaf as usize] += weight;
        }
        let of_classes = &descent.stages[descent.stages.len() - 1].costs;
        let labels = assign_labels(&masses, of_classes, k, descent.cover_classes);
        let costs =
            (0..k).flat_map(|y| labels.iter().map(move |c| of_classes[y * k + *c as usize]));
        Ok(Self {
            data,
            leaves,
            costs: costs.collect(),
        })
    }

    fn cost(&self, row: usize, leaf: u32) -> f64 {
        let count = self.costs.len() / self.data.target.count();
        self.costs[self.data.target.of(row) * count + leaf as usize]
    }

    /// Σ w · cost.
    fn total(&self) -> f64 {
        let rows = self.leaves.iter().enumerate();
        rows.map(|(i, leaf)| self.data.rows.weight(i) * self.cost(i, *leaf))
            .sum()
    }
}

/// Each split once; returns the cost of before.
fn sweep(
    descent: &Descent<'_, '_>,
    grown: &mut Grown,
    rng: &mut impl Rng,
) -> Result<f64, Interrupted> {
    let mut routed = Routed::of(descent, grown)?;
    let before = routed.total();
    for t in (0..grown.topology.branches()).rev() {
        descent.data.rows.stop.check()?;
        move_split(descent, grown, &mut routed, t, rng)?;
    }
    Ok(before)
}

/// Moves split `t` so that its rows take the better side.
fn move_split(
    descent: &Descent<'_, '_>,
    grown: &mut Grown,
    routed: &mut Routed<'_, '_>,
    t: usize,
    rng: &mut impl Rng,
) -> Result<(), Interrupted> {
    let layout = ParameterLayout::new(&grown.topology, descent.data.features());
    let below = grown.topology.leaves_below(t);
    let here = |leaf: &u32| below.contains(&(*leaf as usize));
    let members: Vec<u32> = (0..descent.data.len() as u32)
        .filter(|i| here(&routed.leaves[*i as usize]))
        .collect();
    if members.is_empty() {
        return Ok(());
    }
    let rows = descent.data.rows.select(&members);
    let ends = leaves_on_either_side(grown, &rows, t)?;
    let (mut picked, mut sides, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (position, i) in members.iter().enumerate() {
        let row = *i as usize;
        let [left, right] = [0, 1].map(|side: usize| routed.cost(row, ends[side][position]));
        let weight = (left - right).abs() * descent.data.rows.weight(row);
        if weight > 0.0 {
            picked.push(position as u32);
            sides.push(u32::from(left > right));
            weights.push(weight);
        }
    }
    if sides.contains(&0) && sides.contains(&1) {
        let moved = rows.select(&picked);
        let weights = moved.padded(&weights);
        let data = ClassificationRows {
            rows: moved.with_weights(weights),
            target: Classes::of_some(sides, 2),
        };
        let all: f64 = descent.class_weights.iter().sum();
        let search = NodeSearch {
            data: &data,
            importance: &[1.0, 1.0],
            penalty: descent
                .node_penalty
                .clone()
                .scaled(all / data.total_weight()),
            gamma: descent.gamma,
            tol: descent.tol,
            progress: descent.progress,
        };
        let present = layout.node(&grown.theta, t);
        let (split, work) = search.better_sides(present, rng)?;
        layout.set_node(&mut grown.theta, t, &split);
        grown.work += work;
    }
    let z = rows.linear_values(&layout.node(&grown.theta, t))?;
    for (position, i) in members.iter().enumerate() {
        let side = usize::from(z[position] < 0.0);
        routed.leaves[*i as usize] = ends[side][position];
    }
    Ok(())
}

/// Leaves that rows end in if split `t` sends them left, and if it sends them right.
fn leaves_on_either_side(
    grown: &Grown,
    rows: &WeightedRows<'_>,
    t: usize,
) -> Result<Vec<Vec<u32>>, Interrupted> {
    let (topology, p) = (&grown.topology, rows.features());
    let layout = ParameterLayout::new(topology, p);
    let mut ends = Vec::with_capacity(2);
    for child in [topology.left(t), topology.right(t)] {
        let branches = topology.branches_below(child);
        let splits: Vec<Vec<f64>> = branches
            .iter()
            .map(|b| layout.node(&grown.theta, *b))
            .collect();
        let slopes = splits.iter().flat_map(|split| &split[..p]);
        let intercepts = splits.iter().map(|split| &split[p]);
        let theta: Vec<f64> = slopes.chain(intercepts).copied().collect();
        let leaves = rows.likeliest_leaves(&topology.subtree(child), &theta)?;
        let first = topology.leaves_below(child).start as u32;
        ends.push(
            leaves
                .into_iter()
                .map(|leaf| first + leaf)
                .collect::<Vec<u32>>(),
        );
    }
    Ok(ends)
}
