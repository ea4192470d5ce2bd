//! One bit for each value of some rows: whether it is above the mean of its column there.

use super::columns::NodeColumns;
use crate::data::Rows;
use rayon::prelude::*;

/// Shares of ones between which a column can take part in an interaction.
const BALANCED: std::ops::Range<f64> = 0.1..0.9;

/// Bits in a word.
const WORD: usize = 64;

/// Columns in a piece of parallel work.
const COLUMNS_AT_A_TIME: usize = 256;

/// The bits of the columns that are balanced.
pub(super) struct SignSketch {
    /// The columns, increasing.
    pub columns: Vec<u32>,
    /// Mean of each of them.
    pub means: Vec<f64>,
    /// Words of each of them.
    pub words: usize,
    /// Columns × words.
    pub bits: Vec<u64>,
}

impl SignSketch {
    /// Of the rows numbered `members`.
    pub fn of(rows: &Rows<'_>, members: &[u32]) -> Self {
        let columns = NodeColumns::of(rows, members);
        let (n, words) = (members.len(), members.len().div_ceil(WORD));
        let pieces = (0..rows.features().div_ceil(COLUMNS_AT_A_TIME)).into_par_iter();
        let of_piece = |piece: usize| {
            let first = piece * COLUMNS_AT_A_TIME;
            let last = rows.features().min(first + COLUMNS_AT_A_TIME);
            let (mut kept, mut bits) = (Vec::new(), Vec::new());
            let mut own = vec![0u64; words];
            for j in first..last {
                let mut sum = 0.0;
                columns.visit(j, |_, x| sum += x);
                let mean = sum / n as f64;
                own.fill(if 0.0 > mean { u64::MAX } else { 0 });
                columns.visit(j, |i, x| {
                    let bit = 1u64 << (i % WORD);
                    match x > mean {
                        true => own[i / WORD] |= bit,
                        false => own[i / WORD] &= !bit,
                    }
                });
                clear_beyond(&mut own, n);
                let ones: u32 = own.iter().map(|word| word.count_ones()).sum();
                if BALANCED.contains(&(f64::from(ones) / n as f64)) {
                    kept.push((j as u32, mean));
                    bits.extend(&own);
                }
            }
            (kept, bits)
        };
        let parts: Vec<(Vec<_>, Vec<u64>)> = pieces.map(of_piece).collect();
        let (mut kept, mut bits) = (Vec::new(), Vec::new());
        for (own, of_own) in parts {
            kept.extend(own);
            bits.extend(of_own);
        }
        let (columns, means) = kept.into_iter().unzip();
        Self {
            columns,
            means,
            words,
            bits,
        }
    }

    /// The bits of the column at a place.
    pub fn column(&self, place: usize) -> &[u64] {
        &self.bits[place * self.words..][..self.words]
    }
}

/// A bit for each sign that is positive.
pub(super) fn sign_bits(signs: impl ExactSizeIterator<Item = f64>) -> Vec<u64> {
    let mut bits = vec![0u64; signs.len().div_ceil(WORD)];
    for (i, sign) in signs.enumerate() {
        if sign > 0.0 {
            bits[i / WORD] |= 1 << (i % WORD);
        }
    }
    bits
}

fn clear_beyond(bits: &mut [u64], n: usize) {
    if !n.is_multiple_of(WORD) {
        bits[n / WORD] &= (1 << (n % WORD)) - 1;
    }
}
