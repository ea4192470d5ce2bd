//! The natural cubic spline nearest to the points of a curve: through them, or smoother.
//!
//! It minimizes Σ_k (y_k − g(t_k))² + λ ∫ g″² (Reinsch, 1967). With h_k = t_{k+1} − t_k, R the tridiagonal
//! matrix with (h_{k−1} + h_k)/3 on the diagonal and h_k/6 beside it, and Q the second divided differences,
//! its second derivatives M at the inner knots solve (R + λ QᵀQ) M = Qᵀy, and g = y − λ Q M. Values and
//! second derivatives at the knots say all of it, and are linear in y.

/// The spline of every curve with points at the same places, prepared.
pub(crate) struct Smoother {
    /// t, increasing from 0 to 1.
    grid: Vec<f64>,
    /// λ.
    smoothing: f64,
    factor: BandFactor,
}

/// L and D of a symmetric matrix of two side diagonals, L D Lᵀ.
struct BandFactor {
    diagonal: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// The diagonal of a symmetric matrix and the two beside it.
pub(super) type Bands = [Vec<f64>; 3];

impl Smoother {
    /// The smoother of λ ≥ 0 for at least two places.
    pub fn new(grid: &[f64], smoothing: f64) -> Self {
        let mut bands = roughness(grid);
        let differences = squared_differences(grid);
        for (band, difference) in bands.iter_mut().zip(&differences) {
            for (r, q) in band.iter_mut().zip(difference) {
                *r += smoothing * q;
            }
        }
        Self {
            grid: grid.to_vec(),
            smoothing,
            factor: BandFactor::of(bands),
        }
    }

    /// t.
    pub fn grid(&self) -> &[f64] {
        &self.grid
    }

    /// Values of the spline at the knots, in place of those of the points, and second derivatives.
    pub fn smooth(&self, values: &mut [f64], second: &mut [f64]) {
        second.fill(0.0);
        let last = self.grid.len() - 1;
        self.differences(values, &mut second[1..last]);
        self.factor.solve(&mut second[1..last]);
        if self.smoothing > 0.0 {
            let inner = second[1..last].to_vec();
            self.add_spread(-self.smoothing, &inner, values);
        }
    }

    /// The weights w with wᵀy = αᵀg + βᵀM for every curve y, in place of α: the transpose of [`Self::smooth`].
    pub fn transpose(&self, alpha: &mut [f64], beta: &[f64]) {
        let last = self.grid.len() - 1;
        let mut inner = vec![0.0; last - 1];
        self.differences(alpha, &mut inner);
        for (inner, beta) in inner.iter_mut().zip(&beta[1..last]) {
            *inner = beta - self.smoothing * *inner;
        }
        self.factor.solve(&mut inner);
        self.add_spread(1.0, &inner, alpha);
    }

    /// λ² ‖Q M‖² from the M of a curve: the squared distance of the spline from its points.
    #[cfg(feature = "fit")]
    pub fn squared_distance(&self, second: &[f64]) -> f64 {
        let mut distance = vec![0.0; self.grid.len()];
        let last = self.grid.len() - 1;
        self.add_spread(self.smoothing, &second[1..last], &mut distance);
        distance.iter().map(|d| d * d).sum()
    }

    /// The trace of the matrix that takes y to y − g, λ tr(B⁻¹QᵀQ) with B = R + λ QᵀQ: from the middle bands
    /// of B⁻¹ alone, bottom up (Hutchinson and de Hoog, 1985).
    #[cfg(feature = "fit")]
    pub fn residual_trace(&self) -> f64 {
        let BandFactor {
            diagonal,
            first,
            second,
        } = &self.factor;
        let n = diagonal.len();
        let mut inverse: Bands = [vec![0.0; n + 2], vec![0.0; n + 2], vec![0.0; n + 2]];
        for i in (0..n).rev() {
            let (a, b) = (first[i], second[i]);
            let one = -a * inverse[0][i + 1] - b * inverse[1][i + 1];
            let two = -a * inverse[1][i + 1] - b * inverse[0][i + 2];
            inverse[0][i] = 1.0 / diagonal[i] - a * one - b * two;
            (inverse[1][i], inverse[2][i]) = (one, two);
        }
        let bands = squared_differences(&self.grid);
        let sum = |band: usize| -> f64 {
            let pairs = inverse[band][..n].iter().zip(&bands[band]);
            pairs.map(|(x, y)| x * y).sum()
        };
        self.smoothing * (sum(0) + 2.0 * (sum(1) + sum(2)))
    }

