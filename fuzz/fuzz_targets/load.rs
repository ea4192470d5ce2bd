//! Reads whatever it is given as a model file: it must be refused, or be a model that is sound in all it does.

#![no_main]

#[path = "../../tests/rust/loader/answer.rs"]
mod answer;
#[path = "../../tests/rust/loader/mutations.rs"]
mod mutations;

use answer::answer;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use mutations::{mutate_text, mutate_values};
use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::Value;

fuzz_target!(|data: &[u8]| -> Corpus {
    match std::str::from_utf8(data) {
        Ok(text) => {
            let _ = answer(text);
            Corpus::Keep
        }
        // Never a file that can be read.
        Err(_) => Corpus::Reject,
    }
});

// Most changes leave JSON, or all else would be refused by its parser alone.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Pcg64::new(u128::from(seed), 0);
    let Ok(text) = std::str::from_utf8(&data[..size]) else {
        return fuzzer_mutate(data, size, max_size);
    };
    let changed = match (rng.random_range(0..8), serde_json::from_str::<Value>(text)) {
        (0, _) => return fuzzer_mutate(data, size, max_size),
        (1, _) | (_, Err(_)) => mutate_text(text, text, &mut rng),
        (_, Ok(mut file)) => {
            mutate_values(&mut file, &mut rng);
            file.to_string()
        }
    };
    if changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
});
