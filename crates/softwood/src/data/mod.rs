//! Rows in, blocks of scaled rows out, and passes over them.

mod canonical;
mod columns;
mod csr;
mod encoding;
pub(crate) mod finite;
mod gather;
mod gathered_rows;
pub(crate) mod hinges;
mod labels;
mod ordered_sum;
pub(crate) mod pack;
mod pass;
mod picked;
mod response;
mod rows;
mod scaled;
mod scaled_rows;
mod scaling;
mod source;
mod sparse_rows;
mod sparse_tile;
mod training;
mod typical;
mod value_maps;
mod weighted_rows;

pub(crate) use canonical::{CanonicalRows, RowOrder};
pub use csr::{CsrRows, Indices, Values};
pub use encoding::{
    Coding, Column, Encoded, EncodedColumn, Encoding, EncodingSettings, LevelColumn, MAX_LEVELS,
    Missing, Table, UnseenLevels, Value,
};
pub(crate) use gathered_rows::GatheredRows;
pub use labels::{ClassLabels, Labels};
pub use ordered_sum::{Parallelism, Part, merge_parts};
pub(crate) use ordered_sum::{add_to, fill_by_chunks};
pub use pass::{Pass, WeightedBlock};
pub use response::Standardization;
pub use rows::Rows;
pub(crate) use rows::with_view;
pub use scaled::{scaled, scaled_once};
pub use scaled_rows::ScaledRows;
pub use scaling::{FeatureMap, Scaling, ScalingChoice, ScalingKind};
#[cfg(test)]
pub(crate) use source::DenseTile;
pub(crate) use source::Tile;
pub use source::{Block, MovingFeatures, RowSource, Source};
pub use sparse_rows::SparseRows;
pub(crate) use sparse_tile::SparseTile;
pub use training::{Classes, ClassificationRows, RegressionRows, Response, TrainingRows};
pub use weighted_rows::{RowWeights, WeightedRows};
