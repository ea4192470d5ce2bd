//! The least cost of nested sets of points, one after the other: depth-first search over where each point
//! goes, cut off by what the smaller sets are known to cost (Verfaillie, Lemaître and Schiex, *Russian doll
//! search for solving constraint optimization problems*, 1996).

use super::oblique::{ObliqueTree, Paths};
use super::partial::{Partial, Place};
use super::points::Points;
use crate::stop::{Stop, Stopped};

/// Nodes for each point of the search near the tree that the last step has left.
const NEAR: u64 = 20;

/// Nodes of the search between two looks at the clock.
const POLL: u64 = 64;

/// What the search is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Problem<'a> {
    pub points: &'a Points,
    pub paths: &'a Paths,
    /// ε.
    pub margin: f64,
}

/// Points in an order, the least cost of the first 0, 1, … of them, and a tree that has the last of these.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    pub order: Vec<usize>,
    /// `least[m]` is the least cost of the first m points; as many as are known.
    pub least: Vec<f64>,
    /// Where each of those known is right, or that it is not.
    pub places: Vec<Option<Place>>,
    /// Nodes of the search.
    pub nodes: u64,
}

/// Why a search ended before the optimum was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Budget,
    Stopped(Stopped),
    /// Rounding left a question open.
    Unsure,
}

impl Nested {
    /// Nothing known of these points.
    pub fn new(order: Vec<usize>) -> Self {
        Self {
            order,
            least: vec![0.0],
            places: Vec::new(),
            nodes: 0,
        }
    }

    /// How many of the points are settled.
    pub fn settled(&self) -> usize {
        self.places.len()
    }

    /// Whether all are.
    pub fn is_done(&self) -> bool {
        self.settled() == self.order.len()
    }

    /// The least cost of those that are.
    pub fn bound(&self) -> f64 {
        *self.least.last().expect("no points cost nothing")
    }

    /// Settles one point after the other, `budget` nodes each at most, for values that the points of
    /// `frame` keep between −1 and 1, too. `known` are trees that may already be best. Ends when the bound
    /// reaches `goal`.
    pub fn settle(
        &mut self,
        problem: &Problem<'_>,
        frame: &[usize],
        known: &[ObliqueTree],
        (budget, goal): (u64, f64),
        stop: &Stop,
    ) -> Result<(), Cut> {
        let members = self.members(frame);
        let fresh = Partial::new(problem.points, problem.paths, &members, problem.margin);
        let known: Vec<Vec<Option<Place>>> = known
            .iter()
            .map(|tree| places_of(tree, problem, &self.order))
            .collect();
        let mut state = self.rebuild(&fresh);
        while !self.is_done() && self.bound() < goal {
            stop.check().map_err(Cut::Stopped)?;
            state = self.settle_next(&fresh, state, &known, (budget, stop))?;
        }
        Ok(())
    }

    /// A tree for the points that are settled.
    pub fn tree(&self, problem: &Problem<'_>, frame: &[usize]) -> ObliqueTree {
        let members = self.members(frame);
        let fresh = Partial::new(problem.points, problem.paths, &members, problem.margin);
        self.rebuild(&fresh).0.tree()
    }

    /// The points in their order, then those of the frame that are not among them.
    fn members(&self, frame: &[usize]) -> Vec<usize> {
        let beyond = frame.iter().filter(|i| !self.order.contains(i));
        self.order.iter().chain(beyond).copied().collect()
    }

