//! The typical value of each feature: the weighted median of the training rows.

use super::Rows;
use super::columns::Columns;
use crate::stop::{Stop, Stopped};
use rayon::prelude::*;

/// Rows from which a sample says where to look for a median.
const MANY_ROWS: usize = 65_536;

/// Rows in such a sample.
const SAMPLE: usize = 16_384;

/// Shares of the sample's weight between which the median is looked for. A share of 16384 random rows
/// is off by 0.004 or so: four times as much hardly ever, and then the whole column is looked at.
const BRACKET: [f64; 2] = [0.484, 0.516];

/// The weighted median of each feature: the smallest of its values that at least half of the weight
/// does not exceed.
///
/// It is a value of the data and depends on the weighted distribution alone: a row of weight 2
/// counts as two rows, one of weight 0 as none. O(N·p) time, and of many rows about a thirtieth of a
/// column in memory for each thread.
pub(super) fn typical_values(columns: &Columns<'_>, stop: &Stop) -> Result<Vec<f64>, Stopped> {
    match columns {
        Columns::Dense { rows, weights } => {
            let total = weights.map_or(rows.len() as f64, |weights| weights.iter().sum());
            of_each(rows.features(), stop, |feature| {
                let column = Column {
                    rows: rows.reborrow(),
                    weights: *weights,
                    feature,
                };
                match weights {
                    None => column.median::<f64>(0.5 * total),
                    Some(_) => column.median::<(f64, f64)>(0.5 * total),
                }
            })
        }
        Columns::Sparse(columns) => of_each(columns.len(), stop, |feature| {
            reached(&mut columns.values(feature), 0.5 * columns.total)
        }),
    }
}

/// `median` of each feature, in parallel.
fn of_each(
    features: usize,
    stop: &Stop,
    median: impl Fn(usize) -> f64 + Sync,
) -> Result<Vec<f64>, Stopped> {
    let features = (0..features).into_par_iter();
    let unless_stopped = |feature: usize| {
        stop.check()?;
        Ok(median(feature))
    };
    features.map(unless_stopped).collect()
}

/// The weighted median of values with positive weights; 0 if there are none.
pub(super) fn weighted_median(mut pairs: Vec<(f64, f64)>) -> f64 {
    let half = 0.5 * weight_of(&pairs);
    reached(&mut pairs, half)
}

/// A value with its weight, or a value alone if all weigh 1: half of the memory.
trait Weighed: Copy {
    fn new(value: f64, weight: f64) -> Self;
    fn value(&self) -> f64;
    fn weight(&self) -> f64;
}

impl Weighed for f64 {
    fn new(value: f64, _: f64) -> Self {
        value
    }
    fn value(&self) -> f64 {
        *self
    }
    fn weight(&self) -> f64 {
        1.0
    }
}

impl Weighed for (f64, f64) {
    fn new(value: f64, weight: f64) -> Self {
        (value, weight)
    }
    fn value(&self) -> f64 {
        self.0
    }
    fn weight(&self) -> f64 {
        self.1
    }
}

fn weight_of<T: Weighed>(items: &[T]) -> f64 {
    items.iter().map(T::weight).sum()
}

/// One feature of the rows that weigh.
struct Column<'a> {
    rows: Rows<'a>,
    weights: Option<&'a [f64]>,
    feature: usize,
}

impl Column<'_> {
    /// Runs `see(value, weight)` on every `step`-th row, in order.
    fn visit(&self, step: usize, mut see: impl FnMut(f64, f64)) {
        self.rows.visit_column(self.feature, step, |row, x| {
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            if weight > 0.0 {
                see(x, weight);
            }
        });
    }

    fn items<T: Weighed>(&self, step: usize) -> Vec<T> {
        let mut items = Vec::with_capacity(self.rows.len().div_ceil(step));
        self.visit(step, |x, weight| items.push(T::new(x, weight)));
        items
    }

    /// The value at which half of the weight is reached.
    fn median<T: Weighed>(&self, half: f64) -> f64 {
        let found = self.median_by_sample::<T>(half);
        found.unwrap_or_else(|| reached(&mut self.items::<T>(1), half))
    }

    /// The same if there are many rows and it lies where a sample of them says; values there, but for
    /// those that equal a bound, are all that is copied.
    fn median_by_sample<T: Weighed>(&self, half: f64) -> Option<f64> {
        if self.rows.len() < MANY_ROWS {
            return None;
        }
        let [low, high] = {
            let mut sample = self.items::<T>(self.rows.len() / SAMPLE);
            let weight = weight_of(&sample);
            BRACKET.map(|share| reached(&mut sample, share * weight))
        };
        let (mut below, mut at_low, mut at_high) = (0.0, 0.0, 0.0);
        let mut inside: Vec<T> = Vec::new();
        self.visit(1, |x, weight| {
            if x < low {
                below += weight;
            } else if x == low {
                at_low += weight;
            } else if x < high {
                inside.push(T::new(x, weight));
            } else if x == high {
                at_high += weight;
            }
        });
        let until_low = below + at_low;
        let until_high = until_low + weight_of(&inside);
        match half {
            half if below >= half => None,
            half if until_low >= half => Some(low),
            half if until_high >= half => Some(reached(&mut inside, half - until_low)),
            half if until_high + at_high >= half => Some(high),
            _ => None,
        }
    }
}

