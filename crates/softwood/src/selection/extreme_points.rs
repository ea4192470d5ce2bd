//! START HERE for row selection. Which rows lie in the convex hull of the others?
//!
//! A set E of proven extreme points grows. A row is tested against E alone: if it lies in the hull of
//! E it is covered, and weights on at most d + 1 points of E show it; if not, the direction that
//! separates it from E names, by one scan over all rows, a new extreme point (the row itself or
//! another, after which the row is tested again). The work is that of one small problem for each
//! row and one scan for each extreme point, whatever the number of rows.
//!
//! Rows are tested in segments side by side, each against the E of the round's beginning and what the
//! segment itself has found since; the finds are put together between rounds. Segments and rounds
//! depend on the distinct rows alone, so the answer has the same bits on any number of threads and
//! in any order of the rows.

use super::RESOLUTION;
use super::distinct_points::DistinctPoints;
use super::nearest_point::{Corners, NearestPoint, Verdict};
use super::point_set::{PointSet, dot};
use crate::data::Rows;
use crate::data::finite::check_finite;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::{FitError, InputError, StopFlag};
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Points whose scalar product with a direction of length 1 differs by less are equally far in it.
const TIE: f64 = 1e-13;

/// Segments that are worked on side by side, for as many threads at most.
const SEGMENTS: usize = 64;

/// Rows of a segment in the first round, which doubles, and at most.
const FIRST_ROUND: usize = 4;
const LARGEST_ROUND: usize = 512;

/// Random directions whose farthest points E begins with, for each dimension.
const SEED_DIRECTIONS: usize = 16;

/// Which rows the others cover, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtremePoints {
    /// For each row whether it lies in the convex hull of the others, within the tolerance.
    pub covered: Vec<bool>,
    /// For each row whether it is an extreme point of the hull of all rows, tolerance aside.
    pub extreme: Vec<bool>,
    /// Row i's weights are at `indptr[i]..indptr[i + 1]` of the next two; none if it is not covered.
    pub indptr: Vec<usize>,
    /// Rows that carry weight, increasing within a row.
    pub indices: Vec<usize>,
    /// Their weights, positive, with sum 1.
    pub values: Vec<f64>,
    /// Rows that neither weights nor a direction could decide in double precision; they count as
    /// not covered.
    pub unresolved: usize,
}

impl ExtremePoints {
    /// Rows that carry weight for row `i`, with their weights.
    pub fn weights(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.indptr[i]..self.indptr[i + 1];
        let values = self.values[range.clone()].iter().copied();
        self.indices[range].iter().copied().zip(values)
    }
}

/// Weights of a distinct point that is covered: points and their weights.
type Weights = Box<[(u32, f64)]>;

/// Tells for each row whether it lies in the convex hull of the other rows within `tolerance` in
/// every coordinate, that is whether b_j = 1 in linear program (7) of Zhu et al. (NeurIPS 2020), and
/// gives the weights that show it, at most d + 1 for each row.
///
/// Rows of equal value count as one: the first of them is judged, the others are covered by it.
/// Distances below 10⁻⁹ of a column's range count as 0. Weights of rows within the hull are on its
/// extreme points and reproduce the row to that precision. With a positive tolerance extreme points
/// may be covered, too: their weights are on other rows, which may be covered in turn (two rows
/// closer than the tolerance cover each other).
pub fn select_extreme_points<'a>(
    rows: impl Into<Rows<'a>>,
    tolerance: f64,
    n_threads: Option<usize>,
    stop: &StopFlag,
) -> Result<ExtremePoints, FitError> {
    let rows = rows.into();
    check_tolerance(tolerance)?;
    check_shape(&rows)?;
    in_pool(n_threads, || {
        check_finite(&rows)?;
        extreme_points(&rows, tolerance, &Stop::new(stop, None))
            .map_err(|_: Stopped| FitError::Cancelled)
    })?
}