    /// The settled points in their places, as far as hyperplanes allow that, and what they cost.
    fn rebuild<'a>(&self, fresh: &Partial<'a>) -> (Partial<'a>, f64) {
        let (mut state, mut cost) = (fresh.clone(), 0.0);
        for (i, place) in self.places.iter().enumerate() {
            let kept = place.filter(|place| state.place(i, *place));
            cost += fresh.cost(i, kept);
        }
        (state, cost)
    }

    /// Settles one more point, given a tree for those before it and its cost.
    fn settle_next<'a>(
        &mut self,
        fresh: &Partial<'a>,
        (mut state, cost): (Partial<'a>, f64),
        known: &[Vec<Option<Place>>],
        (budget, stop): (u64, &Stop),
    ) -> Result<(Partial<'a>, f64), Cut> {
        let i = self.settled();
        let target = self.bound() + fresh.unavoidable(i);
        let place = place_next(&mut state, i);
        let mut upper = cost + fresh.cost(i, place);
        self.places.push(place);
        for places in known {
            let of_known = |j: usize| fresh.cost(j, places[j]);
            let cost: f64 = (0..=i).map(of_known).sum();
            if upper > target + fresh.tiny() && cost < upper - fresh.tiny() {
                self.places = places[..=i].to_vec();
                (state, upper) = self.rebuild(fresh);
            }
        }
        // First near the tree there is, then everywhere.
        let (near, points) = (state.loosened(), i as u64 + 1);
        for (begin, budget, all) in [
            (&near, NEAR * points, false),
            (fresh, budget + points, true),
        ] {
            if upper <= target + fresh.tiny() {
                break;
            }
            let search = Search {
                state: begin.clone(),
                least: &self.least,
                now: vec![None; i + 1],
                upper,
                target,
                best: None,
                nodes: 0,
                budget,
                stop,
            };
            let (search, cut) = search.all();
            let (found, nodes, best) = (search.upper, search.nodes, search.best);
            self.nodes += nodes;
            if let Some((tree, places)) = best {
                (state, upper) = (tree, found);
                self.places = places;
            }
            if let Some(cut) = cut.filter(|_| all) {
                self.places.pop();
                return Err(cut);
            }
        }
        self.least.push(upper.max(target));
        Ok((state, upper))
    }
}

/// Places the next point where it costs least among where it still can be right.
fn place_next(state: &mut Partial<'_>, i: usize) -> Option<Place> {
    let mut choices = Vec::new();
    state.choices(i, &mut choices);
    let place = choices.into_iter().map(|(.., place)| place);
    place.into_iter().find(|place| state.place(i, *place))
}

/// Where a tree is right, with the margin.
fn places_of(tree: &ObliqueTree, problem: &Problem<'_>, order: &[usize]) -> Vec<Option<Place>> {
    let right = tree.right(problem.points, problem.paths, problem.margin);
    let of_point = |i: &usize| {
        let place = |leaf: usize| Place {
            leaf,
            class: tree.labels[leaf],
        };
        right[*i].map(place)
    };
    order.iter().map(of_point).collect()
}

/// A depth-first search for places of the first points that cost less than `upper`.
struct Search<'a, 'b> {
    state: Partial<'a>,
    least: &'b [f64],
    /// Where the points placed so far are.
    now: Vec<Option<Place>>,
    upper: f64,
    /// A cost that cannot be beaten.
    target: f64,
    best: Option<(Partial<'a>, Vec<Option<Place>>)>,
    nodes: u64,
    budget: u64,
    stop: &'b Stop,
}

impl Search<'_, '_> {
    /// Goes on to the end, or to what cuts it off.
    fn all(mut self) -> (Self, Option<Cut>) {
        let ended = self.descend(self.now.len(), 0.0);
        let unsure = self.state.unsure.then_some(Cut::Unsure);
        (self, ended.err().or(unsure))
    }

    /// Goes on to the first `open` points, the last of them first; the others cost `cost`.
    fn descend(&mut self, open: usize, cost: f64) -> Result<(), Cut> {
        if open == 0 {
            if cost < self.upper - self.state.tiny() {
                self.upper = cost;
                self.best = Some((self.state.clone(), self.now.clone()));
            }
            return Ok(());
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL) {
            self.stop.check().map_err(Cut::Stopped)?;
        }
        if self.nodes > self.budget {
            return Err(Cut::Budget);
        }
        let (i, mut choices) = (open - 1, Vec::new());
        // What is not known yet costs no less than the set without its last point.
        let rest = self.least[i];
        self.state.choices(i, &mut choices);
        for (own, _, place) in choices {
            if !self.may_pay(cost + own + rest) {
                break;
            }
            if self.state.place(i, place) {
                self.now[i] = Some(place);
                self.descend(i, cost + own)?;
                self.state.take_back();
                self.now[i] = None;
            }
        }
        let wrong = cost + self.state.cost(i, None);
        if self.may_pay(wrong + rest) {
            self.descend(i, wrong)?;
        }
        Ok(())
    }

    fn may_pay(&self, at_least: f64) -> bool {
        let tiny = self.state.tiny();
        at_least < self.upper - tiny && self.upper > self.target + tiny
    }
}
