//! Hulls that points are tested against: some of the points, as corners, and the weights on them.

use super::nearest_point::Corners;
use super::point_set::PointSet;

/// Weights of a distinct point that is covered: points and their weights.
pub(super) type Weights = Box<[(u32, f64)]>;

/// Some of the points, as corners of a hull.
pub(super) struct Chosen {
    pub numbers: Vec<u32>,
    pub points: PointSet,
}

impl Chosen {
    pub fn new(dims: usize) -> Self {
        Self {
            numbers: Vec::new(),
            points: PointSet::new(dims),
        }
    }

    pub fn push(&mut self, all: &PointSet, number: u32) {
        let mut point = vec![0.0; all.dims()];
        all.copy_to(number as usize, &mut point);
        self.points.push(&point);
        self.numbers.push(number);
    }

    pub fn of(all: &PointSet, numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut chosen = Self::new(all.dims());
        numbers
            .into_iter()
            .for_each(|number| chosen.push(all, number));
        chosen
    }
}

/// The corners of one test: E but for one of its places, and what was found since.
pub(super) struct Hull<'a> {
    pub extremes: &'a Chosen,
    pub skip: Option<usize>,
    pub found: &'a Chosen,
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
