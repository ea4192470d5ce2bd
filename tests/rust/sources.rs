//! The source files of a folder, and their code without tests, for tests that read sources.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files in a folder and the folders inside it.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The text of a file up to its tests.
pub fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap()
}
