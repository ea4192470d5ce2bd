//! Weighted ℓ1 and group ℓ∞ penalties within a box: exact zeros, exact ties.

use super::{Bounds, Face, SimpleTerm, Tie};

/// h(x) = Σ_i local_i |x_i| + Σ_g weight_g max(floor_g, max_{i ∈ g} |x_i|) within bounds, groups disjoint.
///
/// A floor is the largest magnitude among members of a group that are held elsewhere: below it the norm is flat. Its proximal map is a soft threshold, then for each group the cut of |x_i| at one level t, then the
/// box. A member whose own bound lies below t is stopped by that and spares the group nothing, so t is
/// the least with Σ_{i ∈ g: b_i > t} (|x_i| − t)⁺ ≤ step · weight, b_i being the bound on the side of
/// x_i; no less than the floor. (A cut that knows nothing of the bounds is right only where all are equal.)
#[derive(Clone, Debug)]
pub struct SparsityTerm {
    /// Where each x_i may lie; 0 must be allowed wherever x_i is penalized.
    pub bounds: Bounds,
    /// Weights of |x_i|, not negative, one a coordinate.
    pub local: Vec<f64>,
    /// Groups with their weights.
    pub groups: Vec<Group>,
}

/// Coordinates under one ℓ∞ norm.
#[derive(Clone, Debug)]
pub struct Group {
    /// Weight of the norm, above 0.
    pub weight: f64,
    /// Its coordinates.
    pub members: Vec<usize>,
    /// What the norm is at least, not negative.
    pub floor: f64,
}

/// A member of a group that is to be cut to a common level, unless its own cap is lower.
#[derive(Clone, Copy)]
struct Capped {
    value: f64,
    cap: f64,
}

impl SparsityTerm {
    /// The sign that x_i keeps while it stays on its side of the kink at 0.
    fn side(origin: f64, slope: f64) -> f64 {
        if origin != 0.0 {
            origin.signum()
        } else {
            -slope.signum()
        }
    }

    /// What ∇f and the ℓ1 part ask of a coordinate: the rate at which |x_i| wants to grow (to
    /// shrink, if negative), and the sign of x_i, or the one it would take.
    fn demand(&self, i: usize, x: &[f64], gradient: &[f64]) -> (f64, f64) {
        if x[i] != 0.0 {
            let sign = x[i].signum();
            return (-sign * gradient[i] - self.local[i], sign);
        }
        let sign = if gradient[i] > 0.0 { -1.0 } else { 1.0 };
        if self.bounds.of(i).blocks(0.0, sign) {
            return (0.0, sign);
        }
        ((gradient[i].abs() - self.local[i]).max(0.0), sign)
    }

    /// The face of a group's coordinates; `face` holds that of the ℓ1 part. A tie is added for each group, empty
    /// where the norm does not fall or rise with its members.
    fn tie(&self, group: &Group, x: &[f64], gradient: &[f64], face: &mut Face) {
        let largest = largest(group, x);
        let mut members = Vec::new();
        if largest < group.floor {
            face.ties.push(Tie { members });
            return;
        }
        let tops = || group.members.iter().filter(|i| x[**i].abs() == largest);
        // Only members at the top feel the norm, and those at their own bound cannot rise with it.
        let rise = |i: usize| {
            let (value, sign) = self.demand(i, x, gradient);
            let held = largest > 0.0 && self.bounds.of(i).blocks(x[i], sign);
            let cap = if held { 0.0 } else { f64::INFINITY };
            (Capped { value, cap }, sign)
        };
        // The norm's subgradients take `weight` off the demands at the top (at most that, at 0 or on the
        // floor): τ is what is left to the largest of them, and those cut to τ move as one.
        let mut tau = level(tops().map(|i| rise(*i).0).collect(), group.weight);
        let held = largest == group.floor && tau <= 0.0;
        if held {
            tau = 0.0;
        }
        for i in tops() {
            let (Capped { value, cap }, sign) = rise(*i);
            let rate = value.min(cap).min(tau);
            face.slope[*i] = -sign * rate;
            face.free[*i] = rate != 0.0;
            if rate == tau && !held {
                members.push((*i, sign));
            }
        }
        face.ties.push(Tie { members });
    }
}

