//! One file per public fit function, each a story from rows to fitted model.

mod choose_scaling;
mod continuation;
mod control;
mod multistart;
mod one_start;
pub mod orct;
mod regrow;
pub mod selected_rows;

pub use control::{Control, FitError};
