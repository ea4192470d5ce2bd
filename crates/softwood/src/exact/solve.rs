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
use std::time::{Duration, Instant};

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
    /// Time for the improvement of starts, so that some is left for a bound.
    pub improve_limit: Option<Duration>,
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
    /// The tree of least cost whose rule gets no more weight wrong than that of the best start.
    best: Hardened,
    /// The tree of least cost, which is best if that is proven.
    lowest: Hardened,
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
        lowest: hardened[best_start].clone(),
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
    if ended == Ended::Proven {
        run.best = run.lowest;
    }
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
        let shown = match self.is_proven() {
            true => &self.lowest,
            false => &self.best,
        };
        let moment = Moment {
            seconds: self.began.elapsed().as_secs_f64(),
            cost: shown.cost,
            bound: self.bound.min(shown.cost),
            nodes: self.nodes,
        };
        watch(&moment);
        self.course.push(moment);
    }

    fn ended(&self) -> Option<Ended> {
        if self.is_proven() {
            return Some(Ended::Proven);
        }
        self.stop.check().err().map(Ended::Stopped)
    }

    fn is_proven(&self) -> bool {
        self.bound >= self.lowest.cost - self.blank.tiny()
    }

    /// Short of a proof, rows by the margin are not won for more that the rule gets wrong.
    fn take(&mut self, next: Hardened) {
        let points = self.problem.points;
        if next.cost < self.lowest.cost {
            self.lowest = next.clone();
        }
        if next.cost < self.best.cost && next.tree.errors(points) <= self.best.tree.errors(points) {
            self.best = next;
        }
    }

    /// Improves the starts and random trees; false if it was stopped before the last.
    fn improve_all(&mut self, starts: Vec<Hardened>, watch: &(dyn Fn(&Moment) + Sync)) -> bool {
        let limit = self.settings.improve_limit;
        let stop = limit.map_or_else(|| self.stop.clone(), |limit| self.stop.within(limit));
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
                harden(self.problem, self.blank, tree, &stop)
            };
            let from = starts.next().unwrap_or_else(random);
            let next = self.improved(from, seed, &stop);
            self.take(next);
            self.note(watch);
            if stop.check().is_err() {
                return self.stop.check().is_ok();
            }
        }
        true
    }

    fn improved(&self, from: Hardened, seed: u64, stop: &Stop) -> Hardened {
        let settings = ImproveSettings {
            restarts: self.settings.restarts,
            patience: 2,
            seed,
        };
        improve(self.problem, self.blank, from, &settings, stop)
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
            let known = [self.lowest.tree.clone()];
            let (problem, stop, goal) = (self.problem, self.stop, self.lowest.cost);
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
                let next = self.improved(self.realized(largest), seed, self.stop);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::harden::counted;
    use crate::exact::oblique::Paths;
    use crate::exact::separation::{Separation, Verdict};
    use rand::{RngExt, SeedableRng};

    fn random_points(n: usize, p: usize, classes: usize, seed: u64) -> Points {
        let mut rng = Pcg64::seed_from_u64(seed);
        let x: Vec<f64> = (0..n * p)
            .map(|_| f64::from(rng.random_range(0..5u8)) / 4.0)
            .collect();
        let codes: Vec<u32> = (0..n)
            .map(|_| rng.random_range(0..classes as u32))
            .collect();
        let weights: Vec<f64> = (0..n)
            .map(|_| f64::from(rng.random_range(1..4u8)))
            .collect();
        Points::merge(&x, p, &codes, &weights, classes)
    }

    fn settings(seed: u64) -> SolveSettings {
        SolveSettings {
            seed,
            restarts: 2,
            random_starts: 1,
            max_nodes: None,
            improve_limit: None,
        }
    }

    /// Whether hyperplanes send each point to its leaf, 0 for no leaf.
    fn is_possible(points: &Points, paths: &Paths, leaves: &[Option<usize>], margin: f64) -> bool {
        let members: Vec<usize> = (0..points.len()).collect();
        (0..paths.splits()).all(|split| {
            let mut separation = Separation::new(points, &members);
            for (i, leaf) in leaves.iter().enumerate() {
                let way = leaf.map_or(&[][..], |leaf| paths.of(leaf)).iter();
                for (_, left) in way.filter(|(t, _)| *t == split) {
                    let bounds = if *left {
                        (margin, 1.0)
                    } else {
                        (-1.0, -margin)
                    };
                    separation.bound(i, bounds);
                }
            }
            separation.check() == Verdict::Fits
        })
    }

    /// The least cost over all labels and all ways to place points.
    fn by_enumeration(points: &Points, depth: usize, margin: f64) -> f64 {
        let (n, k) = (points.len(), points.classes());
        let paths = Paths::new(depth);
        let leaves = paths.leaves();
        let mut least = points.all();
        for labels in 0..k.pow(leaves as u32) {
            let label = |leaf: usize| labels / k.pow(leaf as u32) % k;
            for places in 0..(leaves + 1).pow(n as u32) {
                let place = |i: usize| places / (leaves + 1).pow(i as u32) % (leaves + 1);
                let at: Vec<Option<usize>> = (0..n).map(|i| place(i).checked_sub(1)).collect();
                let right =
                    |i: usize| at[i].is_none_or(|leaf| points.weights(i)[label(leaf)] > 0.0);
                if !(0..n).all(right) {
                    continue;
                }
                let of_point = |i: usize| match at[i] {
                    Some(leaf) => points.cost(i, label(leaf)),
                    None => points.total(i),
                };
                let cost: f64 = (0..n).map(of_point).sum();
                if cost < least && is_possible(points, &paths, &at, margin) {
                    least = cost;
                }
            }
        }
        least
    }

    #[test]
    fn the_least_cost_is_that_of_all_trees_one_by_one() {
        let mut above_zero = 0;
        for seed in 0..24 {
            let (depth, n) = if seed % 3 == 0 { (2, 6) } else { (1, 9) };
            let margin = [0.02, 0.2, 0.5][seed as usize % 3];
            let points = random_points(n, 1 + seed as usize % 2, 2, seed);
            let paths = Paths::new(depth);
            let problem = Problem {
                points: &points,
                paths: &paths,
                margin,
            };
            let found = solve(
                &problem,
                Vec::new(),
                &settings(seed),
                &Stop::default(),
                &|_| {},
            );
            let expected = by_enumeration(&points, depth, margin);
            assert_eq!(found.ended, Ended::Proven);
            assert_eq!(
                (found.bound, counted(&problem, found.tree).cost),
                (expected, expected)
            );
            above_zero += usize::from(expected > 0.0);
        }
        assert!(above_zero > 10);
    }

    #[test]
    fn neither_threads_nor_the_order_of_rows_change_a_bit() {
        let points = random_points(40, 2, 3, 3);
        let paths = Paths::new(2);
        let problem = Problem {
            points: &points,
            paths: &paths,
            margin: 0.05,
        };
        let on = |threads: usize| {
            let run = || solve(&problem, Vec::new(), &limited(), &Stop::default(), &|_| {});
            let found = crate::threads::in_pool(Some(threads), run).unwrap();
            (found.tree, found.bound, found.nodes)
        };
        assert_eq!(on(1), on(2));
    }

    fn limited() -> SolveSettings {
        SolveSettings {
            max_nodes: Some(2000),
            ..settings(0)
        }
    }

    #[test]
    fn the_bound_rises_and_the_incumbent_falls_until_they_meet() {
        let points = random_points(30, 2, 3, 5);
        let paths = Paths::new(1);
        let problem = Problem {
            points: &points,
            paths: &paths,
            margin: 0.05,
        };
        let found = solve(
            &problem,
            Vec::new(),
            &settings(0),
            &Stop::default(),
            &|_| {},
        );
        assert_eq!(found.ended, Ended::Proven);
        for pair in found.course.windows(2) {
            assert!(pair[1].cost <= pair[0].cost && pair[1].bound >= pair[0].bound);
            assert!(pair[0].bound <= pair[0].cost);
        }
        let last = found.course.last().unwrap();
        assert_eq!(last.bound, last.cost);
    }

    #[test]
    fn short_of_a_proof_the_rule_gets_no_more_wrong_than_by_the_start() {
        let (mut lower, mut tempted) = (0, 0);
        for seed in 0..40 {
            let points = random_points(60, 3, 2, seed);
            let paths = Paths::new(2);
            let problem = Problem {
                points: &points,
                paths: &paths,
                margin: 0.3,
            };
            let start = random_tree(&problem, &mut Pcg64::seed_from_u64(seed));
            let all: Vec<usize> = (0..points.len()).collect();
            let blank = blank(&problem, &all);
            let hardened = harden(&problem, &blank, start.clone(), &Stop::default());
            let only = SolveSettings {
                random_starts: 0,
                max_nodes: Some(0),
                ..settings(seed)
            };
            let found = solve(&problem, vec![start], &only, &Stop::default(), &|_| {});
            assert_ne!(found.ended, Ended::Proven);
            assert!(found.tree.errors(&points) <= hardened.tree.errors(&points));
            lower += usize::from(counted(&problem, found.tree).cost < hardened.cost);
            let steps = ImproveSettings {
                restarts: only.restarts,
                patience: 2,
                seed,
            };
            let before = hardened.tree.errors(&points);
            let free = improve(&problem, &blank, hardened, &steps, &Stop::default());
            tempted += usize::from(free.tree.errors(&points) > before);
        }
        assert!(lower > 10 && tempted > 0, "{lower}, {tempted}");
    }

    #[test]
    fn a_start_is_never_made_worse() {
        let points = random_points(60, 3, 3, 9);
        let paths = Paths::new(2);
        let problem = Problem {
            points: &points,
            paths: &paths,
            margin: 0.01,
        };
        for seed in 0..4 {
            let mut rng = Pcg64::seed_from_u64(seed);
            let start = random_tree(&problem, &mut rng);
            let mut relabelled = start.clone();
            relabelled
                .splits
                .iter_mut()
                .for_each(|split| split.scale(&points));
            relabelled.relabel(&points);
            let before = counted(&problem, relabelled).cost;
            let only = SolveSettings {
                random_starts: 0,
                max_nodes: Some(0),
                ..settings(seed)
            };
            let found = solve(&problem, vec![start], &only, &Stop::default(), &|_| {});
            assert!(found.starts[0] <= before);
            assert!(counted(&problem, found.tree).cost <= found.starts[0]);
        }
    }
}
