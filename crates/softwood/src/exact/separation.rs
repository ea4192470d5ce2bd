//! Can one hyperplane send these points left, those right, each by a margin? A simplex method on bounds.
//!
//! With v_i = g − h·x_i, a point on the left asks ε ≤ v_i ≤ 1, one on the right −1 ≤ v_i ≤ −ε, all others
//! −1 ≤ v_i ≤ 1. The values v span a space of some rank r ≤ p + 1: r of them, the *free* ones, determine
//! all others linearly. A value out of its bounds is set to the bound it violates by moving one free value,
//! with which it trades places, as in the dual simplex method; if all free values stand in the way, these
//! bounds exclude each other (Dutertre and de Moura, *A fast linear-arithmetic solver for DPLL(T)*, 2006).
//! Bounds may be set and lifted in any order, and the last answer is the start for the next.

use super::points::Points;

/// By so much a value may miss its bounds.
pub(crate) const FEASIBILITY: f64 = 1e-8;
/// Smaller entries of the table are 0.
const PIVOT: f64 = 1e-10;
/// Independent directions show larger ones when the table is made.
const RANK: f64 = 1e-9;
/// Pivots after which the table is computed anew.
const REFRESH: usize = 300;
/// Pivots in one check after which the first violated value moves, not the one violated most.
const PATIENCE: usize = 200;
/// Pivots in one check after which it gives up.
const GIVE_UP: usize = 5000;

/// What a check has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The values keep all bounds.
    Fits,
    /// No hyperplane does.
    Excluded,
    /// Rounding leaves it open.
    Unsure,
}

/// Values v_i = g − h·x_i of points, their bounds, and how they depend on the free ones.
#[derive(Clone, Debug)]
pub(crate) struct Separation {
    n: usize,
    /// r.
    rank: usize,
    /// Which of (1, −x) the rank's columns are.
    columns: Vec<usize>,
    /// n × r: 1 or −x at those columns.
    forms: Vec<f64>,
    /// n × r: v_i = Σ_c table_ic v_free(c).
    table: Vec<f64>,
    free: Vec<usize>,
    is_free: Vec<bool>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    values: Vec<f64>,
    pivots: usize,
}

impl Separation {
    /// Of some of the points, all values 0 and between −1 and 1.
    pub fn new(points: &Points, members: &[usize]) -> Self {
        let (n, width) = (members.len(), points.features() + 1);
        let mut full = vec![0.0; n * width];
        for (row, i) in full.chunks_exact_mut(width).zip(members) {
            row[0] = 1.0;
            let x = row[1..].iter_mut().zip(points.x(*i));
            x.for_each(|(to, x)| *to = -x);
        }
        let (columns, free) = independent(&full, n, width);
        let rank = columns.len();
        let forms = full
            .chunks_exact(width)
            .flat_map(|row| columns.iter().map(|c| row[*c]))
            .collect();
        let mut made = Self {
            n,
            rank,
            columns,
            forms,
            table: Vec::new(),
            is_free: vec![false; n],
            free,
            lower: vec![-1.0; n],
            upper: vec![1.0; n],
            values: vec![0.0; n],
            pivots: 0,
        };
        made.free.iter().for_each(|i| made.is_free[*i] = true);
        made.refresh();
        made
    }

    /// The values, one for each member.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The bounds of a value.
    pub fn bounds(&self, i: usize) -> (f64, f64) {
        (self.lower[i], self.upper[i])
    }

    /// Sets the bounds of a value; [`Self::check`] tells whether it can keep them.
    pub fn bound(&mut self, i: usize, (lower, upper): (f64, f64)) {
        (self.lower[i], self.upper[i]) = (lower, upper);
        let kept = self.values[i].clamp(lower, upper);
        if self.is_free[i] && kept != self.values[i] {
            let c = self.place(i);
            self.move_free(c, kept - self.values[i]);
            self.values[i] = kept;
        }
    }

    /// Puts back values that were kept once under bounds at least as tight as the present ones.
    pub fn restore(&mut self, values: &[f64]) {
        self.values.copy_from_slice(values);
    }

