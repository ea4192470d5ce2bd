//! The small problem behind every test: the point of a hull that lies nearest to a row.
//!
//! Is x in the convex hull of the corners c_i? The linear program (7) of the selection asks for
//! weights λ ≥ 0, Σ λ_i = 1, Σ λ_i c_i = x; its dual for a direction w with w·x > max w·c_i. (With
//! ε′ > 0 corners are boxes, and the hull is the one of all their corners.) The nearest point z of the hull has both: if z = x, its weights answer the first, else w = x − z the
//! second. It is found by Wolfe's active-set method (Mathematical Programming 11, 1976): a simplex
//! of affinely independent corners, at most d + 1 of them, whose nearest point is known exactly,
//! takes in the corner that lies farthest towards x, and drops corners whose weight falls to 0.
//! As in the simplex method a step costs one scan of the corners, the last simplex is a start for the
//! next row, and the answer is a vertex; unlike there, degenerate corners make no trouble.

use super::RESOLUTION;
use super::point_set::dot;

/// The corner to take in next.
pub(crate) trait Corners {
    /// Number of the corner farthest in direction `w` and its scalar product with w; its coordinates
    /// are added to `corner`. None if there is no corner at all.
    fn farthest(&self, w: &[f64], corner: &mut [f64]) -> Option<(u32, f64)>;
}

/// What a test has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The row lies in the hull; [`NearestPoint::weights`] shows it.
    Covered,
    /// It does not; [`NearestPoint::direction`] separates it from every corner.
    Separated,
    /// Neither could be shown in double precision.
    Unresolved,
}

/// A simplex of corners with the QR factors of its edges, kept from test to test.
#[derive(Clone, Debug)]
pub(crate) struct NearestPoint {
    dims: usize,
    numbers: Vec<u32>,
    /// One corner after the other, each at a corner of its box.
    corners: Vec<f64>,
    /// Where in its box each corner is, seen from the middle.
    shifts: Vec<f64>,
    weights: Vec<f64>,
    /// Orthonormal vectors spanning the edges c_j − c_0, one after the other.
    q: Vec<f64>,
    /// Edge j in terms of them: entries 0…j, `dims` places each.
    r: Vec<f64>,
    /// Edges factored so far.
    factored: usize,
    affine: Vec<f64>,
    /// x − z, then of length 1.
    residual: Vec<f64>,
    scratch: Vec<f64>,
}

impl NearestPoint {
    pub fn new(dims: usize) -> Self {
        Self {
            dims,
            numbers: Vec::with_capacity(dims + 1),
            corners: Vec::with_capacity(dims * (dims + 1)),
            shifts: Vec::with_capacity(dims * (dims + 1)),
            weights: Vec::with_capacity(dims + 1),
            q: vec![0.0; dims * dims],
            r: vec![0.0; dims * dims],
            factored: 0,
            affine: vec![0.0; dims + 1],
            residual: vec![0.0; dims],
            scratch: vec![0.0; dims],
        }
    }

