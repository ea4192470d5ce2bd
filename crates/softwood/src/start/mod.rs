//! Starting points for the splits.

mod data_point;

pub(crate) use data_point::splits_through_the_data;
