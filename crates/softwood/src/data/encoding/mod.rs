//! Tables with columns of numbers, truth values and levels, and the features that stand for them.

mod apply;
mod columns;
mod learn;
mod places;
mod row;
mod table;

pub use apply::Encoded;
pub use columns::{Coding, EncodedColumn, Encoding, Missing};
pub use learn::{EncodingSettings, MAX_LEVELS};
pub use places::UnseenLevels;
pub use table::{Column, LevelColumn, Table, Value};
