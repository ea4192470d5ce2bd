//! The point a solver ends at, and what it took to get there.

use crate::status::SolveStatus;
use std::iter::Sum;
use std::ops::AddAssign;

/// The best point found and how it was found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The point.
    pub x: Vec<f64>,
    /// f + h there.
    pub value: f64,
    /// ‖prox_h(x − ∇f(x)) − x‖∞ there.
    pub optimality: f64,
    /// What it took.
    pub work: Work,
    /// Why it ended.
    pub status: SolveStatus,
}

impl Outcome {
    /// The same with other counts of work, those of all runs that led to it.
    pub(crate) fn with_work(self, work: Work) -> Self {
        Self { work, ..self }
    }
}

/// How much a solver has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Iterations.
    pub iterations: u64,
    /// Joint evaluations of f and ∇f.
    pub evaluations: u64,
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, work| {
            sum += work;
            sum
        })
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.evaluations += other.evaluations;
    }
}
