//! The model file: versioned JSON that any language can read; MODEL_FORMAT.md describes it.

mod checks;
pub(super) mod functional;
mod hard_fields;
mod leaf_classes;
mod leaf_models;
mod lines;
pub(super) mod orct;
pub(super) mod orrt;
pub(super) mod spdt;
pub(super) mod srt;
mod storage;
pub(super) mod svm1_odt;
mod tree_fields;

use crate::InputError;
use checks::{check, parse};
use serde::Deserialize;

pub use storage::ModelFileError;
pub(super) use storage::{read, write};

const FORMAT: &str = "softwood";

/// The version written. Older ones are read; it is raised when an older release would misread a file.
const VERSION: u64 = 2;

/// What every version of the format begins with.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
    kind: String,
}

/// The kind of model in a file of a format and version this release reads.
pub(super) fn read_kind(text: &str) -> Result<String, InputError> {
    let header: Header = parse(text)?;
    check(header.format == FORMAT, || {
        format!("format is {:?}, not {FORMAT:?}", header.format)
    })?;
    check((1..=VERSION).contains(&header.version), || {
        format!(
            "version is {}, but this release reads versions 1 to {VERSION}",
            header.version
        )
    })?;
    Ok(header.kind)
}
