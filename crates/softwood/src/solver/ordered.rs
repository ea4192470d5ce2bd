//! Coordinates in order, lower ≤ x_1 ≤ … ≤ x_n ≤ upper: projected exactly by isotonic regression.

use super::{Face, SimpleTerm, Tie};

/// The set of ordered points within an interval.
#[derive(Clone, Copy, Debug)]
pub struct Ordered {
    /// Least value of the first coordinate.
    pub lower: f64,
    /// Greatest value of the last one.
    pub upper: f64,
}

/// Coordinates that isotonic regression gives one value.
struct Pool {
    end: usize,
    mean: f64,
}

/// The non-decreasing sequence nearest to `values`, as stretches of equal values: neighbours out of order are
/// pooled until none are (Ayer, Brunk, Ewing, Reid and Silverman, 1955).
fn isotonic(values: &[f64]) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::with_capacity(values.len());
    for (i, value) in values.iter().enumerate() {
        let (mut sum, mut first) = (*value, i);
        while let Some(before) = pools.last() {
            let mean = sum / (i + 1 - first) as f64;
            if before.mean < mean {
                break;
            }
            let start = pools.len().checked_sub(2).map_or(0, |k| pools[k].end);
            sum += before.mean * (first - start) as f64;
            first = start;
            pools.pop();
        }
        pools.push(Pool {
            end: i + 1,
            mean: sum / (i + 1 - first) as f64,
        });
    }
    pools
}

impl SimpleTerm for Ordered {
    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn prox(&self, x: &mut [f64], _: f64) {
        if !x.is_sorted() {
            let mut first = 0;
            for pool in isotonic(x) {
                x[first..pool.end].fill(pool.mean);
                first = pool.end;
            }
        }
        for x in x {
            *x = x.clamp(self.lower, self.upper) + 0.0; // + 0.0 turns −0 into 0
        }
    }

    /// Equal coordinates fall apart where the slope drives them apart in order, and move as one where it would
    /// drive them past each other: the steepest descent projected on the directions that keep the order.
    fn face(&self, x: &[f64], gradient: &[f64]) -> Face {
        let mut face = Face {
            slope: vec![0.0; x.len()],
            free: vec![false; x.len()],
            ties: Vec::new(),
        };
        let mut first = 0;
        for equal in x.chunk_by(|a, b| a == b) {
            let descent: Vec<f64> = (first..first + equal.len()).map(|i| -gradient[i]).collect();
            let mut start = first;
            for pool in isotonic(&descent) {
                let members = start..first + pool.end;
                start = members.end;
                let blocked = (equal[0] <= self.lower && pool.mean < 0.0)
                    || (equal[0] >= self.upper && pool.mean > 0.0);
                if blocked || pool.mean == 0.0 {
                    continue;
                }
                face.slope[members.clone()].fill(-pool.mean);
                face.free[members.clone()].fill(true);
                if members.len() > 1 {
                    let members = members.map(|i| (i, 1.0)).collect();
                    face.ties.push(Tie { members });
                }
            }
            first += equal.len();
        }
        face
    }

    fn retract(&self, _: &[f64], _: &Face, x: &mut [f64]) {
        self.prox(x, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::CountIterations;
    use crate::solver::{LbfgsSettings, Objective, minimize};
    use crate::stop::Interrupted;
    use proptest::prelude::*;

    const UNIT: Ordered = Ordered {
        lower: 0.0,
        upper: 1.0,
    };

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
    }

    proptest! {
        #[test]
        fn no_ordered_point_is_nearer_than_the_projection(
            values in prop::collection::vec(-0.5..1.5f64, 1..9),
            other in prop::collection::vec(0.0..1.0f64, 9),
        ) {
            let mut projected = values.clone();
            UNIT.prox(&mut projected, 1.0);
            prop_assert!(projected.is_sorted() && projected.iter().all(|x| (0.0..=1.0).contains(x)));
            let mut other = other[..values.len()].to_vec();
            other.sort_by(f64::total_cmp);
            prop_assert!(distance(&values, &projected) <= distance(&values, &other) + 1e-12);
            // Nor between the two: the set is convex.
            let toward: Vec<f64> = projected.iter().zip(&other).map(|(p, o)| p + 1e-3 * (o - p)).collect();
            prop_assert!(distance(&values, &projected) <= distance(&values, &toward) + 1e-12);
        }

        #[test]
        fn the_face_is_the_descent_of_small_steps(
            levels in prop::collection::vec(0usize..4, 1..8),
            gradient in prop::collection::vec(-1.0..1.0f64, 8),
        ) {
            let mut x: Vec<f64> = levels.iter().map(|l| *l as f64 / 3.0).collect();
            x.sort_by(f64::total_cmp);
            let face = UNIT.face(&x, &gradient[..x.len()]);
            let step = 1e-4;
            let mut moved: Vec<f64> = x.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
            UNIT.prox(&mut moved, 1.0);
            for i in 0..x.len() {
                let descent = (moved[i] - x[i]) / step;
                prop_assert!((descent + face.slope[i]).abs() < 1e-8, "{i}: {descent} {:?}", face.slope);
            }
        }

        #[test]
        fn the_nearest_ordered_point_is_found_by_descent(
            target in prop::collection::vec(-0.5..1.5f64, 2..8),
            scale in 0.1..10.0f64,
        ) {
            struct Distance { target: Vec<f64>, scale: f64 }
            impl Objective for Distance {
                fn dim(&self) -> usize { self.target.len() }
                fn value_and_gradient(&self, x: &[f64], g: &mut [f64]) -> Result<f64, Interrupted> {
                    for ((g, x), t) in g.iter_mut().zip(x).zip(&self.target) {
                        *g = self.scale * (x - t);
                    }
                    Ok(0.5 * self.scale * distance(x, &self.target))
                }
            }
            let start: Vec<f64> = (0..target.len()).map(|i| i as f64 / target.len() as f64).collect();
            let objective = Distance { target: target.clone(), scale };
            let settings = LbfgsSettings { projected_gradient_tol: 1e-9, stall_tol: 0.0, ..LbfgsSettings::default() };
            let end = minimize(objective, UNIT, start, &settings, None::<CountIterations>).unwrap();
            let mut expected = target;
            UNIT.prox(&mut expected, 1.0);
            prop_assert!(end.x.is_sorted());
            for (x, e) in end.x.iter().zip(&expected) {
                prop_assert!((x - e).abs() < 1e-6, "{:?} for {expected:?}", end.x);
            }
        }
    }
}
