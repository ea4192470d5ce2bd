//! Hard oblique trees with a proven bound on their errors: what no tree of a depth and a margin can beat.
//!
//! After Zhu, Murali, Phan, Nguyen and Kalagnanam, *A scalable MIP-based method for learning optimal
//! multivariate decision trees* (NeurIPS 2020), section 2, with M = 1 by theorem 2: rows go left where
//! h·x ≤ g, |g − h·x| is at most 1 for all rows, and at least ε on the way of a row that counts as right.
//! Rows that are wrong are not held to any way.

mod axis;
mod groups;
mod harden;
mod improve;
mod nested;
mod node;
mod oblique;
mod partial;
mod points;
mod separation;
mod solve;
mod widen;
mod zero_one;

pub(crate) use axis::axis_tree;
pub(crate) use harden::{Hardened, counted};
pub(crate) use nested::Problem;
pub(crate) use oblique::{Hyperplane, ObliqueTree, Paths};
pub(crate) use points::Points;
pub(crate) use solve::{Ended, Moment, Solution, SolveSettings, solve};
pub(crate) use widen::{Closing, widen};
