//! One file per public fit function, each a story from rows to fitted model.

mod choose_scaling;
mod continuation;
mod control;
mod multistart;
pub mod orct;

pub use control::{Control, FitError};
