//! Folders of the crate import one another in one direction only, and so do the files of a folder.

mod sources;

use sources::{sources, without_tests};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the bottom up: each imports only what stands before it. `lib.rs` and CONTRIBUTING say the same.
const ORDER: [&str; 23] = [
    "stop",
    "table_error",
    "error",
    "status",
    "progress",
    "control",
    "threads",
    "vectors",
    "data",
    "functional",
    "tree",
    "fitted",
    "passes",
    "leaves",
    "solver",
    "objective",
    "perceptron",
    "start",
    "selection",
    "exact",
    "mip",
    "search",
    "fit",
];

/// What `lib.rs` re-exports and files may name from the crate's root.
const REEXPORTED: [(&str, &str); 4] = [
    ("TableError", "table_error"),
    ("InputError", "error"),
    ("FitError", "error"),
    ("StopFlag", "stop"),
];

/// Folders whose files know each other: in `fitted`, a model and the curves it is made of.
const ROUND: [&str; 1] = ["fitted"];

fn rank(folder: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == folder)
}

/// The code of a file, its tests and comments aside.
fn code(text: &str) -> String {
    let lines = without_tests(text).lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//")).collect()
}

/// The names that follow `prefix` in code, one by one where they stand in braces.
fn names_after(prefix: &str, code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for after in code.split(prefix).skip(1) {
        let listed = after
            .strip_prefix('{')
            .map(|list| list.split('}').next().unwrap());
        for name in listed.map_or(vec![after], |list| list.split(',').collect()) {
            let name = name.trim();
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            names.push(name[..end.unwrap_or(name.len())].to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Where a folder's `mod.rs` has its items from.
fn reexports(code: &str) -> BTreeMap<String, String> {
    let uses = code
        .split(" use ")
        .skip(1)
        .map(|after| after.split(';').next().unwrap());
    let from_file = |path: &str| {
        let (file, _) = path.split_once("::")?;
        let names = names_after(&format!("{file}::"), path);
        Some(
            names
                .into_iter()
                .map(|name| (name, file.to_owned()))
                .collect::<Vec<_>>(),
        )
    };
    uses.filter_map(from_file).flatten().collect()
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A way from `at` back to a file already on it, if there is one; files without one are `done`.
fn cycle(at: &str, arrows: &Arrows, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
    if done.contains(at) {
        return false;
    }
    let closed = way.iter().any(|file| file == at);
    way.push(at.to_owned());
    if closed || arrows[at].iter().any(|next| cycle(next, arrows, way, done)) {
        return true;
    }
    way.pop();
    done.insert(at.to_owned());
    false
}

/// Which file of `folder` imports which, items of its `mod.rs` traced to the files they are from; a
/// folder inside counts as one file.
fn arrows_inside(folder: &Path) -> Arrows {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let mut files = Vec::new();
    sources(folder, &mut files);
    let from = reexports(&code(&fs::read_to_string(folder.join("mod.rs")).unwrap()));
    let mut arrows = Arrows::new();
    for path in files {
        let place = path.strip_prefix(folder).unwrap().to_str().unwrap();
        let own = place.split(['/', '\\', '.']).next().unwrap();
        if place == "mod.rs" {
            continue;
        }
        let inside = place != format!("{own}.rs") && !place.ends_with("mod.rs");
        let above = if inside { "super::super::" } else { "super::" };
        let text = code(&fs::read_to_string(&path).unwrap());
        let mut names = names_after(above, &text);
        names.extend(names_after(&format!("crate::{name}::"), &text));
        let file = |name: String| from.get(&name).cloned().unwrap_or(name);
        let files = names.into_iter().map(file).filter(|file| file != own);
        arrows.entry(own.to_owned()).or_default().extend(files);
    }
    // What is left are items of `mod.rs` itself, and `super` where it means something else.
    let known: BTreeSet<String> = arrows.keys().cloned().collect();
    arrows
        .values_mut()
        .for_each(|to| to.retain(|file| known.contains(file)));
    arrows
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
        for name in names_after("crate::", &code(&fs::read_to_string(&path).unwrap())) {
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
fn files_of_a_folder_do_not_import_in_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut seen, mut circles) = (0, Vec::new());
    let folders = ORDER.iter().filter(|name| !ROUND.contains(name));
    for folder in folders
        .map(|name| root.join(name))
        .filter(|path| path.is_dir())
    {
        let arrows = arrows_inside(&folder);
        seen += arrows.values().map(BTreeSet::len).sum::<usize>();
        let mut done = BTreeSet::new();
        for file in arrows.keys() {
            let mut way = Vec::new();
            if cycle(file, &arrows, &mut way, &mut done) {
                circles.push(format!("{}: {}", folder.display(), way.join(" → ")));
                break;
            }
        }
    }
    assert!(
        circles.is_empty(),
        "files import in circles:\n{}",
        circles.join("\n")
    );
    assert!(seen > 80, "only {seen} imports were seen");
}

#[test]
fn imports_are_found_wherever_they_stand() {
    let text = "use crate::data::Rows;\nuse crate::{\n    FitError,\n    StopFlag,\n};\n// crate::fit\n\
                fn f() { crate::tree::g() }\n#[cfg(test)]\nmod tests {\nuse crate::fit::x;\n}";
    let found = names_after("crate::", &code(text));
    assert_eq!(found, ["data", "FitError", "StopFlag", "tree"]);
}

#[test]
fn circles_are_found_also_through_the_items_of_a_folder() {
    let from = reexports("mod a;mod b;pub use a::{A, B};pub(crate) use b::C;");
    let files = ["A", "B", "C"].map(|item| from[item].as_str());
    assert_eq!(files, ["a", "a", "b"]);
    let arrows = |pairs: &[(&str, &[&str])]| -> Arrows {
        let set = |to: &[&str]| to.iter().map(|file| (*file).to_owned()).collect();
        pairs
            .iter()
            .map(|(file, to)| ((*file).to_owned(), set(to)))
            .collect()
    };
    let mut way = Vec::new();
    let round = arrows(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
    assert!(cycle("a", &round, &mut way, &mut BTreeSet::new()));
    assert_eq!(way, ["a", "b", "c", "b"]);
    let straight = arrows(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert!(!cycle(
        "a",
        &straight,
        &mut Vec::new(),
        &mut BTreeSet::new()
    ));
}
