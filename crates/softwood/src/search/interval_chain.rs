//! Trees on one interval, then on two, and so on: each number of intervals starts from the trees of one less.

use super::ending::Ending;
use super::interval_problem::{IntervalPoint, IntervalProblem};
use super::starts::{Starts, best_of_starts, side_by_side, why_stopped};
use crate::data::Parallelism;
use crate::objective::MovingTree;
use crate::progress::Progress;
use crate::stop::{Interrupted, Stop};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::cmp::Ordering;

/// Ends are drawn from so many places at equal distances.
const COARSE_PLACES: usize = 40;

/// Iterations after which the worse half of the starts is given up; of many, the worse half of the rest again after
/// twice as many more (successive halving).
const FIRST_RUNG: u64 = 20;

/// No more starts are followed to their end.
const MOST_FINISHED: usize = 16;

/// Of the starts on more than one interval, one in so many is drawn afresh.
const FRESH_ONE_IN: usize = 4;

/// Trees of one interval less that others start from.
const PARENTS: usize = 3;

/// A search over numbers of intervals.
pub(crate) struct IntervalChain<'a, P> {
    pub problem: &'a P,
    /// The tree on so many intervals.
    pub tree: &'a (dyn Fn(usize) -> MovingTree + Sync),
    pub n_starts: usize,
    pub seed: u64,
    pub parallelism: Parallelism,
    pub stop: &'a Stop,
    pub progress: &'a Progress,
}

/// All starts of one number of intervals.
pub(crate) struct Link<O> {
    pub tree: MovingTree,
    pub starts: Starts<O>,
}

fn order<O: AsRef<Ending>>(a: &O, b: &O) -> Ordering {
    let objective = |outcome: &O| outcome.as_ref().objective;
    objective(a).total_cmp(&objective(b))
}

