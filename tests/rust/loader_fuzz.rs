//! Does the loader refuse, or read soundly, whatever a file holds? A fuzzer of its own, guided by what the loader
//! says: a file that is answered as none was before is kept and mutated further.
//!
//! `cargo test` makes a quick run; the long one is
//! `LOADER_FUZZ=1000000 cargo test --release -p softwood --test loader_fuzz -- --nocapture`.

use ndarray::Array2;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use serde_json::Value;
use softwood::{FittedModel, FittedTree, InputError, Model};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Files of a quick run.
const QUICK: usize = 20_000;

/// No file is larger, and none takes longer.
const MOST_BYTES: usize = 1 << 17;
const MOST_TIME: Duration = Duration::from_secs(5);

/// Messages may quote a name, no more.
const LONGEST_MESSAGE: usize = 600;

/// What stands where it should not.
const WORDS: [&str; 24] = [
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

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(name)
}

/// Models of every kind, and files found earlier that are answered in a way of their own.
fn seeds() -> Vec<String> {
    let mut seeds = Vec::new();
    for name in ["golden", "corpus"] {
        let files = fs::read_dir(folder(name)).unwrap();
        let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        let models = paths
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "json"));
        let models = models.filter(|path| !path.to_string_lossy().contains("predictions"));
        seeds.extend(models.map(|path| fs::read_to_string(path).unwrap()));
    }
    seeds
}

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
fn mutate_text(text: &str, other: &str, rng: &mut impl Rng) -> String {
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
fn mutate_values(file: &mut Value, rng: &mut impl Rng) {
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

fn mutated(seeds: &[String], rng: &mut impl Rng) -> String {
    let mut text = seeds.choose(rng).unwrap().clone();
    for _ in 0..rng.random_range(1..4) {
        let file = serde_json::from_str::<Value>(&text);
        text = match file {
            Ok(mut file) if rng.random_range(0..4) > 0 => {
                mutate_values(&mut file, rng);
                file.to_string()
            }
            _ => mutate_text(&text, seeds.choose(rng).unwrap(), rng),
        };
    }
    text
}

/// What the loader says of a text, without numbers, and what it reads in the shape of the tree.
fn answer(text: &str) -> Result<String, InputError> {
    let model = Model::from_json(text)?;
    Ok(match &model {
        // Rows of curves have other columns than the tree, whose features are means.
        Model::FunctionalOrct(model) => sound(&model.on_means, |x| model.on_means.predict_proba(x)),
        Model::FunctionalOrrt(model) => sound(&model.on_means, |x| model.on_means.predict(x)),
        Model::Orct(model) => sound(model, |x| model.predict_proba(x)),
        Model::Orrt(model) => sound(model, |x| model.predict(x)),
        Model::Spdt(model) => sound(model, |x| model.predict_proba(x)),
        Model::Srt(model) => sound(model, |x| model.predict(x)),
        Model::Svm1Odt(model) => sound(model, |x| {
            Ok(model.predict(x)?.into_iter().map(f64::from).collect())
        }),
    })
}

/// A model that was read is written as it was, and what it predicts and shows is finite.
fn sound<M: FittedModel + PartialEq + std::fmt::Debug>(
    model: &M,
    predict: impl Fn(ndarray::ArrayView2<'_, f64>) -> Result<Vec<f64>, InputError>,
) -> String {
    assert_eq!(M::from_json(&model.to_json()).as_ref(), Ok(model));
    let features = model.tree().features();
    if features <= 1000 {
        for value in [0.0, -1e300, 0.3] {
            let x = Array2::from_elem((2, features), value);
            let predicted = predict(x.view()).unwrap();
            assert!(predicted.iter().all(|p| p.is_finite()), "{predicted:?}");
        }
        assert!(!model.describe(Some(3)).is_empty());
    }
    let shape = model.tree().shape();
    format!(
        "{} {} {}",
        M::KIND,
        shape.splits().len(),
        model.report().notices.len()
    )
}

/// A message without what differs from file to file.
fn outline(message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or_default();
    let letters = message
        .chars()
        .map(|c| if c.is_ascii_digit() { '#' } else { c });
    letters.take(90).collect()
}

#[test]
fn no_file_breaks_the_loader() {
    let wanted = std::env::var("LOADER_FUZZ").map_or(QUICK, |count| count.parse().unwrap());
    let is_long = wanted > QUICK;
    let (mut seeds, mut rng) = (seeds(), Pcg64::new(7, 7));
    let (mut seen, mut read, mut slowest) = (BTreeSet::new(), 0, Duration::ZERO);
    let given = seeds.len();
    for _ in 0..wanted {
        let text = mutated(&seeds, &mut rng);
        if text.len() > MOST_BYTES {
            continue;
        }
        let began = Instant::now();
        let said = match answer(&text) {
            Ok(read_as) => {
                read += 1;
                read_as
            }
            Err(refusal) => {
                let message = refusal.to_string();
                assert!(message.len() < LONGEST_MESSAGE, "{message}");
                outline(&message)
            }
        };
        slowest = slowest.max(began.elapsed());
        // Seconds are judged in the long run alone, which has the machine to itself.
        assert!(!is_long || slowest < MOST_TIME, "{text}");
        if seeds.len() < 2000 && seen.insert(said) {
            seeds.push(text);
        }
    }
    println!(
        "{wanted} files, {read} read, {} answers of their own from {given} seeds, slowest {slowest:.1?}",
        seen.len()
    );
    assert!(seen.len() > 50, "{seen:#?}");
    if let Ok(out) = std::env::var("LOADER_FUZZ_KEEP") {
        for (number, text) in seeds[given..].iter().enumerate() {
            fs::write(Path::new(&out).join(format!("{number:04}.json")), text).unwrap();
        }
    }
}
