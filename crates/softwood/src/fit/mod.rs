//! One file per public fit function, each a story from rows to fitted model.

mod choose_scaling;
mod continuation;
mod control;
mod descent;
mod multistart;
mod one_start;
pub mod orct;
mod regrow;

pub use control::{Control, FitError};
pub(crate) use descent::RATE_REACHED;
