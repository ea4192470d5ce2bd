//! The growing set E of proven extreme points, and which points it covers.
//!
//! Rows are tested in segments side by side, each against the E of the round's beginning and what the
//! segment itself has found since; the finds are put together between rounds. Segments and rounds
//! depend on the distinct rows alone, so the answer has the same bits on any number of threads and
//! in any order of the rows.

use super::RESOLUTION;
use super::hull::{Chosen, Hull, Weights};
use super::nearest_point::{NearestPoint, Verdict};
use super::point_set::{PointSet, dot};
use crate::stop::{Stop, Stopped};
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Points whose scalar product with a direction of length 1 differs by less are equally far in it.
const TIED_WITHIN: f64 = 1e-13;

/// Segments that are worked on side by side, for as many threads at most.
const SEGMENTS: usize = 64;

/// Rows of a segment in the first round, which doubles, and at most.
const FIRST_ROUND: usize = 4;
const LARGEST_ROUND: usize = 512;

/// Random directions whose farthest points E begins with, for each dimension.
const SEED_DIRECTIONS: usize = 16;

/// An extreme point and whether no other point comes near it in the direction that named it.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub number: u32,
    pub alone: bool,
}

/// The point farthest in direction `w`, which has length 1; of several the last in lexicographic order, which
/// is extreme among them.
fn name_extreme(all: &PointSet, w: &[f64]) -> Named {
    let far = all.farthest(w, None).expect("there are points");
    let mut near = Vec::new();
    all.at_least(w, far.value - RESOLUTION, &mut near);
    let last = near
        .iter()
        .rfind(|point| point.value >= far.value - TIED_WITHIN);
    Named {
        number: last.expect("the farthest is among them").place as u32,
        alone: near.len() == 1,
    }
}

/// A run of points that are tested one after the other, each from the simplex of the one before.
struct Segment {
    next: usize,
    end: usize,
    solver: NearestPoint,
}

/// What a segment found in one round.
#[derive(Default)]
struct Finds {
    covered: Vec<(u32, Weights)>,
    extremes: Vec<Named>,
    unresolved: usize,
}

/// The state of a search for all extreme points.
pub(super) struct HullSearch<'a> {
    pub all: &'a PointSet,
    pub stop: &'a Stop,
    /// Without a tolerance boxes have no width.
    no_widths: Vec<f64>,
    pub extremes: Chosen,
    /// For each point whether it is in E, and whether by a direction in which it was alone.
    pub is_extreme: Vec<bool>,
    pub alone: Vec<bool>,
    /// For each point its weights, none if it is extreme.
    pub weights: Vec<Weights>,
    pub unresolved: usize,
}

impl<'a> HullSearch<'a> {
    pub fn new(all: &'a PointSet, stop: &'a Stop) -> Self {
        Self {
            all,
            stop,
            no_widths: vec![0.0; all.dims()],
            extremes: Chosen::new(all.dims()),
            is_extreme: vec![false; all.len()],
            alone: vec![false; all.len()],
            weights: vec![Weights::default(); all.len()],
            unresolved: 0,
        }
    }

    /// All that there is to find, within boxes of these widths; Err once stopped, with what has been found.
    pub fn run(&mut self, widths: &[f64]) -> Result<(), Stopped> {
        let proven = self.seed().and_then(|()| self.grow());
        let proven = proven.and_then(|()| self.withdraw_tied());
        if proven.is_err() {
            // Where others came as near in every direction so far, they may cover a point after all.
            let named = self.is_extreme.iter_mut().zip(&self.alone);
            named.for_each(|(is_extreme, alone)| *is_extreme &= alone);
        }
        proven?;
        if widths.iter().any(|width| *width > 0.0) {
            self.cover_within(widths)?;
        }
        Ok(())
    }

    /// Points of which nothing is known.
    pub fn open(&self) -> usize {
        let known = self.is_extreme.iter().zip(&self.weights);
        known
            .filter(|(e, weights)| !**e && weights.is_empty())
            .count()
    }

    pub fn add_extremes(&mut self, mut named: Vec<Named>) {
        named.sort_unstable_by_key(|named| named.number);
        for named in named {
            let i = named.number as usize;
            self.alone[i] |= named.alone;
            if !self.is_extreme[i] {
                self.is_extreme[i] = true;
                // Another segment may have seen it within the resolution of E.
                self.weights[i] = Weights::default();
                self.extremes.push(self.all, named.number);
            }
        }
    }

