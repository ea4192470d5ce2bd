//! From weights of classes in leaves to their frequencies.

/// Training rows from which on the frequencies of leaves are smoothed by one row.
const ROWS_FOR_FULL_SMOOTHING: f64 = 200.0;

/// (n_tk + m π_k)/(n_t + m) for the weights n, L × K with a positive sum W; π_k is the share of class k
/// in all of it.
///
/// m = min(1, W/200): a row of weight 1, but no more than a share of all weights, so that weights of any
/// scale leave leaves their own classes.
pub(crate) fn smoothed_frequencies(weights: &[f64], classes: usize) -> Vec<f64> {
    // By their sum, which tiny or huge weights must not lose digits to.
    let total: f64 = weights.iter().sum();
    let smoothing = (1.0 / total).min(1.0 / ROWS_FOR_FULL_SMOOTHING);
    let shares: Vec<f64> = weights.iter().map(|n| n / total).collect();
    let of_class = |k: usize| shares.iter().skip(k).step_by(classes).sum::<f64>();
    let base: Vec<f64> = (0..classes).map(of_class).collect();
    let mut frequencies = Vec::with_capacity(weights.len());
    for leaf in shares.chunks_exact(classes) {
        let all = leaf.iter().sum::<f64>() + smoothing;
        let smoothed = leaf.iter().zip(&base).map(|(n, base)| n + smoothing * base);
        frequencies.extend(smoothed.map(|n| (n / all).min(1.0)));
    }
    frequencies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_all_classes_is_added_to_every_leaf() {
        // 300 rows, a third of them of class 1.
        let frequencies = smoothed_frequencies(&[199.0, 0.0, 1.0, 100.0], 2);
        let expected = [
            199.0 + 2.0 / 3.0,
            1.0 / 3.0,
            1.0 + 2.0 / 3.0,
            100.0 + 1.0 / 3.0,
        ];
        for (found, (n, all)) in frequencies
            .iter()
            .zip(expected.iter().zip([200.0, 200.0, 102.0, 102.0]))
        {
            assert!((found - n / all).abs() < 1e-15);
        }
    }

    #[test]
    fn weights_of_any_scale_are_smoothed_little_and_an_empty_leaf_has_the_base_rates() {
        for scale in [1e-300, 1.0, 1e300] {
            let frequencies =
                smoothed_frequencies(&[30.0 * scale, 0.0, 0.0, 60.0 * scale, 0.0, 0.0], 2);
            assert!(frequencies[0] > 0.99 && frequencies[3] > 0.99);
            assert!((frequencies[4] - 1.0 / 3.0).abs() < 1e-12);
            assert!(frequencies.iter().all(|f| (0.0..=1.0).contains(f)));
        }
    }
}
