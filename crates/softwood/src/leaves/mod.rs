//! Exact steps for what sits in the leaves while the splits are held fixed.

mod assign_labels;
mod cholesky;
mod class_frequencies;
mod evidence;
mod gram;
mod ridge;

pub use assign_labels::{assign_labels, assign_parted_labels};
pub(crate) use class_frequencies::likely_frequencies;
pub(crate) use evidence::{Groups, common_penalty, maximize_evidence, split_variances};
pub(crate) use ridge::{LinearModel, regression_of_columns, ridge};
