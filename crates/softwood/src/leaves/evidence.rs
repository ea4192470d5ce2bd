//! The penalty of ridge regressions that their data make most plausible.
//!
//! Leaf coefficients are taken as draws of variance τ² around 0, errors as draws of variance σ².
//! The penalty beside the summed squares then is σ²/τ², and both follow from the fit itself:
//! σ² = squares/(W − γ) and τ² = ‖β‖²/γ, γ being the number of coefficients that the data rather
//! than the penalty determine (MacKay, *Bayesian interpolation*, 1992).

use super::ridge::{ridge, semidefinite_inverse_trace};

/// Rounds of re-estimation at most, and the change of the penalty that ends them.
const ROUNDS: usize = 20;
const CLOSE: f64 = 0.02;

/// Bounds of the penalty, and the share of W that is always left to errors.
const LEAST: f64 = 1e-4;
const MOST: f64 = 1e3;
const ERRORS: f64 = 0.05;

/// What the data make most plausible.
pub(crate) struct Plausible {
    /// σ²/τ².
    pub penalty: f64,
    /// σ².
    pub error_variance: f64,
}

/// σ²/τ² and σ² for the leaves with these moments, as [`ridge`](ridge()) takes them, from a first
/// guess of the penalty.
pub(crate) fn plausible_penalty(moments: &[Vec<f64>], features: usize, guess: f64) -> Plausible {
    let (p, m) = (features, features + 2);
    let total: f64 = moments
        .iter()
        .map(|moments| moments[(p + 1) * m + p + 1])
        .sum();
    let (mut penalty, mut error_variance) = (guess, 1.0);
    for _ in 0..ROUNDS {
        let (mut determined, mut squares, mut lengths) = (0.0, 0.0, 0.0);
        for moments in moments {
            let model = ridge(moments, p, penalty);
            let moment = |j: usize, k: usize| moments[j.min(k) * m + j.max(k)];
            let coefficient = |j: usize| {
                if j < p {
                    model.slopes[j]
                } else {
                    model.intercept
                }
            };
            let place = |j: usize| if j < p { j } else { p + 1 };
            let length: f64 = (0..=p).map(|j| coefficient(j).powi(2)).sum();
            // With (G + cI)β = g the squares are y² − gᵀβ − c‖β‖².
            let explained: f64 = (0..=p).map(|j| coefficient(j) * moment(place(j), p)).sum();
            squares += (moment(p, p) - explained - penalty * length).max(0.0);
            lengths += length;
            let trace = semidefinite_inverse_trace(moments, p, penalty);
            determined += (p + 1) as f64 - penalty * trace;
        }
        error_variance = squares / (total - determined).max(ERRORS * total);
        let next =
            (error_variance * determined / lengths.max(f64::MIN_POSITIVE)).clamp(LEAST, MOST);
        let change = next / penalty;
        if change.is_nan() {
            break;
        }
        penalty = next;
        if (1.0 - CLOSE..1.0 + CLOSE).contains(&change) {
            break;
        }
    }
    Plausible {
        penalty,
        error_variance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    /// Moments of leaves whose coefficients and errors have these deviations.
    fn drawn(leaves: usize, rows: usize, coefficients: f64, errors: f64) -> Vec<Vec<f64>> {
        let mut rng = Pcg64::new(3, 3);
        // Sums of twelve uniform draws are as good as normal here.
        let mut normal = move || (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
        (0..leaves)
            .map(|_| {
                let beta = [0; 4].map(|_| coefficients * normal());
                let mut moments = vec![0.0; 25];
                for _ in 0..rows {
                    let u = [0; 3].map(|_| normal());
                    let fitted: f64 = u.iter().zip(beta).map(|(u, b)| u * b).sum();
                    let c = [u[0], u[1], u[2], beta[3] + fitted + errors * normal(), 1.0];
                    for j in 0..5 {
                        for k in j..5 {
                            moments[j * 5 + k] += c[j] * c[k];
                        }
                    }
                }
                moments
            })
            .collect()
    }

    #[test]
    fn the_ratio_of_variances_is_found() {
        for (coefficients, errors) in [(1.0, 1.0), (3.0, 0.3), (0.5, 1.0)] {
            let moments = drawn(256, 40, coefficients, errors);
            let found = plausible_penalty(&moments, 3, 0.05);
            assert!((found.error_variance / errors.powi(2) - 1.0).abs() < 0.1);
            let found = found.penalty;
            let wanted = (errors / coefficients).powi(2);
            assert!(
                (0.7..1.4).contains(&(found / wanted)),
                "{found} for {wanted}"
            );
        }
    }
}
