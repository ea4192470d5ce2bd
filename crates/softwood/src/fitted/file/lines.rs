//! JSON that reads well: a line for each field and for each row of a table, everything else in one line.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// The value as JSON with a line for each field, and for each item of a field that is a list of lists
/// or objects.
pub(super) fn to_lines(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Lines::default());
    value
        .serialize(&mut serializer)
        .expect("plain data can be written");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is text")
}

/// What is open, and whether the list at hand has begun a line.
#[derive(Default)]
struct Lines {
    open: Vec<Open>,
    broken: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Open {
    Object,
    List,
}

impl Lines {
    /// Opens a list or an object: on a line of its own if it is an item of a field.
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, what: Open, sign: &[u8]) -> io::Result<()> {
        if self.open == [Open::Object, Open::List] {
            self.broken = true;
            out.write_all(b"\n    ")?;
        }
        self.open.push(what);
        out.write_all(sign)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, Open::List, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open.pop();
        if self.open.len() == 1 && std::mem::take(&mut self.broken) {
            out.write_all(b"\n  ")?;
        }
        out.write_all(b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, Open::Object, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open.pop();
        out.write_all(if self.open.is_empty() { b"\n}" } else { b"}" })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.open.len() == 1 {
            out.write_all(b"\n  ")?;
        }
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.open.len() == 1 { b": " } else { b":" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_rows_of_tables_have_lines_of_their_own() {
        #[derive(Serialize)]
        struct Example {
            name: &'static str,
            numbers: [f64; 2],
            rows: Vec<Vec<f64>>,
            none: Vec<Vec<f64>>,
            inner: Inner,
        }
        #[derive(Serialize)]
        struct Inner {
            rows: Vec<Vec<u32>>,
        }
        let example = Example {
            name: "a, b",
            numbers: [0.1, 1e300],
            rows: vec![vec![1.0, 2.0], vec![]],
            none: Vec::new(),
            inner: Inner {
                rows: vec![vec![1], vec![2]],
            },
        };
        let expected = "{
  \"name\": \"a, b\",
  \"numbers\": [0.1,1e+300],
  \"rows\": [
    [1.0,2.0],
    []
  ],
  \"none\": [],
  \"inner\": {\"rows\":[[1],[2]]}
}
";
        assert_eq!(to_lines(&example), expected);
    }
}
