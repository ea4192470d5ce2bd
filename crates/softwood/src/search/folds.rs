//! Stratified folds of the rows that carry weight.

use crate::InputError;
use crate::data::Labels;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Rows dealt out to folds: sizes differ by one row at most, and so do those of each class.
pub(crate) struct Folds {
    /// Rows and their folds, rows increasing.
    dealt: Vec<(usize, usize)>,
    count: usize,
}

impl Folds {
    /// Deals out at most `most` of the rows of positive weight, a class's share of them in proportion.
    /// An error if a fold would be empty, or leave fewer than two classes to train on.
    pub fn new(
        labels: &Labels,
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Self, InputError> {
        let folds = Self::deal(&labels.codes, weights, count, seed, most)?;
        folds.check_classes(labels)?;
        Ok(folds)
    }

    /// The same for `n` rows without classes.
    pub fn of_rows(
        n: usize,
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Self, InputError> {
        Self::deal(&vec![0; n], weights, count, seed, most)
    }

    fn deal(
        strata: &[u32],
        weights: Option<&[f64]>,
        count: usize,
        seed: u64,
        most: usize,
    ) -> Result<Self, InputError> {
        let mut rng = Pcg64::new(u128::from(seed), u128::MAX);
        let weighs = |i: &usize| weights.is_none_or(|w| w[*i] > 0.0);
        let mut order: Vec<usize> = (0..strata.len()).filter(weighs).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.random_range(0..=i));
        }
        order.sort_by_key(|i| strata[*i]); // stable: shuffled within strata
        if order.len() > most {
            order = (0..most).map(|k| order[k * order.len() / most]).collect();
        }
        let first = rng.random_range(0..count);
        let dealt = order.into_iter().enumerate();
        let mut dealt: Vec<(usize, usize)> = dealt.map(|(k, i)| (i, (first + k) % count)).collect();
        dealt.sort_unstable();
        let folds = Self { dealt, count };
        if count > folds.rows() {
            return Err(folds.refuse("at most the number of rows with positive weight"));
        }
        Ok(folds)
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
                return Err(self.refuse(
                    "such that every fold leaves two classes with positive weight to train on",
                ));
            }
        }
        Ok(())
    }

    fn refuse(&self, expected: &'static str) -> InputError {
        InputError::Setting {
            name: "folds",
            expected,
            got: format!("{} folds of {} rows", self.count, self.rows()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn folds_are_even_over_all_rows_and_over_classes(
            codes in prop::collection::vec(0i64..3, 6..40),
            count in 2usize..8,
            seed in any::<u64>(),
        ) {
            let labels = Labels::from(codes.as_slice());
            let Ok(folds) = Folds::new(&labels, None, count, seed, usize::MAX) else {
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
        assert!(Folds::new(&two, None, 2, 0, 9).is_err());
        let labels = Labels::from([0i64, 0, 0, 1, 1, 1].as_slice());
        assert!(Folds::new(&labels, None, 6, 0, 9).is_ok());
        assert!(Folds::new(&labels, None, 7, 0, 9).is_err());
        // One row of a class that weighs: the fold that holds it would train on the other class alone.
        let weights = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        assert!(Folds::new(&labels, Some(&weights), 2, 0, 9).is_err());
    }

    #[test]
    fn a_sample_keeps_the_classes_in_proportion() {
        let codes: Vec<i64> = (0..1000).map(|i| i64::from(i % 10 == 0)).collect();
        let labels = Labels::from(codes.as_slice());
        let folds = Folds::new(&labels, None, 5, 3, 100).unwrap();
        let rare = folds.dealt.iter().filter(|(i, _)| labels.codes[*i] == 1);
        assert_eq!((folds.rows(), rare.count()), (100, 10));
    }
}