pub(super) fn check_shape(rows: &Rows<'_>) -> Result<(), InputError> {
    let (n, p) = (rows.len(), rows.features());
    if n == 0 || p == 0 {
        return Err(InputError::Empty {
            rows: n,
            columns: p,
        });
    }
    Ok(())
}

pub(super) fn check_tolerance(tolerance: f64) -> Result<(), InputError> {
    if tolerance.is_finite() && tolerance >= 0.0 {
        return Ok(());
    }
    Err(InputError::Setting {
        name: "tolerance",
        expected: "a finite number of at least 0",
        got: tolerance.to_string(),
    })
}

/// As [`select_extreme_points`], on input that was checked, in the threads of the caller.
pub(super) fn extreme_points(
    rows: &Rows<'_>,
    tolerance: f64,
    stop: &Stop,
) -> Result<ExtremePoints, Stopped> {
    let Some(distinct) = DistinctPoints::new(rows, stop)? else {
        return Ok(expand(
            &vec![0; rows.len()],
            &[0],
            &[true],
            &[Weights::default()],
            0,
        ));
    };
    let mut search = Search::new(&distinct.points, stop);
    search.seed()?;
    search.grow()?;
    search.withdraw_tied()?;
    if tolerance > 0.0 {
        // Coordinates lie in [0, 1], so a box need not be wider.
        let width = |range: &f64| (tolerance / range).min(1.0);
        let widths: Vec<f64> = distinct.ranges.iter().map(width).collect();
        search.cover_within(&widths)?;
    }
    Ok(expand(
        &distinct.point_of_row,
        &distinct.first_row,
        &search.is_extreme,
        &search.weights,
        search.unresolved,
    ))
}

/// The answer on rows from the one on distinct points.
fn expand(
    point_of_row: &[u32],
    first_row: &[usize],
    is_extreme: &[bool],
    weights: &[Weights],
    unresolved: usize,
) -> ExtremePoints {
    let mut answer = ExtremePoints {
        covered: Vec::with_capacity(point_of_row.len()),
        extreme: Vec::with_capacity(point_of_row.len()),
        indptr: vec![0],
        indices: Vec::new(),
        values: Vec::new(),
        unresolved,
    };
    let mut of_row = Vec::new();
    for (row, point) in point_of_row.iter().enumerate() {
        let point = *point as usize;
        of_row.clear();
        of_row.extend(
            weights[point]
                .iter()
                .map(|(corner, weight)| (first_row[*corner as usize], *weight)),
        );
        if of_row.is_empty() && row != first_row[point] {
            of_row.push((first_row[point], 1.0));
        }
        of_row.sort_unstable_by_key(|(row, _)| *row);
        answer.covered.push(!of_row.is_empty());
        answer
            .extreme
            .push(is_extreme[point] && row == first_row[point]);
        answer.indices.extend(of_row.iter().map(|(row, _)| *row));
        answer
            .values
            .extend(of_row.iter().map(|(_, weight)| *weight));
        answer.indptr.push(answer.indices.len());
    }
    answer
}

/// Some of the points, as corners of a hull.
struct Chosen {
    numbers: Vec<u32>,
    points: PointSet,
}

impl Chosen {
    fn new(dims: usize) -> Self {
        Self {
            numbers: Vec::new(),
            points: PointSet::new(dims),
        }
    }

    fn push(&mut self, all: &PointSet, number: u32) {
        let mut point = vec![0.0; all.dims()];
        all.copy_to(number as usize, &mut point);
        self.points.push(&point);
        self.numbers.push(number);
    }

    fn of(all: &PointSet, numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut chosen = Self::new(all.dims());
        numbers
            .into_iter()
            .for_each(|number| chosen.push(all, number));
        chosen
    }
}

/// The corners of one test: E but for one of its places, and what was found since.
struct Hull<'a> {
    extremes: &'a Chosen,
    skip: Option<usize>,
    found: &'a Chosen,
}

