//! One file per public fit function, each a story from rows to fitted model.

mod choose_scaling;
mod continuation;
mod control;
mod descent;
mod folds;
pub mod lambda_max;
mod multistart;
mod one_start;
pub mod orct;
pub mod orct_cv;
mod regrow;
pub mod sparsity_path;

pub use control::{Control, FitError};
pub(crate) use descent::RATE_REACHED;
