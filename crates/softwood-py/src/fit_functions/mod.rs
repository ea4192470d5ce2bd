//! The functions that train, as the Python package calls them, a file for each kind of tree.

mod data;
pub mod functional;
pub mod orct;
pub mod orrt;
mod path;
mod row_groups;
pub mod spdt;
pub mod srt;
pub mod svm1_odt;
