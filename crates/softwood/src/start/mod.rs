//! Starting points for the splits.

mod clustering;
mod data_point;
mod greedy;

pub(crate) use clustering::{clustered_splits, random_splits, split_towards};
pub(crate) use data_point::splits_through_the_data;
pub(crate) use greedy::greedy_splits;
