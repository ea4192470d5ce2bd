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

/// Links followed before a path is taken for a circle of them, as Linux does.
const MOST_LINKS: usize = 40;

/// Writes beside `path` and renames, following a link to the file it stands for, there or not.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = behind_links(path)?;
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device is written to, never replaced.
        return fs::write(&target, bytes);
    }
    if target.file_name().is_none() {
        let what = "not the name of a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let (temporary, mut file) = new_file_beside(&target)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| old.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    // The new name is safe from a loss of power once the folder is written, too. Not every system can
    // do that, and the file is complete either way.
    let _ = fs::File::open(folder_of(&target)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The path that a chain of symbolic links ends at, whether or not something is there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => return Ok(target), // no link
        }
    }
    let what = "too many symbolic links";
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// A new file in the same folder under a hidden, short name that nobody uses, left over ones included.
fn new_file_beside(target: &Path) -> io::Result<(PathBuf, fs::File)> {
    static SAVES: AtomicU64 = AtomicU64::new(0);
    loop {
        let (process, save) = (std::process::id(), SAVES.fetch_add(1, Ordering::Relaxed));
        let path = target.with_file_name(format!(".softwood-{process}-{save}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (path, file)),
        }
    }
}