    /// Takes the values of the hyperplane (h, g), free ones within their bounds.
    pub fn start_at(&mut self, h: &[f64], g: f64) {
        let of_free = |k: usize| -> f64 {
            let form = &self.forms[k * self.rank..][..self.rank];
            let u = |c: &usize| if *c == 0 { g } else { h[*c - 1] };
            self.columns.iter().zip(form).map(|(c, f)| f * u(c)).sum()
        };
        let mut wanted: Vec<f64> = self.free.iter().map(|k| of_free(*k)).collect();
        for (k, value) in self.free.iter().zip(&mut wanted) {
            *value = value.clamp(self.lower[*k], self.upper[*k]);
        }
        self.set_free(&wanted);
    }

    /// Moves values until all keep their bounds, or shows that they cannot.
    pub fn check(&mut self) -> Verdict {
        for step in 0..GIVE_UP {
            let Some((i, bound)) = self.violated(step < PATIENCE) else {
                return Verdict::Fits;
            };
            match self.entering(i, bound > self.values[i], step < PATIENCE) {
                Some(c) => self.pivot(i, c, bound),
                None => return Verdict::Excluded,
            }
        }
        Verdict::Unsure
    }

    /// The hyperplane of the present values: h, p long, and g.
    pub fn hyperplane(&self, features: usize) -> (Vec<f64>, f64) {
        let r = self.rank;
        let mut system: Vec<f64> = Vec::with_capacity(r * (r + 1));
        for k in &self.free {
            system.extend(&self.forms[k * r..][..r]);
            system.push(self.values[*k]);
        }
        let solution = solve(&mut system, r);
        let (mut h, mut g) = (vec![0.0; features], 0.0);
        for (column, u) in self.columns.iter().zip(solution) {
            match column {
                0 => g = u,
                j => h[j - 1] = u,
            }
        }
        (h, g)
    }

    fn place(&self, i: usize) -> usize {
        let found = self.free.iter().position(|k| *k == i);
        found.expect("the value is free")
    }

    /// A value out of its bounds and the bound it violates: the one furthest out, or the first.
    fn violated(&self, furthest: bool) -> Option<(usize, f64)> {
        let (mut worst, mut found) = (FEASIBILITY, None);
        for i in 0..self.n {
            let (v, low, high) = (self.values[i], self.lower[i], self.upper[i]);
            let (by, bound) = if v < low {
                (low - v, low)
            } else {
                (v - high, high)
            };
            if by > worst {
                found = Some((i, bound));
                if !furthest {
                    break;
                }
                worst = by;
            }
        }
        found
    }

    /// The place of a free value that can move value `i` up or down: the one that moves least, or the
    /// first point, which never goes round in circles.
    fn entering(&self, i: usize, up: bool, least: bool) -> Option<usize> {
        let row = &self.table[i * self.rank..][..self.rank];
        let can_move = |(c, t): (usize, &f64)| {
            let k = self.free[c];
            let rises = (*t > 0.0) == up;
            let room = match rises {
                true => self.values[k] < self.upper[k],
                false => self.values[k] > self.lower[k],
            };
            (t.abs() > PIVOT && room).then_some((c, t.abs()))
        };
        let able = row.iter().enumerate().filter_map(can_move);
        let chosen = match least {
            true => able.reduce(|best, next| if next.1 > best.1 { next } else { best }),
            false => able.min_by_key(|(c, _)| self.free[*c]),
        };
        chosen.map(|(c, _)| c)
    }

    /// Adds `step` to free value `c`, and to all others what follows.
    fn move_free(&mut self, c: usize, step: f64) {
        let rows = self.table.chunks_exact(self.rank);
        for (value, row) in self.values.iter_mut().zip(rows) {
            *value += row[c] * step;
        }
    }

    /// Value `i` goes to its bound and is free from now on instead of free value `c`.
    fn pivot(&mut self, i: usize, c: usize, bound: f64) {
        let r = self.rank;
        let pivot = self.table[i * r + c];
        self.move_free(c, (bound - self.values[i]) / pivot);
        self.values[i] = bound;
        exchange(&mut self.table, r, i, c);
        self.is_free[self.free[c]] = false;
        self.is_free[i] = true;
        self.free[c] = i;
        self.pivots += 1;
        if self.pivots >= REFRESH {
            self.refresh();
        }
    }

