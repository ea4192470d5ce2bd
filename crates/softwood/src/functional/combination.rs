//! Values, derivatives and interval means of a spline as weighted sums of what is stored at its knots.
//!
//! Stored are, at each knot, the integral A up to it, the value g and the second derivative M. On the piece from
//! t_k to t_{k+1}, with u = s − t_k and h = t_{k+1} − t_k,
//! x = c_0 + c_1 u + c_2 u² + c_3 u³, c_0 = g_k, c_1 = (g_{k+1} − g_k)/h − h(2M_k + M_{k+1})/6, c_2 = M_k/2,
//! c_3 = (M_{k+1} − M_k)/(6h).

/// What is stored at a knot: A, g, M.
pub(crate) const STORED: usize = 3;

/// Highest order of derivative whose means are features; one more is needed to move their ends.
pub(crate) const MAX_ORDER: usize = 2;

/// An interval shorter than this is an instant; longer ones are far enough from it for exact differences.
const INSTANT: f64 = 1e-9;

/// Weights on (A_k, g_k, M_k, g_{k+1}, M_{k+1}) of the knots at both ends of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct OnPiece {
    pub piece: usize,
    pub weights: [f64; 5],
}

/// Places of those weights among what is stored from knot k on.
pub(crate) const PLACES: [usize; 5] = [0, 1, 2, 4, 5];

/// A sum over two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Combination(pub [OnPiece; 2]);

/// The mean of a derivative curve over an interval and what it changes by as the ends move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntervalMean {
    pub mean: Combination,
    pub by_lower: Combination,
    pub by_upper: Combination,
}

impl Combination {
    /// a · self + b · other, both of the same pieces.
    fn mixed(&self, a: f64, other: &Self, b: f64) -> Self {
        let mut sum = *self;
        for (own, other) in sum.0.iter_mut().zip(&other.0) {
            for (x, y) in own.weights.iter_mut().zip(other.weights) {
                *x = a * *x + b * y;
            }
        }
        sum
    }

    /// The same times a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        self.mixed(factor, self, 0.0)
    }

    /// Its value for one curve, given what is stored at its knots, one after the other.
    #[cfg(test)]
    fn of(&self, stored: &[f64]) -> f64 {
        let on_piece = |part: &OnPiece| -> f64 {
            let knots = &stored[STORED * part.piece..];
            let terms = part.weights.iter().zip(PLACES);
            terms.map(|(weight, place)| weight * knots[place]).sum()
        };
        self.0.iter().map(on_piece).sum()
    }
}

/// The mean over [lower, upper] of the derivative of an order 0…[`MAX_ORDER`]: with x for that derivative,
/// by the upper end it changes by (x(upper) − mean)/length and by the lower one by (mean − x(lower))/length,
/// and as the length goes to 0 by x′/2 each.
pub(crate) fn interval_mean(grid: &[f64], lower: f64, upper: f64, order: usize) -> IntervalMean {
    let pieces = [piece_at(grid, lower), piece_at(grid, upper)];
    if pieces[0] == pieces[1] {
        return within_piece(grid, pieces[0], lower, upper, order);
    }
    let ends = [lower, upper];
    // Both pieces in every combination, so that they can be mixed.
    let at = |end: usize, order: i32| {
        let own = derivative_weights(ends[end] - grid[pieces[end]], order);
        on_both(pieces, end, on_knots(grid, pieces[end], &own))
    };
    let (length, order) = (upper - lower, order as i32);
    let (low, high) = (at(0, order), at(1, order));
    if length < INSTANT {
        return IntervalMean {
            mean: low.mixed(0.5, &high, 0.5),
            by_lower: at(0, order + 1).scaled(0.5),
            by_upper: at(1, order + 1).scaled(0.5),
        };
    }
    let mean = if pieces[0] + 1 == pieces[1] {
        // Neighbours: no difference of integrals, which would lose digits on a short interval.
        let knot = grid[pieces[1]];
        let part = |end: usize, from: f64, to: f64| {
            let own = within_piece(grid, pieces[end], from, to, order as usize).mean;
            on_both(pieces, end, own.0[0])
        };
        let (before, after) = (part(0, lower, knot), part(1, knot, upper));
        before.mixed((knot - lower) / length, &after, (upper - knot) / length)
    } else {
        let up_to = |end: usize| at(end, order - 1);
        up_to(1).mixed(1.0 / length, &up_to(0), -1.0 / length)
    };
    IntervalMean {
        mean,
        by_lower: mean.mixed(1.0 / length, &low, -1.0 / length),
        by_upper: high.mixed(1.0 / length, &mean, -1.0 / length),
    }
}

