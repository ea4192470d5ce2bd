//! The typical value of each feature: the weighted median of the training rows.

use super::Rows;
use crate::stop::{Stop, Stopped};
use rayon::prelude::*;

/// Values that may be copied at once to look for medians, whatever the number of threads: 96 MB.
const MOST_VALUES: usize = 12_000_000;

/// The weighted median of each feature: the smallest of its values that at least half of the weight
/// does not exceed.
///
/// It is a value of the data and depends on the weighted distribution alone: a row of weight 2
/// counts as two rows, one of weight 0 as none. O(N·p), a few columns in memory at a time.
pub(super) fn typical_values(
    rows: &Rows<'_>,
    weights: Option<&[f64]>,
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let all: Vec<usize> = (0..rows.features()).collect();
    let held = rows.len() * (1 + usize::from(weights.is_some()));
    let mut typical = Vec::with_capacity(all.len());
    for columns in all.chunks((MOST_VALUES / held.max(1)).max(1)) {
        stop.check()?;
        let median = |j: &usize| median(rows.column(*j), weights);
        typical.par_extend(columns.par_iter().map(median));
    }
    Ok(typical)
}

/// The weighted median of one column; 0 if nothing weighs.
fn median(mut column: Vec<f64>, weights: Option<&[f64]>) -> f64 {
    let Some(weights) = weights else {
        let middle = column.len().saturating_sub(1) / 2;
        return match column.get(middle) {
            Some(_) => *column.select_nth_unstable_by(middle, f64::total_cmp).1,
            None => 0.0,
        };
    };
    let pairs = column.into_iter().zip(weights.iter().copied());
    weighted_median(&mut pairs.filter(|(_, w)| *w > 0.0).collect::<Vec<_>>())
}

/// The same of values with positive weights, by halves: O(N).
fn weighted_median(mut pairs: &mut [(f64, f64)]) -> f64 {
    let weight = |pairs: &[(f64, f64)]| pairs.iter().map(|(_, w)| w).sum::<f64>();
    let half = 0.5 * weight(pairs);
    let mut below = 0.0;
    while pairs.len() > 1 {
        let order = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        let middle = pairs.len() / 2;
        pairs.select_nth_unstable_by(middle, order);
        let (left, right) = pairs.split_at_mut(middle);
        let until_middle = below + weight(left);
        pairs = if until_middle >= half {
            left
        } else {
            below = until_middle;
            right
        };
    }
    pairs.first().map_or(0.0, |(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    fn typical(x: &Array2<f64>, weights: Option<&[f64]>) -> Vec<f64> {
        typical_values(&x.view().into(), weights, &Stop::default()).expect("nothing stops it")
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
        let single = typical_values(&x.view().into(), None, &Stop::default());
        assert_eq!(single.unwrap(), wanted);
    }
}
