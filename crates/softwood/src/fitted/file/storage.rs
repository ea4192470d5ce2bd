//! Reading files, and writing them as a whole or not at all.

use crate::InputError;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a model could not be saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The system could not read or write the file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was read but holds no valid model.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: InputError,
    },
}

/// The text of a file, read as a model.
pub(in crate::fitted) fn read<M>(
    path: &Path,
    read: impl Fn(&str) -> Result<M, InputError>,
) -> Result<M, ModelFileError> {
    let bytes = fs::read(path).map_err(|source| ModelFileError::Io {
        action: "read",
        path: path.into(),
        source,
    })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| InputError::ModelFile(format!("not text: {error}")));
    text.and_then(read)
        .map_err(|source| ModelFileError::Invalid {
            path: path.into(),
            source,
        })
}

/// Replaces the file at `path`, if there is one.
pub(in crate::fitted) fn write(path: &Path, text: &str) -> Result<(), ModelFileError> {
    replace_file(path, text.as_bytes()).map_err(|source| ModelFileError::Io {
        action: "write",
        path: path.into(),
        source,
    })
}

/// Writes beside `path` and renames, following a link to the file it stands for.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device is written to, never replaced.
        return fs::write(&target, bytes);
    }
    let temporary = name_beside(&target)?;
    let written = write_new(&temporary, bytes)
        .and_then(|()| {
            old.map_or(Ok(()), |old| {
                fs::set_permissions(&temporary, old.permissions())
            })
        })
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A hidden name in the same folder that no other save of this or another process uses.
fn name_beside(target: &Path) -> io::Result<PathBuf> {
    static SAVES: AtomicU64 = AtomicU64::new(0);
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not the name of a file",
        ));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(
        ".{}-{}.tmp",
        std::process::id(),
        SAVES.fetch_add(1, Ordering::Relaxed)
    ));
    Ok(target.with_file_name(hidden))
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
