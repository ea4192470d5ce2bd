//! The incumbent and the bound, improved in turn until they meet or a limit ends it.

use super::groups::Groups;
use super::harden::{Hardened, blank, harden};
use super::improve::{ImproveSettings, improve, random_tree};
use super::nested::{Cut, Nested, Problem};
use super::oblique::ObliqueTree;
use super::partial::Partial;
use super::points::Points;
use crate::stop::{Stop, Stopped};
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use std::time::Instant;

/// Nodes that the first round spends on each point; every further round spends four times as many.
const FIRST_BUDGET: u64 = 500;
/// Points beyond which all of them at once are hopeless, and groups alone are searched.
const MOST_AT_ONCE: usize = 1000;
/// Points beyond which not all of them keep groups' values between −1 and 1, but the outermost alone.
const MOST_FRAME: usize = 200;
/// A stream of random numbers that no improvement draws from.
const ORDER_STREAM: u128 = u128::MAX;

/// What [`solve`] is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolveSettings {
    pub seed: u64,
    /// Descents for each split and round.
    pub restarts: usize,
    /// Random trees to begin with besides those given.
    pub random_starts: usize,
    /// Nodes of the search at most.
    pub max_nodes: Option<u64>,
}

/// Incumbent and bound at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    pub seconds: f64,
    pub cost: f64,
    pub bound: f64,
    pub nodes: u64,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Incumbent and bound meet.
    Proven,
    /// All nodes allowed were searched, or no bound was asked for.
    Nodes,
    Stopped(Stopped),
}

/// The best tree found and what no tree can fall below.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub tree: ObliqueTree,
    /// No tree of the margin costs less.
    pub bound: f64,
    pub nodes: u64,
    pub ended: Ended,
    /// Whether all starts were improved as far as that goes.
    pub improved: bool,
    /// What each start costs, and which the least.
    pub starts: Vec<f64>,
    pub best_start: usize,
    pub course: Vec<Moment>,
}

/// All that the rounds go by.
struct Run<'a, 'b> {
    problem: &'b Problem<'a>,
    blank: &'b Partial<'a>,
    settings: &'b SolveSettings,
    stop: &'b Stop,
    began: Instant,
    best: Hardened,
    bound: f64,
    nodes: u64,
    course: Vec<Moment>,
}

/// Looks for the tree of least cost, beginning with `starts`, and proves what it can of it. `watch` is told
/// of every moment.
pub(crate) fn solve(
    problem: &Problem<'_>,
    starts: Vec<ObliqueTree>,
    settings: &SolveSettings,
    stop: &Stop,
    watch: &(dyn Fn(&Moment) + Sync),
) -> Solution {
    let all: Vec<usize> = (0..problem.points.len()).collect();
    let blank = blank(problem, &all);
    let mut trees = starts;
    if trees.is_empty() {
        trees.push(all_left(problem));
    }
    let hardened: Vec<Hardened> = trees
        .into_iter()
        .map(|tree| harden(problem, &blank, tree, stop))
        .collect();
    let costs: Vec<f64> = hardened.iter().map(|one| one.cost).collect();
    let best_start = (1..costs.len()).fold(0, |b, s| if costs[s] < costs[b] { s } else { b });
    let mut run = Run {
        problem,
        blank: &blank,
        settings,
        stop,
        began: Instant::now(),
        best: hardened[best_start].clone(),
        bound: problem.points.unavoidable(),
        nodes: 0,
        course: Vec::new(),
    };
    run.note(watch);
    let improved = run.improve_all(hardened, watch);
    let ended = match settings.max_nodes {
        Some(0) => run.ended().unwrap_or(Ended::Nodes),
        _ => run.prove(watch),
    };
    Solution {
        tree: run.best.tree,
        bound: run.bound.min(run.best.cost),
        nodes: run.nodes,
        ended,
        improved,
        starts: costs,
        best_start,
        course: run.course,
    }
}

/// The tree that sends everything left.
fn all_left(problem: &Problem<'_>) -> ObliqueTree {
    let split = super::oblique::Hyperplane::all_left(problem.points.features());
    ObliqueTree {
        splits: vec![split; problem.paths.splits()],
        labels: (0..problem.paths.leaves())
            .map(|l| l % problem.points.classes())
            .collect(),
    }
}

impl Run<'_, '_> {
    fn note(&mut self, watch: &(dyn Fn(&Moment) + Sync)) {
        let moment = Moment {
            seconds: self.began.elapsed().as_secs_f64(),
            cost: self.best.cost,
            bound: self.bound.min(self.best.cost),
            nodes: self.nodes,
        };
        watch(&moment);
        self.course.push(moment);
    }

