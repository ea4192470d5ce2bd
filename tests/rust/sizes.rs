//! No file of either crate has more than 400 lines and no function more than 60, tests aside.

mod sources;

use sources::{sources, without_tests};
use std::fs;
use std::path::Path;

const FILE: usize = 400;
const FUNCTION: usize = 60;

/// Names and lines of the functions with a body, as rustfmt lays them out: from the line with `fn` to
/// the brace that stands as far in.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let Some((before, after)) = code.split_once("fn ") else {
            continue;
        };
        let mut modifiers = before.split_whitespace();
        if !modifiers.all(|word| word.starts_with("pub") || word == "const") {
            continue;
        }
        let inset = " ".repeat(line.len() - code.len());
        let is_end = |(length, line): (usize, &&str)| {
            let on_one_line = length == 0 && line.ends_with([';', '}']);
            let closes = [")", "->"].map(|start| format!("{inset}{start}"));
            let closes = closes.iter().any(|start| line.starts_with(start));
            let declaration = closes && line.ends_with(';');
            on_one_line || declaration || **line == format!("{inset}}}")
        };
        let length = lines[first..].iter().enumerate().position(is_end);
        let name = after.split(['(', '<']).next().unwrap();
        found.push((name.to_owned(), length.expect("an end") + 1));
    }
    found
}

#[test]
fn files_and_functions_are_short() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in ["softwood", "softwood-py"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    let (mut seen, mut long) = (0, Vec::new());
    for path in files {
        let place = path.strip_prefix(crates).unwrap().to_str().unwrap();
        let place = place.replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap();
        let code = without_tests(&text);
        let lines = code.lines().count();
        if lines > FILE {
            long.push(format!("{place}: {lines} lines"));
        }
        let functions = functions(code);
        seen += functions.len();
        let too_long = functions.iter().filter(|(_, length)| *length > FUNCTION);
        long.extend(too_long.map(|(name, length)| format!("{place}: {name}, {length} lines")));
    }
    assert!(long.is_empty(), "too long:\n{}", long.join("\n"));
    assert!(seen > 600, "only {seen} functions were seen");
}

#[test]
fn lengths_are_counted_from_the_name_to_the_brace() {
    let text = "pub(crate) fn f(\n    x: u8,\n) -> u8 {\n    if x > 1 {\n        2\n    } else {\n        x\n    }\n}\n\
                trait T {\n    fn g(&self);\n    fn j(&self)\n    -> u8;\n    fn h(&self) {\n        self.g()\n    }\n}\n\
                // the fn of it\n#[cfg(test)]\nmod tests {\n    fn i() {\n    }\n}\n";
    let found = functions(without_tests(text));
    let found: Vec<_> = found.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(found, [("f", 9), ("g", 1), ("j", 2), ("h", 3)]);
}
