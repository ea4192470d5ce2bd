//! Does the loader refuse, or read soundly, whatever a file holds? A fuzzer of its own, guided by what the loader
//! says: a file that is answered as none was before is kept and mutated further.
//!
//! `cargo test` makes a quick run; the long one is
//! `LOADER_FUZZ=1000000 cargo test --release -p softwood --test loader_fuzz -- --nocapture`.

#[path = "loader/answer.rs"]
mod answer;
#[path = "loader/mutations.rs"]
mod mutations;

use answer::answer;
use mutations::{mutate_text, mutate_values};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use serde_json::Value;
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