    /// Qᵀy.
    fn differences(&self, values: &[f64], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            let [a, b, c] = difference_weights(&self.grid, k + 1);
            *out = a * values[k] + b * values[k + 1] + c * values[k + 2];
        }
    }

    /// out += factor · Q M.
    fn add_spread(&self, factor: f64, inner: &[f64], out: &mut [f64]) {
        for (k, m) in inner.iter().enumerate() {
            let weights = difference_weights(&self.grid, k + 1);
            for (out, weight) in out[k..].iter_mut().zip(weights) {
                *out += factor * weight * m;
            }
        }
    }
}

/// The column of Q that belongs to the inner knot `k`.
fn difference_weights(grid: &[f64], k: usize) -> [f64; 3] {
    let before = 1.0 / (grid[k] - grid[k - 1]);
    let after = 1.0 / (grid[k + 1] - grid[k]);
    [before, -before - after, after]
}

/// R.
fn roughness(grid: &[f64]) -> Bands {
    let inner = grid.len() - 2;
    let mut bands = [vec![0.0; inner], vec![0.0; inner], vec![0.0; inner]];
    for k in 0..inner {
        bands[0][k] = (grid[k + 2] - grid[k]) / 3.0;
        if k + 1 < inner {
            bands[1][k] = (grid[k + 2] - grid[k + 1]) / 6.0;
        }
    }
    bands
}

/// QᵀQ.
fn squared_differences(grid: &[f64]) -> Bands {
    let inner = grid.len() - 2;
    let mut bands = [vec![0.0; inner], vec![0.0; inner], vec![0.0; inner]];
    for k in 0..inner {
        let own = difference_weights(grid, k + 1);
        for (step, band) in bands.iter_mut().enumerate() {
            if k + step < inner {
                let other = difference_weights(grid, k + step + 1);
                band[k] = own[step..].iter().zip(other).map(|(a, b)| a * b).sum();
            }
        }
    }
    bands
}

impl BandFactor {
    fn of([mut diagonal, mut first, mut second]: Bands) -> Self {
        let n = diagonal.len();
        for i in 0..n {
            if i >= 1 {
                diagonal[i] -= diagonal[i - 1] * first[i - 1] * first[i - 1];
            }
            if i >= 2 {
                diagonal[i] -= diagonal[i - 2] * second[i - 2] * second[i - 2];
            }
            if i >= 1 {
                first[i] -= diagonal[i - 1] * first[i - 1] * second[i - 1];
            }
            first[i] /= diagonal[i];
            second[i] /= diagonal[i];
        }
        Self {
            diagonal,
            first,
            second,
        }
    }

    fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        for i in 0..n {
            if i >= 1 {
                x[i] -= self.first[i - 1] * x[i - 1];
            }
            if i >= 2 {
                x[i] -= self.second[i - 2] * x[i - 2];
            }
        }
        for i in (0..n).rev() {
            x[i] /= self.diagonal[i];
            if i + 1 < n {
                x[i] -= self.first[i] * x[i + 1];
            }
            if i + 2 < n {
                x[i] -= self.second[i] * x[i + 2];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(gaps: &[f64]) -> Vec<f64> {
        let total: f64 = gaps.iter().sum();
        let mut at = 0.0;
        let mut grid = vec![0.0];
        for gap in gaps {
            at += gap / total;
            grid.push(at);
        }
        *grid.last_mut().unwrap() = 1.0;
        grid
    }

    /// The objective of a natural spline with these values and second derivatives.
    fn objective(grid: &[f64], y: &[f64], g: &[f64], m: &[f64], smoothing: f64) -> f64 {
        let squares: f64 = y.iter().zip(g).map(|(y, g)| (y - g).powi(2)).sum();
        let rough: f64 = (0..grid.len() - 1)
            .map(|k| {
                let (a, b) = (m[k], m[k + 1]);
                (grid[k + 1] - grid[k]) * (a * a + a * b + b * b) / 3.0
            })
            .sum();
        squares + smoothing * rough
    }

    proptest! {
        #[test]
        fn no_other_spline_has_a_smaller_objective(
            gaps in prop::collection::vec(0.2..2.0f64, 2..9),
            wave in 0.1..9.0f64,
            smoothing in 1e-6..1.0f64,
            bump in -0.1..0.1f64,
            at in 0usize..20,
        ) {
            let grid = grid(&gaps);
            let y: Vec<f64> = (0..grid.len()).map(|k| (wave * k as f64).sin()).collect();
            let (mut g, mut m) = (y.clone(), vec![0.0; y.len()]);
            Smoother::new(&grid, smoothing).smooth(&mut g, &mut m);
            // The interpolating spline of other values is the smoothest with these.
            let (mut other, mut bent) = (g.clone(), vec![0.0; g.len()]);
            other[at % g.len()] += bump;
            Smoother::new(&grid, 0.0).smooth(&mut other, &mut bent);
            let (found, moved) = (
                objective(&grid, &y, &g, &m, smoothing),
                objective(&grid, &y, &other, &bent, smoothing),
            );
            prop_assert!(found <= moved + 1e-12, "{found} above {moved}");
        }

        #[test]
        fn the_transpose_is_the_transpose(
            gaps in prop::collection::vec(0.2..2.0f64, 1..9),
            smoothing in prop_oneof![Just(0.0), 1e-6..1.0f64],
            wave in 0.1..9.0f64,
        ) {
            let grid = grid(&gaps);
            let n = grid.len();
            let values = |step: f64| -> Vec<f64> {
                (0..n).map(|k| (step * (k + 1) as f64).cos()).collect()
            };
            let (y, alpha, beta) = (values(wave), values(1.3), values(0.7));
            let smoother = Smoother::new(&grid, smoothing);
            let (mut g, mut m) = (y.clone(), vec![0.0; n]);
            smoother.smooth(&mut g, &mut m);
            let mut weights = alpha.clone();
            smoother.transpose(&mut weights, &beta);
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let direct = dot(&alpha, &g) + dot(&beta, &m);
            prop_assert!((dot(&weights, &y) - direct).abs() <= 1e-9 * (1.0 + direct.abs()));
        }
    }

    #[test]
    fn straight_lines_stay_whatever_the_smoothing() {
        let grid = grid(&[1.0, 0.3, 2.0, 0.7]);
        for smoothing in [0.0, 1e-3, 1e6] {
            let line: Vec<f64> = grid.iter().map(|t| 3.0 - 2.0 * t).collect();
            let (mut g, mut m) = (line.clone(), vec![1.0; line.len()]);
            Smoother::new(&grid, smoothing).smooth(&mut g, &mut m);
            for (k, line) in line.iter().enumerate() {
                assert!((g[k] - line).abs() < 1e-9 && m[k].abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_trace_is_that_of_the_residuals_of_unit_vectors() {
        let grid = grid(&[1.0, 0.4, 0.9, 1.5, 0.6, 1.1]);
        for smoothing in [1e-5, 1e-2, 3.0] {
            let smoother = Smoother::new(&grid, smoothing);
            let residual = |k: usize| {
                let mut unit = vec![0.0; grid.len()];
                unit[k] = 1.0;
                smoother.smooth(&mut unit, &mut vec![0.0; grid.len()]);
                1.0 - unit[k]
            };
            let trace: f64 = (0..grid.len()).map(residual).sum();
            assert!((smoother.residual_trace() - trace).abs() < 1e-10);
        }
    }
}
