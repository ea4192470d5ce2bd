//! Weighted ℓ1 and group ℓ∞ penalties within |x_i| ≤ bound: exact zeros, exact ties.

use super::{Face, SimpleTerm, simple_term::Tie};

/// h(x) = Σ_i local_i |x_i| + Σ_g weight_g max_{i ∈ g} |x_i| for |x| ≤ bound, groups disjoint.
///
/// The composition clip ∘ prox_{ℓ∞} ∘ prox_{ℓ1} is its proximal map: each map keeps signs and order,
/// and with them the subgradients the map before it has used.
#[derive(Clone, Debug)]
pub struct SparsityTerm {
    /// Bound on every |x_i|.
    pub bound: f64,
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
        if x[i] == 0.0 {
            let sign = if gradient[i] > 0.0 { -1.0 } else { 1.0 };
            ((gradient[i].abs() - self.local[i]).max(0.0), sign)
        } else {
            let sign = x[i].signum();
            (-sign * gradient[i] - self.local[i], sign)
        }
    }

    /// The face of a group's coordinates; `slope` and `free` hold those of the ℓ1 part.
    fn tie(&self, group: &Group, x: &[f64], gradient: &[f64], face: &mut Face) {
        let largest = group.members.iter().fold(0.0f64, |m, i| m.max(x[*i].abs()));
        let demands: Vec<(usize, f64, f64)> = group
            .members
            .iter()
            .filter(|i| x[**i].abs() == largest)
            .map(|i| {
                let (demand, sign) = self.demand(*i, x, gradient);
                (*i, demand, sign)
            })
            .collect();
        // The group's subgradients take `weight` off the demands at the top (at most that, at 0):
        // τ is what is left to the largest of them, and those cut to τ move as one.
        let values: Vec<f64> = demands.iter().map(|(_, demand, _)| *demand).collect();
        let asked: f64 = values.iter().sum();
        if largest == 0.0 && asked <= group.weight {
            for (i, _, _) in demands {
                (face.slope[i], face.free[i]) = (0.0, false);
            }
            return;
        }
        let tau = threshold(&values, group.weight);
        let at_bound = largest >= self.bound;
        let mut members = Vec::new();
        for (i, demand, sign) in demands {
            let mut rate = demand.min(tau);
            if at_bound {
                rate = rate.min(0.0);
            }
            face.slope[i] = -sign * rate;
            face.free[i] = rate != 0.0;
            if demand >= tau || (at_bound && rate == 0.0) {
                members.push((i, sign));
            }
        }
        face.ties.push(Tie { members });
    }
}

/// τ with Σ (values − τ)⁺ = total.
fn threshold(values: &[f64], total: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut tau = f64::NEG_INFINITY;
    for (k, value) in sorted.iter().enumerate() {
        if *value <= tau {
            break;
        }
        sum += value;
        tau = (sum - total) / (k + 1) as f64;
    }
    tau
}

impl SimpleTerm for SparsityTerm {
    fn value(&self, x: &[f64]) -> f64 {
        let local: f64 = x.iter().zip(&self.local).map(|(x, w)| w * x.abs()).sum();
        let global: f64 = self
            .groups
            .iter()
            .map(|g| g.weight * g.members.iter().fold(0.0f64, |m, i| m.max(x[*i].abs())))
            .sum();
        local + global
    }

    fn prox(&self, x: &mut [f64], step: f64) {
        for (x, w) in x.iter_mut().zip(&self.local) {
            if *w > 0.0 {
                *x = x.signum() * (x.abs() - step * w).max(0.0);
            }
        }
        for group in &self.groups {
            let magnitudes: Vec<f64> = group.members.iter().map(|i| x[*i].abs()).collect();
            // By Moreau: what is left of x when its projection on the ℓ1 ball of the dual is taken off.
            let cut = if magnitudes.iter().sum::<f64>() <= step * group.weight {
                0.0
            } else {
                // Rounding may leave it a little below 0.
                threshold(&magnitudes, step * group.weight).max(0.0)
            };
            for i in &group.members {
                x[*i] = x[*i].clamp(-cut, cut);
            }
        }
        for x in x {
            *x = x.clamp(-self.bound, self.bound) + 0.0; // + 0.0 turns −0 into 0
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
            let outwards = x[i].abs() >= self.bound && demand > 0.0;
            if demand != 0.0 && !outwards {
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
            *x = x.clamp(-self.bound, self.bound);
        }
        // Ties come in the order of the groups that have one: those with a member off 0 or released.
        let mut ties = face.ties.iter();
        for group in &self.groups {
            let held = group
                .members
                .iter()
                .all(|i| origin[*i] == 0.0 && !face.free[*i]);
            if held {
                continue;
            }
            let tie = ties.next().expect("a group that moves has a tie");
            let (first, sign) = tie.members[0];
            let top = (sign * x[first]).clamp(0.0, self.bound);
            for i in &group.members {
                x[*i] = x[*i].clamp(-top, top) + 0.0;
            }
            for (i, sign) in &tie.members {
                x[*i] = sign * top + 0.0;
            }
        }
    }
}
