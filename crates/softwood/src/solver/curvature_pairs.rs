//! The memory of L-BFGS: recent steps and gradient changes, and the product with H they define.

use super::Face;
use crate::vectors::dot;
use std::collections::VecDeque;

/// A pair is kept if sᵀy > this · ‖s‖‖y‖: positive curvature beyond rounding.
const CURVATURE_FLOOR: f64 = 1e-10;

/// A step s, the change y of the gradient along it, and what is needed of their products.
#[derive(Clone, Debug)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    products: Products,
}

#[derive(Clone, Copy, Debug)]
struct Products {
    sy: f64,
    ss: f64,
    yy: f64,
}

impl Products {
    /// Positive beyond rounding? False for NaN.
    fn curve_upwards(self) -> bool {
        self.sy > CURVATURE_FLOOR * (self.ss * self.yy).sqrt()
    }
}

/// Up to `capacity` pairs, newest last.
#[derive(Clone, Debug)]
pub(crate) struct CurvaturePairs {
    capacity: usize,
    pairs: VecDeque<Pair>,
}

impl CurvaturePairs {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            pairs: VecDeque::with_capacity(capacity),
        }
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
        let products = Products {
            sy: dot(&s, &y),
            ss: dot(&s, &s),
            yy: dot(&y, &y),
        };
        if !products.curve_upwards() {
            return;
        }
        self.pairs.push_back(Pair { s, y, products });
        if self.pairs.len() > self.capacity {
            self.pairs.pop_front();
        }
    }

    /// v ← H v by the two-loop recursion along the face; `v` must lie in its directions.
    ///
    /// Pairs are projected on the face, and skipped where that leaves no positive curvature, so that
    /// the projected H is positive definite (two-metric projection, Bertsekas 1982).
    pub fn multiply(&self, v: &mut [f64], face: &Face) {
        let whole = face.is_whole();
        let cut = |w: &mut [f64]| {
            if !whole {
                face.project(w);
            }
        };
        let mut usable: Vec<(&Pair, Products)> = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let products = if whole {
                pair.products
            } else {
                projected_products(pair, face)
            };
            if products.curve_upwards() {
                usable.push((pair, products));
            }
        }
        let Some((_, newest)) = usable.last() else {
            return;
        };
        let scale = newest.sy / newest.yy;
        let mut alphas = Vec::with_capacity(usable.len());
        for (pair, products) in usable.iter().rev() {
            // v lies in the face, so plain dots with it are projected already.
            let alpha = dot(&pair.s, v) / products.sy;
            add_scaled(v, -alpha, &pair.y);
            cut(v);
            alphas.push(alpha);
        }
        for v in v.iter_mut() {
            *v *= scale;
        }
        for ((pair, products), alpha) in usable.iter().zip(alphas.iter().rev()) {
            let beta = dot(&pair.y, v) / products.sy;
            add_scaled(v, alpha - beta, &pair.s);
            cut(v);
        }
    }
}

/// Products of a pair's projections on the face.
fn projected_products(pair: &Pair, face: &Face) -> Products {
    let projected = |w: &[f64]| {
        let mut w = w.to_vec();
        face.project(&mut w);
        w
    };
    let (s, y) = (projected(&pair.s), projected(&pair.y));
    Products {
        sy: dot(&s, &y),
        ss: dot(&s, &s),
        yy: dot(&y, &y),
    }
}

/// v += factor · w.
fn add_scaled(v: &mut [f64], factor: f64, w: &[f64]) {
    for (v, w) in v.iter_mut().zip(w) {
        *v += factor * w;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tie;
    use super::*;

    fn face(free: &[bool], ties: Vec<Tie>) -> Face {
        Face {
            slope: vec![0.0; free.len()],
            free: free.to_vec(),
            ties,
        }
    }

    #[test]
    fn multiply_satisfies_the_secant_equation() {
        let mut pairs = CurvaturePairs::new(3);
        pairs.push(vec![1.0, 0.5, -0.2], vec![2.0, 0.3, 0.1]);
        pairs.push(vec![0.1, -1.0, 0.4], vec![0.3, -2.0, 0.5]);
        let mut v = vec![0.3, -2.0, 0.5];
        pairs.multiply(&mut v, &face(&[true; 3], Vec::new()));
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
        let mut v = vec![1.0, 0.0];
        pairs.multiply(&mut v, &face(&[true, false], Vec::new()));
        assert_eq!(v, [0.5, 0.0]);
    }

    #[test]
    fn tied_coordinates_move_together() {
        let mut pairs = CurvaturePairs::new(3);
        pairs.push(vec![1.0, 0.5, -0.2], vec![2.0, 0.3, 0.1]);
        pairs.push(vec![0.1, -1.0, 0.4], vec![0.3, -2.0, 0.5]);
        let tie = Tie {
            members: vec![(0, 1.0), (2, -1.0)],
        };
        let mut v = vec![1.0, 3.0, -1.0];
        pairs.multiply(&mut v, &face(&[true; 3], vec![tie]));
        assert_eq!(v[0], -v[2]);
        assert!(v[0] != 0.0 && v[1] != 0.0);
    }
}
