//! Rows in, blocks of scaled rows out.

pub(crate) mod aligned;
pub(crate) mod blocks;
pub(crate) mod finite;
mod labels;
pub(crate) mod pack;
pub(crate) mod prefetch;
mod rows;
mod scaling;
mod transpose;

pub use blocks::ScaledRows;
pub use labels::{ClassLabels, Labels};
pub use rows::Rows;
pub use scaling::{FeatureMap, Scaling, ScalingChoice, ScalingKind};
