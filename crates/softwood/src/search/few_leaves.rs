//! Trees cut back, to so many leaves or as far as splits cost more than they save, by dynamic programming, and
//! descended once more.

use super::descent::{Descent, StartOutcome, shortfall};
use super::simplify::{Node, Simplified, evaluate};
use super::starts::Starts;
use crate::leaves::assign_labels;
use crate::solver::Work;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;

/// Starts whose trees are cut back, best first.
const STARTS_CUT: usize = 4;

/// The best tree of at most `most` leaves that the starts lead to, and the work this took.
pub(crate) fn with_few_leaves(
    descent: &Descent<'_, '_>,
    starts: &Starts<StartOutcome>,
    most: usize,
) -> Result<(Simplified, Work), Interrupted> {
    let mut ranked: Vec<&StartOutcome> = starts.outcomes.iter().collect();
    ranked.sort_by(|a, b| a.order(b));
    ranked.truncate(STARTS_CUT);
    best_cut(descent, &ranked, most)
}

/// The tree of a start without the splits that do nothing or cost more than they save, and the work this took.
pub(crate) fn pruned_tree(
    descent: &Descent<'_, '_>,
    start: &StartOutcome,
) -> Result<(Simplified, Work), Interrupted> {
    // A bound on a class's rate may need every split, and is not to be judged by the objective.
    if descent.split_penalty == 0.0 || !descent.bounds.is_empty() {
        return Ok((Simplified::of(descent, start)?, Work::default()));
    }
    best_cut(descent, &[start], usize::MAX)
}

fn best_cut(
    descent: &Descent<'_, '_>,
    starts: &[&StartOutcome],
    most: usize,
) -> Result<(Simplified, Work), Interrupted> {
    let mut best: Option<Simplified> = None;
    let mut work = Work::default();
    for start in starts {
        if best.is_some() && descent.data.rows.stop.check().is_err() {
            break;
        }
        let whole = Simplified::of(descent, start)?;
        let leaves = whole.labels.len();
        let tree = cut_back(descent, start, whole, most)?;
        if tree.labels.len() < leaves {
            let last = descent.stages.len() - 1;
            let shape = Topology::of(tree.shape.clone());
            let theta = [&tree.coefficients[..], &tree.intercepts].concat();
            let polished = descent.at(&shape).follow(last, theta)?;
            work += polished.ending.work;
            let whole = Simplified::of(descent, &polished)?;
            keep_better(&mut best, cut_back(descent, &polished, whole, most)?);
        }
        keep_better(&mut best, tree);
    }
    Ok((best.expect("there is a start"), work))
}

/// Reached bounds first, then the lower objective.
fn keep_better(best: &mut Option<Simplified>, other: Simplified) {
    let order = |a: &Simplified, b: &Simplified| {
        let by_bounds = shortfall(&a.reached).total_cmp(&shortfall(&b.reached));
        by_bounds.then(a.objective.total_cmp(&b.objective))
    };
    if best.as_ref().is_none_or(|best| order(&other, best).is_lt()) {
        *best = Some(other);
    }
}

/// The tree with its subtrees made leaves where that costs least, until there are at most `most` of them
/// and no fewer would do for less; the splits that stay are as they were.
fn cut_back(
    descent: &Descent<'_, '_>,
    start: &StartOutcome,
    tree: Simplified,
    most: usize,
) -> Result<Simplified, Interrupted> {
    if tree.labels.len() <= most && descent.split_penalty == 0.0 {
        return Ok(tree);
    }
    let true_costs = &descent.stages[descent.stages.len() - 1].costs;
    let costs = descent.lagrangian_costs(true_costs, &start.multipliers);
    let (classes, leaves) = (descent.cells.classes(), tree.labels.len());
    let cells = tree.masses.len() / leaves;
    let mut of_leaves =
        (0..leaves).map(|l| (0..cells).map(|c| tree.masses[c * leaves + l]).collect());
    let pruning = Pruning::of(&tree.node, &mut of_leaves, &costs, most);
    let fewest = if descent.cover_classes { classes } else { 1 };
    let most = pruning.best_count(fewest, descent.split_penalty * descent.total_weight());
    if most == leaves {
        return Ok(tree);
    }
    let mut kept = Vec::new();
    pruning.leaves(most, &mut kept);
    let masses: Vec<f64> = (0..cells)
        .flat_map(|c| kept.iter().map(move |leaf| leaf[c]))
        .collect();
    let labels = assign_labels(&masses, &costs, classes, descent.cover_classes);
    let node = pruning.tree(most, &mut labels.into_iter());
    // Without its masses there is no tree, so nothing stops this pass.
    let patient = descent.with_stop(&Stop::default());
    Ok(evaluate(&patient, start, &node)?.0)
}

