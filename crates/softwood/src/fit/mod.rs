//! One file per public fit function, each a story from rows to fitted model.

mod choose_ridges;
mod choose_scaling;
mod continuation;
mod control;
mod descent;
mod ending;
pub mod lambda_max;
mod multistart;
mod nodec;
mod one_start;
pub mod orct;
pub mod orct_cv;
mod orct_cv_scores;
mod prune;
mod regrow;
mod replace_subtrees;
pub mod selected_rows;
pub mod sparsity_path;
pub mod srt;
mod trend;
mod update_branch_node;
mod validate;

pub use control::{Control, FitError};
pub(crate) use descent::RATE_REACHED;
