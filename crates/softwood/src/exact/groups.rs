//! Disjoint groups of points whose least costs add up to a bound for all: neighbours first, then pairs of
//! groups as one.

use super::nested::{Cut, Nested, Problem};
use super::oblique::ObliqueTree;
use super::points::Points;
use crate::stop::{Stop, Stopped};
use rayon::prelude::*;

/// Groups begin with so many points for each value that a hyperplane can set freely.
const FIRST_POINTS: usize = 2;

/// A group, or two that are being joined.
#[derive(Clone, Debug)]
enum Group {
    /// Being settled point by point.
    Single(Nested),
    /// The first has taken in points of the second, from its last one on, which alone are worth less.
    Joining(Nested, Nested),
}

impl Group {
    fn is_done(&self) -> bool {
        match self {
            Self::Single(nested) | Self::Joining(nested, _) => nested.is_done(),
        }
    }

    fn bound(&self) -> f64 {
        match self {
            Self::Single(nested) => nested.bound(),
            Self::Joining(joined, taken) => {
                let left = joined.order.len() - joined.settled();
                joined.bound() + taken.least[left]
            }
        }
    }

    fn nested(&self) -> &Nested {
        match self {
            Self::Single(nested) | Self::Joining(nested, _) => nested,
        }
    }

    fn nested_mut(&mut self) -> &mut Nested {
        match self {
            Self::Single(nested) | Self::Joining(nested, _) => nested,
        }
    }
}

/// The groups, in an order in which neighbours stand together.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// Nodes searched for groups that have been joined since.
    joined_nodes: u64,
}

impl Groups {
    /// Small groups of neighbours.
    pub fn new(points: &Points) -> Self {
        let size = FIRST_POINTS * (points.features() + 1);
        let mut groups = Vec::new();
        part(points, (0..points.len()).collect(), size, &mut groups);
        Self {
            groups: groups
                .into_iter()
                .map(|g| Group::Single(Nested::new(g)))
                .collect(),
            joined_nodes: 0,
        }
    }

    /// Sum of the least costs known.
    pub fn bound(&self) -> f64 {
        self.groups.iter().map(Group::bound).sum()
    }

    /// Nodes of all searches.
    pub fn nodes(&self) -> u64 {
        let now: u64 = self.groups.iter().map(|group| group.nested().nodes).sum();
        self.joined_nodes + now
    }

    /// Whether all points are one group, and settled.
    pub fn is_done(&self) -> bool {
        self.groups.len() == 1 && self.groups[0].is_done()
    }

    /// The largest group with what is known of it.
    pub fn largest(&self) -> &Nested {
        let settled = |group: &&Group| group.nested().settled();
        let largest = self.groups.iter().max_by_key(settled);
        largest.expect("there is a group").nested()
    }

    /// Settles groups with so many nodes a point at most, and joins neighbours where both are done.
    pub fn work(
        &mut self,
        problem: &Problem<'_>,
        frame: &[usize],
        known: &[ObliqueTree],
        (budget, goal): (u64, f64),
        stop: &Stop,
    ) -> Result<(), Stopped> {
        loop {
            let ends: Vec<Result<(), Cut>> = self
                .groups
                .par_iter_mut()
                .map(|group| match group.is_done() {
                    true => Ok(()),
                    false => group
                        .nested_mut()
                        .settle(problem, frame, known, (budget, goal), stop),
                })
                .collect();
            for end in ends {
                if let Err(Cut::Stopped(stopped)) = end {
                    return Err(stopped);
                }
            }
            if self.bound() >= goal || !self.join() {
                return Ok(());
            }
        }
    }

    /// Joins pairs of neighbours that are done; false if there are none.
    fn join(&mut self) -> bool {
        let before = self.groups.len();
        let mut joined: Vec<Group> = Vec::with_capacity(before);
        let mut paired = false;
        for group in self.groups.drain(..) {
            let last_done = joined.last().is_some_and(Group::is_done) && !paired;
            match (last_done && group.is_done(), group) {
                (true, Group::Single(second) | Group::Joining(second, _)) => {
                    let Some(Group::Single(first) | Group::Joining(first, _)) = joined.pop() else {
                        unreachable!("a group is one or two");
                    };
                    self.joined_nodes += second.nodes;
                    joined.push(join(first, second));
                    paired = true;
                }
                (false, group) => {
                    joined.push(group);
                    paired = false;
                }
            }
        }
        self.groups = joined;
        self.groups.len() < before
    }
}

/// The one whose points cost more goes first; the other's follow from the last.
fn join(a: Nested, b: Nested) -> Group {
    let (mut first, second) = if b.bound() > a.bound() {
        (b, a)
    } else {
        (a, b)
    };
    first.order.extend(second.order.iter().rev());
    Group::Joining(first, second)
}

/// Halves points by the feature that ranges furthest among them until there are few in each part.
fn part(points: &Points, mut members: Vec<usize>, size: usize, out: &mut Vec<Vec<usize>>) {
    if members.len() <= size {
        out.push(members);
        return;
    }
    let range = |j: usize| {
        let values = members.iter().map(|i| points.x(*i)[j]);
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        ends.1 - ends.0
    };
    let ranges: Vec<f64> = (0..points.features()).map(range).collect();
    let widest = super::points::heaviest(&ranges);
    members.sort_by(|a, b| {
        points.x(*a)[widest]
            .total_cmp(&points.x(*b)[widest])
            .then(a.cmp(b))
    });
    let half = members.split_off(members.len() / 2);
    part(points, members, size, out);
    part(points, half, size, out);
}