/// A part on the piece of one end, and nothing on that of the other.
fn on_both(pieces: [usize; 2], end: usize, part: OnPiece) -> Combination {
    let mut both = pieces.map(|piece| OnPiece {
        piece,
        ..OnPiece::default()
    });
    both[end] = part;
    Combination(both)
}

/// The same where both ends lie on one piece: a polynomial in both, exact for any length.
fn within_piece(grid: &[f64], piece: usize, lower: f64, upper: f64, order: usize) -> IntervalMean {
    let (a, b) = (lower - grid[piece], upper - grid[piece]);
    let (mut mean, mut by_lower, mut by_upper) = ([0.0; 5], [0.0; 5], [0.0; 5]);
    for k in order..=3 {
        // The derivative of u^k is falling · u^m, whose mean over [a, b] is Σ_i a^i b^(m−i) / (m + 1).
        let m = k - order;
        let falling: usize = (m + 1..=k).product();
        let factor = falling as f64 / (m + 1) as f64;
        for i in 0..=m {
            let (up, down) = (i as i32, (m - i) as i32);
            mean[k + 1] += factor * a.powi(up) * b.powi(down);
            if i > 0 {
                by_lower[k + 1] += factor * f64::from(up) * a.powi(up - 1) * b.powi(down);
            }
            if i < m {
                by_upper[k + 1] += factor * f64::from(down) * a.powi(up) * b.powi(down - 1);
            }
        }
    }
    let alone = |weights: [f64; 5]| {
        let nothing = OnPiece {
            piece,
            ..OnPiece::default()
        };
        Combination([on_knots(grid, piece, &weights), nothing])
    };
    IntervalMean {
        mean: alone(mean),
        by_lower: alone(by_lower),
        by_upper: alone(by_upper),
    }
}

/// Weights of (A_k, c_0, c_1, c_2, c_3) in the derivative of an order at u; order −1 is the integral from 0 on.
fn derivative_weights(u: f64, order: i32) -> [f64; 5] {
    match order {
        -1 => {
            let power = |k: i32| u.powi(k + 1) / f64::from(k + 1);
            [1.0, power(0), power(1), power(2), power(3)]
        }
        0 => [0.0, 1.0, u, u * u, u * u * u],
        1 => [0.0, 0.0, 1.0, 2.0 * u, 3.0 * u * u],
        2 => [0.0, 0.0, 0.0, 2.0, 6.0 * u],
        _ => [0.0, 0.0, 0.0, 0.0, 6.0],
    }
}

/// Weights on (A_k, c_0, …, c_3) as weights on what is stored.
fn on_knots(grid: &[f64], piece: usize, weights: &[f64; 5]) -> OnPiece {
    let [integral, c0, c1, c2, c3] = *weights;
    let h = grid[piece + 1] - grid[piece];
    OnPiece {
        piece,
        weights: [
            integral,
            c0 - c1 / h,
            -c1 * h / 3.0 + 0.5 * c2 - c3 / (6.0 * h),
            c1 / h,
            -c1 * h / 6.0 + c3 / (6.0 * h),
        ],
    }
}

/// The piece that s ∈ [0, 1] lies on.
fn piece_at(grid: &[f64], s: f64) -> usize {
    let knots_up_to = grid.partition_point(|t| *t <= s);
    knots_up_to.clamp(1, grid.len() - 1) - 1
}

/// The value of the derivative of an order at the knot `knot`.
#[cfg(feature = "fit")]
pub(crate) fn at_knot(grid: &[f64], knot: usize, order: usize) -> OnPiece {
    let piece = knot.min(grid.len() - 2);
    let weights = derivative_weights(grid[knot] - grid[piece], order as i32);
    on_knots(grid, piece, &weights)
}

