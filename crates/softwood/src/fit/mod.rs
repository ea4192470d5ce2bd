//! One file per public fit function, each a story from rows to fitted model, and one for its settings.

mod auto_settings;
mod check_orct_data;
mod choose_ridges;
mod class_fold;
mod cv_table;
#[cfg(test)]
mod failing_source;
mod few_features;
pub mod lambda_max;
mod leaf_weights;
mod notices;
pub mod orct;
mod orct_candidates;
pub mod orct_cv;
pub mod orct_cv_settings;
mod orct_data;
mod orct_problem;
pub mod orct_settings;
pub mod orrt;
pub mod orrt_settings;
mod orrt_starts;
mod rate_margin;
mod response_fold;
pub mod row_groups;
pub mod row_selection;
pub mod run_settings;
mod scaled_fit;
pub mod selected_rows;
pub mod sparsity_path;
pub mod srt;
mod srt_candidates;
pub mod srt_cv;
pub mod srt_cv_settings;
pub mod srt_settings;
mod srt_starts;
mod trend;
mod validate;