    /// Computes the table and all values from the free ones.
    fn refresh(&mut self) {
        let r = self.rank;
        self.table = self.forms.clone();
        let mut place = vec![usize::MAX; r];
        let mut open = self.free.clone();
        // In the order of the largest pivots, each free point taking a column.
        for _ in 0..r {
            let entry = |i: usize, c: usize| self.table[i * r + c].abs();
            let mut best = (0, 0, -1.0);
            for (o, i) in open.iter().enumerate() {
                for c in (0..r).filter(|c| place[*c] == usize::MAX) {
                    if entry(*i, c) > best.2 {
                        best = (o, c, entry(*i, c));
                    }
                }
            }
            let i = open.swap_remove(best.0);
            exchange(&mut self.table, r, i, best.1);
            place[best.1] = i;
        }
        self.free = place;
        self.pivots = 0;
        let kept: Vec<f64> = self.free.iter().map(|k| self.values[*k]).collect();
        self.set_free(&kept);
    }

    fn set_free(&mut self, wanted: &[f64]) {
        let rows = self.table.chunks_exact(self.rank);
        for (value, row) in self.values.iter_mut().zip(rows) {
            *value = row.iter().zip(wanted).map(|(t, v)| t * v).sum();
        }
        for (k, value) in self.free.iter().zip(wanted) {
            self.values[*k] = *value;
        }
    }
}

/// Lets row `i` of a table of width `r` stand for column `c`.
fn exchange(table: &mut [f64], r: usize, i: usize, c: usize) {
    let mut row = table[i * r..][..r].to_vec();
    let pivot = row[c];
    row[c] = -1.0;
    row.iter_mut().for_each(|t| *t /= -pivot);
    for other in table.chunks_exact_mut(r) {
        let factor = std::mem::replace(&mut other[c], 0.0);
        if factor != 0.0 {
            other
                .iter_mut()
                .zip(&row)
                .for_each(|(t, s)| *t += factor * s);
        }
    }
    let itself = &mut table[i * r..][..r];
    itself.fill(0.0);
    itself[c] = 1.0;
}

/// Columns that are linearly independent and as many rows on which they are, by complete pivoting.
fn independent(full: &[f64], n: usize, width: usize) -> (Vec<usize>, Vec<usize>) {
    let mut rest = full.to_vec();
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    let (mut row_open, mut column_open) = (vec![true; n], vec![true; width]);
    for _ in 0..width.min(n) {
        let mut best = (0, 0, RANK);
        for i in (0..n).filter(|i| row_open[*i]) {
            for c in (0..width).filter(|c| column_open[*c]) {
                let size = rest[i * width + c].abs();
                if size > best.2 {
                    best = (i, c, size);
                }
            }
        }
        let (i, c, size) = best;
        if size <= RANK {
            break;
        }
        (row_open[i], column_open[c]) = (false, false);
        columns.push(c);
        rows.push(i);
        let pivot_row = rest[i * width..][..width].to_vec();
        for k in (0..n).filter(|k| row_open[*k]) {
            let factor = rest[k * width + c] / pivot_row[c];
            if factor != 0.0 {
                let row = rest[k * width..][..width].iter_mut();
                row.zip(&pivot_row).for_each(|(t, s)| *t -= factor * s);
            }
        }
    }
    (columns, rows)
}