impl<P: IntervalProblem> IntervalChain<'_, P> {
    /// The trees on 1, 2, …, `most` intervals, or as many of them as there are when the flag is raised. The first
    /// start of each delivers whatever the time limit says; the objective never rises from one to the next where
    /// lengths are not penalized.
    pub fn run(&self, most: usize) -> Result<Vec<Link<P::Outcome>>, Interrupted> {
        let mut links: Vec<Link<P::Outcome>> = Vec::new();
        for intervals in 1..=most {
            match self.link((self.tree)(intervals), links.last()) {
                Err(Interrupted::Cancelled) if !links.is_empty() => break,
                link => links.push(link?),
            }
        }
        Ok(links)
    }

    fn link(
        &self,
        tree: MovingTree,
        before: Option<&Link<P::Outcome>>,
    ) -> Result<Link<P::Outcome>, Interrupted> {
        let children = before.map_or(Ok(Vec::new()), |before| self.children(before, &tree))?;
        let starts = self.starts(&tree, children)?;
        Ok(Link { tree, starts })
    }

    /// All starts climb the first rung; the better half goes on, and half of those, until few are left for the end.
    fn starts(
        &self,
        tree: &MovingTree,
        mut children: Vec<IntervalPoint>,
    ) -> Result<Starts<P::Outcome>, Interrupted> {
        let fresh = self.n_starts.div_ceil(FRESH_ONE_IN);
        children.truncate(self.n_starts.saturating_sub(fresh).max(1));
        let begin = |start: usize| match children.get(start) {
            Some(child) => self.problem.begin(tree, child.clone(), true, FIRST_RUNG),
            None => {
                let point = self.random_point(tree, start)?;
                self.problem.begin(tree, point, false, FIRST_RUNG)
            }
        };
        let (n, spread, stop) = (self.n_starts, self.parallelism, self.stop);
        let begun = best_of_starts(n, spread, stop, begin, order)?;
        let missing = begun.stopped.is_some();
        let mut outcomes = begun.outcomes;
        let mut alive = self.better_half(&outcomes, (0..outcomes.len()).collect());
        let mut rung = FIRST_RUNG;
        while alive.len() > MOST_FINISHED {
            rung *= 2;
            let climb = |begun| self.problem.climb(tree, begun, rung);
            self.go_on(&mut outcomes, &alive, climb)?;
            alive = self.better_half(&outcomes, alive);
        }
        self.go_on(&mut outcomes, &alive, |begun| {
            let outcome = self.problem.finish(tree, begun)?;
            self.progress.finish_start(Some(outcome.as_ref().objective));
            Ok(outcome)
        })?;
        Ok(Starts::ranked(outcomes, order, why_stopped(stop, missing)))
    }

    /// The better half of some starts, best first; the others have ended.
    fn better_half(&self, outcomes: &[P::Outcome], mut alive: Vec<usize>) -> Vec<usize> {
        alive.sort_by(|a, b| order(&outcomes[*a], &outcomes[*b]).then(a.cmp(b)));
        for ended in alive.split_off(alive.len().div_ceil(2)) {
            let objective = outcomes[ended].as_ref().objective;
            self.progress.finish_start(Some(objective));
        }
        alive
    }

    /// Takes a step with those that are alive and not stopped.
    fn go_on(
        &self,
        outcomes: &mut [P::Outcome],
        alive: &[usize],
        step: impl Fn(P::Outcome) -> Result<P::Outcome, Interrupted> + Sync + Send,
    ) -> Result<(), Interrupted> {
        let begun = alive.iter().map(|i| (*i, outcomes[*i].clone())).collect();
        let moved = side_by_side(
            begun,
            self.parallelism,
            |(i, begun): (usize, P::Outcome)| {
                let cancelled = self.stop.without_deadline().check().is_err();
                let stopped = cancelled || begun.as_ref().status.is_stopped();
                Ok((i, if stopped { begun } else { step(begun)? }))
            },
        )?;
        for (i, outcome) in moved {
            outcomes[i] = outcome;
        }
        Ok(())
    }

    /// Ends at coarse places, and splits through the rows there.
    fn random_point(&self, tree: &MovingTree, start: usize) -> Result<IntervalPoint, Interrupted> {
        let stream = ((tree.intervals as u128) << 64) | start as u128;
        let mut rng = Pcg64::new(u128::from(self.seed), stream);
        let mut ends: Vec<f64> = (0..tree.ends())
            .map(|_| rng.random_range(0..=COARSE_PLACES) as f64 / COARSE_PLACES as f64)
            .collect();
        ends.sort_by(f64::total_cmp);
        let splits = self.problem.random_splits(tree, &ends, &mut rng)?;
        Ok(IntervalPoint { splits, ends })
    }

    /// The best trees with one interval more: a short one where it promises most, and each interval halved,
    /// which leaves the predictions as they are.
    fn children(
        &self,
        before: &Link<P::Outcome>,
        tree: &MovingTree,
    ) -> Result<Vec<IntervalPoint>, Interrupted> {
        let mut ranked: Vec<&P::Outcome> = before.starts.outcomes.iter().collect();
        ranked.sort_by(|a, b| order(*a, *b));
        let mut families = Vec::new();
        for parent in ranked.into_iter().take(PARENTS) {
            let point = self.problem.point(parent);
            let halved = (0..before.tree.intervals).map(|h| halved(&before.tree, &point, h));
            let inserted = self.promising(&before.tree, tree, &point)?;
            let mut family: Vec<IntervalPoint> = Vec::new();
            let (mut halved, mut inserted) = (halved, inserted.into_iter());
            loop {
                let pair = [halved.next(), inserted.next()];
                if pair.iter().all(Option::is_none) {
                    break;
                }
                family.extend(pair.into_iter().flatten());
            }
            families.push(family.into_iter());
        }
        // One of each family in turn, the best parent's first.
        let mut children = Vec::new();
        while families.iter().any(|family| family.len() > 0) {
            children.extend(families.iter_mut().filter_map(Iterator::next));
        }
        Ok(children)
    }

    /// The tree with a short interval more, not used by any split yet, where it promises most first.
    fn promising(
        &self,
        before: &MovingTree,
        tree: &MovingTree,
        point: &IntervalPoint,
    ) -> Result<Vec<IntervalPoint>, Interrupted> {
        let place = |k: usize| (k as f64 + 0.5) / COARSE_PLACES as f64;
        let covered = |s: f64| point.ends.chunks_exact(2).any(|e| e[0] <= s && s <= e[1]);
        let free = (0..COARSE_PLACES).map(place).filter(|s| !covered(*s));
        let all: Vec<IntervalPoint> = free.map(|s| inserted(before, point, s)).collect();
        if self.stop.check() == Err(crate::stop::Stopped::TimeLimit) {
            return Ok(all);
        }
        let judged = |child: IntervalPoint| Ok((self.problem.outlook(tree, &child)?, child));
        let mut judged: Vec<(f64, IntervalPoint)> =
            match side_by_side(all, self.parallelism, judged) {
                Err(Interrupted::TimeLimit) => return Ok(Vec::new()),
                judged => judged?,
            };
        judged.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(judged.into_iter().map(|(_, child)| child).collect())
    }
}

