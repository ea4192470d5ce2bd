//! A tree of which some points have been told their leaves: what hyperplanes and labels are still possible.

use super::oblique::{Hyperplane, ObliqueTree, Paths};
use super::points::Points;
use super::separation::{Separation, Verdict};

/// Sums of weights that differ by less than this share of all weight are equal.
const SAME: f64 = 1e-9;

/// Where a point is right: its leaf and the leaf's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub leaf: usize,
    pub class: usize,
}

/// Points that are sure of their leaves, and hyperplanes that send them there by the margin.
#[derive(Clone, Debug)]
pub(crate) struct Partial<'a> {
    points: &'a Points,
    paths: &'a Paths,
    members: &'a [usize],
    margin: f64,
    splits: Vec<Separation>,
    labels: Vec<Option<usize>>,
    /// Points in each leaf, and through each split.
    in_leaf: Vec<u32>,
    through: Vec<u32>,
    /// Bounds to put back: split, point, bounds; one list after the other.
    trail: Vec<(usize, usize, (f64, f64))>,
    placed: Vec<(Place, usize)>,
    /// Whether rounding has left some question open.
    pub unsure: bool,
}

impl<'a> Partial<'a> {
    /// With none of the `members` placed. They are numbered from 0 in what follows.
    pub fn new(points: &'a Points, paths: &'a Paths, members: &'a [usize], margin: f64) -> Self {
        Self {
            points,
            paths,
            members,
            margin,
            splits: vec![Separation::new(points, members); paths.splits()],
            labels: vec![None; paths.leaves()],
            in_leaf: vec![0; paths.leaves()],
            through: vec![0; paths.splits()],
            trail: Vec::new(),
            placed: Vec::new(),
            unsure: false,
        }
    }

    /// The same with the labels and, for a start, the hyperplanes of a tree that has this scale.
    pub fn towards(mut self, tree: &ObliqueTree) -> Self {
        for (split, of_tree) in self.splits.iter_mut().zip(&tree.splits) {
            split.start_at(&of_tree.h, of_tree.g);
        }
        self.labels = tree.labels.iter().copied().map(Some).collect();
        // As if points were there already: neither labels nor sides may change any more.
        self.in_leaf.fill(1);
        self.through.fill(1);
        self
    }

    /// With nothing placed, but the present hyperplanes and labels to go by.
    pub fn loosened(&self) -> Self {
        let mut free = self.clone();
        free.lift(0);
        free.placed.clear();
        free.through.fill(1);
        for (count, label) in free.in_leaf.iter_mut().zip(&free.labels) {
            *count = u32::from(label.is_some());
        }
        free
    }

    /// What member `i` costs where it is right, or if it is not.
    pub fn cost(&self, i: usize, place: Option<Place>) -> f64 {
        let point = self.members[i];
        place.map_or(self.points.total(point), |place| {
            self.points.cost(point, place.class)
        })
    }

    /// What member `i` costs at least.
    pub fn unavoidable(&self, i: usize) -> f64 {
        let point = self.members[i];
        self.points.cost(point, self.points.majority(point))
    }

    /// Costs that differ by no more are equal.
    pub fn tiny(&self) -> f64 {
        SAME * self.points.all()
    }

    /// The place where member `i` could be right, cheapest first, then those that the present
    /// hyperplanes send it to. Of places that are alike but for a swap of left and right, one.
    pub fn choices(&self, i: usize, out: &mut Vec<(f64, usize, Place)>) {
        out.clear();
        let point = self.members[i];
        for leaf in (0..self.paths.leaves()).filter(|leaf| !self.is_mirrored(*leaf)) {
            let away = self.turns(leaf).filter(|(t, left)| {
                let v = self.splits[*t].values()[i];
                if *left {
                    v < self.margin
                } else {
                    v > -self.margin
                }
            });
            let away = away.count();
            for (class, weight) in self.points.weights(point).iter().enumerate() {
                if *weight > 0.0 && self.may_be(leaf, class) {
                    let cost = self.points.cost(point, class);
                    out.push((cost, away, Place { leaf, class }));
                }
            }
        }
        out.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    fn turns(&self, leaf: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
        self.paths.of(leaf).iter().copied()
    }

    /// Whether the way to a leaf turns right where nothing has passed yet: left is the same.
    fn is_mirrored(&self, leaf: usize) -> bool {
        self.turns(leaf)
            .any(|(t, left)| !left && self.through[t] == 0)
    }

    /// A leaf has one class, and two leaves of one split have different ones: otherwise all of their
    /// points could go left.
    fn may_be(&self, leaf: usize, class: usize) -> bool {
        let own = self.labels[leaf];
        own.map_or(self.labels[leaf ^ 1] != Some(class), |own| own == class)
    }

    /// Places member `i`, unless no hyperplanes allow it.
    pub fn place(&mut self, i: usize, place: Place) -> bool {
        let (paths, before) = (self.paths, self.trail.len());
        for (t, left) in paths.of(place.leaf) {
            let split = &mut self.splits[*t];
            let old = split.bounds(i);
            let new = match left {
                true => (self.margin, 1.0),
                false => (-1.0, -self.margin),
            };
            let v = split.values()[i];
            let fits = new.0 <= v && v <= new.1 || {
                let kept = split.values().to_vec();
                split.bound(i, new);
                let verdict = split.check();
                self.unsure |= verdict == Verdict::Unsure;
                if verdict != Verdict::Fits {
                    split.restore(&kept);
                }
                verdict == Verdict::Fits
            };
            split.bound(i, if fits { new } else { old });
            if !fits {
                self.lift(before);
                return false;
            }
            self.trail.push((*t, i, old));
        }
        for (t, _) in paths.of(place.leaf) {
            self.through[*t] += 1;
        }
        self.in_leaf[place.leaf] += 1;
        self.labels[place.leaf] = Some(place.class);
        self.placed.push((place, before));
        true
    }

    /// Takes back the last placement.
    pub fn take_back(&mut self) {
        let (place, before) = self.placed.pop().expect("something is placed");
        self.lift(before);
        for (t, _) in self.paths.of(place.leaf) {
            self.through[*t] -= 1;
        }
        self.in_leaf[place.leaf] -= 1;
        if self.in_leaf[place.leaf] == 0 {
            self.labels[place.leaf] = None;
        }
    }

    fn lift(&mut self, down_to: usize) {
        for (t, i, old) in self.trail.drain(down_to..).rev() {
            self.splits[t].bound(i, old);
        }
    }

    /// The present hyperplanes and labels; leaves without points take any class but their sibling's.
    pub fn tree(&self) -> ObliqueTree {
        let hyperplane = |split: &Separation| {
            let (h, g) = split.hyperplane(self.points.features());
            Hyperplane { h, g }
        };
        let label = |leaf: usize| {
            let sibling = self.labels[leaf ^ 1];
            self.labels[leaf].unwrap_or(usize::from(sibling == Some(0)))
        };
        let mut splits: Vec<Hyperplane> = self.splits.iter().map(hyperplane).collect();
        for (split, through) in splits.iter_mut().zip(&self.through) {
            if *through == 0 {
                *split = Hyperplane::all_left(self.points.features());
            }
        }
        ObliqueTree {
            splits,
            labels: (0..self.paths.leaves()).map(label).collect(),
        }
    }
}