/// The least loss of a subtree for every number of leaves that it may be cut back to. A leaf that takes
/// the place of a subtree is reached by all that reach the leaves below: its masses are their sums.
struct Pruning {
    /// Weight of each cell of the rows in the subtree.
    masses: Vec<f64>,
    /// With 1, 2, … leaves.
    losses: Vec<f64>,
    split: Option<Box<PrunedSplit>>,
}

struct PrunedSplit {
    /// Where it stood.
    source: usize,
    children: [Pruning; 2],
    /// Leaves of the left child for 2, 3, … leaves.
    left: Vec<usize>,
}

impl Pruning {
    /// Of what is below `node`, whose leaves have these masses, from left to right.
    fn of(
        node: &Node,
        masses: &mut impl Iterator<Item = Vec<f64>>,
        costs: &[f64],
        most: usize,
    ) -> Self {
        let Node::Split(source, below) = node else {
            let masses = masses.next().expect("masses for each leaf");
            let losses = vec![loss_of_leaf(&masses, costs)];
            return Self {
                masses,
                losses,
                split: None,
            };
        };
        let left = Self::of(&below[0], masses, costs, most);
        let right = Self::of(&below[1], masses, costs, most);
        let sum: Vec<f64> = left
            .masses
            .iter()
            .zip(&right.masses)
            .map(|(l, r)| l + r)
            .collect();
        let mut losses = vec![loss_of_leaf(&sum, costs)];
        let mut of_left = Vec::new();
        for leaves in 2..=most.min(left.losses.len() + right.losses.len()) {
            let fewest = leaves.saturating_sub(right.losses.len()).max(1);
            let shares = fewest..=left.losses.len().min(leaves - 1);
            let loss = |l: &usize| left.losses[l - 1] + right.losses[leaves - l - 1];
            let share = shares.min_by(|a, b| loss(a).total_cmp(&loss(b)));
            let share = share.expect("some of them on each side");
            losses.push(loss(&share));
            of_left.push(share);
        }
        let split = PrunedSplit {
            source: *source,
            children: [left, right],
            left: of_left,
        };
        Self {
            masses: sum,
            losses,
            split: Some(Box::new(split)),
        }
    }

    /// How many leaves, from `fewest` on, cost least if each split costs `price`.
    fn best_count(&self, fewest: usize, price: f64) -> usize {
        let cost = |leaves: &usize| self.losses[leaves - 1] + price * (leaves - 1) as f64;
        let counts = fewest.min(self.losses.len())..=self.losses.len();
        let best = counts.min_by(|a, b| cost(a).total_cmp(&cost(b)));
        best.expect("at least one")
    }

    /// The split and the leaves of its children if so many leaves are left; None for one.
    fn parts(&self, leaves: usize) -> Option<(usize, [(&Self, usize); 2])> {
        let split = self.split.as_deref().filter(|_| leaves > 1)?;
        let leaves = leaves.min(self.losses.len());
        let left = split.left[leaves - 2];
        let [first, second] = &split.children;
        Some((split.source, [(first, left), (second, leaves - left)]))
    }

    /// Masses of the leaves that are left, from left to right.
    fn leaves<'a>(&'a self, leaves: usize, masses: &mut Vec<&'a [f64]>) {
        match self.parts(leaves) {
            None => masses.push(&self.masses),
            Some((_, children)) => children
                .iter()
                .for_each(|(child, n)| child.leaves(*n, masses)),
        }
    }

    /// The tree with so many leaves and these labels; one leaf where siblings have one label.
    fn tree(&self, leaves: usize, labels: &mut impl Iterator<Item = u32>) -> Node {
        match self.parts(leaves) {
            None => Node::Leaf(labels.next().expect("a label for each leaf")),
            Some((source, children)) => {
                let [left, right] = children.map(|(child, n)| child.tree(n, labels));
                Node::split(source, left, right)
            }
        }
    }
}

/// Cost of the cheapest label.
fn loss_of_leaf(masses: &[f64], costs: &[f64]) -> f64 {
    let k = costs.len() / masses.len();
    let cost = |label: usize| -> f64 {
        let terms = masses.iter().enumerate();
        terms.map(|(y, mass)| mass * costs[y * k + label]).sum()
    };
    (0..k).map(cost).fold(f64::INFINITY, f64::min)
}
