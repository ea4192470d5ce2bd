//! Rows in, blocks of scaled rows out, and passes over them.

mod canonical;
pub(crate) mod finite;
mod gather;
pub(crate) mod hinges;
mod labels;
mod ordered_sum;
pub(crate) mod pack;
mod pass;
mod response;
mod rows;
mod scaled_rows;
mod scaling;
mod source;
mod training;
mod typical;
mod weighted_rows;

pub(crate) use canonical::{CanonicalRows, RowOrder};
pub use labels::{ClassLabels, Labels};
pub use ordered_sum::{Parallelism, Part, merge_parts};
pub(crate) use ordered_sum::{add_to, fill_by_chunks};
pub use pass::{Pass, WeightedBlock};
pub use response::Standardization;
pub use rows::Rows;
pub use scaled_rows::ScaledRows;
pub use scaling::{FeatureMap, Scaling, ScalingChoice, ScalingKind};
pub(crate) use source::Tile;
pub use source::{Block, RowSource, Source};
pub use training::{Classes, ClassificationRows, RegressionRows, Response, TrainingRows};
pub use weighted_rows::{RowWeights, WeightedRows};
