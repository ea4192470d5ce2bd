//! The smoothing of curves by generalized cross-validation, one λ for all curves of a predictor.

use super::spline::Smoother;
use crate::stop::{Stop, Stopped};

/// Curves looked at at most: they share one λ, which so many tell well.
const MOST_CURVES: usize = 2_000;

/// Powers of ten between one λ tried and the next, at first; then the best is sought between its neighbours.
const COARSE_STEP: f64 = 0.5;

/// Steps of the search between neighbours: each leaves 0.62 of the range.
const GOLDEN_STEPS: usize = 12;

/// The λ for which n Σ w ‖y − g‖² / tr(I − A)² is least, A being the matrix that takes the points of a curve
/// to the spline; 0 if rougher is always better, as for curves without noise. `curves` are of positive weight.
pub(crate) fn least_cross_validation(
    grid: &[f64],
    curves: &[(Vec<f64>, f64)],
    stop: &Stop,
) -> Result<f64, Stopped> {
    let n = grid.len();
    if n < 4 {
        return Ok(0.0);
    }
    let every = curves.len().div_ceil(MOST_CURVES).max(1);
    let picked: Vec<&(Vec<f64>, f64)> = curves.iter().step_by(every).collect();
    let score = |power: f64| score(grid, &picked, 10f64.powf(power), stop);
    // λ is an area times a length: from far below a spacing cubed to far above the whole domain.
    let first = -3.0 * ((n - 1) as f64).log10() - 6.0;
    let count = ((3.0 - first) / COARSE_STEP).ceil() as usize;
    let powers: Vec<f64> = (0..=count)
        .map(|k| first + COARSE_STEP * k as f64)
        .collect();
    let scores = powers.iter().map(|power| score(*power));
    let scores: Vec<f64> = scores.collect::<Result<_, Stopped>>()?;
    let best = (0..powers.len())
        .min_by(|a, b| scores[*a].total_cmp(&scores[*b]))
        .expect("some powers");
    if best == 0 {
        return Ok(0.0);
    }
    let (low, high) = (powers[best - 1], powers[(best + 1).min(count)]);
    Ok(10f64.powf(golden(low, high, score)?))
}

fn score(
    grid: &[f64],
    curves: &[&(Vec<f64>, f64)],
    smoothing: f64,
    stop: &Stop,
) -> Result<f64, Stopped> {
    let smoother = Smoother::new(grid, smoothing);
    let mut second = vec![0.0; grid.len()];
    let distances = curves.iter().map(|(points, weight)| {
        stop.check()?;
        let mut values = points.clone();
        smoother.smooth(&mut values, &mut second);
        Ok(weight * smoother.squared_distance(&second))
    });
    let squares: f64 = distances.sum::<Result<f64, Stopped>>()?;
    Ok(squares / smoother.residual_trace().powi(2))
}

/// The minimum of a function between two places by golden sections.
fn golden(
    mut low: f64,
    mut high: f64,
    f: impl Fn(f64) -> Result<f64, Stopped>,
) -> Result<f64, Stopped> {
    let share = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - share * (high - low), low + share * (high - low));
    let (mut at_a, mut at_b) = (f(a)?, f(b)?);
    for _ in 0..GOLDEN_STEPS {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - share * (high - low);
            at_a = f(a)?;
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + share * (high - low);
            at_b = f(b)?;
        }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    fn noisy(noise: f64, rows: usize) -> (Vec<f64>, Vec<(Vec<f64>, f64)>) {
        let grid: Vec<f64> = (0..60).map(|k| f64::from(k) / 59.0).collect();
        let mut rng = Pcg64::new(5, 0);
        let mut curve = |i: usize| {
            let wave = |t: &f64| ((4.0 + i as f64 * 0.1) * t).sin();
            let mut point = |t: &f64| wave(t) + noise * rng.random_range(-1.0..1.0);
            (grid.iter().map(&mut point).collect::<Vec<f64>>(), 1.0)
        };
        let curves = (0..rows).map(&mut curve).collect();
        (grid.clone(), curves)
    }

    #[test]
    fn noisy_curves_are_brought_nearer_to_the_truth() {
        let (grid, curves) = noisy(0.3, 20);
        let smoothing = least_cross_validation(&grid, &curves, &Stop::default()).unwrap();
        let smoother = Smoother::new(&grid, smoothing);
        let (mut raw, mut smooth) = (0.0, 0.0);
        for (i, (points, _)) in curves.iter().enumerate() {
            let mut values = points.clone();
            smoother.smooth(&mut values, &mut vec![0.0; grid.len()]);
            for (k, t) in grid.iter().enumerate() {
                let truth = ((4.0 + i as f64 * 0.1) * t).sin();
                raw += (points[k] - truth).powi(2);
                smooth += (values[k] - truth).powi(2);
            }
        }
        assert!(
            smooth < 0.3 * raw,
            "{smooth} against {raw} at {smoothing:e}"
        );
    }

    #[test]
    fn smooth_curves_stay_as_they_are() {
        let (grid, curves) = noisy(0.0, 5);
        let smoothing = least_cross_validation(&grid, &curves, &Stop::default());
        assert!(smoothing.unwrap() < 1e-8);
    }

    #[test]
    fn few_points_are_not_smoothed() {
        let curves = [(vec![0.0, 1.0, 0.0], 1.0)];
        let smoothing = least_cross_validation(&[0.0, 0.5, 1.0], &curves, &Stop::default());
        assert_eq!(smoothing, Ok(0.0));
    }
}
