//! One hyperplane for points that each ask for a side: least weight of those that do not get it, by exact
//! line searches.

use super::oblique::Hyperplane;
use super::points::Points;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Line searches in a row that gain nothing before a descent ends.
const PATIENCE: usize = 12;

/// A point that asks for a side: what it costs to send it to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub point: usize,
    pub left: bool,
    pub weight: f64,
}

/// The hyperplane from which no line search gets further, and what it costs.
pub(crate) fn descend(
    points: &Points,
    demands: &[Demand],
    mut at: Hyperplane,
    rng: &mut Pcg64,
) -> (Hyperplane, f64) {
    let p = points.features();
    let value = |at: &Hyperplane, demand: &Demand| at.value(points.x(demand.point));
    let mut values: Vec<f64> = demands.iter().map(|d| value(&at, d)).collect();
    let mut cost = cost_of(demands, &values);
    let (mut idle, mut turn) = (0, 0);
    let mut moves: Vec<(f64, usize)> = Vec::with_capacity(demands.len());
    while idle < PATIENCE.max(p + 1) && cost > 0.0 {
        let direction = direction(points, demands, &values, turn, rng);
        turn += 1;
        let rates: Vec<f64> = demands.iter().map(|d| value(&direction, d)).collect();
        let (step, reached) = best_step(demands, &values, &rates, &mut moves);
        idle += 1;
        if step == 0.0 || reached > cost {
            continue;
        }
        let mut next = at.clone();
        let all = next.h.iter_mut().zip(&direction.h);
        all.for_each(|(h, d)| *h += step * d);
        next.g += step * direction.g;
        let moved: Vec<f64> = demands.iter().map(|d| value(&next, d)).collect();
        // The search adds weights in another order, and rounding is no gain: it would go on for ever.
        let found = cost_of(demands, &moved);
        if found <= cost {
            if found < cost {
                idle = 0;
            }
            (at, values, cost) = (next, moved, found);
        }
    }
    (at, cost)
}

/// Weight of the demands that are not met.
pub(crate) fn cost_of(demands: &[Demand], values: &[f64]) -> f64 {
    let missed = demands
        .iter()
        .zip(values)
        .filter(|(d, v)| (**v >= 0.0) != d.left);
    missed.map(|(d, _)| d.weight).sum()
}

/// In turn towards the points on their wrong sides (each counted at random), and along one feature.
fn direction(
    points: &Points,
    demands: &[Demand],
    values: &[f64],
    turn: usize,
    rng: &mut Pcg64,
) -> Hyperplane {
    let p = points.features();
    let mut to = Hyperplane {
        h: vec![0.0; p],
        g: 0.0,
    };
    if turn % 2 == 1 {
        match rng.random_range(0..=p) {
            0 => to.g = 1.0,
            j => to.h[j - 1] = 1.0,
        }
        return to;
    }
    for (demand, value) in demands.iter().zip(values) {
        if (*value >= 0.0) != demand.left && rng.random::<bool>() {
            let sign = if demand.left {
                demand.weight
            } else {
                -demand.weight
            };
            let x = points.x(demand.point);
            to.h.iter_mut().zip(x).for_each(|(h, x)| *h -= sign * x);
            to.g += sign;
        }
    }
    // So that some direction away from a stand-off remains.
    to.g += rng.random_range(-0.5..0.5);
    to
}

/// The step along `rates` after which least weight is missed, in the middle of the interval where that is
/// so, and the weight; 0 if standing still is as good.
fn best_step(
    demands: &[Demand],
    values: &[f64],
    rates: &[f64],
    moves: &mut Vec<(f64, usize)>,
) -> (f64, f64) {
    moves.clear();
    let mut cost = 0.0;
    for (i, ((demand, v), rate)) in demands.iter().zip(values).zip(rates).enumerate() {
        // Where all steps are very negative.
        let is_left = if *rate == 0.0 { *v >= 0.0 } else { *rate < 0.0 };
        if is_left != demand.left {
            cost += demand.weight;
        }
        let step = -v / rate;
        if *rate != 0.0 && step.is_finite() {
            moves.push((step, i));
        }
    }
    moves.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = (0.0, f64::INFINITY);
    for (k, (step, i)) in moves.iter().enumerate() {
        let becomes_left = rates[*i] > 0.0;
        let by = demands[*i].weight;
        cost += if becomes_left == demands[*i].left {
            -by
        } else {
            by
        };
        let next = moves.get(k + 1).map_or(step + 1.0, |next| next.0);
        if cost < best.1 && next > *step {
            best = (0.5 * (step + next), cost);
        }
    }
    best
}

/// The hyperplane with noise in proportion to its length.
pub(crate) fn shaken(at: &Hyperplane, by: f64, rng: &mut Pcg64) -> Hyperplane {
    let length =
        at.h.iter()
            .fold(0.0f64, |l, h| l.max(h.abs()))
            .max(at.g.abs())
            .max(1e-3);
    let mut noise = || by * length * rng.random_range(-1.0..1.0);
    Hyperplane {
        h: at.h.iter().map(|h| h + noise()).collect(),
        g: at.g + noise(),
    }
}
