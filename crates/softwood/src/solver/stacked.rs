//! Two simple terms on two stretches of one vector.

use super::{Face, Majorized, SimpleTerm, Tie};

/// h(x) = h_1(x_1, …, x_n) + h_2(x_{n+1}, …).
#[derive(Debug)]
pub(crate) struct Stacked<A, B> {
    pub first: A,
    /// n.
    pub split: usize,
    pub second: B,
}

impl<A: SimpleTerm, B: SimpleTerm> SimpleTerm for Stacked<A, B> {
    fn value(&self, x: &[f64]) -> f64 {
        let (first, second) = x.split_at(self.split);
        self.first.value(first) + self.second.value(second)
    }

    fn prox(&self, x: &mut [f64], step: f64) {
        let (first, second) = x.split_at_mut(self.split);
        self.first.prox(first, step);
        self.second.prox(second, step);
    }

    fn face(&self, x: &[f64], gradient: &[f64]) -> Face {
        let (own, other) = (x.split_at(self.split), gradient.split_at(self.split));
        let mut face = self.first.face(own.0, other.0);
        let second = self.second.face(own.1, other.1);
        face.slope.extend(second.slope);
        face.free.extend(second.free);
        let shifted = second.ties.into_iter().map(|tie| Tie {
            members: shifted(tie.members, |i| i + self.split),
        });
        face.ties.extend(shifted);
        face
    }

    fn retract(&self, origin: &[f64], face: &Face, x: &mut [f64]) {
        // Ties without members are the first term's, in its order.
        let of_first = |tie: &&Tie| tie.members.first().is_none_or(|(i, _)| *i < self.split);
        let (first, second): (Vec<&Tie>, Vec<&Tie>) = face.ties.iter().partition(of_first);
        let own = |range: std::ops::Range<usize>, ties: Vec<&Tie>| Face {
            slope: face.slope[range.clone()].to_vec(),
            free: face.free[range.clone()].to_vec(),
            ties: ties
                .into_iter()
                .map(|tie| Tie {
                    members: shifted(tie.members.clone(), |i| i - range.start),
                })
                .collect(),
        };
        let (before, after) = x.split_at_mut(self.split);
        let all = face.slope.len();
        self.first
            .retract(&origin[..self.split], &own(0..self.split, first), before);
        self.second
            .retract(&origin[self.split..], &own(self.split..all, second), after);
    }
}

fn shifted(members: Vec<(usize, f64)>, to: impl Fn(usize) -> usize) -> Vec<(usize, f64)> {
    members.into_iter().map(|(i, sign)| (to(i), sign)).collect()
}

impl<A: Majorized, B: SimpleTerm + Clone> Majorized for Stacked<A, B> {
    type Tangent = Stacked<A::Tangent, B>;

    fn value(&self, x: &[f64]) -> f64 {
        let (first, second) = x.split_at(self.split);
        self.first.value(first) + SimpleTerm::value(&self.second, second)
    }

    fn tangent(&self, x: &[f64]) -> Self::Tangent {
        Stacked {
            first: self.first.tangent(&x[..self.split]),
            split: self.split,
            second: self.second.clone(),
        }
    }
}