    fn ended(&self) -> Option<Ended> {
        if self.bound >= self.best.cost - self.blank.tiny() {
            return Some(Ended::Proven);
        }
        self.stop.check().err().map(Ended::Stopped)
    }

    fn take(&mut self, next: Hardened) {
        if next.cost < self.best.cost {
            self.best = next;
        }
    }

    /// Improves the starts and random trees; false if it was stopped before the last.
    fn improve_all(&mut self, starts: Vec<Hardened>, watch: &(dyn Fn(&Moment) + Sync)) -> bool {
        let given = starts.len();
        let mut starts = starts.into_iter();
        for start in 0..given + self.settings.random_starts {
            if let Some(ended) = self.ended() {
                return ended == Ended::Proven;
            }
            let seed = self.settings.seed.wrapping_add(start as u64);
            let random = || {
                let mut rng = Pcg64::new(u128::from(seed), ORDER_STREAM);
                let tree = random_tree(self.problem, &mut rng);
                harden(self.problem, self.blank, tree, self.stop)
            };
            let from = starts.next().unwrap_or_else(random);
            let next = self.improved(from, seed);
            self.take(next);
            self.note(watch);
        }
        self.stop.check().is_ok()
    }

    fn improved(&self, from: Hardened, seed: u64) -> Hardened {
        let settings = ImproveSettings {
            restarts: self.settings.restarts,
            patience: 2,
            seed,
        };
        improve(self.problem, self.blank, from, &settings, self.stop)
    }

    /// Raises the bound in rounds of growing budgets, and takes the trees that this finds.
    fn prove(&mut self, watch: &(dyn Fn(&Moment) + Sync)) -> Ended {
        let points = self.problem.points;
        let frame = frame(points);
        let mut groups = Groups::new(points);
        let mut whole = Nested::new(scattered(points.len(), self.settings.seed));
        let few = points.len() <= MOST_AT_ONCE;
        let all: Vec<usize> = (0..points.len()).collect();
        let mut budget = FIRST_BUDGET;
        loop {
            if let Some(ended) = self.ended() {
                return ended;
            }
            let known = [self.best.tree.clone()];
            let (problem, stop, goal) = (self.problem, self.stop, self.best.cost);
            let (end, _) = rayon::join(
                || match few && !whole.is_done() {
                    true => whole.settle(problem, &all, &known, (budget, goal), stop),
                    false => Ok(()),
                },
                || groups.work(problem, &frame, &known, (budget, goal), stop),
            );
            self.bound = self.bound.max(groups.bound()).max(whole.bound());
            self.nodes = groups.nodes() + whole.nodes;
            if end.is_ok() && few {
                let next = self.realized(&whole);
                self.take(next);
            } else if self.ended().is_none() {
                let seed = self.settings.seed.wrapping_add(budget);
                let largest = if few { &whole } else { groups.largest() };
                let next = self.improved(self.realized(largest), seed);
                self.take(next);
            }
            self.note(watch);
            let spent = self
                .settings
                .max_nodes
                .is_some_and(|most| self.nodes >= most);
            if spent || end == Err(Cut::Unsure) && groups.is_done() {
                return self.ended().unwrap_or(Ended::Nodes);
            }
            budget *= 4;
        }
    }

    /// The tree that the search has for the points settled so far.
    fn realized(&self, nested: &Nested) -> Hardened {
        let mut state = self.blank.clone();
        for (i, place) in nested.order.iter().zip(&nested.places) {
            if let Some(place) = place {
                state.place(*i, *place);
            }
        }
        harden(self.problem, self.blank, state.tree(), self.stop)
    }
}

/// The points in an order that has nothing to do with where they are.
fn scattered(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut Pcg64::new(u128::from(seed), ORDER_STREAM));
    order
}

/// The points that keep values between −1 and 1 in all groups: those outermost along features, if all are
/// too many.
fn frame(points: &Points) -> Vec<usize> {
    if points.len() <= MOST_FRAME {
        return (0..points.len()).collect();
    }
    let along = |j: usize| {
        let x = |i: &usize| points.x(*i)[j];
        let ends = [
            (0..points.len()).min_by(|a, b| x(a).total_cmp(&x(b))),
            (0..points.len()).max_by(|a, b| x(a).total_cmp(&x(b))),
        ];
        ends.into_iter().flatten()
    };
    let mut frame: Vec<usize> = (0..points.features()).flat_map(along).collect();
    frame.sort_unstable();
    frame.dedup();
    frame
}
