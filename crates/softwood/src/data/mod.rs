//! Rows in, blocks of scaled rows out.

pub(crate) mod aligned;
pub(crate) mod blocks;
pub(crate) mod finite;
mod gather;
pub(crate) mod hinges;
mod labels;
pub(crate) mod pack;
pub(crate) mod prefetch;
mod response;
mod rows;
mod scaling;
mod transpose;

pub use blocks::ScaledRows;
pub use labels::{ClassLabels, Labels};
pub use response::Standardization;
pub use rows::Rows;
pub use scaling::{FeatureMap, Scaling, ScalingChoice, ScalingKind};