impl Corners for Hull<'_> {
    fn farthest(&self, w: &[f64], corner: &mut [f64]) -> Option<(u32, f64)> {
        let old = self.extremes.points.farthest(w, self.skip);
        let new = self.found.points.farthest(w, None);
        let (set, best) = match (old, new) {
            (Some(old), Some(new)) if new.value > old.value => (self.found, new),
            (Some(old), _) => (self.extremes, old),
            (None, new) => (self.found, new?),
        };
        set.points.add_to(best.place, corner);
        Some((set.numbers[best.place], best.value))
    }
}

/// An extreme point and whether no other point comes near it in the direction that named it.
#[derive(Clone, Copy)]
struct Named {
    number: u32,
    alone: bool,
}

/// The point farthest in direction `w`, which has length 1; of several the last in lexicographic order, which
/// is extreme among them.
fn name_extreme(all: &PointSet, w: &[f64]) -> Named {
    let far = all.farthest(w, None).expect("there are points");
    let mut near = Vec::new();
    all.at_least(w, far.value - RESOLUTION, &mut near);
    let last = near.iter().rfind(|point| point.value >= far.value - TIE);
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

struct Search<'a> {
    all: &'a PointSet,
    stop: &'a Stop,
    /// Without a tolerance boxes have no width.
    no_widths: Vec<f64>,
    extremes: Chosen,
    /// For each point whether it is in E, and whether by a direction in which it was alone.
    is_extreme: Vec<bool>,
    alone: Vec<bool>,
    /// For each point its weights, none if it is extreme.
    weights: Vec<Weights>,
    unresolved: usize,
}

