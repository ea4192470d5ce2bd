//! Two features that part the classes only together, as in exclusive or: no first-order score sees them.
//!
//! On a sketch of one bit a value, y = ±b_i b_j is the agreement of the bits of column i, turned over where
//! y is negative, with those of column j, or with none of them. Up to some thousand columns all pairs are
//! compared. Beyond, columns that agree on a few random rows meet in a table, of which there are several: a
//! pair that agrees on the share p of all rows is found in a table of keys of k rows with probability p^k.

use super::node_rows::TreeRows;
use super::sign_sketch::{SignSketch, sign_bits};
use super::split::Split;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Rows of the sketch at most, rows that pairs are tried on at most, and rows below which none is sought.
const SKETCHED: usize = 1024;
const TRIED: usize = 8192;
const LEAST_ROWS: usize = 100;

/// Columns up to which all pairs are compared.
const ALL_PAIRS: usize = 6000;

/// Tables of keys, and bits of a key beyond those that number the columns.
const TABLES: usize = 48;
const MORE_BITS: u32 = 3;

/// Columns of one key that are compared with one another at most.
const MOST_ALIKE: usize = 64;

/// Pairs that are tried on other rows.
const KEPT: usize = 32;

/// Standard errors by which a pair must beat the linear classifier.
const SURE: f64 = 3.0;

/// Two places in the sketch, and how far their agreement is from chance.
type Pair = (u32, (u32, u32));

/// A feature and a threshold that, followed by another feature on both sides, part the signs better than the
/// linear classifier does, as rows show that were not used to find them; None if there is none.
pub(super) fn interaction(
    rows: &TreeRows<'_>,
    members: &[u32],
    signs: &[f64],
    linear: &Split,
    seed: (u64, u64),
) -> Option<(u32, f64)> {
    if members.len() < LEAST_ROWS {
        return None;
    }
    let wrong = |(margin, sign): (&f64, &f64)| (*margin >= 0.0) != (*sign > 0.0);
    let errors = linear
        .held_out
        .iter()
        .zip(signs)
        .filter(|pair| wrong(*pair))
        .count();
    let rarer = signs.iter().filter(|sign| **sign > 0.0).count();
    let rarer = rarer.min(signs.len() - rarer);
    if 2 * errors < rarer {
        return None; // linear enough
    }
    let mut rng = Pcg64::new(u128::from(seed.0), u128::MAX - u128::from(seed.1));
    let mut order: Vec<usize> = (0..members.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    let (sketched, others) = order.split_at(SKETCHED.min(members.len() / 2));
    let others = &others[..others.len().min(TRIED)];
    let of_sketch: Vec<u32> = sketched.iter().map(|i| members[*i]).collect();
    let sketch = SignSketch::of(&rows.rows, &of_sketch);
    let bits = sign_bits(sketched.iter().map(|i| signs[*i]));
    let pairs = best_pairs(&sketch, &bits, sketched.len() as u32, &mut rng);
    let tried = pairs.iter().map(|(_, pair)| {
        let missed = errors_on(rows, members, signs, others, &sketch, *pair);
        (missed, *pair)
    });
    let (missed, pair) = tried.min()?;
    let rate = errors as f64 / signs.len() as f64;
    let (found, count) = (missed as f64 / others.len() as f64, others.len() as f64);
    let error = (found * (1.0 - found) / count).sqrt() + (rate * (1.0 - rate) / count).sqrt();
    let place = pair.0 as usize;
    (found + SURE * error < rate).then(|| (sketch.columns[place], sketch.means[place]))
}

/// The pairs of largest agreement, largest first.
fn best_pairs(sketch: &SignSketch, signs: &[u64], rows: u32, rng: &mut Pcg64) -> Vec<Pair> {
    let count = sketch.columns.len();
    let score = |i: usize, j: usize| {
        let words = sketch.column(i).iter().zip(sketch.column(j)).zip(signs);
        let apart: u32 = words.map(|((a, b), y)| (a ^ b ^ y).count_ones()).sum();
        apart.abs_diff(rows - apart)
    };
    let mut found: Vec<Pair> = if count <= ALL_PAIRS {
        let of_one = |i: usize| {
            let pairs = (0..i).map(|j| (score(i, j), (i as u32, j as u32)));
            largest(pairs.collect())
        };
        (0..count).into_par_iter().flat_map_iter(of_one).collect()
    } else {
        let length = count.ilog2() + MORE_BITS;
        let drawn: Vec<Vec<u32>> = (0..TABLES)
            .map(|_| (0..length).map(|_| rng.random_range(0..rows)).collect())
            .collect();
        let of_table = |drawn: &Vec<u32>| {
            let meeting = meeting_pairs(sketch, signs, drawn);
            largest(
                meeting
                    .into_iter()
                    .map(|(i, j)| (score(i as usize, j as usize), (i, j)))
                    .collect(),
            )
        };
        drawn.par_iter().flat_map_iter(of_table).collect()
    };
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.dedup();
    found.truncate(KEPT);
    found
}

fn largest(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.truncate(KEPT);
    pairs
}

/// Pairs of which one, turned over by the signs, has the bits of the other at the drawn rows, or none of them.
fn meeting_pairs(sketch: &SignSketch, signs: &[u64], drawn: &[u32]) -> Vec<(u32, u32)> {
    let bit = |bits: &[u64], row: u32| (bits[row as usize / 64] >> (row % 64)) & 1;
    let key = |bits: &[u64]| {
        drawn
            .iter()
            .fold(0u64, |key, row| key << 1 | bit(bits, *row))
    };
    let mask = (1u64 << drawn.len()) - 1;
    // A key and its complement are one.
    let either = |key: u64| key.min(!key & mask);
    let turned = key(signs);
    let mut plain: Vec<(u64, u32)> = (0..sketch.columns.len())
        .map(|place| (either(key(sketch.column(place))), place as u32))
        .collect();
    plain.sort_unstable();
    let mut pairs = Vec::new();
    for place in 0..sketch.columns.len() as u32 {
        let wanted = either(key(sketch.column(place as usize)) ^ turned);
        let first = plain.partition_point(|(key, _)| *key < wanted);
        let alike = plain[first..].iter().take_while(|(key, _)| *key == wanted);
        for (_, other) in alike.take(MOST_ALIKE) {
            if *other != place {
                pairs.push((place.max(*other), place.min(*other)));
            }
        }
    }
    pairs
}

/// Rows of `tried` that are told wrong by whether the two features are on the same side of their means, or by the
/// opposite of that, whichever is better.
fn errors_on(
    rows: &TreeRows<'_>,
    members: &[u32],
    signs: &[f64],
    tried: &[usize],
    sketch: &SignSketch,
    (i, j): (u32, u32),
) -> usize {
    let places = [i.min(j) as usize, i.max(j) as usize];
    let columns = places.map(|place| sketch.columns[place] as usize);
    let means = places.map(|place| sketch.means[place]);
    let mut counts = [[0usize; 2]; 4];
    let mut x = [0.0; 2];
    for k in tried {
        rows.rows
            .pick(members[*k] as usize, &|c| columns[c], 2, &mut x);
        let cell = usize::from(x[0] > means[0]) + 2 * usize::from(x[1] > means[1]);
        counts[cell][usize::from(signs[*k] > 0.0)] += 1;
    }
    // Agreement or its opposite, over all cells: two labellings, not sixteen.
    let agree = counts[0][0] + counts[3][0] + counts[1][1] + counts[2][1];
    agree.min(tried.len() - agree)
}
