//! Folders of the crate import one another in one direction only.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: each imports only what stands before it. `lib.rs` and CONTRIBUTING say the same.
const ORDER: [&str; 18] = [
    "stop",
    "error",
    "status",
    "progress",
    "control",
    "threads",
    "vectors",
    "data",
    "tree",
    "fitted",
    "passes",
    "leaves",
    "solver",
    "objective",
    "start",
    "selection",
    "search",
    "fit",
];

/// What `lib.rs` re-exports and files may name from the crate's root.
const REEXPORTED: [(&str, &str); 3] = [
    ("InputError", "error"),
    ("FitError", "error"),
    ("StopFlag", "stop"),
];

fn rank(folder: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == folder)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The names that follow `crate::` in the code of a file, its tests aside.
fn imported(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut names = Vec::new();
    for line in lines {
        for after in line.split("crate::").skip(1) {
            let listed = after.strip_prefix('{');
            let listed = listed.map_or(after, |list| list.split('}').next().unwrap());
            let many = after.starts_with('{');
            for name in listed.split(',').take(if many { usize::MAX } else { 1 }) {
                let name = name.trim();
                let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
                names.push(name[..end.unwrap_or(name.len())].to_owned());
            }
        }
    }
    names
}

#[test]
fn imports_point_down_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 80, "{} files", files.len());
    let (mut arrows, mut wrong) = (0, Vec::new());
    for path in files {
        let place = path.strip_prefix(&root).unwrap();
        let first = place.components().next().unwrap().as_os_str();
        let folder = first.to_str().unwrap().trim_end_matches(".rs");
        if folder == "lib" {
            continue;
        }
        let Some(own) = rank(folder) else {
            wrong.push(format!("{} stands nowhere in the order", place.display()));
            continue;
        };
        for name in imported(&fs::read_to_string(&path).unwrap()) {
            let known = REEXPORTED.iter().find(|(item, _)| *item == name);
            let target = known.map_or(name.as_str(), |(_, folder)| folder);
            arrows += usize::from(target != folder);
            match rank(target) {
                Some(rank) if rank <= own => {}
                Some(_) => wrong.push(format!("{} imports {target}", place.display())),
                None => wrong.push(format!("{} imports crate::{name}", place.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "against the order:\n{}", wrong.join("\n"));
    assert!(arrows > 200, "only {arrows} imports were seen");
}

#[test]
fn imports_are_found_wherever_they_stand() {
    let text = "use crate::data::Rows;\nuse crate::{FitError, StopFlag};\n// crate::fit\n\
                fn f() { crate::tree::g() }\n#[cfg(test)]\nmod tests {\nuse crate::fit::x;\n}";
    assert_eq!(imported(text), ["data", "FitError", "StopFlag", "tree"]);
}