    /// Directions first: along the axes and at random, always the same.
    pub fn seed(&mut self) -> Result<(), Stopped> {
        let d = self.all.dims();
        let mut directions = Vec::new();
        for k in 0..d {
            for sign in [1.0, -1.0] {
                let mut w = vec![0.0; d];
                w[k] = sign;
                directions.push(w);
            }
        }
        let mut rng = Pcg64::new(0, 0);
        for _ in 0..SEED_DIRECTIONS * d {
            let mut w: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
            let length = dot(&w, &w).sqrt().max(f64::MIN_POSITIVE);
            w.iter_mut().for_each(|w| *w /= length);
            directions.push(w);
        }
        let named = directions
            .par_iter()
            .map(|w| {
                self.stop.check()?;
                Ok(name_extreme(self.all, w))
            })
            .collect::<Result<_, Stopped>>()?;
        self.add_extremes(named);
        Ok(())
    }

    /// Tests every point against E, which grows until it holds every extreme point.
    pub fn grow(&mut self) -> Result<(), Stopped> {
        let n = self.all.len();
        let count = SEGMENTS.min(n.div_ceil(FIRST_ROUND));
        let mut segments: Vec<Segment> = (0..count)
            .map(|s| Segment {
                next: s * n / count,
                end: (s + 1) * n / count,
                solver: NearestPoint::new(self.all.dims()),
            })
            .collect();
        let mut rows = FIRST_ROUND;
        while segments.iter().any(|segment| segment.next < segment.end) {
            let this = &*self;
            let finds: Vec<Finds> = segments
                .par_iter_mut()
                .map(|segment| this.advance(segment, rows))
                .collect::<Result<_, Stopped>>()?;
            let mut named = Vec::new();
            for find in finds {
                named.extend(find.extremes);
                self.unresolved += find.unresolved;
                for (point, weights) in find.covered {
                    self.weights[point as usize] = weights;
                }
            }
            self.add_extremes(named);
            self.stop.check()?;
            rows = (2 * rows).min(LARGEST_ROUND);
        }
        Ok(())
    }

    /// Decides the next points of a segment, `rows` at most, fewer where the time limit strikes.
    fn advance(&self, segment: &mut Segment, rows: usize) -> Result<Finds, Stopped> {
        let mut finds = Finds::default();
        let mut found = Chosen::new(self.all.dims());
        let mut x = vec![0.0; self.all.dims()];
        let end = segment.end.min(segment.next + rows);
        'points: for i in segment.next..end {
            if self.is_extreme[i] || found.numbers.contains(&(i as u32)) {
                continue;
            }
            self.all.copy_to(i, &mut x);
            loop {
                match self.stop.check() {
                    Err(Stopped::TimeLimit) => break 'points,
                    going => going?,
                }
                let hull = Hull {
                    extremes: &self.extremes,
                    skip: None,
                    found: &found,
                };
                let named = match segment.solver.test(&x, &self.no_widths, &hull) {
                    Verdict::Covered => {
                        let weights = segment.solver.weights().into();
                        finds.covered.push((i as u32, weights));
                        break;
                    }
                    Verdict::Separated => name_extreme(self.all, segment.solver.direction()),
                    Verdict::Unresolved => {
                        segment.solver.clear();
                        finds.unresolved += 1;
                        let number = i as u32;
                        Named {
                            number,
                            alone: true,
                        }
                    }
                };
                finds.extremes.push(named);
                found.push(self.all, named.number);
                if named.number as usize == i {
                    break;
                }
            }
        }
        segment.next = end;
        Ok(finds)
    }

    /// The weights that show point `number` in the hull, if they can be had.
    pub fn weights_in(&self, hull: &Hull<'_>, number: u32) -> Result<Option<Weights>, Stopped> {
        self.stop.check()?;
        let mut solver = NearestPoint::new(self.all.dims());
        let mut x = vec![0.0; self.all.dims()];
        self.all.copy_to(number as usize, &mut x);
        let verdict = solver.test(&x, &self.no_widths, hull);
        Ok((verdict == Verdict::Covered).then(|| solver.weights().into()))
    }
}
