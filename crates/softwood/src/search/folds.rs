//! Stratified folds of the rows that carry weight, by their values alone.

use crate::InputError;
use crate::data::{Labels, RowOrder, Rows};
use rand::RngExt;
use rand_pcg::Pcg64;

/// Rows dealt out to folds: rows of equal values to one fold, so that a row of weight 2 is dealt as
/// the row twice, and nothing is held out that was trained on. If all differ, the sizes of folds
/// differ by one row at most, and so do those of each class.
pub(crate) struct Folds {
    /// Rows and their folds, rows increasing.
    dealt: Vec<(usize, usize)>,
    count: usize,
}

/// The stratum of rows of equal values: every fold gets its share of each.
type Stratum<'a> = &'a dyn Fn(&[usize]) -> u32;

impl Folds {
    /// As many folds as `wanted`, or as rows of positive weight have different values: then each is
    /// held out once. Two at least.
    pub fn possible(rows: &Rows<'_>, weights: Option<&[f64]>, wanted: usize) -> usize {
        let by_values = RowOrder::of(rows, weights);
        by_values.equal_rows().take(wanted).count().max(2)
    }

    /// Deals out the rows of positive weight or, of more than `most` values, so many of them, a class's
    /// share in proportion. The order of the rows does not matter. An error if a fold would be empty,
    /// or leave fewer than two classes to train on.
    pub fn new(
        rows: &Rows<'_>,
        labels: &Labels,
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Self, InputError> {
        let class = |unit: &[usize]| prevailing_class(unit, labels, weights);
        let folds = Self::deal(rows, weights, &class, count, (seed, most))?;
        folds.check_classes(labels)?;
        Ok(folds)
    }

    /// The same for rows without classes.
    pub fn of_rows(
        rows: &Rows<'_>,
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Self, InputError> {
        Self::deal(rows, weights, &|_| 0, count, (seed, most))
    }

    fn deal(
        rows: &Rows<'_>,
        weights: Option<&[f64]>,
        stratum: Stratum<'_>,
        count: usize,
        (seed, most): (u64, usize),
    ) -> Result<Self, InputError> {
        let mut rng = Pcg64::new(u128::from(seed), u128::MAX);
        let by_values = RowOrder::of(rows, weights);
        let mut units: Vec<&[usize]> = by_values.equal_rows().collect();
        for i in (1..units.len()).rev() {
            units.swap(i, rng.random_range(0..=i));
        }
        // Stable: shuffled within strata.
        units.sort_by_key(|unit| stratum(unit));
        if units.len() > most {
            units = (0..most).map(|k| units[k * units.len() / most]).collect();
        }
        let first = rng.random_range(0..count);
        let folds = units.iter().enumerate();
        let mut dealt: Vec<(usize, usize)> = folds
            .flat_map(|(k, unit)| unit.iter().map(move |row| (*row, (first + k) % count)))
            .collect();
        dealt.sort_unstable();
        if count > units.len() {
            let expected = "at most the number of distinct rows with positive weight";
            return Err(refuse(expected, count, units.len()));
        }
        Ok(Self { dealt, count })
    }

    /// Number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Rows of positive weight that were dealt out.
    pub fn rows(&self) -> usize {
        self.dealt.len()
    }

    /// The rows of a fold if `held`, else all others.
    pub fn part(&self, fold: usize, held: bool) -> Vec<usize> {
        let inside = self.dealt.iter().filter(|(_, f)| (*f == fold) == held);
        inside.map(|(i, _)| *i).collect()
    }

    /// Rows to train on and rows held out, for each fold.
    pub fn all(&self) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> + '_ {
        (0..self.count).map(|fold| (self.part(fold, false), self.part(fold, true)))
    }

    fn check_classes(&self, labels: &Labels) -> Result<(), InputError> {
        for fold in 0..self.count {
            let mut classes = self.part(fold, false).into_iter().map(|i| labels.codes[i]);
            let first = classes.next();
            if !classes.any(|class| Some(class) != first) {
                let expected =
                    "such that every fold leaves two classes with positive weight to train on";
                return Err(refuse(expected, self.count, self.rows()));
            }
        }
        Ok(())
    }
}

fn refuse(expected: &'static str, count: usize, rows: usize) -> InputError {
    InputError::Setting {
        name: "folds",
        expected,
        got: format!("{count} folds of {rows} distinct rows"),
    }
}

/// The class of most weight among rows.
fn prevailing_class(rows: &[usize], labels: &Labels, weights: Option<&[f64]>) -> u32 {
    let mut of_classes: Vec<(u32, f64)> = Vec::new();
    for row in rows {
        let (class, weight) = (labels.codes[*row], weights.map_or(1.0, |w| w[*row]));
        match of_classes.iter_mut().find(|(other, _)| *other == class) {
            Some((_, sum)) => *sum += weight,
            None => of_classes.push((class, weight)),
        }
    }
    let least_first = |a: &&(u32, f64), b: &&(u32, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
    let prevailing = of_classes.iter().max_by(least_first);
    prevailing.expect("at least one row").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Folds of rows that all differ.
    fn folds(
        labels: &Labels,
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Folds, InputError> {
        let x = Array2::from_shape_fn((labels.codes.len(), 1), |(i, _)| i as f64);
        Folds::new(&x.view().into(), labels, weights, count, seed, most)
    }

    proptest! {
        #[test]
        fn folds_are_even_over_all_rows_and_over_classes(
            codes in prop::collection::vec(0i64..3, 6..40),
            count in 2usize..8,
            seed in any::<u64>(),
        ) {
            let labels = Labels::from(codes.as_slice());
            let Ok(folds) = folds(&labels, None, count, seed, usize::MAX) else {
                return Ok(());
            };
            let size = |class: Option<u32>, fold: usize| {
                let rows = folds.part(fold, true).into_iter();
                rows.filter(|i| class.is_none_or(|k| labels.codes[*i] == k)).count()
            };
            for class in [None, Some(0), Some(1), Some(2)] {
                let sizes: Vec<usize> = (0..count).map(|fold| size(class, fold)).collect();
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
            prop_assert!((0..count).all(|fold| size(None, fold) > 0));
            prop_assert_eq!((0..count).map(|fold| size(None, fold)).sum::<usize>(), codes.len());
        }
    }

    #[test]
    fn folds_that_cannot_be_made_are_refused() {
        let two = Labels::from([0i64, 1].as_slice());
        assert!(folds(&two, None, 2, 0, 9).is_err());
        let labels = Labels::from([0i64, 0, 0, 1, 1, 1].as_slice());
        assert!(folds(&labels, None, 6, 0, 9).is_ok());
        assert!(folds(&labels, None, 7, 0, 9).is_err());
        // One row of a class that weighs: the fold that holds it would train on the other class alone.
        let weights = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        assert!(folds(&labels, Some(&weights), 2, 0, 9).is_err());
    }

    #[test]
    fn a_sample_keeps_the_classes_in_proportion() {
        let codes: Vec<i64> = (0..1000).map(|i| i64::from(i % 10 == 0)).collect();
        let labels = Labels::from(codes.as_slice());
        let folds = folds(&labels, None, 5, 3, 100).unwrap();
        let rare = folds.dealt.iter().filter(|(i, _)| labels.codes[*i] == 1);
        assert_eq!((folds.rows(), rare.count()), (100, 10));
    }

    #[test]
    fn rows_of_equal_values_go_to_one_fold_whatever_their_order() {
        let value = |i: usize| (i % 7) as f64 - 3.0;
        let code = |i: usize| i64::from(i.is_multiple_of(3));
        let order: Vec<usize> = (0..63).map(|k| (k * 17 + 5) % 63).collect();
        let parts = |rows: &[usize], weights: Option<&[f64]>| -> Vec<Vec<u64>> {
            let x = Array2::from_shape_fn((rows.len(), 2), |(i, j)| value(rows[i]) * j as f64);
            let codes: Vec<i64> = rows.iter().map(|i| code(*i)).collect();
            let labels = Labels::from(codes.as_slice());
            let folds = Folds::new(&x.view().into(), &labels, weights, 3, 1, 9).unwrap();
            let values = |fold: usize| {
                let held = folds.part(fold, true);
                let mut values: Vec<u64> = held.iter().map(|i| x[[*i, 1]].to_bits()).collect();
                values.sort_unstable();
                values.dedup();
                values
            };
            (0..3).map(values).collect()
        };
        let plain: Vec<usize> = (0..63).collect();
        let expected = parts(&plain, None);
        assert_eq!(expected.iter().map(Vec::len).sum::<usize>(), 7);
        assert_eq!(parts(&order, None), expected);
        // The rows repeat after 21.
        let (once, weights): (Vec<usize>, Vec<f64>) = (0..21).map(|i| (i, 3.0)).unzip();
        assert_eq!(parts(&once, Some(&weights)), expected);
    }
}
