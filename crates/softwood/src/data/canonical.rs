//! The order of rows by their values: what depends on it alone is the same for weights and for
//! repeated rows, and whatever the order of the rows.

use super::scaled_rows::KEEP_BELOW_BYTES;
use super::scaling::linear_maps;
use super::{GatheredRows, Rows};
use crate::stop::Stop;
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Rows hashed at a time, column by column: they stay in cache whatever the layout of X.
const ROWS_AT_A_TIME: usize = 512;

/// Rows and their targets as a fit is to see them: in canonical order, equal ones as one row with
/// their weights added, without rows of weight 0. Two data sets that repeat or weigh, and order, the
/// same rows differently become one, so every sum over them has the same bits.
pub(crate) struct CanonicalRows<'a, T: Clone> {
    given: Rows<'a>,
    copied: Option<GatheredRows>,
    pub target: Cow<'a, [T]>,
    weights: Option<Cow<'a, [f64]>>,
    /// What the weights given are in units of these.
    pub weight_unit: f64,
}

impl<'a, T: Copy + Into<f64>> CanonicalRows<'a, T> {
    /// Copies the rows, unless they are too many to keep: then they stay as they are.
    pub fn of(rows: Rows<'a>, target: &'a [T], weights: Option<&'a [f64]>) -> Self {
        let (weights, weight_unit) = usual_weights(weights);
        if GatheredRows::bytes(&rows) > KEEP_BELOW_BYTES {
            return Self {
                given: rows,
                copied: None,
                target: target.into(),
                weights,
                weight_unit,
            };
        }
        let weights = weights.as_deref();
        let weight = |row: &usize| weights.map_or(1.0, |weights| weights[*row]);
        let class = |row: &usize| target[*row].into();
        let mut order = RowOrder::of(&rows, weights);
        // By weight too: the weights of equal rows are then added in one order.
        order.sort_equal_rows_by(|a, b| {
            (class(a).total_cmp(&class(b))).then(weight(a).total_cmp(&weight(b)))
        });
        let (mut members, mut merged): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        for equal in order.equal_rows() {
            for same in equal.chunk_by(|a, b| class(a) == class(b)) {
                members.push(same[0]);
                merged.push(same.iter().map(weight).sum());
            }
        }
        let all_one = merged.iter().all(|weight| *weight == 1.0);
        Self {
            copied: Some(GatheredRows::of(&rows, &members)),
            given: rows,
            target: members.iter().map(|row| target[*row]).collect(),
            weights: (!all_one).then_some(merged.into()),
            weight_unit,
        }
    }

    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        let copied = self.copied.as_ref().map(GatheredRows::rows);
        copied.unwrap_or_else(|| self.given.reborrow())
    }

    /// Their weights, unless all are 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}

/// The heaviest row's exponent is brought within ± this: sums of weights times squares, and sums of
/// their inverses, then neither overflow nor vanish.
const MOST_EXPONENT: i32 = 300;

/// The weights in units in which they can be added and squared, and that unit: a power of two, so that
/// their digits stay, and 1 for all weights that anybody would give. None that is positive becomes 0.
fn usual_weights(weights: Option<&[f64]>) -> (Option<Cow<'_, [f64]>>, f64) {
    let Some(given) = weights else {
        return (None, 1.0);
    };
    let heaviest = given.iter().copied().fold(0.0, f64::max);
    let exponent = heaviest.log2() as i32;
    let unit = 2f64.powi(exponent - exponent.clamp(-MOST_EXPONENT, MOST_EXPONENT));
    if unit == 1.0 {
        return (Some(given.into()), unit);
    }
    let in_unit = |weight: &f64| match *weight {
        0.0 => 0.0,
        weight => (weight / unit).max(f64::MIN_POSITIVE),
    };
    (Some(given.iter().map(in_unit).collect()), unit)
}

/// The rows of positive weight, ordered by a hash of their values; equal ones are neighbours.
pub(crate) struct RowOrder {
    rows: Vec<usize>,
    /// Where each stretch of equal rows ends.
    ends: Vec<usize>,
}

