//! One file per public fit function, each a story from rows to fitted model, and one for its settings.

mod check_orct_data;
mod choose_ridges;
mod choose_scaling;
mod cv_candidates;
pub mod cv_settings;
#[cfg(test)]
mod failing_source;
mod few_features;
pub mod lambda_max;
mod leaf_weights;
mod notices;
pub mod orct;
pub mod orct_cv;
mod orct_cv_scores;
mod orct_data;
mod orct_problem;
pub mod orct_settings;
pub mod orrt;
pub mod orrt_settings;
mod orrt_starts;
pub mod row_groups;
pub mod run_settings;
mod scaled_fit;
pub mod selected_rows;
pub mod sparsity_path;
pub mod srt;
pub mod srt_settings;
mod srt_starts;
mod trend;
mod validate;