impl<'a> Search<'a> {
    fn new(all: &'a PointSet, stop: &'a Stop) -> Self {
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

    fn add_extremes(&mut self, mut named: Vec<Named>) {
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
    fn seed(&mut self) -> Result<(), Stopped> {
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
    fn grow(&mut self) -> Result<(), Stopped> {
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
            rows = (2 * rows).min(LARGEST_ROUND);
        }
        Ok(())
    }

    /// Decides the next points of a segment, `rows` at most.
    fn advance(&self, segment: &mut Segment, rows: usize) -> Result<Finds, Stopped> {
        let mut finds = Finds::default();
        let mut found = Chosen::new(self.all.dims());
        let mut x = vec![0.0; self.all.dims()];
        let end = segment.end.min(segment.next + rows);
        for i in segment.next..end {
            if self.is_extreme[i] || found.numbers.contains(&(i as u32)) {
                continue;
            }
            self.all.copy_to(i, &mut x);
            loop {
                self.stop.check()?;
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

    /// Takes out of E what other points of E cover. That can only be a point that was named in a direction
    /// in which others came as near as rounding can tell, as on the face of a grid.
    fn withdraw_tied(&mut self) -> Result<(), Stopped> {
        let none = Chosen::new(self.all.dims());
        let doubtful: Vec<usize> = (0..self.extremes.numbers.len())
            .filter(|place| !self.alone[self.extremes.numbers[*place] as usize])
            .collect();
        let covered: Vec<Option<u32>> = doubtful
            .par_iter()
            .map(|place| {
                let number = self.extremes.numbers[*place];
                let hull = Hull {
                    extremes: &self.extremes,
                    skip: Some(*place),
                    found: &none,
                };
                Ok(self.weights_in(&hull, number)?.map(|_| number))
            })
            .collect::<Result<_, Stopped>>()?;
        let mut withdrawn = false;
        for number in covered.into_iter().flatten() {
            // One after the other: two that cover each other must not both go.
            let place = self.extremes.numbers.iter().position(|e| *e == number);
            let hull = Hull {
                extremes: &self.extremes,
                skip: place,
                found: &none,
            };
            if self.weights_in(&hull, number)?.is_some() {
                let others = self.extremes.numbers.iter().copied();
                self.extremes = Chosen::of(self.all, others.filter(|e| *e != number));
                self.is_extreme[number as usize] = false;
                self.weights[number as usize] = [(number, 1.0)].into();
                withdrawn = true;
            }
        }
        if !withdrawn {
            return Ok(());
        }
        // Their weights, and those of points they carried weight for, move to points that stay.
        let is_stale = |weights: &Weights| {
            let mut corners = weights.iter();
            corners.any(|(corner, _)| !self.is_extreme[*corner as usize])
        };
        let stale: Vec<u32> = (0..self.all.len() as u32)
            .filter(|i| is_stale(&self.weights[*i as usize]))
            .collect();
        let fresh: Vec<Option<Weights>> = stale
            .par_iter()
            .map(|number| {
                let hull = Hull {
                    extremes: &self.extremes,
                    skip: None,
                    found: &none,
                };
                self.weights_in(&hull, *number)
            })
            .collect::<Result<_, Stopped>>()?;
        let mut kept = Vec::new();
        for (number, weights) in stale.into_iter().zip(fresh) {
            match weights {
                Some(weights) => self.weights[number as usize] = weights,
                // At the edge of what can be told: rather keep a row too many.
                None => {
                    self.weights[number as usize] = Weights::default();
                    let alone = true;
                    kept.push(Named { number, alone });
                }
            }
        }
        self.unresolved += kept.len();
        self.add_extremes(kept);
        Ok(())
    }

    /// The weights that show point `number` in the hull, if they can be had.
    fn weights_in(&self, hull: &Hull<'_>, number: u32) -> Result<Option<Weights>, Stopped> {
        self.stop.check()?;
        let mut solver = NearestPoint::new(self.all.dims());
        let mut x = vec![0.0; self.all.dims()];
        self.all.copy_to(number as usize, &mut x);
        let verdict = solver.test(&x, &self.no_widths, hull);
        Ok((verdict == Verdict::Covered).then(|| solver.weights().into()))
    }

    /// Finds which extreme points lie within a box of the hull of all other points, (7) with ε′ > 0.
    ///
    /// Without the extreme point others come to the surface, so its hull grows on its own.
    fn cover_within(&mut self, widths: &[f64]) -> Result<(), Stopped> {
        let this = &*self;
        let weights: Vec<Option<Weights>> = (0..self.extremes.numbers.len())
            .into_par_iter()
            .map(|place| this.within_of_others(place, widths))
            .collect::<Result<_, Stopped>>()?;
        for (number, weights) in self.extremes.numbers.iter().zip(weights) {
            if let Some(weights) = weights {
                self.weights[*number as usize] = weights;
            }
        }
        Ok(())
    }

    fn within_of_others(&self, place: usize, widths: &[f64]) -> Result<Option<Weights>, Stopped> {
        let number = self.extremes.numbers[place] as usize;
        let mut x = vec![0.0; self.all.dims()];
        self.all.copy_to(number, &mut x);
        let mut solver = NearestPoint::new(self.all.dims());
        let mut found = Chosen::new(self.all.dims());
        loop {
            self.stop.check()?;
            let hull = Hull {
                extremes: &self.extremes,
                skip: Some(place),
                found: &found,
            };
            match solver.test(&x, widths, &hull) {
                Verdict::Covered => return Ok(Some(solver.weights().into())),
                Verdict::Unresolved => return Ok(None),
                Verdict::Separated => {}
            }
            let w = solver.direction();
            let Some(far) = self.all.farthest(w, Some(number)) else {
                return Ok(None);
            };
            let boxes: f64 = w.iter().zip(widths).map(|(w, h)| w.abs() * h).sum();
            if dot(w, &x) - (far.value + boxes) > 0.25 * RESOLUTION {
                return Ok(None);
            }
            found.push(self.all, far.place as u32);
            solver.clear(); // a fresh start leaves out corners that are not needed any more
        }
    }
}