/// The integral of the spline over the piece from knot `k` on.
pub(crate) fn piece_integral(grid: &[f64], k: usize, values: &[f64], second: &[f64]) -> f64 {
    let h = grid[k + 1] - grid[k];
    0.5 * h * (values[k] + values[k + 1]) - h * h * h / 24.0 * (second[k] + second[k + 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functional::spline::Smoother;
    use proptest::prelude::*;

    const GRID: [f64; 7] = [0.0, 0.1, 0.25, 0.4, 0.75, 0.8, 1.0];

    /// What is stored of a wavy curve.
    fn stored() -> Vec<f64> {
        let mut values = GRID.map(|t| (7.0 * t).sin() + 3.0 * t * t);
        let mut second = [0.0; GRID.len()];
        Smoother::new(&GRID, 0.0).smooth(&mut values, &mut second);
        let mut integral = 0.0;
        let mut stored = Vec::new();
        for k in 0..GRID.len() {
            stored.extend([integral, values[k], second[k]]);
            if k + 1 < GRID.len() {
                integral += piece_integral(&GRID, k, &values, &second);
            }
        }
        stored
    }

    fn mean(lower: f64, upper: f64, order: usize) -> f64 {
        interval_mean(&GRID, lower, upper, order).mean.of(&stored())
    }

    proptest! {
        #[test]
        fn means_are_those_of_many_instants(a in 0.0..1.0f64, b in 0.0..1.0f64, order in 0usize..3) {
            let (lower, upper) = (a.min(b), a.max(b));
            let many = 2000;
            let at = |i: usize| lower + (upper - lower) * (i as f64 + 0.5) / many as f64;
            let sum: f64 = (0..many).map(|i| mean(at(i), at(i), order)).sum();
            let found = mean(lower, upper, order);
            prop_assert!((found - sum / many as f64).abs() < 1e-3, "{found} for {}", sum / many as f64);
        }

        #[test]
        fn ends_move_means_as_differences_do(a in 0.01..0.99f64, b in 0.01..0.99f64, order in 0usize..3) {
            let (lower, upper) = (a.min(b), a.max(b));
            let h = 1e-6;
            // Third derivatives jump at the knots.
            let far = |s: f64| GRID.iter().all(|t| (t - s).abs() > 2.0 * h);
            prop_assume!(far(lower) && far(upper) && upper - lower > 1e-3);
            let found = interval_mean(&GRID, lower, upper, order);
            let by_lower = (mean(lower + h, upper, order) - mean(lower - h, upper, order)) / (2.0 * h);
            let by_upper = (mean(lower, upper + h, order) - mean(lower, upper - h, order)) / (2.0 * h);
            let close = |x: f64, y: f64| (x - y).abs() < 1e-4 * (1.0 + y.abs());
            prop_assert!(close(found.by_lower.of(&stored()), by_lower));
            prop_assert!(close(found.by_upper.of(&stored()), by_upper));
        }
    }

    #[test]
    fn an_instant_is_the_limit_of_short_intervals() {
        // Inside a piece, at a knot, and across one.
        for s in [0.0, 0.31, 0.4, 0.77, 1.0] {
            for order in 0..3 {
                let instant = interval_mean(&GRID, s, s, order);
                let value = mean(s, s, order);
                for length in [1e-5, 1e-7, 1e-8, 1e-10, 1e-12] {
                    let lower = (s - 0.5 * length).max(0.0);
                    let upper = (s + 0.5 * length).min(1.0);
                    let short = interval_mean(&GRID, lower, upper, order);
                    let found = short.mean.of(&stored());
                    assert!(
                        (found - value).abs() < 1e4 * length + 1e-9,
                        "{s} {order} {length}"
                    );
                    let change =
                        |m: &IntervalMean| m.by_lower.of(&stored()) + m.by_upper.of(&stored());
                    // Both ends together move the mean by x′; third derivatives jump at knots.
                    if order < 2 || s == 0.31 || s == 0.77 {
                        let (short, instant) = (change(&short), change(&instant));
                        assert!(
                            (short - instant).abs() < 1e-3 * (1.0 + instant.abs()),
                            "{s} {order} {length}: {short} for {instant}"
                        );
                    }
                }
                let halves = [&instant.by_lower, &instant.by_upper].map(|c| c.of(&stored()));
                assert!((halves[0] - halves[1]).abs() < 1e-9 * (1.0 + halves[0].abs()));
            }
        }
    }

    #[test]
    fn means_over_parts_add_up() {
        for order in 0..3 {
            let (a, b, c) = (0.05, 0.33, 0.95);
            let parts = (b - a) * mean(a, b, order) + (c - b) * mean(b, c, order);
            assert!((parts - (c - a) * mean(a, c, order)).abs() < 1e-10);
        }
    }
}