/// Solves r equations, each r coefficients and the right side, by elimination.
fn solve(system: &mut [f64], r: usize) -> Vec<f64> {
    let w = r + 1;
    let mut row_of = Vec::with_capacity(r);
    let mut open: Vec<usize> = (0..r).collect();
    for c in 0..r {
        let size = |i: usize| system[i * w + c].abs();
        let best =
            (0..open.len()).fold(0, |b, o| if size(open[o]) > size(open[b]) { o } else { b });
        let i = open.swap_remove(best);
        row_of.push(i);
        let pivot_row = system[i * w..][..w].to_vec();
        for k in (0..r).filter(|k| *k != i) {
            let factor = system[k * w + c] / pivot_row[c];
            let row = system[k * w..][..w].iter_mut();
            row.zip(&pivot_row).for_each(|(t, s)| *t -= factor * s);
        }
    }
    (0..r)
        .map(|c| system[row_of[c] * w + r] / system[row_of[c] * w + c])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn random_points(n: usize, p: usize, seed: u64) -> Points {
        let mut rng = Pcg64::seed_from_u64(seed);
        let x: Vec<f64> = (0..n * p)
            .map(|_| f64::from(rng.random_range(0..8u8)) / 7.0)
            .collect();
        Points::merge(&x, p, &vec![0; n], &vec![1.0; n], 2)
    }

    /// The largest margin by the other way: clarabel's interior points.
    fn widest(points: &Points, sides: &[i8]) -> f64 {
        use clarabel::algebra::CscMatrix;
        use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
        let width = points.features() + 2;
        let (mut rows, mut right) = (Vec::new(), Vec::new());
        for (i, side) in sides.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut row = vec![sign];
                row.extend(points.x(i).iter().map(|x| -sign * x));
                row.push(0.0);
                rows.push(row);
                right.push(1.0);
            }
            if *side != 0 {
                let side = f64::from(*side);
                let mut row = vec![-side];
                row.extend(points.x(i).iter().map(|x| side * x));
                row.push(1.0);
                rows.push(row);
                right.push(0.0);
            }
        }
        let mut costs = vec![0.0; width];
        costs[width - 1] = -1.0;
        let cones = [NonnegativeConeT(rows.len())];
        let settings = DefaultSettings {
            verbose: false,
            ..DefaultSettings::default()
        };
        let nothing = CscMatrix::zeros((width, width));
        let matrix = CscMatrix::from(&rows);
        let mut solver =
            DefaultSolver::new(&nothing, &costs, &matrix, &right, &cones, settings).unwrap();
        solver.solve();
        -solver.solution.obj_val
    }

    #[test]
    fn a_margin_fits_if_and_only_if_the_widest_one_is_as_wide() {
        let (mut fits, mut excluded) = (0, 0);
        for seed in 0..60 {
            let points = random_points(14, 1 + seed as usize % 4, seed);
            let mut rng = Pcg64::seed_from_u64(1000 + seed);
            let draw = |_| rng.random_range(-1..=1i8);
            let sides: Vec<i8> = (0..points.len()).map(draw).collect();
            if !sides.contains(&1) || !sides.contains(&-1) {
                continue;
            }
            let widest = widest(&points, &sides);
            let members: Vec<usize> = (0..points.len()).collect();
            for margin in [0.003, 0.03, 0.1, 0.3, widest - 1e-5, widest + 1e-5] {
                if margin <= 1e-6 || (margin - widest).abs() < 1e-6 {
                    continue;
                }
                let mut separation = Separation::new(&points, &members);
                for (i, side) in sides.iter().enumerate() {
                    match side {
                        1 => separation.bound(i, (margin, 1.0)),
                        -1 => separation.bound(i, (-1.0, -margin)),
                        _ => {}
                    }
                }
                let expected = margin < widest;
                assert_eq!(
                    separation.check() == Verdict::Fits,
                    expected,
                    "{margin} {widest}"
                );
                *(if expected { &mut fits } else { &mut excluded }) += 1;
                if expected {
                    let (h, g) = separation.hyperplane(points.features());
                    for (i, value) in separation.values().iter().enumerate() {
                        let dot: f64 = h.iter().zip(points.x(i)).map(|(h, x)| h * x).sum();
                        assert!((g - dot - value).abs() < 1e-7);
                        assert!(value.abs() <= 1.0 + FEASIBILITY);
                        assert!(
                            value * f64::from(sides[i]) >= margin - FEASIBILITY || sides[i] == 0
                        );
                    }
                }
            }
        }
        assert!(fits > 20 && excluded > 20, "{fits} {excluded}");
    }

    #[test]
    fn bounds_that_are_lifted_leave_no_trace() {
        let points = random_points(30, 3, 7);
        let members: Vec<usize> = (0..points.len()).collect();
        let mut used = Separation::new(&points, &members);
        let mut rng = Pcg64::seed_from_u64(8);
        for _ in 0..500 {
            let chosen: Vec<(usize, bool)> = (0..6)
                .map(|_| (rng.random_range(0..points.len()), rng.random()))
                .collect();
            let mut fresh = Separation::new(&points, &members);
            for (i, left) in &chosen {
                let bounds = if *left { (0.05, 1.0) } else { (-1.0, -0.05) };
                fresh.bound(*i, bounds);
                used.bound(*i, bounds);
            }
            assert_eq!(used.check(), fresh.check());
            chosen.iter().for_each(|(i, _)| used.bound(*i, (-1.0, 1.0)));
        }
    }
}
