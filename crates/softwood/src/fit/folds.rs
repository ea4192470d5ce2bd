//! Rows dealt out to folds, classes evenly.

use crate::data::Labels;
use rand::RngExt;
use rand_pcg::Pcg64;

/// A fold for each row, classes spread evenly over the folds.
pub(crate) fn assign_folds(labels: &Labels, folds: usize, seed: u64) -> Vec<usize> {
    let mut rng = Pcg64::new(u128::from(seed), u128::MAX);
    let mut next: Vec<usize> = (0..labels.classes.len())
        .map(|_| rng.random_range(0..folds))
        .collect();
    let mut order: Vec<usize> = (0..labels.codes.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    let mut fold_of = vec![0; order.len()];
    for i in order {
        let class = labels.codes[i] as usize;
        fold_of[i] = next[class];
        next[class] = (next[class] + 1) % folds;
    }
    fold_of
}
