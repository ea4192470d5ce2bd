//! SVM1-ODT as a mixed-integer program: plain data for any solver, and what its solutions mean.
//!
//! After Zhu, Murali, Phan, Nguyen and Kalagnanam, *A scalable MIP-based method for learning optimal
//! multivariate decision trees* (NeurIPS 2020), section 2 and supplement A; equation numbers in this folder
//! are theirs. Features are scaled to \[0, 1\], identical rows are one with their weights added, and M = 1
//! (theorem 2): the largest |g_b − h_b·x_i| is 1, ε, α₁ and α₂ are on that scale.

mod categories;
mod correct_rows;
mod cuts;
#[cfg(feature = "highs")]
mod highs;
mod hyperplanes;
mod labelled;
mod model;
mod paper;
mod program;
mod settings;
mod solver;

#[cfg(feature = "highs")]
pub use highs::Highs;
pub(crate) use labelled::LabelledPoints;
pub(crate) use model::build;
pub use program::Program;
pub(crate) use settings::MipCosts;
pub use settings::{Formulation, MipSettings};
pub use solver::{MipSolution, MipSolver};
