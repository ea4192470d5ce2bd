//! One file per public fit function, each a story from rows to fitted model.

mod choose_ridges;
mod choose_scaling;
mod continuation;
mod control;
mod linear_trend;
mod multistart;
mod nodec;
mod one_start;
pub mod orct;
mod regrow;
pub mod srt;
mod update_branch_node;
mod validate;

pub use control::{Control, FitError};
