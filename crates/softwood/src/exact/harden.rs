//! A tree with the margin out of any tree: the points that are right keep their leaves as far as hyperplanes
//! allow it by the margin, and wrong ones become right where that costs no other.

use super::nested::Problem;
use super::oblique::ObliqueTree;
use super::partial::{Partial, Place};
use super::separation::FEASIBILITY;
use crate::stop::{Stop, Stopped};

/// Points that were wrong are tried anew so often at most.
const TRIES: usize = 2000;

/// A tree whose cost counts every point as wrong that does not keep the margin.
#[derive(Clone, Debug)]
pub(crate) struct Hardened {
    pub tree: ObliqueTree,
    pub cost: f64,
}

/// Points in all with nothing placed, which all trees begin with.
pub(crate) fn blank<'a>(problem: &Problem<'a>, all: &'a [usize]) -> Partial<'a> {
    Partial::new(problem.points, problem.paths, all, problem.margin)
}

/// Gives a tree the margin. Where it has been stopped it stays as it is, points within the margin wrong.
pub(crate) fn harden(
    problem: &Problem<'_>,
    blank: &Partial<'_>,
    mut tree: ObliqueTree,
    stop: &Stop,
) -> Hardened {
    tree.splits
        .iter_mut()
        .for_each(|split| split.scale(problem.points));
    tree.relabel(problem.points);
    let placed = place_all(problem, blank, &tree, stop);
    let mut best = counted(problem, tree);
    if let Ok(state) = placed {
        let mut tree = state.tree();
        // What the margin leaves wrong may change the majority of a leaf.
        tree.relabel(problem.points);
        let hardened = counted(problem, tree);
        let errors = |one: &Hardened| one.tree.errors(problem.points);
        let fewer = hardened.cost < best.cost;
        if fewer || hardened.cost == best.cost && errors(&hardened) <= errors(&best) {
            best = hardened;
        }
    }
    best
}

/// Weight of the points that are wrong or within the margin.
pub(crate) fn counted(problem: &Problem<'_>, tree: ObliqueTree) -> Hardened {
    let points = problem.points;
    let right = tree.right(points, problem.paths, problem.margin - 2.0 * FEASIBILITY);
    let of_point = |(i, leaf): (usize, &Option<usize>)| {
        leaf.map_or(points.total(i), |leaf| points.cost(i, tree.labels[leaf]))
    };
    let cost = right.iter().enumerate().map(of_point).sum();
    Hardened { tree, cost }
}

fn place_all<'a>(
    problem: &Problem<'_>,
    blank: &Partial<'a>,
    tree: &ObliqueTree,
    stop: &Stop,
) -> Result<Partial<'a>, Stopped> {
    let points = problem.points;
    let mut state = blank.clone().towards(tree);
    let mut right: Vec<(f64, usize, Place)> = Vec::new();
    let mut wrong: Vec<usize> = Vec::new();
    for (i, leaf) in tree
        .right(points, problem.paths, 0.0)
        .into_iter()
        .enumerate()
    {
        match leaf {
            Some(leaf) => {
                let on_way = problem.paths.of(leaf).iter();
                let distance = on_way.map(|(t, _)| tree.splits[*t].value(points.x(i)).abs());
                let class = tree.labels[leaf];
                right.push((
                    distance.fold(f64::INFINITY, f64::min),
                    i,
                    Place { leaf, class },
                ));
            }
            None => wrong.push(i),
        }
    }
    // Those far from all hyperplanes first: they ask nothing of them.
    right.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, i, place) in right {
        stop.check()?;
        if !state.place(i, place) {
            wrong.push(i);
        }
    }
    wrong.sort_by(|i, j| points.total(*j).total_cmp(&points.total(*i)).then(i.cmp(j)));
    let mut choices = Vec::new();
    for i in wrong.into_iter().take(TRIES) {
        stop.check()?;
        state.choices(i, &mut choices);
        let places = choices.iter().map(|(.., place)| *place);
        places.into_iter().any(|place| state.place(i, place));
    }
    Ok(state)
}
