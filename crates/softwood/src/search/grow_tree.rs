//! A tree grown from the root: at each node the best oblique split of the rows that reach it.
//!
//! Rows take one branch of each split. A node's rows are gathered, so that a level costs N rows whatever the
//! number of its nodes, and the rows of one node at a time are held beside all.

use super::descent::Descent;
use super::node_split::NodeSearch;
use crate::solver::Work;
use crate::start::splits_through_the_data;
use crate::stop::{Interrupted, Stop};
use crate::tree::{ParameterLayout, Shape, Topology};
use rand::Rng;

/// A node whose rows are all of one class but for this share of them is a leaf.
const PURE: f64 = 1e-4;

/// The splits of a tree of any shape.
#[derive(Clone, Debug)]
pub(super) struct Grown {
    pub topology: Topology,
    pub theta: Vec<f64>,
    pub work: Work,
}

/// A node that may still be split: where it stands in the complete tree, and its rows.
struct Open {
    place: usize,
    rows: Vec<u32>,
}

/// Grows a tree as deep as that of `descent` at most. Stopped, it is what has been grown; Err if the flag is up before
/// there is a split.
pub(super) fn grow_tree(
    descent: &Descent<'_, '_>,
    rng: &mut impl Rng,
) -> Result<Grown, Interrupted> {
    let depth = descent.topology.depth();
    let all = Open {
        place: 0,
        rows: (0..descent.data.len() as u32).collect(),
    };
    let (mut splits, mut work) = (Vec::new(), Work::default());
    let (mut level, mut ended) = (vec![all], Vec::new());
    for _ in 0..depth {
        let mut next = Vec::new();
        for open in level {
            let found = match split_of(descent, &open.rows, &mut work, rng) {
                Err(Interrupted::TimeLimit | Interrupted::Cancelled) => None,
                found => found?,
            };
            match found {
                Some(split) => {
                    next.extend(parted(descent, &open, &split)?);
                    splits.push((open.place, split));
                }
                None => ended.push(open),
            }
        }
        level = next;
    }
    if splits.is_empty() {
        descent.data.rows.stop.without_deadline().check()?;
    }
    fill_up(descent, &mut splits, ended, depth, rng)?;
    splits.sort_by_key(|(place, _)| *place);
    let shape = Shape::of_splits(splits.iter().map(|(place, _)| *place).collect());
    let topology = Topology::of(shape.expect("children follow their parents"));
    let layout = ParameterLayout::new(&topology, descent.data.features());
    let mut theta = vec![0.0; layout.dim()];
    for (t, (_, split)) in splits.iter().enumerate() {
        layout.set_node(&mut theta, t, split);
    }
    Ok(Grown {
        topology,
        theta,
        work,
    })
}

/// The best split of some rows; None if they are of one class or none helps.
fn split_of(
    descent: &Descent<'_, '_>,
    rows: &[u32],
    work: &mut Work,
    rng: &mut impl Rng,
) -> Result<Option<Vec<f64>>, Interrupted> {
    descent.data.rows.stop.check()?;
    let here = descent.data.select(rows);
    let weights = here.class_weights();
    let (total, most) = (weights.iter().sum::<f64>(), largest(&weights));
    if rows.len() < 2 || total - most <= PURE * total {
        return Ok(None);
    }
    let importance = descent.importance();
    let all: f64 = descent.class_weights.iter().sum();
    let search = NodeSearch {
        data: &here,
        importance: &importance,
        // The node's loss counts in the whole by its share of the rows, its penalty in full.
        penalty: descent.node_penalty.clone().scaled(all / total),
        gamma: descent.gamma,
        tol: descent.tol,
        progress: descent.progress,
    };
    let (split, took) = search.new_split(rng)?;
    *work += took;
    Ok(split)
}

/// Both children of a split.
fn parted(descent: &Descent<'_, '_>, open: &Open, split: &[f64]) -> Result<[Open; 2], Interrupted> {
    // What was found before a stop is of use only with all of its rows.
    let unstopped = descent.data.with_stop(&Stop::default());
    let z = unstopped.rows.select(&open.rows).linear_values(split)?;
    let side = |left: bool| {
        let rows = open.rows.iter().zip(&z);
        let rows = rows.filter(|(_, z)| (**z >= 0.0) == left);
        Open {
            place: 2 * open.place + if left { 1 } else { 2 },
            rows: rows.map(|(i, _)| *i).collect(),
        }
    };
    Ok([side(true), side(false)])
}

/// Splits leaves through their rows, those nearest the root first, until there is a split and, if each class
/// must own a leaf, there are leaves for all.
fn fill_up(
    descent: &Descent<'_, '_>,
    splits: &mut Vec<(usize, Vec<f64>)>,
    mut ended: Vec<Open>,
    depth: usize,
    rng: &mut impl Rng,
) -> Result<(), Interrupted> {
    let leaves = if descent.cover_classes {
        descent.class_weights.len().max(2)
    } else {
        2
    };
    ended.sort_by_key(|open| std::cmp::Reverse(open.place));
    while splits.len() + 1 < leaves {
        let Some(open) = ended.pop() else { break };
        if (open.place + 1).ilog2() as usize >= depth {
            continue;
        }
        let unstopped = descent.data.with_stop(&Stop::default());
        let rows = unstopped.rows.select(&open.rows);
        let mut split = vec![0.0; descent.data.features() + 1];
        let (stump, gamma) = (Topology::complete(1), descent.gamma);
        splits_through_the_data(&rows, &stump, gamma, &mut split, &[true], rng)?;
        ended.extend(parted(descent, &open, &split)?);
        ended.sort_by_key(|open| std::cmp::Reverse(open.place));
        splits.push((open.place, split));
    }
    Ok(())
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