/// The tree with interval `h` in two halves, each of half the weight in splits.
fn halved(before: &MovingTree, point: &IntervalPoint, h: usize) -> IntervalPoint {
    let [lower, upper] = [point.ends[2 * h], point.ends[2 * h + 1]];
    let middle = 0.5 * (lower + upper);
    let mut ends = point.ends.clone();
    ends.splice(2 * h + 1..2 * h + 1, [middle, middle]);
    let splits = with_interval(
        before,
        &point.splits,
        h + 1,
        |a| (0.5 * a[h], 0.5 * a[h]),
        h,
    );
    IntervalPoint { splits, ends }
}

/// The tree with a short interval around a free place, of no weight in splits.
fn inserted(before: &MovingTree, point: &IntervalPoint, place: f64) -> IntervalPoint {
    let h = point.ends.chunks_exact(2).filter(|e| e[1] < place).count();
    let below = if h > 0 { point.ends[2 * h - 1] } else { 0.0 };
    let above = point.ends.get(2 * h).copied().unwrap_or(1.0);
    let half = 0.25 / COARSE_PLACES as f64;
    let short = [(place - half).max(below), (place + half).min(above)];
    let mut ends = point.ends.clone();
    ends.splice(2 * h..2 * h, short);
    let splits = with_interval(
        before,
        &point.splits,
        h,
        |a| (0.0, a.get(h).copied().unwrap_or(0.0)),
        h,
    );
    IntervalPoint { splits, ends }
}

/// Splits with a coefficient more for each series at interval `at`; `share` tells it and the new value of the
/// coefficient of interval `old`.
fn with_interval(
    before: &MovingTree,
    splits: &[f64],
    at: usize,
    share: impl Fn(&[f64]) -> (f64, f64),
    old: usize,
) -> Vec<f64> {
    let q = before.features.len();
    let (slopes, intercepts) = before.layout().split(splits);
    let mut out = Vec::with_capacity(splits.len() + before.topology.branches() * before.series);
    for node in slopes.chunks_exact(q) {
        let mut rest = node;
        while let Some(feature) = before.features.get(q - rest.len()) {
            let width = if feature.mean.is_some() {
                before.intervals
            } else {
                1
            };
            let (own, others) = rest.split_at(width);
            rest = others;
            if feature.mean.is_none() {
                out.extend_from_slice(own);
                continue;
            }
            let (new, kept) = share(own);
            let mut own = own.to_vec();
            if let Some(kept_place) = own.get_mut(old) {
                *kept_place = kept;
            }
            own.insert(at, new);
            out.extend(own);
        }
    }
    out.extend_from_slice(intercepts);
    out
}
