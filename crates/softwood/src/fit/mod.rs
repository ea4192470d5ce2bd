//! One file per public fit function, each a story from rows to fitted model.

mod choose_ridges;
mod choose_scaling;
pub mod lambda_max;
mod notices;
pub mod orct;
pub mod orct_cv;
mod orct_cv_scores;
pub mod selected_rows;
pub mod sparsity_path;
pub mod srt;
mod trend;
mod validate;
