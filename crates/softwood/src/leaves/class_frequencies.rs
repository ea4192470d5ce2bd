//! Frequencies of classes in leaves that make the classes of the rows most probable.
//!
//! Where splits are soft a row reaches several leaves, and the share of a class among all rows that reach
//! a leaf, mixed once more by new rows' probabilities, would be blurred twice. Maximum likelihood of
//! Σ_t P_it f_t,y_i over f undoes that; where splits are hard it is that share. By expectation
//! maximization, whose steps never lower the likelihood.

use crate::data::ClassificationRows;
use crate::fitted::smoothed_frequencies;
use crate::stop::Interrupted;
use crate::tree::splits::Splits;

/// Steps at most, each a pass over the rows.
const MAX_STEPS: usize = 50;

/// Ends once a step raises the mean log likelihood by less than this.
const LIKELIHOOD_GAIN: f64 = 1e-5;

/// The frequencies, L × K, from the weights of the rows of each class that reach each leaf. They are
/// smoothed as [`smoothed_frequencies`] does; stopped, they are what has been reached.
pub(crate) fn likely_frequencies(
    data: &ClassificationRows<'_>,
    splits: &Splits,
    weights: &[f64],
) -> Result<Vec<f64>, Interrupted> {
    let classes = data.target.count();
    let mut frequencies = smoothed_frequencies(weights, classes);
    let mut before = f64::NEG_INFINITY;
    for _ in 0..MAX_STEPS {
        let mut sums = match data.leaf_posteriors(splits, &frequencies) {
            Err(Interrupted::TimeLimit | Interrupted::Cancelled) => break,
            sums => sums?,
        };
        let likelihood = sums.pop().expect("the likelihood is last") / data.total_weight();
        frequencies = smoothed_frequencies(&sums, classes);
        if likelihood - before < LIKELIHOOD_GAIN {
            break;
        }
        before = likelihood;
    }
    Ok(frequencies)
}