/// max_{i ∈ g} |x_i|.
fn largest(group: &Group, x: &[f64]) -> f64 {
    group.members.iter().fold(0.0f64, |m, i| m.max(x[*i].abs()))
}

/// The least t with Σ_{i: cap_i > t} (value_i − t)⁺ ≤ total; no more than min(value_i, cap_i) of some i.
fn level(mut members: Vec<Capped>, total: f64) -> f64 {
    // The sum as t falls: a member joins at its onset, and one that is capped below its value joins
    // with a jump, which may be where t stops.
    let onset = |member: &Capped| member.value.min(member.cap);
    members.sort_by(|a, b| {
        let by_onset = onset(b).total_cmp(&onset(a));
        by_onset.then(b.value.total_cmp(&a.value))
    });
    let mut sum = 0.0;
    let mut level = f64::NEG_INFINITY;
    for (k, member) in members.iter().enumerate() {
        if onset(member) <= level {
            break;
        }
        sum += member.value;
        level = ((sum - total) / (k + 1) as f64).min(onset(member));
    }
    level
}

impl SimpleTerm for SparsityTerm {
    fn value(&self, x: &[f64]) -> f64 {
        let local: f64 = x.iter().zip(&self.local).map(|(x, w)| w * x.abs()).sum();
        let norm = |g: &Group| g.weight * largest(g, x).max(g.floor);
        let global: f64 = self.groups.iter().map(norm).sum();
        local + global
    }

    fn prox(&self, x: &mut [f64], step: f64) {
        for (x, w) in x.iter_mut().zip(&self.local) {
            if *w > 0.0 {
                *x = x.signum() * (x.abs() - step * w).max(0.0);
            }
        }
        for group in &self.groups {
            let capped = |i: &usize| Capped {
                value: x[*i].abs(),
                cap: self.bounds.of(*i).reach(x[*i]),
            };
            let members = group.members.iter().map(capped).collect();
            // Below the floor if the group ends there with weight to spare.
            let cut = level(members, step * group.weight).max(group.floor);
            for i in &group.members {
                x[*i] = x[*i].clamp(-cut, cut);
            }
        }
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.bounds.of(i).nearest(*x) + 0.0; // + 0.0 turns −0 into 0
        }
    }

    fn face(&self, x: &[f64], gradient: &[f64]) -> Face {
        let n = x.len();
        let mut face = Face {
            slope: vec![0.0; n],
            free: vec![false; n],
            ties: Vec::new(),
        };
        for i in 0..n {
            let (demand, sign) = self.demand(i, x, gradient);
            if demand != 0.0 && !self.bounds.of(i).blocks(x[i], sign * demand) {
                (face.slope[i], face.free[i]) = (-sign * demand, true);
            }
        }
        for group in &self.groups {
            self.tie(group, x, gradient, &mut face);
        }
        face
    }

    fn retract(&self, origin: &[f64], face: &Face, x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            if self.local[i] > 0.0 && *x * Self::side(origin[i], face.slope[i]) < 0.0 {
                *x = 0.0;
            }
            *x = self.bounds.of(i).nearest(*x);
        }
        for (group, tie) in self.groups.iter().zip(&face.ties) {
            // What is tied stops together, at the first bound among them or on the floor; what rises to the
            // norm stops there.
            let heights = tie.members.iter().map(|(i, sign)| sign * x[*i]);
            let top = match tie.members.is_empty() {
                true => largest(group, origin),
                false => heights.fold(f64::INFINITY, f64::min),
            };
            let top = top.max(group.floor);
            for i in &group.members {
                x[*i] = x[*i].clamp(-top, top) + 0.0;
            }
            for (i, sign) in &tie.members {
                x[*i] = sign * top + 0.0;
            }
        }
    }
}
