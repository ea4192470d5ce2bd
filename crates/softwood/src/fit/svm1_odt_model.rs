//! What the search has found, as a model: hyperplanes of a soft margin in the user's units, splits that
//! part nothing left out, and the report.

use super::svm1_odt_found::Found;
use super::svm1_odt_rows::SearchRows;
use crate::data::{Encoding, FeatureMap, Scaling};
use crate::exact::{Closing, Ended, Hardened, Hyperplane, ObliqueTree, Problem, counted, widen};
use crate::fitted::{
    FitReport, FittedTree, HardSplit, HardTree, Notice, ProofMoment, ProofReport, Svm1OdtModel,
};
use crate::perceptron::{TreeRows, figures};
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::tree::Shape;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Costs this close, as a share, are the same but for rounding.
const ROUNDING: f64 = 1e-9;

/// Time for closing the splits, beyond the limit of the search.
const CLOSING: Duration = Duration::from_secs(5);

/// Splits that save less than this share of all weight are left out: next to nothing of weighted rows, and
/// nothing at all of fewer than a million.
const WORTH: f64 = 1e-6;

/// The outcome of a search.
pub(super) struct Searched<'a> {
    pub problem: &'a Problem<'a>,
    pub scaling: &'a Scaling,
    pub found: Found,
    /// None if hyperplanes stay as they are.
    pub closing: Option<Closing>,
    /// What a split costs, as a share of all weight.
    pub split_penalty: f64,
}

pub(super) fn to_model(
    searched: Searched<'_>,
    rows: &SearchRows<'_>,
    columns: (Option<&[String]>, Option<&Encoding>),
    stop: &Stop,
) -> Svm1OdtModel {
    let (problem, found) = (searched.problem, &searched.found);
    let of_search = found.solution.tree.clone();
    let (mut tree_of_planes, cost) = match found.objective {
        Some(objective) => (of_search, objective),
        None => {
            let closed = match searched.closing {
                Some(closing) => closed(problem, of_search, closing, stop),
                None => counted(problem, of_search),
            };
            pruned(problem, closed, searched.split_penalty)
        }
    };
    tree_of_planes.relabel(problem.points);
    let kept = kept_splits(&tree_of_planes);
    let data = TreeRows {
        rows: rows.rows.reborrow(),
        codes: &rows.labels.codes,
        weights: rows.weights,
        classes: rows.labels.classes.len(),
    };
    let tree = hard_tree(&data, &kept, searched.scaling, columns);
    let (leaf_weights, leaf_classes) = leaves(&data, &tree, &kept);
    let wrong: f64 = leaf_weights
        .chunks_exact(rows.labels.classes.len())
        .zip(&leaf_classes)
        .map(|(leaf, class)| leaf.iter().sum::<f64>() - leaf[*class as usize])
        .sum();
    let report = report(&searched, &tree_of_planes, (cost, wrong), &leaf_classes);
    Svm1OdtModel {
        tree,
        classes: rows.labels.classes.clone(),
        leaf_classes,
        leaf_weights,
        report,
    }
}

/// The tree with hyperplanes of a soft margin, if that makes it no worse.
fn closed(problem: &Problem<'_>, tree: ObliqueTree, closing: Closing, stop: &Stop) -> Hardened {
    let before = counted(problem, tree);
    let mut wide = widen(problem, &before.tree, closing, &stop.with_limit(CLOSING));
    wide.relabel(problem.points);
    let wide = counted(problem, wide);
    let errors = |tree: &ObliqueTree| tree.errors(problem.points);
    match wide.cost <= before.cost && errors(&wide.tree) <= errors(&before.tree) {
        true => wide,
        false => before,
    }
}

/// The tree without splits that are not worth what they cost, nor idle ones; its cost.
fn pruned(problem: &Problem<'_>, best: Hardened, split_penalty: f64) -> (ObliqueTree, f64) {
    let worth = WORTH.max(split_penalty) * problem.points.all();
    let simple = counted(problem, best.tree.simplified(problem.points, worth));
    match split_penalty > 0.0 || simple.cost <= best.cost + worth {
        true => (simple.tree, simple.cost),
        false => (best.tree, best.cost),
    }
}

/// The splits that part something, by node, and the labels of the leaves below them.
struct Kept {
    splits: BTreeMap<usize, Hyperplane>,
    labels: BTreeMap<usize, usize>,
}

/// Leaves out splits that send everything one way and those above leaves of one class.
fn kept_splits(tree: &ObliqueTree) -> Kept {
    let mut kept = Kept {
        splits: BTreeMap::new(),
        labels: BTreeMap::new(),
    };
    keep(tree, 0, 0, &mut kept);
    kept
}

/// Puts what stands at `node` of the complete tree at `place` of the kept one; the class, if it is one.
fn keep(tree: &ObliqueTree, node: usize, place: usize, kept: &mut Kept) -> Option<usize> {
    if node >= tree.splits.len() {
        let label = tree.labels[node - tree.splits.len()];
        kept.labels.insert(place, label);
        return Some(label);
    }
    let split = &tree.splits[node];
    if split.h.iter().all(|h| *h == 0.0) {
        let child = 2 * node + 2 - usize::from(split.g >= 0.0);
        return keep(tree, child, place, kept);
    }
    kept.splits.insert(place, split.clone());
    let left = keep(tree, 2 * node + 1, 2 * place + 1, kept);
    let right = keep(tree, 2 * node + 2, 2 * place + 2, kept);
    if left.is_none() || left != right {
        return None;
    }
    kept.splits.remove(&place);
    kept.labels
        .retain(|leaf, _| *leaf != 2 * place + 1 && *leaf != 2 * place + 2);
    kept.labels.insert(place, left.expect("it is one class"));
    left
}

