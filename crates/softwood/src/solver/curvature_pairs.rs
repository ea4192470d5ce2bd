//! The memory of L-BFGS: recent steps and gradient changes, and the product with H they define.

use std::collections::VecDeque;

/// A pair is kept if sᵀy > this · ‖s‖‖y‖: positive curvature beyond rounding.
const CURVATURE_FLOOR: f64 = 1e-10;

/// Up to `capacity` pairs (s, y), newest last.
#[derive(Clone, Debug)]
pub(crate) struct CurvaturePairs {
    capacity: usize,
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl CurvaturePairs {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, pairs: VecDeque::with_capacity(capacity) }
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Takes a pair unless its curvature is not safely positive: Armijo's rule alone does not
    /// ensure that, and one bad pair makes H indefinite.
    pub fn push(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let (sy, ss, yy) = (dot(&s, &y), dot(&s, &s), dot(&y, &y));
        if sy <= CURVATURE_FLOOR * (ss * yy).sqrt() || sy.is_nan() {
            return;
        }
        if self.pairs.len() == self.capacity {
            self.pairs.pop_front();
        }
        self.pairs.push_back((s, y));
    }

    /// v ← H v by the two-loop recursion on the free coordinates; the others become 0.
    ///
    /// Pairs are cut down to the free coordinates, and skipped where the cut leaves no positive
    /// curvature, so that the cut H is positive definite (two-metric projection, Bertsekas 1982).
    pub fn multiply(&self, v: &mut [f64], free: &[bool]) {
        for (v, free) in v.iter_mut().zip(free) {
            if !free {
                *v = 0.0;
            }
        }
        let cut_dot = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(free).map(|((a, b), free)| if *free { a * b } else { 0.0 }).sum::<f64>()
        };
        let usable: Vec<(&[f64], &[f64], f64)> = self
            .pairs
            .iter()
            .filter_map(|(s, y)| {
                let sy = cut_dot(s, y);
                let floor = CURVATURE_FLOOR * (cut_dot(s, s) * cut_dot(y, y)).sqrt();
                (sy > floor).then_some((s.as_slice(), y.as_slice(), sy))
            })
            .collect();
        let Some((_, y, sy)) = usable.last() else { return };
        let scale = sy / cut_dot(y, y);
        let mut alphas = Vec::with_capacity(usable.len());
        for (s, y, sy) in usable.iter().rev() {
            // v is 0 off the free coordinates, so plain dots with it are cut already.
            let alpha = dot(s, v) / sy;
            add_scaled(v, -alpha, y, free);
            alphas.push(alpha);
        }
        for v in v.iter_mut() {
            *v *= scale;
        }
        for ((s, y, sy), alpha) in usable.iter().zip(alphas.iter().rev()) {
            let beta = dot(y, v) / sy;
            add_scaled(v, alpha - beta, s, free);
        }
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// v += factor · w on the free coordinates.
fn add_scaled(v: &mut [f64], factor: f64, w: &[f64], free: &[bool]) {
    for ((v, w), free) in v.iter_mut().zip(w).zip(free) {
        if *free {
            *v += factor * w;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiply_satisfies_the_secant_equation() {
        let mut pairs = CurvaturePairs::new(3);
        pairs.push(vec![1.0, 0.5, -0.2], vec![2.0, 0.3, 0.1]);
        pairs.push(vec![0.1, -1.0, 0.4], vec![0.3, -2.0, 0.5]);
        let mut v = vec![0.3, -2.0, 0.5];
        pairs.multiply(&mut v, &[true; 3]);
        for (v, s) in v.iter().zip([0.1, -1.0, 0.4]) {
            assert!((v - s).abs() < 1e-12, "H y = s for the newest pair");
        }
    }

    #[test]
    fn pairs_without_positive_curvature_are_refused() {
        let mut pairs = CurvaturePairs::new(3);
        pairs.push(vec![1.0, 0.0], vec![-1.0, 0.0]);
        pairs.push(vec![1.0, 0.0], vec![0.0, 1.0]);
        pairs.push(vec![1.0, 0.0], vec![f64::NAN, 1.0]);
        assert!(pairs.is_empty());
    }

    #[test]
    fn held_coordinates_do_not_move() {
        let mut pairs = CurvaturePairs::new(3);
        pairs.push(vec![1.0, 1.0], vec![2.0, 1.0]);
        let mut v = vec![1.0, 1.0];
        pairs.multiply(&mut v, &[true, false]);
        assert_eq!(v, [0.5, 0.0]);
    }
}