impl RowOrder {
    /// O(N·p) for the hashes, O(N log N) for the order of numbers.
    pub fn of(rows: &Rows<'_>, weights: Option<&[f64]>) -> Self {
        let weighs = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
        let hashes = hashes(rows, weights);
        let weighing = (0..rows.len()).filter(weighs);
        let mut order: Vec<(u64, usize)> = weighing.map(|i| (hashes[i], i)).collect();
        order.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| rows.compare(a.1, b.1).then(a.1.cmp(&b.1)))
        });
        let mut ends = Vec::new();
        for (place, pair) in order.windows(2).enumerate() {
            if pair[0].0 != pair[1].0 || rows.compare(pair[0].1, pair[1].1).is_ne() {
                ends.push(place + 1);
            }
        }
        ends.push(order.len());
        Self {
            rows: order.into_iter().map(|(_, row)| row).collect(),
            ends,
        }
    }

    /// Orders the rows of equal values among themselves.
    fn sort_equal_rows_by(&mut self, order: impl Fn(&usize, &usize) -> Ordering) {
        let mut begin = 0;
        for end in &self.ends {
            self.rows[begin..*end].sort_unstable_by(&order);
            begin = *end;
        }
    }

    /// The rows, those of equal values together.
    pub fn equal_rows(&self) -> impl Iterator<Item = &[usize]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins
            .zip(&self.ends)
            .map(|(begin, end)| &self.rows[begin..*end])
            .filter(|equal| !equal.is_empty())
    }
}

/// A number for each row that depends on its columns and on where its values lie between the least and the
/// largest of a column among the rows that weigh: units and origins that lose no digits do not matter.
fn hashes(rows: &Rows<'_>, weights: Option<&[f64]>) -> Vec<u64> {
    let maps = linear_maps(rows, weights, &Stop::default()).expect("nothing raises this flag");
    let hash = |j: usize, x: f64| mixed(maps[j].share(x).to_bits() ^ mixed(j as u64));
    let of_zeros: Vec<u64> = (0..maps.len()).map(|j| hash(j, 0.0)).collect();
    let row_of_zeros = of_zeros.iter().copied().fold(0, u64::wrapping_add);
    let mut hashes = vec![row_of_zeros; rows.len()];
    let chunks = hashes.par_chunks_mut(ROWS_AT_A_TIME).enumerate();
    chunks.for_each(|(chunk, hashes)| {
        let first = chunk * ROWS_AT_A_TIME;
        let part = rows.slice(first..first + hashes.len());
        part.visit_nonzeros(|row, j, x| {
            let own = hash(j, x).wrapping_sub(of_zeros[j]);
            hashes[row] = hashes[row].wrapping_add(own);
        });
    });
    hashes
}

/// The finalizer of SplitMix64: every bit of the result depends on every bit of the number.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder, array};

    fn canonical<'a>(
        rows: Rows<'a>,
        target: &'a [f64],
        weights: Option<&'a [f64]>,
    ) -> (Array2<f64>, Vec<f64>, Option<Vec<f64>>) {
        let canonical = CanonicalRows::of(rows, target, weights);
        let all: Vec<usize> = (0..canonical.rows().len()).collect();
        (
            canonical.rows().gather(&all),
            canonical.target.to_vec(),
            canonical.weights().map(<[f64]>::to_vec),
        )
    }

    #[test]
    fn equal_rows_become_one_and_those_of_weight_zero_none() {
        let x = array![[1.0, 0.0], [2.0, 0.5], [1.0, -0.0], [9.0, 9.0], [1.0, 0.0]];
        let weights = [1.0, 0.25, 2.0, 0.0, 4.0];
        let (rows, target, merged) =
            canonical(x.view().into(), &[7.0, 7.0, 7.0, 7.0, 8.0], Some(&weights));
        let mut found: Vec<_> = (0..rows.nrows())
            .map(|i| (rows.row(i).to_vec(), target[i], merged.as_ref().unwrap()[i]))
            .collect();
        found.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let expected = [
            (vec![1.0, 0.0], 7.0, 3.0),
            (vec![1.0, 0.0], 8.0, 4.0),
            (vec![2.0, 0.5], 7.0, 0.25),
        ];
        assert_eq!(found, expected);
        assert!(rows.iter().all(|x| x.is_sign_positive()));
    }

    #[test]
    fn layout_and_precision_do_not_matter() {
        let x = Array2::from_shape_fn((700, 3), |(i, j)| ((i * 31 + j * 7) % 64) as f64 / 8.0);
        let y: Vec<f64> = (0..700).map(|i| (i % 2) as f64).collect();
        let single = x.mapv(|x| x as f32);
        let mut fortran = Array2::zeros((700, 3).f());
        fortran.assign(&x);
        let expected = canonical(x.view().into(), &y, None);
        assert!(expected.0.nrows() < 700);
        assert_eq!(canonical(single.view().into(), &y, None), expected);
        assert_eq!(canonical(fortran.view().into(), &y, None), expected);
    }

    #[test]
    fn rows_are_compared_by_their_values() {
        let x = array![[0.0, 3.0], [2.0, 1.0], [0.0, 3.0]];
        let rows = Rows::from(x.view());
        assert_eq!(rows.compare(0, 1), Ordering::Less);
        assert_eq!(rows.compare(0, 2), Ordering::Equal);
    }
}