    /// Forgets the simplex: the next test starts from one corner.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.corners.clear();
        self.shifts.clear();
        self.weights.clear();
        self.factored = 0;
    }

    /// After [`Verdict::Covered`]: corners in increasing order with their positive weights, which sum to 1.
    pub fn weights(&self) -> Vec<(u32, f64)> {
        let total: f64 = self.weights.iter().sum();
        let pairs = self.numbers.iter().zip(&self.weights);
        let mut weights: Vec<(u32, f64)> = pairs
            .filter(|(_, w)| **w > 0.0)
            .map(|(c, w)| (*c, w / total))
            .collect();
        weights.sort_unstable_by_key(|(corner, _)| *corner);
        weights.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        weights
    }

    /// After [`Verdict::Separated`]: the direction, of length 1.
    pub fn direction(&self) -> &[f64] {
        &self.residual
    }

    /// Looks for the nearest point to `x` among all points of boxes of half widths `widths` around the
    /// points of the corners' hull, until x itself lies in such a box, within the resolution, or a
    /// direction separates x from all boxes.
    pub fn test(&mut self, x: &[f64], widths: &[f64], corners: &impl Corners) -> Verdict {
        let (mut corner, mut shift) = (vec![0.0; self.dims], vec![0.0; self.dims]);
        // Number and reach of the farthest corner of all boxes; `corner` and `shift` say where.
        let farthest = |w: &[f64], corner: &mut [f64], shift: &mut [f64]| {
            let mut reach = 0.0;
            for ((shift, w), width) in shift.iter_mut().zip(w).zip(widths) {
                *shift = if *width < 1.0 {
                    width.copysign(*w)
                } else {
                    0.0
                };
                reach += *shift * w;
            }
            corner.copy_from_slice(shift);
            let (number, value) = corners.farthest(w, corner)?;
            middle(corner, widths);
            Some((number, value + reach))
        };
        let x = &{
            let mut x = x.to_vec();
            middle(&mut x, widths);
            x
        };
        if self.numbers.is_empty() {
            // Any corner will do: take the one towards x from the middle of the unit box.
            for (w, x) in self.residual.iter_mut().zip(x) {
                *w = x - 0.5;
            }
            match farthest(&self.residual, &mut corner, &mut shift) {
                Some((number, _)) => self.push(number, &corner, &shift, 1.0),
                None => return Verdict::Separated,
            }
        }
        let mut distance = f64::INFINITY;
        loop {
            self.descend(x);
            if self.distance_to(x, widths) <= RESOLUTION {
                return Verdict::Covered;
            }
            let nearer = dot(&self.residual, &self.residual).sqrt();
            self.residual.iter_mut().for_each(|w| *w /= nearer);
            let (number, reach) = farthest(&self.residual, &mut corner, &mut shift)
                .expect("the simplex has a corner");
            if dot(&self.residual, x) - reach > 0.5 * RESOLUTION {
                return Verdict::Separated;
            }
            // Each step brings z closer, or rounding has the last word.
            let full = self.numbers.len() > self.dims;
            if nearer >= distance || full || self.has(number, &corner) {
                return Verdict::Unresolved;
            }
            distance = nearer;
            self.push(number, &corner, &shift, 0.0);
        }
    }

    /// How far `x` is from the box around the weighted corners: the check of [`Verdict::Covered`].
    fn distance_to(&mut self, x: &[f64], widths: &[f64]) -> f64 {
        self.scratch.copy_from_slice(x);
        let all = self.corners.chunks_exact(self.dims);
        let all = all.zip(self.shifts.chunks_exact(self.dims));
        for ((corner, shift), weight) in all.zip(&self.weights) {
            for ((v, c), s) in self.scratch.iter_mut().zip(corner).zip(shift) {
                *v -= weight * (c - s);
            }
        }
        for (v, width) in self.scratch.iter_mut().zip(widths) {
            *v = (v.abs() - width).max(0.0);
        }
        dot(&self.scratch, &self.scratch).sqrt()
    }

    fn has(&self, number: u32, corner: &[f64]) -> bool {
        let mut all = self
            .numbers
            .iter()
            .zip(self.corners.chunks_exact(self.dims));
        all.any(|(n, c)| *n == number && c == corner)
    }

    fn push(&mut self, number: u32, corner: &[f64], shift: &[f64], weight: f64) {
        self.numbers.push(number);
        self.corners.extend_from_slice(corner);
        self.shifts.extend_from_slice(shift);
        self.weights.push(weight);
    }

    fn remove(&mut self, i: usize) {
        self.numbers.remove(i);
        self.weights.remove(i);
        self.corners.drain(i * self.dims..(i + 1) * self.dims);
        self.shifts.drain(i * self.dims..(i + 1) * self.dims);
        self.factored = self.factored.min(i.saturating_sub(1));
    }

    /// Moves the weights to the nearest point of the simplex' affine hull, dropping corners whose
    /// weight reaches 0 on the way.
    fn descend(&mut self, x: &[f64]) {
        loop {
            self.solve_affine(x);
            let affine = &self.affine[..self.numbers.len()];
            let mut step = 1.0;
            let mut leaving = None;
            for (i, (weight, wanted)) in self.weights.iter().zip(affine).enumerate() {
                if *wanted < 0.0 {
                    let at = weight / (weight - wanted);
                    if at < step || leaving.is_none() {
                        step = at;
                        leaving = Some(i);
                    }
                }
            }
            for (weight, wanted) in self.weights.iter_mut().zip(affine) {
                *weight = (*weight + step * (wanted - *weight)).max(0.0);
            }
            match leaving {
                Some(i) => self.remove(i),
                None => {
                    self.weights.copy_from_slice(affine);
                    return;
                }
            }
        }
    }

    /// `affine` = weights, of any sign, of the point of the corners' affine hull nearest to `x`, and
    /// `residual` = x minus that point: least squares on the edges from corner 0, by Gram–Schmidt.
    /// Done twice, it leaves a residual that is orthogonal to the edges however short it is.
    fn solve_affine(&mut self, x: &[f64]) {
        let d = self.dims;
        let edges = self.numbers.len() - 1;
        let (base, others) = self.corners.split_at(d);
        for j in self.factored..edges {
            let (done, v) = self.q.split_at_mut(j * d);
            let v = &mut v[..d];
            for ((v, c), b) in v.iter_mut().zip(&others[j * d..]).zip(base) {
                *v = c - b;
            }
            let r = &mut self.r[j * d..][..d];
            r.fill(0.0);
            for _ in 0..2 {
                for (q, r) in done.chunks_exact(d).zip(r.iter_mut()) {
                    *r += project_out(q, v);
                }
            }
            r[j] = dot(v, v).sqrt();
            v.iter_mut().for_each(|v| *v /= r[j]);
        }
        self.factored = edges;
        for ((v, x), b) in self.residual.iter_mut().zip(x).zip(base) {
            *v = x - b;
        }
        let parts = &mut self.affine[1..][..edges];
        parts.fill(0.0);
        for _ in 0..2 {
            for (q, part) in self.q.chunks_exact(d).zip(parts.iter_mut()) {
                *part += project_out(q, &mut self.residual);
            }
        }
        let mut first = 1.0;
        for j in (0..edges).rev() {
            let r = &self.r[j * d..][..d];
            let weight = self.affine[1 + j] / r[j];
            for (part, r) in self.affine[1..=j].iter_mut().zip(r) {
                *part -= weight * r;
            }
            self.affine[1 + j] = weight;
            first -= weight;
        }
        self.affine[0] = first;
    }
}

/// Leaves out the coordinates, of points in the unit box, in which boxes are as wide as that: nothing is apart there.
fn middle(point: &mut [f64], widths: &[f64]) {
    let all = point.iter_mut().zip(widths);
    all.filter(|(_, width)| **width >= 1.0)
        .for_each(|(x, _)| *x = 0.5);
}

/// Takes the part along `q`, of length 1, out of `v` and returns its length.
fn project_out(q: &[f64], v: &mut [f64]) -> f64 {
    let part = dot(q, v);
    v.iter_mut().zip(q).for_each(|(v, q)| *v -= part * q);
    part
}
