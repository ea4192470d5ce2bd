//! Model files changed at random: as text, and as values, which leaves them JSON.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use serde_json::Value;

/// What stands where it should not.
pub const WORDS: [&str; 24] = [
    "null",
    "true",
    "-1",
    "0",
    "-0.0",
    "0.5",
    "1e308",
    "-1e308",
    "1e999",
    "5e-324",
    "NaN",
    "[]",
    "{}",
    "\"\"",
    "\"a\\u0000\"",
    "\"\\ud800\"",
    "4294967296",
    "18446744073709551616",
    "[[[[[[[[[[",
    "}",
    "]",
    ",",
    "\"version\":2,",
    "\u{feff}",
];

fn a_word(rng: &mut impl Rng) -> &'static str {
    WORDS.choose(rng).unwrap()
}

/// A place between two characters.
fn place(text: &str, rng: &mut impl Rng) -> usize {
    let mut at = rng.random_range(0..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Text cut, doubled, overwritten, or joined to that of another file.
pub fn mutate_text(text: &str, other: &str, rng: &mut impl Rng) -> String {
    let (a, b) = (place(text, rng), place(text, rng));
    let (a, b) = (a.min(b), a.max(b));
    match rng.random_range(0..5) {
        0 => [&text[..a], &text[b..]].concat(),
        1 => [&text[..b], &text[a..]].concat(),
        2 => [&text[..a], a_word(rng), &text[a..]].concat(),
        3 => [&text[..a], a_word(rng), &text[b..]].concat(),
        _ => [&text[..a], &other[place(other, rng)..]].concat(),
    }
}

/// Any value within another.
fn pick<'v>(value: &'v mut Value, rng: &mut impl Rng) -> &'v mut Value {
    let mut here = value;
    loop {
        let stays = rng.random_range(0..6) == 0;
        let count = match &*here {
            Value::Array(values) => values.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        if count == 0 || stays {
            return here;
        }
        let next = rng.random_range(0..count);
        here = match here {
            Value::Array(values) => &mut values[next],
            Value::Object(fields) => fields.values_mut().nth(next).unwrap(),
            _ => unreachable!("it has parts"),
        };
    }
}

/// A value changed, dropped, doubled or put elsewhere: what comes out is JSON still.
pub fn mutate_values(file: &mut Value, rng: &mut impl Rng) {
    let spare = pick(file, rng).clone();
    let number = [0.0, -1.0, 0.5, 1e300, 5e-324, 1e17, 3.0]
        .choose(rng)
        .copied();
    match (pick(file, rng), rng.random_range(0..5)) {
        (Value::Array(values), 0) => drop(values.pop()),
        (Value::Array(values), 1) => values.push(spare),
        (Value::Object(fields), 0..=1) => {
            let name = fields
                .keys()
                .nth(rng.random_range(0..fields.len().max(1)))
                .cloned();
            name.map(|name| fields.remove(&name));
        }
        (value @ Value::Number(_), 0..=3) => *value = number.into(),
        (value, 4) => *value = spare,
        (value, _) => *value = serde_json::from_str(a_word(rng)).unwrap_or(Value::Null),
    }
}