/// Left where −h·u ≥ −g, u being the scaled features, in units of the features as they are.
fn in_units(split: &Hyperplane, scaling: &Scaling) -> HardSplit {
    let used = |map: &FeatureMap| matches!(map, FeatureMap::Linear { .. });
    let columns: Vec<usize> = (0..split.h.len())
        .filter(|j| split.h[*j] != 0.0 && used(&scaling.features[*j]))
        .collect();
    let ends = |j: usize| match &scaling.features[j] {
        FeatureMap::Linear { min, max } => (*min, *max),
        _ => (0.0, 1.0),
    };
    let range = |j: usize| ends(j).1 - ends(j).0;
    // Tiny ranges would make infinite weights of them: the whole form may be multiplied by any number.
    let least = columns.iter().map(|j| range(*j)).fold(1.0, f64::min);
    let factor = if least < 1e-100 { least } else { 1.0 };
    let weight = |j: usize| -split.h[j] * (factor / range(j));
    let base: f64 = columns.iter().map(|j| weight(*j) * ends(*j).0).sum();
    HardSplit {
        weights: columns.iter().map(|j| weight(*j)).collect(),
        threshold: base - split.g * factor,
        columns: columns.into_iter().map(|j| j as u32).collect(),
    }
}

fn hard_tree(
    data: &TreeRows<'_>,
    kept: &Kept,
    scaling: &Scaling,
    columns: (Option<&[String]>, Option<&Encoding>),
) -> HardTree {
    let nodes: Vec<usize> = kept.splits.keys().copied().collect();
    let shape = Shape::of_splits(nodes).expect("splits come with their parents");
    let splits: Vec<HardSplit> = kept.splits.values().map(|s| in_units(s, scaling)).collect();
    let used: BTreeSet<u32> = splits.iter().flat_map(|s| &s.columns).copied().collect();
    let used = figures(data, &used.into_iter().collect::<Vec<u32>>());
    HardTree::new(shape, data.rows.features(), splits, used, columns)
}

/// Weights of the classes in the leaves that rows reach by the rule itself, and the leaves' classes: the
/// majority there.
fn leaves(data: &TreeRows<'_>, tree: &HardTree, kept: &Kept) -> (Vec<f64>, Vec<u32>) {
    let k = data.classes;
    let reached = tree
        .leaf_indices(data.rows.reborrow())
        .expect("rows were checked");
    let mut weights = vec![0.0; tree.shape.leaves().len() * k];
    for ((leaf, code), weight) in reached.iter().zip(data.codes).zip(data.weights) {
        weights[*leaf as usize * k + *code as usize] += weight;
    }
    let class = |(node, weights): (&usize, &[f64])| {
        let most = weights.iter().copied().fold(0.0, f64::max);
        let heaviest = weights.iter().position(|w| *w == most && most > 0.0);
        heaviest.unwrap_or(kept.labels[node]) as u32
    };
    let classes = tree.shape.leaves().iter().zip(weights.chunks_exact(k));
    let classes = classes.map(class).collect();
    (weights, classes)
}

fn report(
    searched: &Searched<'_>,
    tree: &ObliqueTree,
    (cost, wrong): (f64, f64),
    leaf_classes: &[u32],
) -> FitReport {
    let (problem, solution) = (searched.problem, &searched.found.solution);
    // Splits that were too dear are gone: the least is proven, but the tree may be above it.
    let above = searched.split_penalty > 0.0 && cost > (1.0 + ROUNDING) * solution.bound;
    let status = match solution.ended {
        Ended::Proven if above => SolveStatus::Completed,
        Ended::Proven => SolveStatus::Optimal,
        Ended::Nodes => SolveStatus::Completed,
        Ended::Stopped(stopped) => stopped.into(),
    };
    let proof = proof(searched, tree, cost);
    let mut notices = Vec::new();
    if status == SolveStatus::TimeLimit && !solution.improved {
        notices.push(Notice::LimitReached { status });
    }
    let classes: BTreeSet<u32> = leaf_classes.iter().copied().collect();
    if let [class] = classes.into_iter().collect::<Vec<_>>()[..] {
        let class = class as usize;
        notices.push(Notice::OneClass { class });
    }
    if status == SolveStatus::Cancelled {
        notices.clear();
    }
    FitReport {
        status,
        objective: cost,
        loss: wrong / problem.points.all(),
        loss_unit: Some(1.0),
        seconds: 0.0,
        iterations: solution.nodes,
        evaluations: solution.nodes,
        optimality: cost - proof.bound,
        start_objectives: solution.starts.clone(),
        best_start: solution.best_start,
        constraints: Vec::new(),
        cross_validation: None,
        hard_disagreement: None,
        proof: Some(proof),
        rows: 0,
        selection: None,
        notices,
    }
}

fn proof(searched: &Searched<'_>, tree: &ObliqueTree, cost: f64) -> ProofReport {
    let (problem, solution) = (searched.problem, &searched.found.solution);
    let bound = solution.bound.min(cost);
    let moment = |moment: &crate::exact::Moment| ProofMoment {
        seconds: moment.seconds,
        objective: moment.cost,
        bound: moment.bound,
    };
    ProofReport {
        bound,
        gap: if cost > bound {
            (cost - bound) / cost
        } else {
            0.0
        },
        margin: problem.margin,
        reached_margin: tree.reached_margin(problem.points, problem.paths, problem.margin),
        norm: tree.splits.iter().flat_map(|s| &s.h).map(|h| h.abs()).sum(),
        nodes: solution.nodes,
        distinct_rows: problem.points.len(),
        course: solution.course.iter().map(moment).collect(),
    }
}