/// The smallest of the values such that the weight up to it is at least `wanted`, by halves: O(N); the
/// largest if there is none, 0 if there are no values.
fn reached<T: Weighed>(mut items: &mut [T], wanted: f64) -> f64 {
    let mut below = 0.0;
    while items.len() > 1 {
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |a, b| a.value().total_cmp(&b.value()));
        let (left, right) = items.split_at_mut(middle);
        let until_middle = below + weight_of(left);
        items = if until_middle >= wanted {
            left
        } else {
            below = until_middle;
            right
        };
    }
    items.first().map_or(0.0, T::value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    fn typical(x: &Array2<f64>, weights: Option<&[f64]>) -> Vec<f64> {
        typical_of(x.view().into(), weights)
    }

    fn typical_of(rows: Rows<'_>, weights: Option<&[f64]>) -> Vec<f64> {
        let stop = Stop::default();
        let columns = Columns::of(&rows, weights, &stop).expect("nothing stops it");
        typical_values(&columns, &stop).expect("nothing stops it")
    }

    proptest! {
        #[test]
        fn half_of_the_weight_is_no_larger(
            pairs in prop::collection::vec((-4..5i32, 0..4u32), 1..60),
        ) {
            prop_assume!(pairs.iter().any(|(_, w)| *w > 0));
            let x = Array2::from_shape_fn((pairs.len(), 1), |(i, _)| f64::from(pairs[i].0));
            let weights: Vec<f64> = pairs.iter().map(|(_, w)| f64::from(*w)).collect();
            let mut repeated: Vec<f64> =
                pairs.iter().flat_map(|(x, w)| vec![f64::from(*x); *w as usize]).collect();
            let again = Array2::from_shape_vec((repeated.len(), 1), repeated.clone()).unwrap();
            repeated.sort_by(f64::total_cmp);
            let wanted = repeated[(repeated.len() - 1) / 2];
            prop_assert_eq!(typical(&x, Some(&weights)), vec![wanted]);
            prop_assert_eq!(typical(&again, None), vec![wanted]);
            let tiny: Vec<f64> = weights.iter().map(|w| w * f64::MIN_POSITIVE).collect();
            prop_assert_eq!(typical(&x, Some(&tiny)), vec![wanted]);
        }
    }

    #[test]
    fn columns_are_apart_and_may_be_more_than_rows() {
        let x = Array2::from_shape_fn((3, 50), |(i, j)| (j * 10) as f64 + [2.0, 0.0, 1.0][i]);
        let wanted: Vec<f64> = (0..50).map(|j| (j * 10) as f64 + 1.0).collect();
        assert_eq!(typical(&x, None), wanted);
        let last: Vec<f64> = wanted.iter().map(|x| x + 1.0).collect();
        assert_eq!(typical(&x, Some(&[3.0, 1.0, 1.0])), last);
        let x = x.mapv(|x| x as f32);
        assert_eq!(typical_of(x.view().into(), None), wanted);
    }

    /// Many rows in any order, with ties or without, have the median that sorting finds.
    #[test]
    fn medians_of_many_rows_are_exact() {
        let n = 3 * MANY_ROWS + 1;
        let scrambled = |i: usize| (i * 48_271 % 1_000_003) as f64;
        let value = |i: usize, j: usize| match j {
            0 => scrambled(i),
            1 => i as f64,                                 // sorted
            2 => (scrambled(i) / 1e5).floor(),             // ten values
            3 => f64::from(u8::from(i.is_multiple_of(2))), // two, and one row more of one
            4 => 5.0,
            5 => scrambled(i).powi(9),
            // The rows that a sample sees are unlike the others.
            _ => {
                if i.is_multiple_of(n / SAMPLE) {
                    1e6 + i as f64
                } else {
                    scrambled(i)
                }
            }
        };
        let x = Array2::from_shape_fn((n, 7), |(i, j)| value(i, j));
        let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
        let (plain, weighted) = (typical(&x, None), typical(&x, Some(&weights)));
        for j in 0..7 {
            let mut sorted: Vec<f64> = x.column(j).to_vec();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(plain[j], sorted[(n - 1) / 2], "feature {j}");
            let twice = (0..n).flat_map(|i| vec![x[[i, j]]; i % 3]);
            let mut sorted: Vec<f64> = twice.collect();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(
                weighted[j],
                sorted[(sorted.len() - 1) / 2],
                "feature {j}, weighted"
            );
        }
    }
}
